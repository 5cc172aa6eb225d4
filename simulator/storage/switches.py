"""How Cloud Storage goes wrong on demand: as a whole (`StorageSwitches`) and with single requests (`Fault`)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from simulator.faults import FaultsInForce
from simulator.storage.calls import Call, Operation


@dataclass(frozen=True, slots=True, kw_only=True)
class StorageSwitches:
    """Replaced as a whole, at any time.

    `one_write_a_second`: an object that was changed less than a second ago is not changed again, but answered 429. The real service
    does so now and then; here it does so always.
    Source: Cloud Storage, "Quotas and limits"; creations, updates and deletions count, as the text of the error says.
    """

    one_write_a_second: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """What goes wrong with requests to the bucket.

    It befalls requests by `operation` and `method`, for names (of a listing: for prefixes) that begin with `prefix`, for which `rule`
    holds; None: whatever they are. `nth`: counted from 1 among these, from when the fault was added; None: every one.
    `arrived` is called before anything happens, `took_effect` between the effect and its answer; both in the proxy's loop.
    `error_status` answers so, without effect. `answer`: "cut" closes the connection after the effect, in the middle of the answer;
    "unavailable" answers 503 after the effect.
    """

    operation: Operation | None = None
    method: str | None = None
    prefix: str = ""
    rule: Callable[[Call], bool] | None = None
    nth: int | None = None
    delay_s: float = 0.0
    error_status: int | None = None
    answer: Literal["sent", "cut", "unavailable"] = "sent"
    arrived: Callable[[], None] | None = None
    took_effect: Callable[[], None] | None = None

    def befalls(self, call: Call) -> bool:
        """Whether the request is of the kind that this goes wrong with."""
        return (
            self.operation in {None, call.operation}
            and self.method in {None, call.method}
            and call.name.startswith(self.prefix)
            and (self.rule is None or self.rule(call))
        )


Faults = FaultsInForce[Fault, Call]
