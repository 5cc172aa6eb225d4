"""The operator's commands on handovers: a person answers in a chat instead of the bot, and the list of the chats that wait for one."""

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass, field
from uuid import uuid4

from shared import logs
from shared.clock import Clock
from shared.conversation.silences import SilenceKind, ended, handover
from shared.conversation.store import Conversations
from shared.handlers.operator_chat import handed_over
from shared.reminders.silence import release_reminders


@dataclass(frozen=True, slots=True, kw_only=True)
class HandoverCommands:
    """Begins, ends and lists handovers.  Every method raises StorageUnavailableError.

    `shows_pseudonyms` adds each chat's pseudonym to the list, as `admitted` does.
    """

    conversations: Conversations
    clock: Clock = field(repr=False)
    shows_pseudonyms: bool = False

    def begin(self, conversation_id: str, *, minutes: int) -> None:
        """The bot is silent in the chat for so many minutes, and records messages as context.  Repeated: begins anew.

        The chat is not told, since the person who answers speaks next.  Raises: UnusableIdError.
        """
        conversation, at_ms = self.conversations.of(conversation_id), self.clock.now_ms()
        conversation.silences.add(lambda _: handover(_event_id(), at_ms=at_ms, minutes=minutes, is_asked=False))

    def end(self, conversation_id: str) -> bool:
        """The bot answers again, unless people paused the chat; return whether it was handed over.  Raises: UnusableIdError."""
        conversation, at_ms = self.conversations.of(conversation_id), self.clock.now_ms()
        was_open = conversation.silences.read().handover(at_ms) is not None
        if was_open:
            conversation.silences.add(lambda _: ended(_event_id(), SilenceKind.HANDOVER, at_ms=at_ms))
            release_reminders(conversation)
        return was_open

    def lines(self) -> Iterator[str]:
        """Yield a line for each chat that is handed over, first those whose people asked for a person.

        A line is for example "U4af…  asked for a person  since 2026-11-26 01:12 UTC, until 02:12 UTC".
        """
        handovers = handed_over(self.conversations, self.clock)
        for conversation, switch in handovers:
            logged = f"  in the logs {logs.pseudonym(conversation.id)}" if self.shows_pseudonyms else ""
            reason = "asked for a person" if switch.is_asked else "taken over"
            until = f", until {_utc(switch.until_ms):%H:%M} UTC" if switch.until_ms is not None else ""
            yield f"{conversation.id}  {reason}  since {_utc(switch.at_ms):%Y-%m-%d %H:%M} UTC{until}{logged}"
        yield f"{len(handovers)} chats are handed over to a person"


def _event_id() -> str:
    return f"operator-{uuid4().hex}"


def _utc(at_ms: int) -> dt.datetime:
    return dt.datetime.fromtimestamp(at_ms / 1_000, dt.UTC)
