"""Announcements: fixed texts that answer an event, such as a greeting.  Like any answer, an announcement goes through the chat's turn."""

from collections.abc import Callable, Iterable
from dataclasses import field, replace
from typing import TypeAlias

from shared.bus.result import EventResult
from shared.clock import Deadline
from shared.conversation.history import History
from shared.conversation.history_reader import HistoryReader, Listing
from shared.conversation.provenance import Provenance
from shared.conversation.records import MessageRecord, Offer, OutcomeKind, OutcomeRecord, StagedWrite
from shared.conversation.spending import Spending
from shared.conversation.store import Conversation
from shared.conversation.turn import Route, StoredTurn
from shared.errors import AizuchiError, CrowdedOutError, TurnBusyError
from shared.frozen import frozen
from shared.line.commands import language_of_name
from shared.line.events import LineEvent
from shared.line.language import shown_language
from shared.line.messaging import SENDING_S
from shared.line.phrases import Phrase, Phrases
from shared.turns.basis import Basis
from shared.turns.lease import Lease
from shared.turns.outbox import Outbox
from shared.turns.runner import TurnDelivery, TurnRunner, Waiting
from shared.turns.waiting_room import Place

Stage: TypeAlias = Callable[[int], tuple[StagedWrite, ...]]
"""Returns the writes of a turn, for the sequence of its commit."""


def stage_nothing(_: int) -> tuple[StagedWrite, ...]:
    """Return no write: the text only says something."""
    return ()


@frozen
class Announcement:
    """A fixed text that answers an event.

    `offer`: the button that confirms an erasure, if a command asked for one. `is_joining`: the text greets a group after the bot's joining.
    `is_silent`: no phone makes a sound, because only who has pressed looks for the text.
    `pressed_ids`: the events of other presses that the announcement tells of, too. `provenance`: the messages whose words the text repeats.
    `stage`: the writes that are made with the text. `decide` replaces all of these by what holds while the turn is held: for example, a
    press finds an entry as the turn before has left it.
    `in_locale` words the announcement in the chat's language: the language that a member chose, else that of earlier messages of the
    event's person, or of anybody where the event names no person, else None, the bot's. `complete` returns the outcome to commit, from
    the chat as the turn reads it, within `turn_s` with the sending; `spends` reserves the cost; `on_sent` is as in `Outbox.finish`. A text
    whose offer is postponed waits for the turn without a token, too. `if_late` returns the notice for the chat's next answer where the
    token dies before the turn is free, for example about a press without effect.
    """

    event: LineEvent = field(repr=False)
    text: str
    offer: Offer = field(default_factory=Offer)
    is_joining: bool = False
    is_silent: bool = False
    pressed_ids: tuple[str, ...] = ()
    provenance: Provenance = field(default_factory=Provenance)
    stage: Stage = field(default=stage_nothing, repr=False)
    decide: Callable[[], "Announcement"] | None = field(default=None, repr=False)
    complete: Callable[[OutcomeRecord, Lease, History], OutcomeRecord] = field(
        default=lambda outcome, _, __: outcome, repr=False
    )
    spends: Callable[[Spending], Spending] = field(default=lambda spending: spending, repr=False)
    turn_s: float = SENDING_S
    on_sent: Callable[[OutcomeRecord], None] = field(default=lambda _: None, repr=False)
    if_late: "Callable[[], Announcement | None]" = field(default=lambda: None, repr=False)
    in_locale: Callable[[str | None], "Announcement"] | None = field(default=None, repr=False)

    @property
    def outcome(self) -> OutcomeRecord:
        """The outcome that sends the text, and answers no message."""
        return OutcomeRecord(
            webhook_event_id=self.event.webhook_event_id,
            timestamp_ms=self.event.timestamp_ms,
            kind=OutcomeKind.REPLIED,
            pressed_ids=self.pressed_ids,
            provenance=Provenance(since_ms=self.event.timestamp_ms, until_ms=self.event.timestamp_ms) | self.provenance,
            text=self.text,
            offer=self.offer,
            is_joining=self.is_joining,
            is_silent=self.is_silent,
        )


def in_chats_language(worded: Callable[[str | None], Announcement]) -> Announcement:
    """Return the announcement, to be worded in the chat's language; `worded(None)` is in the bot's."""
    return replace(worded(None), in_locale=worded)


