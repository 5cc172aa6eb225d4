"""The journal of a chat: messages as received and what became of them, as many small objects that are written once.

    journal/{conversation_id}/{line_message_id}.json
    journal/{conversation_id}/{webhook_event_id}.outcome.json
    amended/{conversation_id}/{line_message_id}.json

Nothing here rewrites a shared object, so a busy group meets no write limit, and a delivery that comes twice changes nothing.
"""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from typing import Final, TypeVar

from shared import logs
from shared.conversation.bodies import Bodies
from shared.conversation.names import (
    OUTCOME_SUFFIX,
    amended_name,
    amended_prefix,
    journal_prefix,
    message_name,
    outcome_name,
)
from shared.conversation.object_store import ListedObject, ObjectStore
from shared.conversation.records import (
    Amendment,
    MessageRecord,
    OutcomeRecord,
    decode,
    encode,
)
from shared.conversation.turn import Turns
from shared.errors import CorruptRecordError, StorageUnavailableError

MESSAGES_READ: Final = 50
OUTCOMES_READ: Final = 100
ANSWERABLE_MS: Final = 20 * 60_000  # Source: LINE, "Send reply message": no token works longer after its event
_SWAP_ATTEMPTS: Final = 10
_Record = TypeVar("_Record")


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """The newest part of a chat, without what was withdrawn; messages and outcomes by LINE's timestamp.

    `covered` are the messages that came to their end, `recorded` the ids of the outcomes read, whether their words are shown or not.
    """

    messages: tuple[MessageRecord, ...] = ()
    outcomes: tuple[OutcomeRecord, ...] = ()
    covered: frozenset[str] = frozenset()
    recorded: frozenset[str] = frozenset()
    withdrawn: frozenset[str] = frozenset()

    def pending(self, own: MessageRecord, *, now_ms: int) -> tuple[MessageRecord, ...]:
        """Return what the next turn has to answer, oldest first: addressed, not withdrawn, covered by no outcome, and young enough.

        `own` is the message of the delivery that asks; it counts even where a burst has pushed it out of the newest part.
        """
        known = {own.line_message_id: own} | {one.line_message_id: one for one in self.messages}
        newest_own = max(own.received_ms, known[own.line_message_id].received_ms)  # a redelivery refreshes the token
        known[own.line_message_id] = replace(known[own.line_message_id], received_ms=newest_own)
        waiting = (
            one
            for one in known.values()
            if one.addressed
            and one.reply_token is not None
            and one.line_message_id not in self.covered | self.withdrawn
            and now_ms - one.timestamp_ms < ANSWERABLE_MS
        )
        return tuple(sorted(waiting, key=by_time))

    @property
    def seen_ids(self) -> frozenset[str]:
        """Every message whose words a prompt made of this history can hold, also inside answers that repeat them."""
        ids = {message.line_message_id for message in self.messages}
        return frozenset(ids.union(*({*outcome.covers, *outcome.saw} for outcome in self.outcomes)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Journal:
    """Reads and writes chats.  Every method raises StorageUnavailableError when the bucket does not answer in time."""

    store: ObjectStore
    bodies: Bodies
    turns: Turns
    reads: Executor = field(repr=False)

    def keep(self, conversation_id: str, message: MessageRecord) -> None:
        """The message is in the journal, whatever became of it; whoever calls this looks at the amendments next.

        Repeated: changes nothing.
        """
        self._create(message_name(conversation_id, message.line_message_id), encode(message))

    def drop(self, conversation_id: str, line_message_id: str) -> None:
        """The message is not in the journal, because it was withdrawn before it came.  Repeated: does nothing."""
        self.store.delete(message_name(conversation_id, line_message_id))

    def record(self, conversation_id: str, message: MessageRecord) -> bool:
        """Return whether the message stands: it is in the journal, or it was withdrawn.  Repeated: changes nothing.

        Whoever writes words of people looks at the amendments after the write, because an unsend may have passed just before it.
        """
        self.keep(conversation_id, message)
        stands = not self.is_withdrawn(conversation_id, {message.line_message_id})
        if not stands:
            self.drop(conversation_id, message.line_message_id)
        return stands

    def read(self, conversation_id: str) -> History:
        """Return the newest part of the chat."""
        prefix = journal_prefix(conversation_id)
        amended = self.reads.submit(self.store.list, amended_prefix(conversation_id))
        listed = sorted(self.store.list(prefix), key=lambda listed: listed.generation)
        outcomes = [one for one in listed if one.name.endswith(OUTCOME_SUFFIX)][-OUTCOMES_READ:]
        messages = [one for one in listed if not one.name.endswith(OUTCOME_SUFFIX)][-MESSAGES_READ:]
        bodies = self.reads.map(self.bodies.read, [*messages, *outcomes])
        read = list(bodies)
        return _overlaid(
            messages=tuple(_readable(read[: len(messages)], MessageRecord)),
            outcomes=tuple(_readable(read[len(messages) :], OutcomeRecord)),
            amendments=self._amendments(amended.result()),
        )

    def outcome_of(self, conversation_id: str, webhook_event_id: str) -> OutcomeRecord | None:
        """Return what the handling of an event led to, or None where it never came to an end."""
        stored = self.store.read(outcome_name(conversation_id, webhook_event_id))
        return decode(OutcomeRecord, stored.data) if stored else None

    def record_outcome(self, conversation_id: str, outcome: OutcomeRecord) -> bool:
        """The outcome is in the journal; return whether it lost its text, because something that it repeats was withdrawn.

        Repeated: changes nothing.
        """
        name = outcome_name(conversation_id, outcome.webhook_event_id)
        self._create(name, encode(outcome))
        if outcome.text is None or not self.is_withdrawn(conversation_id, {*outcome.covers, *outcome.saw}):
            return False
        self._take_text_out(name)
        return True

    def is_withdrawn(self, conversation_id: str, line_message_ids: AbstractSet[str]) -> bool:
        """Whether one of these messages was taken back."""
        listed = self.store.list(amended_prefix(conversation_id))
        names = {amended_name(conversation_id, one) for one in line_message_ids}
        return any(one.text is None for one in self._amendments([one for one in listed if one.name in names]))

    def withdraw(self, conversation_id: str, line_message_id: str, *, timestamp_ms: int) -> None:
        """No object of the chat holds the message's words any more, and whoever writes them later will find that they were taken back.

        Repeated: does nothing new. A message that nobody knows (yet): the amendment waits for it.
        """
        tombstone = Amendment(line_message_id=line_message_id, timestamp_ms=timestamp_ms)
        self._amend(amended_name(conversation_id, line_message_id), tombstone)
        self.drop(conversation_id, line_message_id)
        self.turns.cancel(conversation_id, line_message_id)
        for listed in self.store.list(journal_prefix(conversation_id)):
            if listed.name.endswith(OUTCOME_SUFFIX):
                self._take_text_out(listed.name, saw=line_message_id)

    def _create(self, name: str, data: bytes) -> None:
        generation = self.store.create(name, data)
        if generation is not None:
            self.bodies.keep(ListedObject(name=name, generation=generation), data)

    def _amend(self, name: str, amendment: Amendment) -> None:
        for _ in range(_SWAP_ATTEMPTS):
            stored = self.store.read(name)
            if stored is None:
                done = self.store.create(name, encode(amendment))
            elif decode(Amendment, stored.data).text is None:  # withdrawn is final
                return
            else:
                done = self.store.replace(name, encode(amendment), generation=stored.generation)
            if done is not None:
                return
        raise StorageUnavailableError("others kept changing an amendment")

    def _take_text_out(self, name: str, *, saw: str | None = None) -> None:
        for _ in range(_SWAP_ATTEMPTS):
            stored = self.store.read(name)
            if stored is None:
                return
            outcome = decode(OutcomeRecord, stored.data)
            if outcome.text is None or (saw is not None and saw not in {*outcome.covers, *outcome.saw}):
                return
            emptied = encode(replace(outcome, text=None))
            if self.store.replace(name, emptied, generation=stored.generation) is not None:
                return
        raise StorageUnavailableError("others kept changing an outcome")

    def _amendments(self, listed: Sequence[ListedObject]) -> list[Amendment]:
        return list(_readable(self.reads.map(self.bodies.read, listed), Amendment))


def _overlaid(
    *, messages: Iterable[MessageRecord], outcomes: Sequence[OutcomeRecord], amendments: Iterable[Amendment]
) -> History:
    amended = {one.line_message_id: one.text for one in amendments}
    withdrawn = frozenset(one for one, text in amended.items() if text is None)
    shown = (replace(one, text=amended.get(one.line_message_id) or one.text) for one in messages)
    untouched = (one for one in outcomes if withdrawn.isdisjoint((*one.covers, *one.saw)))
    return History(
        messages=tuple(sorted((one for one in shown if one.line_message_id not in withdrawn), key=by_time)),
        outcomes=tuple(sorted(untouched, key=by_time)),
        covered=frozenset(covered for one in outcomes for covered in one.covers),
        recorded=frozenset(one.webhook_event_id for one in outcomes),
        withdrawn=withdrawn,
    )


def _readable(bodies: Iterable[bytes | None], kind: type[_Record]) -> Iterable[_Record]:
    for body in bodies:
        if body is None:
            continue
        try:
            yield decode(kind, body)
        except CorruptRecordError as cause:  # one unreadable record must not silence a chat
            logs.error("record_unreadable", cause=cause)


def by_time(record: MessageRecord | OutcomeRecord) -> tuple[int, bool]:
    """Sort by LINE's timestamp, and an outcome after the message that it carries the timestamp of."""
    return record.timestamp_ms, isinstance(record, OutcomeRecord)
