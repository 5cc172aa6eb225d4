"""Cassettes: a model's answers, recorded by the hash of the request, at the Model port.

A request without a recorded answer is an error. Thus a changed prompt never passes by accident.
"""

import base64
import hashlib
import threading
from collections import defaultdict
from pathlib import Path
from typing import Any, Final

import msgspec

from evals.minds import MindUnderTest
from shared.agent.model import JsonAnswer, JsonRequest, ModelRequest, ModelResponse

FOLDER: Final = Path(__file__).parent / "cassettes"
_LEFT_OUT: Final = "timeout_s"  # counts down by the clock


class ReRecordError(Exception):
    """The prompt changed since the recording; record the cassette again."""


class Cassette:
    """The answers of one suite, by request.  Equal requests get their answers in the recorded order, then from the first again."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._replayed: defaultdict[str, int] = defaultdict(int)
        self.model_name = ""
        self._answers: dict[str, list[Any]] = {}
        if path.exists():
            stored = msgspec.json.decode(path.read_bytes())
            self.model_name, self._answers = stored["model"], stored["answers"]

    def answer(self, request: ModelRequest | JsonRequest) -> object:
        """Return the next recorded answer.  Raises: ReRecordError."""
        key = key_of(request)
        with self._lock:
            answers = self._answers.get(key)
            if not answers:
                raise ReRecordError("the prompt changed; re-record: make eval RECORD=1 with a key")
            number = self._replayed[key]
            self._replayed[key] += 1
            return answers[number % len(answers)]

    def keep(self, request: ModelRequest | JsonRequest, answer: object) -> None:
        """Append an answer."""
        with self._lock:
            self._answers.setdefault(key_of(request), []).append(msgspec.to_builtins(answer, enc_hook=_bytes))

    def clear(self, model_name: str) -> None:
        """Forget every answer, before a recording with the named model."""
        self.model_name, self._answers = model_name, {}

    def save(self) -> None:
        """Write the file."""
        self._path.parent.mkdir(exist_ok=True)
        data = msgspec.json.encode({"model": self.model_name, "answers": self._answers})
        self._path.write_bytes(msgspec.json.format(data, indent=1))


class Replayed:
    """A mind answering from a cassette."""

    def __init__(self, cassette: Cassette) -> None:
        self._cassette = cassette

    @property
    def name(self) -> str:
        return self._cassette.model_name

    def generate(self, request: ModelRequest) -> ModelResponse:
        return msgspec.convert(self._cassette.answer(request), ModelResponse)

    def answer_json(self, request: JsonRequest) -> JsonAnswer:
        return msgspec.convert(self._cassette.answer(request), JsonAnswer)


class Recorded:
    """A mind with a cassette: every answer is recorded."""

    def __init__(self, mind: MindUnderTest, cassette: Cassette) -> None:
        self._mind = mind
        self._cassette = cassette

    @property
    def name(self) -> str:
        return self._mind.name

    def generate(self, request: ModelRequest) -> ModelResponse:
        answer = self._mind.generate(request)
        self._cassette.keep(request, answer)
        return answer

    def answer_json(self, request: JsonRequest) -> JsonAnswer:
        answer = self._mind.answer_json(request)
        self._cassette.keep(request, answer)
        return answer


def key_of(request: ModelRequest | JsonRequest) -> str:
    """Return the hash of a request without its time limit.

    For example, requests with `timeout_s=30.0` and `timeout_s=29.5` have the same key.
    """
    fields = msgspec.to_builtins(request, enc_hook=_bytes)
    fields.pop(_LEFT_OUT, None)
    return hashlib.sha256(msgspec.json.encode(fields, order="deterministic")).hexdigest()


def _bytes(value: object) -> object:
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    raise NotImplementedError(type(value).__name__)
