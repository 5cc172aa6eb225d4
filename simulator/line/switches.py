"""How the platform misbehaves on demand: towards the webhook (`DeliverySwitches`) and in its own API (`Fault`)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

from simulator.faults import FaultsInForce

WEBHOOK_TIMEOUT_S: Final = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliverySwitches:
    """How events reach the webhook. Replaced as a whole, at any time; a delivery under way reads the newest.

    `redelivers`: off by default, as in LINE's console. LINE keeps count and interval to itself.
    `duplicates`: further copies of the first delivery, at the same time and not marked as redeliveries.
    `delay_s`, `jitter_s`: every delivery waits, and a random time up to the jitter more, which reorders.
    `holds`: deliveries wait until they are released by hand, in whatever order.
    `mode`: in standby another channel has the floor, and events have no reply token.
    Source: docs/messaging-api/receiving-messages; Messaging API reference, "Common properties".
    """

    redelivers: bool = False
    redelivery_count: int = 3
    redelivery_interval_s: float = 10.0
    duplicates: int = 0
    delay_s: float = 0.0
    jitter_s: float = 0.0
    holds: bool = False
    timeout_s: float = WEBHOOK_TIMEOUT_S
    mode: Literal["active", "standby"] = "active"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """What goes wrong with requests to a path of LINE's API.

    `path`: every path that begins with it. `nth`: counted from 1, from when the fault was added; None: every request.
    `arrived` is called before anything happens, `took_effect` between the effect and its answer.
    `error_status` answers so, without effect. `answer`: "cut" closes the connection after the effect, in the middle of the
    answer; "hang" never answers, until the caller gives up.
    """

    path: str
    nth: int | None = None
    delay_s: float = 0.0
    error_status: int | None = None
    answer: Literal["sent", "cut", "hang"] = "sent"
    arrived: Callable[[], None] | None = None
    took_effect: Callable[[], None] | None = None

    def befalls(self, path: str, /) -> bool:
        """Whether the request is one that this goes wrong with."""
        return path.startswith(self.path)


Faults = FaultsInForce[Fault, str]
