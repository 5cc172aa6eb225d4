"""Dead letters: events that no worker could deal with.  They are explained without a word of what people wrote, and replayed.

A replay publishes the event to the topic again, so it takes the way of every event: what was recorded changes nothing, what is too old
to be answered becomes context, and an unsend is carried out.
"""

import base64
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, Protocol

from shared import logs
from shared.bus.envelope import Envelope
from shared.bus.messages import BusMessage, EventBus
from shared.clock import Clock
from shared.conversation.history import HistoryReader
from shared.conversation.store import Conversations
from shared.errors import UnusableEventError, UnusableIdError
from shared.line.events import LineEvent, parse_event

# What Pub/Sub adds when it gives a message up.  Source: Pub/Sub, "Dead-letter topics"
_ADDED: Final = "CloudPubSubDeadLetterSource"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetter:
    """A message of a dead-letter subscription, in our hands until its deadline."""

    subscription: str
    ack_id: str = field(repr=False)
    pubsub_message_id: str
    published_ms: int
    data: bytes = field(repr=False)
    attributes: Mapping[str, str]


class DeadLetterQueue(Protocol):
    """Where dead letters wait.  Every method raises QueueUnavailableError."""

    def pull(self, most: int) -> tuple[DeadLetter, ...]:
        """Return letters that wait, at most so many; none where nothing came within some seconds.  Nobody else gets them meanwhile."""
        ...

    def acknowledge(self, letter: DeadLetter) -> None:
        """The letter is gone for good."""
        ...

    def release(self, letter: DeadLetter) -> None:
        """The letter waits again, for whoever pulls next."""
        ...


class Verdict(StrEnum):
    """What is to be done with a letter, and why."""

    ANSWERED = "drop: it came to its end before"
    REPLAY = "replay"
    REPLAY_UNSEND = "replay at once: somebody took words back, and they are still there"
    UNUSABLE = "drop: no release can read it"
    WITHDRAWN = "drop: it was taken back"


_REPLAYED: Final = frozenset({Verdict.REPLAY, Verdict.REPLAY_UNSEND})


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """A letter and its verdict; `line` says it in one line without words of people."""

    letter: DeadLetter
    verdict: Verdict
    line: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetters:
    """Looks through the letters, and through the chats that they belong to.

    `shows_ids` names a chat by LINE's id, which `forget` takes, instead of by the pseudonym that the logs have.
    """

    queue: DeadLetterQueue
    bus: EventBus
    conversations: Conversations
    reader: HistoryReader
    clock: Clock = field(repr=False)
    shows_ids: bool = False

    def look(self, *, most: int) -> tuple[Explained, ...]:
        """Return what waits, explained, unsends first; everything goes on waiting."""
        explained = self._pulled(most)
        for one in explained:
            self.queue.release(one.letter)
        return explained

    def replay(self, *, most: int) -> tuple[Explained, ...]:
        """What can be dealt with is on the topic again, what is to be dropped is gone.  Returns both, unsends first.

        A letter is acknowledged only after the topic has its event. Repeated: an event that was dealt with meanwhile is dropped.
        Raises: PublishFailedError; the letters that are left wait again.
        """
        explained = self._pulled(most)
        done = 0
        try:
            for one in explained:
                if one.verdict in _REPLAYED:
                    self.bus.publish((_message_of(one.letter),))
                self.queue.acknowledge(one.letter)
                done += 1
        finally:
            for one in explained[done:]:
                self.queue.release(one.letter)
        return explained

    def _pulled(self, most: int) -> tuple[Explained, ...]:
        letters: dict[str, DeadLetter] = {}
        while len(letters) < most:
            pulled = self.queue.pull(most - len(letters))
            if not pulled:
                break
            letters |= {one.ack_id: one for one in pulled}
        explained = [self._explained(one) for one in letters.values()]
        return tuple(sorted(explained, key=lambda one: (one.verdict != Verdict.REPLAY_UNSEND, one.letter.published_ms)))

    def _explained(self, letter: DeadLetter) -> Explained:
        try:
            event = parse_event(_event_of(letter))
        except (UnusableEventError, UnusableIdError) as cause:
            return Explained(letter=letter, verdict=Verdict.UNUSABLE, line=self._line(letter, None, str(cause)))
        verdict = self._verdict(event)
        return Explained(letter=letter, verdict=verdict, line=self._line(letter, event, verdict.value))

    def _verdict(self, event: LineEvent) -> Verdict:
        if event.type == "unsend":
            return Verdict.REPLAY_UNSEND
        conversation = self.conversations.of(event.conversation_id)
        if conversation.journal.outcome_of(event.webhook_event_id) is not None:
            return Verdict.ANSWERED
        if event.message is None:
            return Verdict.REPLAY
        line_message_id = event.message.line_message_id
        if conversation.amendments.has_withdrawn(line_message_id, timestamp_ms=event.timestamp_ms):
            return Verdict.WITHDRAWN
        is_covered = line_message_id in self.reader.read_newest(conversation).covered
        return Verdict.ANSWERED if is_covered else Verdict.REPLAY

    def _name_of(self, conversation_id: str) -> str:
        return conversation_id if self.shows_ids else logs.pseudonym(conversation_id)

    def _line(self, letter: DeadLetter, event: LineEvent | None, verdict: str) -> str:
        minutes = (self.clock.now_ms() - letter.published_ms) // 60_000
        facts = {
            "message": letter.pubsub_message_id,
            "type": event.type if event else "?",
            "event": event.webhook_event_id if event else "?",
            "conversation": self._name_of(event.conversation_id) if event else "?",
            "from": letter.attributes.get(f"{_ADDED}Subscription", letter.subscription),
            "attempts": letter.attributes.get(f"{_ADDED}DeliveryCount", "?"),
            "minutes": minutes,
        }
        return "  ".join([*(f"{name}={_printable(value)}" for name, value in facts.items()), f"=> {verdict}"])


def summary(explained: Iterable[Explained]) -> str:
    """Return how many there are of each verdict."""
    verdicts = [one.verdict for one in explained]
    counts = (f"{verdicts.count(one)} x {one.value}" for one in Verdict if one in verdicts)
    return "; ".join(counts) or "no dead letters"


def _event_of(letter: DeadLetter) -> Mapping[str, object]:
    encoded = base64.b64encode(letter.data).decode()
    return Envelope(pubsub_message_id=letter.pubsub_message_id, data=encoded).event()


def _message_of(letter: DeadLetter) -> BusMessage:
    kept = {name: value for name, value in letter.attributes.items() if not name.startswith(_ADDED)}
    return BusMessage(data=letter.data, attributes=kept)


def _printable(value: object) -> str:
    return "".join(character if character.isprintable() else "?" for character in str(value))[:80]