def unless_withdrawn(said: Announcement, conversation: Conversation, *, otherwise: Announcement) -> Announcement:
    """Return the announcement; `otherwise` is made where a message behind its words is withdrawn before the turn.

    For example, a press has a reminder come again, and the reminder's message is unsent meanwhile: the press is told that the reminder is
    gone, and does not meet silence.
    """

    def decide() -> Announcement:
        is_withdrawn = said.provenance.is_affected_by(conversation.amendments.look())
        return otherwise if is_withdrawn else said

    return replace(otherwise, decide=decide)


def phrased(  # noqa: PLR0913 - the parts of an announcement
    event: LineEvent,
    phrases: Phrases,
    which: Phrase,
    *,
    offer: Offer | None = None,
    stage: Stage = stage_nothing,
    until_ms: int | None = None,
    **facts: str,
) -> Announcement:
    """Return a phrase as the announcement for the event, to be worded in the chat's language; a question stands until `until_ms`."""

    def worded(locale: str | None) -> Announcement:
        until = {} if until_ms is None else {"until": phrases.hour(until_ms, locale=locale)}
        return Announcement(
            event=event,
            text=phrases.text(which, locale=locale, **facts, **until),
            offer=offer or Offer(),
            stage=stage,
        )

    return in_chats_language(worded)


def postponed_once(event: LineEvent, phrases: Phrases, which: Phrase) -> Announcement:
    """Return a phrase for the chat's next answer, said once for however many events, in the language of the newest."""
    return phrased(event, phrases, which, offer=Offer(is_postponed=True, said_once_as=which.value))


@frozen
class Announcer:
    """Makes announcements."""

    runner: TurnRunner
    outbox: Outbox

    def has_answered(self, conversation: Conversation, event: LineEvent) -> bool:
        """Whether an earlier delivery of the event was answered, whose effect may have been undone since.

        Raises: StorageUnavailableError.
        """
        return self.runner.reader.read_newest(conversation).has_answered(event.webhook_event_id)

    def announce(self, conversation: Conversation, announcement: Announcement) -> EventResult:
        """Send the announcement on the event's token, by the deadline of the event's request.

        Repeated: an event that was erased meanwhile, or whose outcome is recorded, gets nothing.
        Raises: TurnBusyError, StorageUnavailableError; safe to deliver again.
        """
        event = announcement.event
        delivery = _AnnouncementDelivery(
            reader=self.runner.reader,
            outbox=self.outbox,
            conversation=conversation,
            announcement=announcement,
            outcome=announcement.outcome,
            decide=announcement.decide or (lambda: announcement),
            route=Route.on(event.reply_token),
            deadline=event.deadline,
        )
        return self.runner.run(conversation, delivery.in_turn, conversation.turn.read(), event.deadline).result


