"""Misbehaviour of Cloud Storage on demand: for all requests (`StorageSwitches`) and for single requests (`Fault`)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from simulator.line.faults import FaultsInForce, RequestFault
from simulator.storage.calls import Call, Operation


@dataclass(frozen=True, slots=True, kw_only=True)
class StorageSwitches:
    """Replaced as a whole, at any time.

    `one_write_a_second`: a change of an object within a second of the last change is answered 429. The real service does so
    sometimes, the stand-in always.
    Source: Cloud Storage, "Quotas and limits"; creations, updates and deletions count, according to the text of the error.
    """

    one_write_a_second: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault(RequestFault[Call]):
    """A fault of requests to the bucket.

    A fault applies to requests with the `operation` and `method`, with a name (for a listing: a prefix) beginning with `prefix`, and
    accepted by `rule`; None accepts all. `arrived` and `took_effect` are called in the proxy's loop.
    `answer`: "cut" closes the connection after the effect, in the middle of the answer; "unavailable" answers 503 after the effect.
    For example, `Fault(operation="insert", prefix="turns/", error_status=503)` fails the writes of turns.
    """

    operation: Operation | None = None
    method: str | None = None
    prefix: str = ""
    rule: Callable[[Call], bool] | None = None
    answer: Literal["sent", "cut", "unavailable"] = "sent"

    def applies_to(self, call: Call, /) -> bool:
        """Whether all of the fault's conditions hold for the request."""
        return (
            self.operation in {None, call.operation}
            and self.method in {None, call.method}
            and call.name.startswith(self.prefix)
            and (self.rule is None or self.rule(call))
        )


Faults = FaultsInForce[Fault, Call]
