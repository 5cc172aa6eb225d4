"""The endpoint of a worker: decodes the envelope, calls the handler, answers Pub/Sub.

204 acknowledges; 5xx causes a redelivery; 401 and 403 answer a sender other than the subscription, 400 a body without an envelope, 413 a
body beyond the limit. A non-2xx answer slows the pushes of all chats, and is reserved for broken infrastructure.
Source: Pub/Sub, "Push subscriptions" (acknowledging codes) and "Push backoff".
"""

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import ClassVar, Final, Protocol

from shared import logs
from shared.bus.envelope import BODY_LIMIT_BYTES, Envelope, decode_envelope
from shared.bus.messages import Tick
from shared.bus.notices import HookNotice
from shared.clock import Clock, Deadline
from shared.errors import (
    AizuchiError,
    MethodNotAllowedError,
    RejectedError,
    TransientError,
    UnreadableRecordError,
    UnusableEventError,
    UnusableIdError,
)
from shared.frozen import frozen

REQUEST_S: Final = 112.0
"""The longest time of a request, apart from calls that are under way at its end; Pub/Sub waits 120 s for the answer."""
_ACKNOWLEDGED: Final = 204
_INTERNAL_ERROR: Final = 500


class PushTokens(Protocol):
    """The tokens by which Pub/Sub proves who pushes."""

    def check(self, authorization: str | None) -> None:
        """Return if the `Authorization` header holds a token of the subscriptions' account for this function.

        Raises: UnauthenticatedPushError, ForbiddenPushError; CertificatesUnavailableError, if no token can be checked.
        """
        ...


@frozen
class PushEndpoint:
    """Answers pushes.  `handle` ends by its deadline, and returns the `outcome` field of the closing log line.

    `tokens` checks the sender before the body is read; None: only the platform does.
    """

    body_limit_bytes: ClassVar = BODY_LIMIT_BYTES
    handle: Callable[[Mapping[str, object] | Tick | HookNotice, Envelope, Deadline], str]
    clock: Clock = field(repr=False)
    tokens: PushTokens | None = field(default=None, repr=False)

    def __call__(
        self, method: str, body: bytes, *, traceparent: str | None = None, authorization: str | None = None
    ) -> tuple[str, int]:
        """Return body and status, for example `("", 204)`.  Never raises."""
        deadline = Deadline.after(self.clock, REQUEST_S)
        with logs.bound(**logs.trace_fields(traceparent)):
            try:
                if method != "POST":
                    raise MethodNotAllowedError("only POST is answered")
                if self.tokens is not None:
                    self.tokens.check(authorization)
                envelope = decode_envelope(body)
            except RejectedError as cause:
                logs.warning("push_rejected", reason=str(cause), status=cause.http_status)
                return str(cause), cause.http_status
            except TransientError as cause:
                logs.error("push_not_checked", cause=cause, reason=str(cause), status=cause.http_status)
                return str(cause), cause.http_status
            # From here on, log lines carry the trace of LINE's request: all deliveries of the message share it.
            with logs.bound(**logs.trace_fields(envelope.traceparent)):
                return self._dispatch(envelope, deadline)

    def _dispatch(self, envelope: Envelope, deadline: Deadline) -> tuple[str, int]:
        started_s = self.clock.monotonic_s()
        with logs.bound(pubsub_message_id=envelope.pubsub_message_id, delivery_attempt=envelope.delivery_attempt):
            try:
                outcome, status = self.handle(envelope.event(), envelope, deadline), _ACKNOWLEDGED
            except (UnusableEventError, UnusableIdError) as cause:
                logs.warning("event_dropped", reason=str(cause))
                outcome, status = "dropped", _ACKNOWLEDGED
            except AizuchiError as cause:
                if isinstance(
                    cause, UnreadableRecordError
                ):  # code that can go on without the record logs this itself, and does not raise
                    logs.error("record_unreadable", cause=cause)
                logs.error("event_failed", cause=cause, reason=str(cause))
                outcome = "given_up" if cause.http_status == _ACKNOWLEDGED else "failed"
                status = cause.http_status
            except Exception as cause:  # noqa: BLE001 - an unexpected error is logged without its text, and ends in a dead letter
                logs.error("event_crashed", cause=cause)
                outcome, status = "crashed", _INTERNAL_ERROR
            duration_ms = round((self.clock.monotonic_s() - started_s) * 1_000)
            published_ms = envelope.published_ms
            logs.info(
                "event_handled",
                outcome=outcome,
                status=status,
                duration_ms=duration_ms,
                since_published_ms=None if published_ms is None else self.clock.now_ms() - published_ms,
                is_first_attempt=envelope.delivery_attempt in {None, 1},
            )
        return "", status