@frozen
class _AnnouncementDelivery:
    reader: HistoryReader
    outbox: Outbox
    conversation: Conversation
    announcement: Announcement
    outcome: OutcomeRecord
    decide: Callable[[], Announcement] = field(repr=False)
    route: Route
    deadline: Deadline

    @property
    def in_turn(self) -> TurnDelivery:
        """The work, and how it waits: the journal holds no message of the event, so no other delivery could answer."""
        waiting = Waiting(
            turn_s=self.announcement.turn_s,
            gives_way=False,
            is_answerable=self.is_answerable,
            hand_over=self.hand_over,
        )
        return TurnDelivery(
            event=self.outcome.webhook_event_id, sent_ms=self.outcome.timestamp_ms, work=self, waiting=waiting
        )

    def is_answerable(self) -> bool:
        """Whether the token may be alive, or the chat's next answer says the text.

        With a dead token, the delivery of another text continues only if the turn is committed to its outcome.
        """
        if self.outcome.offer.is_postponed:
            return True
        token = self.route.reply_token
        return token is not None and not token.is_surely_dead(self.outbox.clock.now_ms())

    def spends(self, spending: Spending) -> Spending:
        """Fixed texts are never limited."""
        return self.announcement.spends(spending)

    def has_work_by_name(self, _: StoredTurn, listing: Listing) -> bool:
        name = self.conversation.names.outcome(self.outcome.webhook_event_id)
        is_erased = self.outcome.timestamp_ms <= listing.amended.erased_ms
        return not is_erased and not any(outcome.name == name for outcome in listing.outcomes)

    def result_in(self, history: History, unfinished: OutcomeRecord | None) -> EventResult | None:
        if self.outcome.webhook_event_id in history.recorded or self.outcome.webhook_event_id in history.covered:
            return EventResult.ALREADY_ANSWERED
        if unfinished is None and self.outcome.provenance.is_affected_by(history.amendments):
            return EventResult.ERASED
        return None

    def hand_over(self, place: Place) -> EventResult | None:
        """End without an answer: the token is dead, the text is postponed, or another delivery of the event has answered, or still can.

        The outcome is recorded as undelivered if none can, with the words for the chat's next answer, if there are any. None: the turn is
        committed to the text, by this delivery or another; this delivery waits for the record, or takes over.
        Raises: TurnBusyError, if only a later delivery can answer the event; CrowdedOutError, if newer commands took the event's place.
        """
        turn = self.conversation.turn.read().record
        if turn.outcome is not None and self.in_turn.is_ended_by(turn.outcome):
            return None
        is_answered = self.outcome.webhook_event_id in turn.covered  # its outcome may have left the journal since
        is_postponed = self.outcome.offer.is_postponed
        if not is_answered and (is_postponed or not self.is_answerable()):
            self._give_up(self._undelivered(turn.chosen_locale))
        elif not is_answered and not place.is_doubled:
            failure = CrowdedOutError if place.is_evicted else TurnBusyError
            raise failure("the chat's turn was not free for a text that can still be sent")
        return EventResult.UNDELIVERED

    def _undelivered(self, chosen: str | None) -> OutcomeRecord:
        """Return the outcome without a text, or with the notice for the chat's next answer, in the chat's language."""
        undelivered = replace(self.outcome, kind=OutcomeKind.UNDELIVERED, text=None)
        said = self.announcement if self.outcome.offer.is_postponed else self.announcement.if_late()
        if said is None:
            return undelivered
        if said.in_locale is not None:
            messages = () if chosen else self.reader.read_newest(self.conversation).messages
            said = said.in_locale(locale_of(said.event, chosen=chosen, messages=messages))
        return replace(undelivered, text=said.text, offer=said.offer)

    def _give_up(self, undelivered: OutcomeRecord) -> None:
        """Record that the text was not sent; another delivery of the event, with a younger token, commits it before that or never.

        A worker that opens the turn, or commits, loses its swap to the raised epoch, and finds the record. Where another one has committed
        the text between the reading of the turn and the record, nobody knows whether it is sent.
        """
        self.conversation.journal.record_outcome(undelivered)
        if self.route.reply_token is None:  # no delivery has any, so none sends the text
            return
        committed = self.conversation.turn.raise_epoch(unless_committed_to=undelivered.webhook_event_id)
        if committed is not None:
            self.conversation.journal.record_outcome(committed.without_words(OutcomeKind.UNKNOWN))

    def _is_given_up(self) -> bool:
        return self.conversation.journal.outcome_of(self.outcome.webhook_event_id) is not None

    def take_turn(self, lease: Lease, history: History) -> OutcomeRecord | None:
        try:
            decided = self.decide()
        except AizuchiError:  # else the turn would be held, and count a try, until the lease ends
            lease.release()
            raise
        if decided.in_locale is not None:
            locale = locale_of(decided.event, chosen=lease.record.chosen_locale, messages=history.messages)
            decided = decided.in_locale(locale)
        if any(map(history.has_answered, decided.pressed_ids)):  # perhaps by a delivery to another instance
            lease.release()
            return None
        staged = replace(decided.outcome, writes=decided.stage(lease.record.sequence + 1))
        outcome = decided.complete(staged, lease, history)
        basis = None
        if outcome.provenance != staged.provenance:  # words of the chat; a fixed text has no basis
            basis = Basis(
                conversation=self.conversation, lease=lease, prompt=outcome.provenance, before=history.amendments
            )
        committed = lease.commit(outcome, self.route, basis=basis, is_given_up=self._is_given_up)
        if committed is None:
            return None
        return self.outbox.finish(lease, committed, deadline=self.deadline, on_sent=decided.on_sent)


def locale_of(event: LineEvent, *, chosen: str | None, messages: Iterable[MessageRecord]) -> str | None:
    """Return the chat's language for a text of the code; None: no choice, command or earlier message shows a language.

    A choice counts before words, because most commands show no language: after `/language th`, `/help` is in Thai in a chat where people
    write English. A command by a name of a language shows the language: `/วิธีใช้` gets Thai. The person's own messages count before those
    of the others: who only listens among people who write English gets English.
    """
    if chosen:
        return chosen
    told = [message for message in messages if message.type == "text"]
    named_in = language_of_name(event.message) if event.message is not None else None
    own = shown_language(message.text for message in told if message.user_id == event.user_id)
    return named_in or own or shown_language(message.text for message in told)
