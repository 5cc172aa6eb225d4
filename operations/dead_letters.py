"""Dead letters: events that no worker could handle, explained without people's words, and replayed.

A replay publishes the event to the topic again, and the workers handle the event like a redelivery: a recorded message has no further
effect, a message too old for an answer becomes context, and an unsend is carried out.
"""

import base64
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, Protocol

from shared import logs
from shared.bus.envelope import Envelope
from shared.bus.messages import BusMessage, EventBus, Tick
from shared.bus.notices import HookNotice
from shared.clock import Clock, Deadline
from shared.conversation.history_reader import HistoryReader
from shared.conversation.store import Conversations
from shared.errors import TransientError, UnreadableRecordError, UnusableEventError, UnusableIdError
from shared.line.events import LineEvent, MessageContent, parse_event

# The prefix of the attributes that Pub/Sub adds to a dead letter.  Source: Pub/Sub, "Dead-letter topics"
_ADDED: Final = "CloudPubSubDeadLetterSource"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetter:
    """A message of a dead-letter subscription, reserved for this process until the acknowledgement deadline."""

    subscription: str
    ack_id: str = field(repr=False)
    pubsub_message_id: str
    published_ms: int
    data: bytes = field(repr=False)
    attributes: Mapping[str, str]


class DeadLetterQueue(Protocol):
    """The dead-letter subscriptions.  Every method raises QueueUnavailableError."""

    def pull(self, most: int) -> tuple[DeadLetter, ...]:
        """Return at most `most` letters; none if no letter arrived within some seconds.  Other pulls do not get the letters meanwhile."""
        ...

    def acknowledge(self, letter: DeadLetter) -> None:
        """Delete the letter."""
        ...

    def release(self, letter: DeadLetter) -> None:
        """Make the letter available to the next pull."""
        ...


class Verdict(StrEnum):
    """The action for a letter, and the reason."""

    ANSWERED = "drop: already handled"
    PAST_TICK = "drop: a later tick does its work"
    REPLAY = "replay"
    UNREADABLE = "keep: a record of its chat cannot be read"
    REPLAY_UNSEND = "replay at once: withdrawn words are still stored"
    UNUSABLE = "drop: no release can read it"
    WITHDRAWN = "drop: withdrawn"


_REPLAYED: Final = frozenset({Verdict.REPLAY, Verdict.REPLAY_UNSEND})


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """A letter and the verdict; `line` describes both without words of people, for example "message=17  type=message … => replay"."""

    letter: DeadLetter
    verdict: Verdict
    line: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetters:
    """Explains and replays dead letters by the state of their chats.

    `shows_ids` names a chat by LINE's id, as `forget` takes ids, instead of the pseudonym of the logs.
    """

    queue: DeadLetterQueue
    bus: EventBus
    conversations: Conversations
    reader: HistoryReader
    clock: Clock = field(repr=False)
    shows_ids: bool = False

    def explain_all(self, *, most: int) -> tuple[Explanation, ...]:
        """Return the explained letters, unsends first, and release all letters."""
        explanations = self._pull_all(most)
        for explanation in explanations:
            self.queue.release(explanation.letter)
        return explanations

    def replay(self, *, most: int) -> tuple[Explanation, ...]:
        """Publish, drop or keep each letter by the verdict; return all letters, unsends first.

        A letter is acknowledged only after the event is on the topic. Repeated: an event that was handled meanwhile is dropped.
        Raises: PublishFailedError; the remaining letters are released.
        """
        explanations = self._pull_all(most)
        unsettled = {explanation.letter.ack_id: explanation.letter for explanation in explanations}
        try:
            for explanation in explanations:
                if explanation.verdict is Verdict.UNREADABLE:
                    continue
                if explanation.verdict in _REPLAYED:
                    self.bus.publish((_message_of(explanation.letter),))
                self.queue.acknowledge(explanation.letter)
                del unsettled[explanation.letter.ack_id]
        finally:
            for letter in unsettled.values():
                self.queue.release(letter)
        return explanations

    def _pull_all(self, most: int) -> tuple[Explanation, ...]:
        """Return the explained letters, unsends first.  Raises: StorageUnavailableError, QueueUnavailableError; no letter stays pulled."""
        letters: dict[str, DeadLetter] = {}
        try:
            while len(letters) < most:
                pulled = self.queue.pull(most - len(letters))
                if not pulled:
                    break
                letters |= {letter.ack_id: letter for letter in pulled}
            explanations = [self._explain(letter) for letter in letters.values()]
        except TransientError:
            for letter in letters.values():
                self.queue.release(letter)
            raise
        return tuple(
            sorted(
                explanations,
                key=lambda explanation: (explanation.verdict != Verdict.REPLAY_UNSEND, explanation.letter.published_ms),
            )
        )

    def _explain(self, letter: DeadLetter) -> Explanation:
        try:
            decoded = _event_of(letter)
            event = (
                None
                if isinstance(decoded, Tick | HookNotice)
                else parse_event(decoded, deadline=_no_deadline(self.conversations))
            )
        except (UnusableEventError, UnusableIdError) as cause:
            return Explanation(letter=letter, verdict=Verdict.UNUSABLE, line=self._line(letter, None, str(cause)))
        try:
            verdict = Verdict.PAST_TICK if event is None else self._verdict(event)
        except (
            UnreadableRecordError
        ):  # perhaps the cause of the dead letter; must not hold up the events of other chats
            verdict = Verdict.UNREADABLE
        return Explanation(letter=letter, verdict=verdict, line=self._line(letter, event, verdict.value))

    def _verdict(self, event: LineEvent) -> Verdict:
        if event.type == "unsend":
            return Verdict.REPLAY_UNSEND
        conversation = self.conversations.of(event.conversation_id)
        if conversation.journal.outcome_of(event.webhook_event_id) is not None:
            return Verdict.ANSWERED
        if event.message is None:
            return Verdict.REPLAY
        if _has_withdrawn(event, event.message, self.conversations):
            return Verdict.WITHDRAWN
        if event.type != "message":  # an answer covers the message, not an edit of it
            return Verdict.REPLAY
        turn = conversation.turn.read()  # the turn before the chat, as in a worker
        is_covered = (
            event.message.line_message_id in self.reader.read_newest(conversation).with_covered_by(turn.record).covered
        )
        return Verdict.ANSWERED if is_covered else Verdict.REPLAY

    def _name_of(self, conversation_id: str) -> str:
        return conversation_id if self.shows_ids else logs.pseudonym(conversation_id)

    def _line(self, letter: DeadLetter, event: LineEvent | None, verdict: str) -> str:
        # A person has waited since LINE's timestamp; the letter was published only after the last attempt had failed.
        began_ms = (event.timestamp_ms if event else 0) or letter.published_ms
        minutes = max(0, self.clock.now_ms() - began_ms) // 60_000
        facts = {
            "message": letter.pubsub_message_id,
            "type": event.type if event else letter.attributes.get("type", "?"),
            "event": event.webhook_event_id if event else "?",
            "conversation": self._name_of(event.conversation_id) if event else "?",
            "from": letter.attributes.get(f"{_ADDED}Subscription", letter.subscription),
            "attempts": letter.attributes.get(f"{_ADDED}DeliveryCount", "?"),
            "minutes": minutes,
        }
        return "  ".join([*(f"{name}={_printable(value)}" for name, value in facts.items()), f"=> {verdict}"])


