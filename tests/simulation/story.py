"""A story: what people did in one chat of a schedule, what the bucket then holds of it, and what the chat was shown."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from shared.agent.turn_requests import Limits
from shared.conversation.records import MessageRecord, OutcomeKind, OutcomeRecord
from shared.conversation.segments import decode_segment
from shared.conversation.snapshot_records import SnapshotRecord
from shared.conversation.turn import FENCE, TurnRecord
from shared.storage.codec import decode
from shared.storage.object_names import OUTCOME_SUFFIX
from shared.turns.attempt import MODEL_S
from shared.turns.deferral import LateReply
from tests.simulation.bus import ACK_DEADLINE_S, Bus
from tests.simulation.mind import Mood
from tests.simulation.notices import is_of_notices
from tests.simulation.people import Message, People, Welcome, gloss_of
from tests.simulation.reminder_checks import is_of_reminder
from tests.simulation.times import ANSWERABLE_S, TOKEN_S
from tests.simulation.wiring import Settings
from tests.simulation.withdrawals import Withdrawals
from tests.simulation.world import WORD, ShownText, World

LONG_WAIT_S: Final = 10.0
OUTCOMES_KEPT: Final = 20
"""The snapshot keeps at least so many."""
_MUCH_AMENDED: Final = 6
_READING_S: Final = 3.0
_BESIDE_THINKING_S: Final = 5.0
"""What a turn takes beside the model: reading, and writes that meet 429."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """What people did in one chat of a schedule, and what followed."""

    people: People
    world: World
    mood: Mood
    bus: Bus
    settings: Settings
    withdrawals: Withdrawals
    forgets_outcomes: bool
    """Whether the bounds of memory are so small that the snapshot does not keep every outcome."""
    a_minute: int
    """How many messages of a chat are answered within a minute as they come; more are folded, and answered together."""
    messages_read: int
    """How many messages of the journal a turn looks at."""
    page_counts: Mapping[str, int]
    """How many pages Notion has for each word."""

    @property
    def chat(self) -> str:
        """The chat's id."""
        return self.people.conversation_id

    @property
    def is_calm(self) -> bool:
        return self.world.weather.calm

    @property
    def late_reply(self) -> LateReply:
        return self.settings.late_reply

    @property
    def has_outage(self) -> bool:
        begins_s, ends_s = self.world.weather.outage_s
        return ends_s > begins_s

    @property
    def may_be_late(self) -> bool:
        """Whether a message may be too old to be answered when it is delivered."""
        return self.has_outage or self.world.weather.backlog_s + ACK_DEADLINE_S >= ANSWERABLE_S

    @property
    def kept_ids(self) -> set[str]:
        """The ids of the messages that were neither withdrawn nor erased."""
        return {one.id for one in self.people.messages if self.people.is_kept(one)}

    @property
    def taken_unseen_ids(self) -> set[str]:
        """The quoted media that a `/forget me` took because it began before their own deliveries: nobody knew whose they were."""
        truth, quoted = self.world.truth, {one.quoted_id for one in self.people.messages}
        begun_s = truth.members_forgotten_s.get(self.chat, math.inf)
        media = (one.id for one in self.people.messages if one.medium is not None and one.id in quoted)
        unseen = (one for one in media if truth.journalled_s.get((self.chat, one), math.inf) > begun_s)
        return {one for one in unseen if self._has_taken(one)}

    def _has_taken(self, message_id: str) -> bool:
        return (self.chat, message_id) in self.world.truth.withdrawn

    @property
    def staged_words(self) -> set[str]:
        """The words that a turn wrote into an entry."""
        texts = (write.text or "" for chat, one in self.world.truth.staged if chat == self.chat for write in one.writes)
        return {word for text in texts for word in WORD.findall(text.replace(gloss_of("word"), "word"))}

    def is_lost(self, deliveries: Iterable[str]) -> bool:
        """Whether the outage of the bucket made one of these deliveries a dead letter; it would be replayed after the repair."""
        return self.has_outage and not set(self.bus.dead_letters).isdisjoint(deliveries)

    def is_amendment_lost(self, message: str) -> bool:
        """Whether the outage made the message, or what withdraws, edits or erases it, a dead letter."""
        orders = (one.id for one in self.people.orders)
        return self.is_lost((message, f"unsend {message}", f"edit {message}", "part", *orders))

    @property
    def thought_s(self) -> float:
        """How long the model may think about a turn, with its tools and its retries."""
        is_cut = self.mood.seconds[1] > Limits().call_s  # the first request is, and a second one follows
        asks = 3 if is_cut or self.mood.downs or self.settings.has_knowledge or self.settings.has_notion else 1
        return min(MODEL_S, asks * self.mood.seconds[1])

    @property
    def summary_s(self) -> float:
        """How long the model may surely take for a summary that is pushed: half of the claim's fence, once the chat is read."""
        return (self.settings.lease_s * FENCE - _READING_S) / 2

    def is_crowded_at(self, message: Message) -> bool:
        """Whether more messages came within a minute of this one than a turn reads, so that it may take many turns to answer all."""
        others = (one for one in self.people.messages if one is not message)
        return sum(abs(one.at_s - message.at_s) < TOKEN_S for one in others) >= self.messages_read

    def waited_long(self, name: str) -> bool:
        """Whether the delivery waited for a thread while its token aged."""
        return self.bus.waited_s.get(name, 0.0) > LONG_WAIT_S

    def is_outwaited(self, event: Welcome) -> bool:
        """Whether a greeting, command or press waited until its token died, as the chat's turns followed each other without a pause.

        So its outcome says, and within its minute somebody always held the turn, or took it as soon as its object could be read and written
        after the last commit. The bucket takes one write of the turn a second, and the instances of a chat know of no order in which their
        deliveries came.
        """
        outcome = self.history().get(event.id)
        is_undelivered = outcome is not None and outcome.kind is OutcomeKind.UNDELIVERED
        return is_undelivered and self._longest_pause_s(event.at_s, event.at_s + TOKEN_S) <= _BESIDE_THINKING_S

    def _longest_pause_s(self, since_s: float, until_s: float) -> float:
        """Return for how long, at most, nobody held the chat's turn between the two moments."""
        free_since_s: float | None = since_s
        longest_s = 0.0
        for at_s, is_held in self.world.truth.turns_written_s.get(self.chat, []):
            if free_since_s is not None and is_held:
                longest_s = max(longest_s, min(at_s, until_s) - max(free_since_s, since_s))
                free_since_s = None
            elif free_since_s is None and not is_held:
                free_since_s = at_s
        return max(longest_s, until_s - max(free_since_s, since_s)) if free_since_s is not None else longest_s

    def history(self) -> dict[str, OutcomeRecord]:
        recorded = self.world.truth.recorded.get(self.chat, {})
        found = dict(recorded) if self.forgets_outcomes or len(recorded) > OUTCOMES_KEPT else {}
        found |= {one.webhook_event_id: one for one in self.snapshot.outcomes}
        for listed in self.world.objects.list(f"journal/{self.chat}/"):
            stored = self.world.objects.read(listed.name)
            if stored is not None and listed.name.endswith(OUTCOME_SUFFIX):
                outcome = decode(OutcomeRecord, stored.data)
                found[outcome.webhook_event_id] = outcome
        return {one: outcome for one, outcome in found.items() if not is_of_reminder(one) and not is_of_notices(one)}

    @property
    def turn(self) -> TurnRecord:
        stored = self.world.objects.read(f"turns/{self.chat}.json")
        return decode(TurnRecord, stored.data) if stored is not None else TurnRecord()

    @property
    def snapshot(self) -> SnapshotRecord:
        stored = self.world.objects.read(f"snapshots/{self.chat}.json")
        return decode(SnapshotRecord, stored.data) if stored is not None else SnapshotRecord()

    @property
    def said(self) -> list[ShownText]:
        """Return what was said in the chat, but for the reminders that were pushed: those have checks of their own."""
        return [one for one in self.world.truth.said if one.conversation_id == self.chat and one.reminder is None]

    def effects(self) -> Iterator[tuple[ShownText, OutcomeRecord]]:
        yield from ((said, said.outcome) for said in self.said if said.outcome is not None)

    @property
    def stored_messages(self) -> list[MessageRecord]:
        kept = [*self.remembered, *self.snapshot.leaving.messages]
        for listed in self.world.objects.list(f"archive/{self.chat}/"):
            stored = self.world.objects.read(listed.name)
            kept += decode_segment(stored.data).messages if stored is not None else ()
        return kept

    @property
    def remembered(self) -> list[MessageRecord]:
        """Return the messages that a turn would know."""
        remembered = [*self.snapshot.messages]
        for listed in self.world.objects.list(f"journal/{self.chat}/"):
            stored = self.world.objects.read(listed.name)
            if stored is not None and not listed.name.endswith(OUTCOME_SUFFIX):
                remembered.append(decode(MessageRecord, stored.data))
        return remembered

    @property
    def is_amended_much(self) -> bool:
        """Whether so much is amended within a minute that turns of several holders are cut short, each of which thinks some times."""
        amended = sorted(at_s for one in self.people.messages for at_s in one.amended_s)
        return any(last - first < TOKEN_S for first, last in zip(amended, amended[_MUCH_AMENDED:], strict=False))

    def begins_again(self, at_s: float, *, is_message: bool = False) -> bool:
        """Whether so much is amended within a minute of this time that a turn which begins again for each amendment outlasts the token.

        What waits is answered with a message that follows within the minute, so an amendment of that one counts while its own token lasts.
        A message is answered on the freshest token of all that are answered together, so while that lasts every amendment counts.
        """
        since_s, until_s = at_s - TOKEN_S, at_s + TOKEN_S
        if is_message:
            until_s = TOKEN_S + max(one.at_s for one in self.people.messages if at_s <= one.at_s < until_s)
        amended = []
        for message in self.people.messages:
            last_s = max(until_s, message.at_s + TOKEN_S) if at_s < message.at_s < until_s else until_s
            amended += [at_s for at_s in message.amended_s if since_s < at_s < last_s]
        amended += [at_s for at_s in self.people.erasures_s if since_s < at_s < until_s]
        return bool(amended) and (1 + len(amended)) * (self.thought_s + _BESIDE_THINKING_S) > TOKEN_S
