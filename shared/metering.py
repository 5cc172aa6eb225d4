"""What the model costs: every request is counted where it is made, and summed up for the work that it belongs to.

The meter of a piece of work is bound to its context, as log fields are, so that no port and no tool has to pass it on; executors copy the
context to their threads.
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
from shared.unknown_fields import Extensible

PURPOSE: Final = "aizuchi.purpose"
"""The attribute of a span that tells what the request is for."""


class Purpose(StrEnum):
    """What a request to the model is for."""

    TURN = "turn"
    CLASSIFY = "classify"
    RECAP = "recap"
    CAPTION = "caption"
    SEARCH = "search"
    EMBED = "embed"
    PROBE = "probe"


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens as the provider counts them; `prompt_tokens` includes `cached_tokens`."""

    prompt_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    thought_tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelUsage(Extensible):
    """The requests to one model for one purpose, and their tokens.

    A request that failed counts as a request; its tokens are not known, so they count as none.
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
    """What one piece of work, such as a turn, has used so far; safe to share between threads.

    `account` is the id of the chat that it works for; None where it works for no chat. `is_of_turn`: the work belongs to a turn for which
    the chat's budget had room when it began, so that the number of the day's turns does not end it.
    """

    def __init__(self, account: str | None = None, *, is_of_turn: bool = False) -> None:
        self.account = account
        self.is_of_turn = is_of_turn
        self._used: dict[tuple[Purpose, str], ModelUsage] = {}
        self._lock = threading.Lock()

    def add(self, one: ModelUsage) -> None:
        """Add a request."""
        with self._lock:
            key = (one.purpose, one.model_name)
            before = self._used.get(key)
            self._used[key] = one if before is None else before.plus(one)

    @property
    def usage(self) -> tuple[ModelUsage, ...]:
        """The sums, one for each purpose and model."""
        with self._lock:
            return tuple(self._used[key] for key in sorted(self._used))


def log_usage(meter: Meter, *, weigh: Callable[[ModelUsage], int]) -> None:
    """Log one line with what a turn has used, over all its requests; nothing where it asked no model.

    `weigh` tells what a usage costs, in tokens of input.
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
    """Requests of the block, and of work that it submits to threads with its context, are counted on `meter`."""
    token = _CURRENT.set(meter)
    try:
        yield
    finally:
        _CURRENT.reset(token)


class Charges(Protocol):
    """Takes note of every request as soon as it was made, also if the work that it belongs to fails later."""

    def charge(self, account: str | None, usage: ModelUsage) -> None:
        """Take note of one request of a chat.  Called on any thread while a person waits for an answer: it must not block, or raise."""
        ...


class NoCharges:
    """Takes no note."""

    def charge(self, account: str | None, usage: ModelUsage) -> None:
        """Forget it."""


@dataclass(frozen=True, slots=True)
class SeveralCharges:
    """Passes each request on to several that take note of it."""

    takers: tuple[Charges, ...]

    def charge(self, account: str | None, usage: ModelUsage) -> None:
        """Every one takes note."""
        for taker in self.takers:
            taker.charge(account, usage)


class Gate(Protocol):
    """Decides before each request to a model, whatever it is for, whether it may be made."""

    def check(self, meter: Meter | None) -> None:
        """Return if the work of this meter may ask a model; None: work that nothing meters.  Called on any thread.

        Raises: BudgetSpentError; StorageUnavailableError, if nobody knows what the chat has spent.
        """
        ...


class OpenGate:
    """Lets every request pass."""

    def check(self, meter: Meter | None) -> None:
        """Return."""


class CostlyError(Exception):
    """A request failed after it had cost tokens."""

    usage: Usage


@dataclass(slots=True, kw_only=True)
class MadeRequest:
    """A request that is under way; its maker sets the tokens, the model that answered, and the fields that are logged of its answer."""

    usage: Usage = field(default_factory=Usage)
    response_model: str | None = None
    fields: dict[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Metering:
    """Counts requests: on the meter of their work, as a charge, and as one line of the log.  Each passes the gate first."""

    clock: Clock = field(repr=False)
    gate: Gate = field(default_factory=OpenGate, repr=False)
    charges: Charges = field(default_factory=NoCharges, repr=False)

    @contextmanager
    def request(self, purpose: Purpose, model_name: str) -> Iterator[MadeRequest]:
        """Count the request that the block makes, also where it fails; what a CostlyError has cost is counted.

        Raises: BudgetSpentError, before the block.
        """
        self.gate.check(_CURRENT.get())
        made, started_s = MadeRequest(), self.clock.monotonic_s()
        outcome = "failed"
        try:
            with _traced(purpose, model_name, made), _cost_of_failure(made):
                yield made
            outcome = "ok"
        except Exception as cause:
            made.fields["error_type"] = type(cause).__name__
            raise
        finally:
            self._count(purpose, model_name, made)
            logs.info(
                "model_called",
                purpose=purpose.value,
                model=model_name,
                outcome=outcome,
                duration_ms=round((self.clock.monotonic_s() - started_s) * 1_000),
                prompt_tokens=made.usage.prompt_tokens,
                cached_tokens=made.usage.cached_tokens,
                output_tokens=made.usage.output_tokens,
                thought_tokens=made.usage.thought_tokens,
                **made.fields,
            )

    def _count(self, purpose: Purpose, model_name: str, made: MadeRequest) -> None:
        tokens = made.usage
        one = ModelUsage(
            purpose=purpose,
            model_name=model_name,
            prompt_tokens=tokens.prompt_tokens,
            cached_tokens=tokens.cached_tokens,
            output_tokens=tokens.output_tokens,
            thought_tokens=tokens.thought_tokens,
        )
        meter = _CURRENT.get()
        if meter is not None:
            meter.add(one)
        self.charges.charge(meter.account if meter is not None else None, one)


@contextmanager
def _cost_of_failure(made: MadeRequest) -> Iterator[None]:
    try:
        yield
    except CostlyError as cause:
        made.usage = cause.usage
        raise


@contextmanager
def _traced(purpose: Purpose, model_name: str, made: MadeRequest) -> Iterator[None]:
    """Trace the request as a span with its model, tokens and finish reason."""
    operation = tracing.Operation.EMBEDDINGS if purpose is Purpose.EMBED else tracing.Operation.CHAT
    with tracing.span(operation, model_name, {tracing.REQUEST_MODEL: model_name, PURPOSE: purpose.value}) as span:
        try:
            yield
        finally:
            tokens, reason = made.usage, made.fields.get("finish_reason")
            span.set(
                {
                    tracing.INPUT_TOKENS: tokens.prompt_tokens,
                    tracing.CACHED_TOKENS: tokens.cached_tokens,
                    tracing.OUTPUT_TOKENS: tokens.output_tokens + tokens.thought_tokens,
                    tracing.REASONING_TOKENS: tokens.thought_tokens,
                    **({tracing.FINISH_REASONS: (str(reason),)} if reason else {}),
                    **({tracing.RESPONSE_MODEL: made.response_model} if made.response_model else {}),
                }
            )
