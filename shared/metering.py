"""Metering: the cost of the model.  Every request is counted when it is made, and summed up for the work behind it.

The meter of a piece of work is bound to its context, as log fields are, so no port and no tool has to pass it on; executors copy
the context to their threads.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, Protocol

from shared import logs, tracing
from shared.clock import Clock
from shared.frozen import frozen
from shared.unknown_fields import Extensible

PURPOSE: Final = "aizuchi.purpose"
"""The attribute of a span with the request's purpose."""


class Purpose(StrEnum):
    """The purpose of a request to the model."""

    TURN = "turn"
    CLASSIFY = "classify"
    RECAP = "recap"
    CAPTION = "caption"
    SEARCH = "search"
    EMBED = "embed"
    PROBE = "probe"
    TRANSLATE = "translate"
    LINK = "link"


@frozen
class Usage:
    """Tokens as the provider counts them; `prompt_tokens` includes `cached_tokens`."""

    prompt_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    thought_tokens: int = 0


@frozen
class ModelUsage(Extensible):
    """The requests to one model for one purpose, and their tokens.

    A failed request counts as a request; the tokens of such a request are unknown, and count as 0.
    """

    purpose: Purpose
    model_name: str
    requests: int = 1
    prompt_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    thought_tokens: int = 0

    def plus(self, other: "ModelUsage") -> "ModelUsage":
        """Return the sum with another usage of the same model for the same purpose."""
        return ModelUsage(
            purpose=self.purpose,
            model_name=self.model_name,
            requests=self.requests + other.requests,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            thought_tokens=self.thought_tokens + other.thought_tokens,
        )


class Meter:
    """The usage of one piece of work so far, for example of a turn; safe to share between threads.

    `account`: the id of the chat; None: the work belongs to no chat. `is_of_turn`: the work belongs to a turn that began within the chat's
    budget, so the day's number of turns does not end it.
    """

    def __init__(self, account: str | None = None, *, is_of_turn: bool = False) -> None:
        self.account = account
        self.is_of_turn = is_of_turn
        self._used: dict[tuple[Purpose, str], ModelUsage] = {}
        self._under_way: dict[int, Callable[[], ModelUsage]] = {}
        self._lock = threading.Lock()

    def begin(self, request: "MadeRequest", estimate: Callable[[], ModelUsage]) -> None:
        """Count the request by the estimate until `end`."""
        with self._lock:
            self._under_way[id(request)] = estimate

    def end(self, request: "MadeRequest", usage: ModelUsage) -> None:
        """Count the request by its usage."""
        with self._lock:
            self._under_way.pop(id(request), None)
            _add(usage, self._used)

    @property
    def usage(self) -> tuple[ModelUsage, ...]:
        """The sums, one for each purpose and model.

        A request under way counts by its estimate: the answer to a request that a follow-up ended may come after the turn's outcome.
        """
        with self._lock:
            used, under_way = dict(self._used), tuple(self._under_way.values())
        for estimate in under_way:
            _add(estimate(), used)
        return tuple(used[key] for key in sorted(used))


def _add(usage: ModelUsage, used: dict[tuple[Purpose, str], ModelUsage]) -> None:
    key = (usage.purpose, usage.model_name)
    before = used.get(key)
    used[key] = usage if before is None else before.plus(usage)


def log_usage(meter: Meter, *, weigh: Callable[[ModelUsage], int]) -> None:
    """Log one line with a turn's usage over all its requests; no line if the turn made no request.

    `weigh` returns a usage's cost in tokens of input.
    """
    used = meter.usage
    if not used:
        return
    requests = {purpose.value: sum(one.requests for one in used if one.purpose is purpose) for purpose in Purpose}
    logs.info(
        "turn_metered",
        requests={name: count for name, count in requests.items() if count},
        models=sorted({one.model_name for one in used}),
        total_prompt_tokens=sum(one.prompt_tokens for one in used),
        total_cached_tokens=sum(one.cached_tokens for one in used),
        total_output_tokens=sum(one.output_tokens for one in used),
        total_thought_tokens=sum(one.thought_tokens for one in used),
        weighted_tokens=sum(map(weigh, used)),
    )


_CURRENT: ContextVar[Meter | None] = ContextVar("meter", default=None)


@contextmanager
def metered(meter: Meter) -> Iterator[None]:
    """Count requests of the block on `meter`, also on threads that work with the block's context."""
    token = _CURRENT.set(meter)
    try:
        yield
    finally:
        _CURRENT.reset(token)


class Charges(Protocol):
    """Records every request as soon as it was made, also if the surrounding work fails later."""

    def charge(self, account: str | None, usage: ModelUsage) -> None:
        """Record one request of a chat.  Called on any thread while a person waits for an answer: must not block or raise."""
        ...


class NoCharges:
    """Records nothing."""

    def charge(self, account: str | None, usage: ModelUsage) -> None:
        """Do nothing."""


@dataclass(frozen=True, slots=True)
class SeveralCharges:
    """Passes each request on to several Charges."""

    takers: tuple[Charges, ...]

    def charge(self, account: str | None, usage: ModelUsage) -> None:
        """Pass the request on to every member."""
        for taker in self.takers:
            taker.charge(account, usage)