def without_withdrawn_words(letter: DeadLetter, conversations: Conversations) -> bytes | None:
    """Return the letter's data without withdrawn words; None if nothing of the letter may stay.

    Nothing stays of a withdrawn or erased message, nor of an edit with a newer edit. An edited message gets the newest text, and the event
    is handled as before. Data that no release can read is unchanged.
    Only the chat's amendments are read.  Raises: StorageUnavailableError, UnreadableRecordError.
    """
    try:
        decoded = _event_of(letter)
        event = (
            None
            if isinstance(decoded, Tick | HookNotice)
            else parse_event(decoded, deadline=_no_deadline(conversations))
        )
    except (UnusableEventError, UnusableIdError):
        return letter.data
    if event is None or event.message is None:
        return letter.data
    if _has_withdrawn(event, event.message, conversations):
        return None
    amendments, message_id = conversations.of(event.conversation_id).amendments, event.message.line_message_id
    if event.timestamp_ms >= amendments.look().edited_ms.get(message_id, -1):
        return letter.data
    newest = amendments.edits.begin_reading({message_id})()[message_id]
    if newest is None or newest.text is None or event.type != "message":
        return None
    body = json.loads(letter.data)
    body["event"]["message"]["text"] = newest.text
    return json.dumps(body).encode()


def _has_withdrawn(event: LineEvent, message: MessageContent, conversations: Conversations) -> bool:
    amendments = conversations.of(event.conversation_id).amendments
    return amendments.has_withdrawn(
        message.line_message_id, timestamp_ms=event.timestamp_ms
    ) or amendments.has_forgotten(event.user_id, timestamp_ms=event.timestamp_ms)


def _no_deadline(conversations: Conversations) -> Deadline:
    return Deadline.after(conversations.clock, math.inf)


def summary(explanations: Iterable[Explanation]) -> str:
    """Return the count of each verdict, for example "2 x replay; 1 x drop: withdrawn"."""
    verdicts = [explanation.verdict for explanation in explanations]
    counts = (f"{verdicts.count(verdict)} x {verdict.value}" for verdict in Verdict if verdict in verdicts)
    return "; ".join(counts) or "no dead letters"


def _event_of(letter: DeadLetter) -> Mapping[str, object] | Tick | HookNotice:
    encoded = base64.b64encode(letter.data).decode()
    return Envelope(pubsub_message_id=letter.pubsub_message_id, data=encoded).event()


def _message_of(letter: DeadLetter) -> BusMessage:
    attributes = {name: value for name, value in letter.attributes.items() if not name.startswith(_ADDED)}
    return BusMessage(data=letter.data, attributes=attributes)


def _printable(value: object) -> str:
    return "".join(character if character.isprintable() else "?" for character in str(value))[:80]
