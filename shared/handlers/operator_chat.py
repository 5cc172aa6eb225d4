"""The operator's own 1:1 chat: `/handover` lists who waits, `/handover NAME` takes a chat over, `/handover end NAME` gives it back.

NAME is a person's display name, or the pseudonym of a chat as the notice, the list and the logs show it (for example `3f9a0c51d2b7`).
"""

import unicodedata
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import field
from typing import Final

from shared import logs
from shared.bus.result import EventResult
from shared.clock import Clock
from shared.conversation.silences import SilenceKind, Switch, ended, handover
from shared.conversation.store import Conversation, Conversations
from shared.errors import UnusableIdError
from shared.frozen import frozen
from shared.handlers.silence import Operator
from shared.line.display_names import Profiles, sanitised, someone
from shared.line.events import LineEvent
from shared.line.phrases import Phrase, Phrases
from shared.reminders.silence import release_reminders
from shared.storage.object_names import SILENCES_PREFIX, silenced_id_in, turn_id_in
from shared.turns.announcement import Announcement, Announcer

MOST_LISTED: Final = 20
MOST_NAMED: Final = 60
"""How many chats, those of the newest turns, are searched for a display name: LINE is asked for each name."""
_END: Final = "end"
_TURNS: Final = "turns/"


@frozen
class OperatorChat:
    """Carries out `/handover` in the operator's own chat."""

    conversations: Conversations
    announcer: Announcer
    profiles: Profiles
    phrases: Phrases
    operator: Operator
    clock: Clock = field(repr=False)

    def __call__(self, event: LineEvent, words: str) -> EventResult:
        """The list is shown, or the handover of the named chat begins or ends.

        Repeated: begun once, answered once. Raises: as an announcement does.
        Example: "/handover Momo" begins a handover in the 1:1 chat of Momo, "/handover end Momo" ends it.
        """
        first, _, arguments = words.partition(" ")
        is_end, name = first == _END, arguments if first == _END else words
        if not name:
            return self._say(event, self._list())
        chats = tuple(self._chats_named(name))
        if len(chats) != 1:
            return self._say(event, self.phrases.text(Phrase.HANDOVER_UNKNOWN, name=name))
        conversation, at_ms = chats[0], event.timestamp_ms
        if is_end:
            conversation.silences.add(lambda _: ended(event.webhook_event_id, SilenceKind.HANDOVER, at_ms=at_ms))
            release_reminders(conversation)
            return self._say(event, self.phrases.text(Phrase.HANDOVER_ENDED, name=name))
        minutes = self.operator.minutes
        conversation.silences.add(
            lambda _: handover(event.webhook_event_id, at_ms=at_ms, minutes=minutes, is_asked=False)
        )
        return self._say(event, self.phrases.text(Phrase.HANDOVER_BEGUN, name=name, minutes=str(minutes)))

    def _list(self) -> str:
        """Return the chats that are handed over at present, a line each, such as `Momo  3f9a0c51d2b7  < 14:30`."""
        lines = [
            f"{self._name(conversation)}  {logs.pseudonym(conversation.id)}{self._until(switch)}"
            for conversation, switch in handed_over(self.conversations, self.clock)
        ]
        if not lines:
            return self.phrases.text(Phrase.HANDOVER_NONE)
        return "\n".join((self.phrases.text(Phrase.HANDOVER_LIST), *lines[:MOST_LISTED]))

    def _until(self, switch: Switch) -> str:
        if switch.until_ms is None:
            return ""
        return f"  < {self.phrases.hour(switch.until_ms)}"

    def _chats_named(self, name: str) -> Iterator[Conversation]:
        """Yield the chats with this pseudonym; without any, the 1:1 chats whose person has this display name."""
        turns = sorted(self.conversations.objects.store.list(_TURNS), key=lambda turn: turn.generation, reverse=True)
        chats = [conversation for one in turns for conversation in self._chat_of(one.name)]
        by_pseudonym = [one for one in chats if logs.pseudonym(one.id) == name]
        if by_pseudonym:
            yield from by_pseudonym
            return
        newest = [one for one in chats if one.is_one_on_one][:MOST_NAMED]
        names = self.conversations.objects.reads.map(self._name, newest)
        yield from (chat for chat, shown in zip(newest, names, strict=True) if _folded(shown) == _folded(name))

    def _chat_of(self, turn_name: str) -> Iterator[Conversation]:
        with suppress(UnusableIdError):
            conversation = self.conversations.of(turn_id_in(turn_name))
            if conversation.id != self.operator.user_id:
                yield conversation

    def _name(self, conversation: Conversation) -> str:
        if not conversation.is_one_on_one:
            return someone(conversation.id)
        return sanitised(self.profiles.display_name(conversation.id, conversation.id) or "") or someone(conversation.id)

    def _say(self, event: LineEvent, text: str) -> EventResult:
        announcement = Announcement(event=event, text=text)
        return self.announcer.announce(self.conversations.of(event.conversation_id), announcement)


def handed_over(conversations: Conversations, clock: Clock) -> tuple[tuple[Conversation, Switch], ...]:
    """Return the chats that are handed over at present, each with the switch that began it; those where a member asked come first."""
    now_ms, chats = clock.now_ms(), []
    for listing in conversations.objects.store.list(SILENCES_PREFIX):
        with suppress(UnusableIdError):
            chats.append(conversations.of(silenced_id_in(listing.name)))
    records = conversations.objects.reads.map(lambda chat: chat.silences.read(), chats)
    pairs = [(chat, record.handover(now_ms)) for chat, record in zip(chats, records, strict=True)]
    handovers = [(chat, switch) for chat, switch in pairs if switch is not None]
    return tuple(sorted(handovers, key=lambda pair: (not pair[1].is_asked, pair[1].at_ms)))


def _folded(name: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())