class Gate(Protocol):
    """Decides before each request to a model, of any purpose, whether the request may be made."""

    def check(self, meter: Meter | None) -> None:
        """Return if the work of this meter may ask a model; None: unmetered work.  Called on any thread.

        Raises: BudgetSpentError; StorageUnavailableError, if the chat's spending is unknown.
        """
        ...

    def remaining_tokens(self, meter: Meter | None) -> int | None:
        """Return how many weighted tokens the work of this meter may still spend today; None: no limit.

        Raises: StorageUnavailableError, if the chat's spending is unknown.
        """
        ...


class OpenGate:
    """Lets every request pass."""

    def check(self, meter: Meter | None) -> None:
        """Return."""

    def remaining_tokens(self, meter: Meter | None) -> int | None:
        """Return None: no limit."""


class CostlyError(Exception):
    """A request failed after it had cost tokens."""

    usage: Usage


@dataclass(slots=True, kw_only=True)
class MadeRequest:
    """A request under way; the caller sets the tokens, the model that answered, and further fields of the log line."""

    usage: Usage = field(default_factory=Usage)
    response_model: str | None = None
    fields: dict[str, object] = field(default_factory=dict)


@frozen
class Metering:
    """Counts requests: on the meter of their work, as a charge, and as one line of the log.  The gate comes first.

    Example: `with metering.request(Purpose.TURN, "gemini-3.5-flash-lite") as request: ...; request.usage = usage`.
    """

    clock: Clock = field(repr=False)
    gate: Gate = field(default_factory=OpenGate, repr=False)
    charges: Charges = field(default_factory=NoCharges, repr=False)

    @contextmanager
    def request(
        self, purpose: Purpose, model_name: str, *, estimate: Callable[[], Usage] = Usage
    ) -> Iterator[MadeRequest]:
        """Count the block's request, also if it fails; the tokens of a CostlyError are counted.

        `estimate` returns the tokens to count until the block ends. Raises: BudgetSpentError, before the block.
        """
        meter = _CURRENT.get()
        self.gate.check(meter)
        request, started_s = MadeRequest(), self.clock.monotonic_s()
        if meter is not None:
            meter.begin(request, lambda: _model_usage(purpose, model_name, estimate()))
        outcome = "failed"
        try:
            with _traced(purpose, model_name, request), _cost_of_failure(request):
                yield request
            outcome = "ok"
        except Exception as cause:
            request.fields["error_type"] = type(cause).__name__
            raise
        finally:
            self._count(purpose, model_name, request)
            logs.info(
                "model_called",
                purpose=purpose.value,
                model=model_name,
                outcome=outcome,
                duration_ms=round((self.clock.monotonic_s() - started_s) * 1_000),
                prompt_tokens=request.usage.prompt_tokens,
                cached_tokens=request.usage.cached_tokens,
                output_tokens=request.usage.output_tokens,
                thought_tokens=request.usage.thought_tokens,
                **request.fields,
            )

    def remaining_tokens(self) -> int | None:
        """Return how many weighted tokens the work of the context may still spend today, for a request that is costly; None: no limit."""
        return self.gate.remaining_tokens(_CURRENT.get())

    def _count(self, purpose: Purpose, model_name: str, request: MadeRequest) -> None:
        usage, meter = _model_usage(purpose, model_name, request.usage), _CURRENT.get()
        if meter is not None:
            meter.end(request, usage)
        self.charges.charge(meter.account if meter is not None else None, usage)


def _model_usage(purpose: Purpose, model_name: str, tokens: Usage) -> ModelUsage:
    return ModelUsage(
        purpose=purpose,
        model_name=model_name,
        prompt_tokens=tokens.prompt_tokens,
        cached_tokens=tokens.cached_tokens,
        output_tokens=tokens.output_tokens,
        thought_tokens=tokens.thought_tokens,
    )


@contextmanager
def _cost_of_failure(request: MadeRequest) -> Iterator[None]:
    try:
        yield
    except CostlyError as cause:
        request.usage = cause.usage
        raise


@contextmanager
def _traced(purpose: Purpose, model_name: str, request: MadeRequest) -> Iterator[None]:
    """Trace the request as a span with its model, tokens and finish reason."""
    operation = tracing.Operation.EMBEDDINGS if purpose is Purpose.EMBED else tracing.Operation.CHAT
    with tracing.span(operation, model_name, {tracing.REQUEST_MODEL: model_name, PURPOSE: purpose.value}) as span:
        try:
            yield
        finally:
            tokens, reason = request.usage, request.fields.get("finish_reason")
            span.set(
                {
                    tracing.INPUT_TOKENS: tokens.prompt_tokens,
                    tracing.CACHED_TOKENS: tokens.cached_tokens,
                    tracing.OUTPUT_TOKENS: tokens.output_tokens + tokens.thought_tokens,
                    tracing.REASONING_TOKENS: tokens.thought_tokens,
                    **({tracing.FINISH_REASONS: (str(reason),)} if reason else {}),
                    **({tracing.RESPONSE_MODEL: request.response_model} if request.response_model else {}),
                }
            )
