"""A call of the worker's adapters against a bare call: the same request to the same stand-in through `http.client`.

The figure is the CPU time of the calling thread, without the stand-ins and everything else on the machine.
"""

import asyncio
import http.client
import json
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final
from urllib.parse import quote

from benchmarks.plan import Plan
from benchmarks.processes import Processes
from benchmarks.samples import Comparison, interleave
from benchmarks.table import Goal, Row, Section, at_most, times
from benchmarks.wire import UnexpectedAnswerError
from shared.adapters.gcs import GcsObjectStore
from shared.adapters.gemini import GeminiModel
from shared.adapters.gemini_wire import request_body
from shared.adapters.inline_media import InlineMedia
from shared.agent.model import FunctionDeclaration, ModelRequest, TextContent
from shared.settings.agent_worker import GeminiSettings
from shared.settings.secret import FixedSecret
from simulator.functions import HISTORY_BUCKET, PROJECT_ID
from simulator.processes import HOST, Child

CONTENTS: Final = 80
FUNCTIONS: Final = 11
_CALLS: Final = 30
_TIMEOUT_S: Final = 20.0
_TEXT: Final = "来週の旅行のことだけど、{}番目の案はどうかな。早めに決めたほうが安くなると思う。"
_OBJECT: Final = f"journal/C{'0' * 32}/1.json"
_SETTINGS: Final = ("message", "category", "name", "due", "people", "amount", "note", "reason")
_ROWS: Final[Mapping[str, tuple[str, Goal]]] = {
    "gemini": (f"a request to Gemini: {CONTENTS} contents, {FUNCTIONS} functions", at_most(1.5)),
    "read": ("a read of storage: a kilobyte", times(2)),
    "write": ("a write to storage: a kilobyte", times(2)),
}


async def measure(processes: Processes, plan: Plan) -> Section:
    """Return the section."""
    storage, gemini = await processes.bucket(), await processes.stand_in("gemini")
    rounds = await asyncio.to_thread(_rounds, storage, gemini, plan.call_rounds)
    rows = [
        Row(
            label=label,
            against="bare",
            unit="ms",
            comparison=Comparison.of([(one[name], one[f"bare {name}"]) for one in rounds]),
            goal=goal,
        )
        for name, (label, goal) in _ROWS.items()
    ]
    note = f"CPU time of the calling thread, median of rounds of {_CALLS}; bare: http.client and json, one connection"
    return Section(title="A call of the worker's adapters", rows=rows, note=note, samples=rounds)


def _rounds(storage: Child, gemini: Child, rounds: int) -> Sequence[Mapping[str, float]]:
    store = GcsObjectStore(project_id=PROJECT_ID, bucket=HISTORY_BUCKET, connections=1, emulator_host=storage.url)
    bucket, server = (http.client.HTTPConnection(HOST, one.port, timeout=_TIMEOUT_S) for one in (storage, gemini))
    calls: dict[str, Callable[[], object]] = {
        **_storage_calls(store, bucket),
        **_gemini_calls(GeminiModel(_settings(gemini)), server),
    }
    try:
        for call in calls.values():
            call()  # triggers imports and opens connections
        rounds_ms: list[dict[str, float]] = [{} for _ in range(rounds)]
        for number, name in interleave(tuple(calls), rounds):
            bucket.close()
            server.close()
            calls[name]()  # opens the connection again; the server closes idle connections after some seconds
            rounds_ms[number][name] = _cpu_ms(calls[name])
        return rounds_ms
    finally:
        bucket.close()
        server.close()
        store.close()


def _cpu_ms(call: Callable[[], object]) -> float:
    before_s = time.thread_time()
    for _ in range(_CALLS):
        call()
    return (time.thread_time() - before_s) * 1_000 / _CALLS


def _storage_calls(store: GcsObjectStore, bare: http.client.HTTPConnection) -> dict[str, Callable[[], object]]:
    data = json.dumps({"version": 1, "text": _TEXT.format(1) * 4}).encode()
    path = f"/download/storage/v1/b/{HISTORY_BUCKET}/o/{quote(_OBJECT, safe='')}?alt=media"
    upload = f"/upload/storage/v1/b/{HISTORY_BUCKET}/o?uploadType=media&name={quote(_OBJECT, safe='')}"
    generation = store.create(_OBJECT, data)

    def write() -> None:
        nonlocal generation
        generation = store.replace(_OBJECT, data, generation=generation or 0)
        if generation is None:
            raise UnexpectedAnswerError("an object changed without another writer")

    def write_bare() -> None:
        nonlocal generation
        answer = json.loads(_answer(bare, "POST", f"{upload}&ifGenerationMatch={generation}&fields=generation", data))
        generation = int(answer["generation"])

    return {
        "read": partial(store.read, _OBJECT),
        "bare read": partial(_answer, bare, "GET", path),
        "write": write,
        "bare write": write_bare,
    }


def _gemini_calls(model: GeminiModel, bare: http.client.HTTPConnection) -> dict[str, Callable[[], object]]:
    request = _request()
    path = f"/v1beta/models/{model.name}:generateContent"
    body = request_body(request, model_name=model.name, thinking="LOW", media=InlineMedia())

    def ask_bare() -> object:
        return json.loads(_answer(bare, "POST", path, json.dumps(body).encode()))

    return {"gemini": partial(model.generate, request), "bare gemini": ask_bare}


def _request() -> ModelRequest:
    properties = {one: {"type": "string", "description": _TEXT.format(one)} for one in _SETTINGS}
    parameters = {"type": "object", "properties": properties, "required": ["message"], "additionalProperties": False}
    names = ("reply", "skip", *(f"function_{number}" for number in range(FUNCTIONS - 2)))
    return ModelRequest(
        system_instruction=_TEXT.format("") * 60,
        declarations=tuple(FunctionDeclaration(name=one, description=_TEXT, parameters=parameters) for one in names),
        contents=tuple(
            TextContent(role="model" if number % 4 == 1 else "user", texts=(_TEXT.format(number),))
            for number in range(CONTENTS)
        ),
        max_output_tokens=1_024,
        timeout_s=_TIMEOUT_S,
        allowed=("reply",),
    )


def _answer(connection: http.client.HTTPConnection, method: str, path: str, body: bytes | None = None) -> bytes:
    connection.request(method, path, body=body, headers={"content-type": "application/json", "x-goog-api-key": "any"})
    response = connection.getresponse()
    data = response.read()
    if response.status != 200:  # noqa: PLR2004 - done
        raise UnexpectedAnswerError(f"{method} {path} was answered {response.status}")
    return data


def _settings(gemini: Child) -> GeminiSettings:
    return GeminiSettings(
        api_key=FixedSecret("any"),
        project_id=PROJECT_ID,
        location=None,
        base_url=gemini.url,
        model="gemini-3.5-flash-lite",
        thinking_level="low",
    )
