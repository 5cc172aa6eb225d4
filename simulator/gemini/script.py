"""Steps queued by a test: answers, delays, and conditions on the request.

    stand_in.script([call("reply", {"message": "hi"}), finish("SAFETY").slow(0.2), rate_limited(retry_delay_s=2)])

For example, the script above gives the next three requests a call, a candidate stopped by SAFETY after 0.2 s, and a 429.
Relies on `answers` for the values. `control` reads the same steps from JSON.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from simulator.gemini import errors
from simulator.gemini.answers import Answer, Blocked, CallPart, Candidate, Dropped, RawBody
from simulator.gemini.errors import GoogleError
from simulator.gemini.pages import url_context
from simulator.gemini.request import GenerateContentRequest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# Finish reasons of Gemini's text models.  Source: google-genai 3.4.0, `FinishReason`; without those of image models.
FINISH_REASONS = (
    "STOP", "MAX_TOKENS", "SAFETY", "RECITATION", "LANGUAGE", "OTHER", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII",
    "MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS", "MISSING_THOUGHT_SIGNATURE",
    "MALFORMED_RESPONSE", "ESCALATION", "CONTINUATION", "MODEL_ARMOR",
)  # fmt: skip

Predicate = Callable[[GenerateContentRequest], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """Keeps an answer back until a test's release; `reached` is set as soon as a request waits for the answer."""

    reached: threading.Event = field(default_factory=threading.Event)
    released: threading.Event = field(default_factory=threading.Event)

    def release(self) -> None:
        """Send the answer.  Repeated: does nothing."""
        self.released.set()

    def wait_until_reached(self, timeout_s: float = 10.0) -> None:
        """Return once a request waits for the answer.

        Raises: TimeoutError, without such a request.
        """
        if not self.reached.wait(timeout_s):
            raise TimeoutError("no request reached the hold")


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """An answer, or a function from the request to a step."""

    answer: Answer | Callable[[GenerateContentRequest], Step]
    delay_s: float = 0.0
    hold: Hold | None = None
    only_if: Predicate | None = None

    def slow(self, delay_s: float) -> Step:
        """Return the step with a delay: `text("hi").slow(0.2)` is answered after 0.2 s."""
        return replace(self, delay_s=delay_s)

    def held(self, hold: Hold) -> Step:
        """Return the step with a hold."""
        return replace(self, hold=hold)

    def when(self, predicate: Predicate) -> Step:
        """Return the step for the first request accepted by the predicate.

        For example, `text("hi").when(lambda request: "hello" in request.last_text)`.
        """
        return replace(self, only_if=predicate)

    def resolve(self, request: GenerateContentRequest) -> tuple[Answer, Step]:
        """Return the answer to the request, and the step with delay and hold."""
        step = self
        while not isinstance(step.answer, Answer):
            next_step = step.answer(request)
            step = replace(next_step, delay_s=next_step.delay_s or step.delay_s, hold=next_step.hold or step.hold)
        return step.answer, step


def call(name: str, args: Mapping[str, object], *, has_id: bool = True, tokens: int | None = None) -> Step:
    """The model calls a function: `call("reply", {"message": "hi"})`."""
    return calls((name, args), has_id=has_id, tokens=tokens)


def calls(*named_args: tuple[str, Mapping[str, object]], has_id: bool = True, tokens: int | None = None) -> Step:
    """The model calls several functions in one content, for example `calls(("search", {"query": "rain"}), ("skip", {"reason": "done"}))`.

    `tokens` is the stated usage; None counts the tokens of the parts.
    """
    parts = tuple(CallPart(name=name, args=args, has_id=has_id) for name, args in named_args)
    return Step(answer=Candidate(parts=parts, tokens=tokens))


def text(*texts: str) -> Step:
    """The model answers with text, a part for each argument: `text("first", "second")`."""
    return Step(answer=Candidate(parts=texts))


def grounded(answer: str, grounding: Mapping[str, object]) -> Step:
    """The model answers with text from a search; `grounding` is the `groundingMetadata`."""
    return Step(answer=Candidate(parts=(answer,), grounding=grounding))


def from_pages(answer: str, statuses: Mapping[str, str], *, page_tokens: int = 0) -> Step:
    """The model answers with text from pages: `from_pages("Open until 18:00.", {"https://a.example/": "SUCCESS"})`.

    `statuses`: the end of each page's status, such as SUCCESS, ERROR, PAYWALL or UNSAFE.
    """
    parts = (answer,) if answer else ()
    return Step(answer=Candidate(parts=parts, url_context=url_context(statuses), page_tokens=page_tokens))


def empty() -> Step:
    """A STOP without parts, sent by Gemini at times.  Source: googleapis/python-genai#1289."""
    return Step(answer=Candidate())


def finish(reason: str, *parts: str | CallPart, message: str | None = None) -> Step:
    """A candidate with the finish reason, as usual without a content unless parts are given: `finish("MAX_TOKENS", "half a sen")`."""
    return Step(answer=Candidate(parts=parts, finish_reason=reason, finish_message=message))


def blocked(reason: str = "PROHIBITED_CONTENT") -> Step:
    """The prompt is blocked."""
    return Step(answer=Blocked(reason=reason))


def failure(code: int, status: str, message: str) -> Step:
    """Any error in Google's format."""
    return Step(answer=GoogleError(code=code, status=status, message=message))


def rate_limited(*, retry_delay_s: float = 17.0) -> Step:
    """429 with RetryInfo."""
    return Step(answer=errors.rate_limited(retry_delay_s=retry_delay_s))


def internal_error() -> Step:
    """500."""
    return Step(answer=errors.internal())


def unavailable() -> Step:
    """503, overloaded."""
    return Step(answer=errors.unavailable())


def malformed_json() -> Step:
    """200 with truncated JSON."""
    return Step(answer=RawBody(body=b'{"candidates": [{"content": {"parts"'))


def empty_body() -> Step:
    """200 with an empty body."""
    return Step(answer=RawBody(body=b""))


def html_error(status_code: int = 502) -> Step:
    """A proxy's error page."""
    page = f"<!DOCTYPE html><html><title>Error {status_code} (Server Error)!!1</title></html>"
    return Step(answer=RawBody(body=page.encode(), status_code=status_code, content_type="text/html; charset=UTF-8"))


def dropped() -> Step:
    """The connection ends in the middle of the answer."""
    return Step(answer=Dropped())


def from_request(make: Callable[[GenerateContentRequest], Step]) -> Step:
    """The step returned by `make` for the request."""
    return Step(answer=make)


class Script:
    """The queue of steps. A lock guards the queue: tests add steps in one thread, the server takes steps in another."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._steps: list[Step] = []
        self._holds: list[Hold] = []

    def add(self, steps: Iterable[Step]) -> None:
        """Append steps to the queue."""
        with self._lock:
            self._steps.extend(steps)

    def take(self, request: GenerateContentRequest) -> Step | None:
        """Take the first step for the request; None without one."""
        with self._lock:
            for index, step in enumerate(self._steps):
                if step.only_if is None or step.only_if(request):
                    return self._steps.pop(index)
        return None

    def register_hold(self, hold: Hold) -> None:
        """Release the hold when the script is cleared, so that no request outlives the test."""
        with self._lock:
            self._holds.append(hold)

    def clear(self) -> None:
        """Empty the queue, and release all holds."""
        with self._lock:
            self._steps.clear()
            for hold in self._holds:
                hold.release()
            self._holds.clear()

    @property
    def pending(self) -> int:
        """How many steps are queued."""
        with self._lock:
            return len(self._steps)
