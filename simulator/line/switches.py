"""Misbehaviour on demand: in deliveries to the webhook (`DeliverySwitches`) and in the API (`Fault`)."""

from dataclasses import dataclass
from typing import Final, Literal

from .faults import FaultsInForce, RequestFault

WEBHOOK_TIMEOUT_S: Final = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliverySwitches:
    """How events are delivered to the webhook. Replaced as a whole, at any time; a running delivery reads the newest switches.

    `redelivers`: off by default, as in LINE's console. LINE documents neither the count nor the interval.
    `duplicates`: further copies of the first delivery, at the same time and not marked as redeliveries.
    `delay_s`, `jitter_s`: every delivery waits for the delay and a random time up to the jitter; the jitter reorders deliveries.
    `holds`: deliveries wait for a test's release, in any order.
    `mode`: in standby another channel has the chat control, and events have no reply token.
    `edits_have_tokens`: whether `messageEdited` events have a reply token; LINE documents the token as optional, not when it is missing.
    For example, `DeliverySwitches(duplicates=1)` delivers every event twice.
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
    edits_have_tokens: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault(RequestFault[str]):
    """A fault of requests to LINE's API, for every path beginning with `path`.

    `answer`: "cut" closes the connection after the effect, in the middle of the answer; "hang" sends no answer, until the caller gives up.
    """

    path: str
    answer: Literal["sent", "cut", "hang"] = "sent"

    def applies_to(self, path: str, /) -> bool:
        """Whether the path begins with the fault's."""
        return path.startswith(self.path)


Faults = FaultsInForce[Fault, str]
