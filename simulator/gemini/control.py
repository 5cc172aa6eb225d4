"""The script and the log over HTTP, for tests in other processes.

    POST /control/script   {"steps": [{"calls": [{"name": "reply", "args": {"message": "hi"}}]}, {"finish": "SAFETY"}]}
    GET  /control/requests {"requests": [...], "pending_steps": 0, "failures": []}
    POST /control/release  {"hold": "first"}
    POST /control/refusals {"blocked_words": ["forbidden"], "broken_media": ["damaged"]}
    POST /control/reset

A step has exactly one of `calls`, `text`, `empty`, `finish`, `blocked`, `rate_limited`, `error`, `raw`, `dropped`. Optional fields are
`delay_s`, `hold` (a name for the release) and `if_text_contains` (words required in the request's last text). For example,
`{"text": "hi", "hold": "first", "if_text_contains": "hello"}` answers "hi" to "hello", after a release of `first`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from simulator.gemini import script
from simulator.gemini.answers import RawBody
from simulator.gemini.errors import RefusedError, invalid_argument
from simulator.gemini.fields import Fields, parse_object
from simulator.gemini.refusals import Refusals
from simulator.gemini.script import Hold, Step

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from starlette.requests import Request

    from simulator.gemini.app import GeminiStandIn
    from simulator.gemini.request import GenerateContentRequest

_RAW_STEPS = {"malformed_json": script.malformed_json, "empty_body": script.empty_body, "html": script.html_error}


def control_routes(stand_in: GeminiStandIn) -> list[Route]:
    """Return the routes under `/control`."""
    control = _Control(stand_in)
    return [
        Route("/control/script", control.script, methods=["POST"]),
        Route("/control/requests", control.requests, methods=["GET"]),
        Route("/control/release", control.release, methods=["POST"]),
        Route("/control/refusals", control.refusals, methods=["POST"]),
        Route("/control/reset", control.reset, methods=["POST"]),
    ]


class _Control:
    """The endpoints, and the holds by name."""

    def __init__(self, stand_in: GeminiStandIn) -> None:
        self._stand_in = stand_in
        self._holds: dict[str, Hold] = {}

    async def script(self, http_request: Request) -> Response:
        try:
            body = Fields(values=parse_object(await http_request.body()), path="")
            steps = [self._step(fields) for fields in body.messages("steps")]
        except RefusedError as refused:
            return JSONResponse(refused.error.body(), status_code=refused.error.code)
        self._stand_in.script(steps)
        return JSONResponse({"pending_steps": self._stand_in.pending_steps})

    async def requests(self, _: Request) -> Response:
        stand_in = self._stand_in
        log = {
            "requests": [record.as_json() for record in stand_in.requests],
            "pending_steps": stand_in.pending_steps,
            "failures": list(stand_in.failures),
        }
        return JSONResponse(log)

    async def release(self, http_request: Request) -> Response:
        try:
            name = Fields(values=parse_object(await http_request.body()), path="").text("hold")
        except RefusedError as refused:
            return JSONResponse(refused.error.body(), status_code=refused.error.code)
        hold = self._holds.get(name or "")
        if hold is None:
            return JSONResponse({"error": {"code": 404, "message": "no such hold"}}, status_code=404)
        hold.release()
        return JSONResponse({})

    async def refusals(self, http_request: Request) -> Response:
        try:
            body = Fields(values=parse_object(await http_request.body()), path="")
            refusals = Refusals(
                blocked_words=tuple(body.texts("blocked_words")), broken_media=tuple(body.texts("broken_media"))
            )
        except RefusedError as refused:
            return JSONResponse(refused.error.body(), status_code=refused.error.code)
        self._stand_in.refusals = refusals
        return JSONResponse({})

    async def reset(self, _: Request) -> Response:
        for hold in self._holds.values():
            hold.release()
        self._holds.clear()
        self._stand_in.reset()
        return JSONResponse({})

    def _step(self, fields: Fields) -> Step:
        step = _answer_step(fields).slow(fields.number("delay_s") or 0.0)
        name, condition_text = fields.text("hold"), fields.text("if_text_contains")
        if name is not None:
            step = step.held(self._holds.setdefault(name, Hold()))
        if condition_text is not None:
            step = step.when(_contains(condition_text))
        return step


def _contains(words: str) -> script.Predicate:
    def is_meant(request: GenerateContentRequest) -> bool:
        return words in request.last_text

    return is_meant


def _finish(fields: Fields) -> Step:
    text = fields.text("text")
    return script.finish(fields.text("finish") or "", *([text] if text else []), message=fields.text("finish_message"))


def _calls(fields: Fields) -> Step:
    calls = fields.messages("calls")
    return script.calls(*((call.text("name") or "", call.struct("args") or {}) for call in calls))


def _error(fields: Fields) -> Step:
    error = fields.message("error")
    code = int(error.number("code") or 500)
    return script.failure(code, error.text("status") or "INTERNAL", error.text("message") or "")


def _raw(fields: Fields) -> Step:
    """Return a step with a named body, or with any text as the body of a 200."""
    raw = fields.text("raw") or ""
    return _RAW_STEPS[raw]() if raw in _RAW_STEPS else Step(answer=RawBody(body=raw.encode()))


# The first present field decides, so that `finish` can be combined with `text`.
_STEPS: Mapping[str, Callable[[Fields], Step]] = {
    "finish": _finish,
    "calls": _calls,
    "text": lambda fields: script.text(fields.text("text") or ""),
    "empty": lambda _: script.empty(),
    "blocked": lambda fields: script.blocked(fields.text("blocked") or ""),
    "rate_limited": lambda fields: script.rate_limited(
        retry_delay_s=fields.message("rate_limited").number("retry_delay_s") or 0.0
    ),
    "error": _error,
    "raw": _raw,
    "dropped": lambda _: script.dropped(),
}


def _answer_step(fields: Fields) -> Step:
    for name, make in _STEPS.items():
        if fields.has(name):
            return make(fields)
    raise invalid_argument(f"{fields.path}: a step needs one of {', '.join(_STEPS)}")
