"""Answer a message: record it, take its chat's turn, think, commit, say it; all that was asked meanwhile is answered with it.

While the model thinks, the turn's lease is renewed beside it, and where the token is about to die, "still thinking" is said instead of the
answer, which then waits for a press of the button.
"""

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from typing import Final, Protocol

from shared import logs
from shared.clock import Clock
from shared.conversation.history import History, Listing
from shared.conversation.journal import Journal
from shared.conversation.records import MessageRecord, OutcomeKind, OutcomeRecord, outcome_covering
from shared.conversation.turn import HeldTurn, Route, SeenTurn, Turns
from shared.errors import PromptAmendedError, StorageUnavailableError
from shared.line.phrases import Phrase
from shared.storage.object_names import amended_name, message_name
from shared.turns.background import Background, Pause
from shared.turns.deferral import DEFER_AT_MS, Errand, errand, stored_id
from shared.turns.late_reply import LateReply
from shared.turns.outbox import TOKEN_SURELY_ALIVE_MS, Speaker
from shared.turns.runner import SeenThrough, TurnTaking

MODEL_S: Final = 40.0
_TRIES: Final = 3
_RENEWALS_A_LEASE: Final = 3
_TO_SAY_SORRY_MS: Final = 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What a turn thinks about.

    `asked` are the messages to answer, `draft` is the outcome as far as it is known. `look` is called before every call of the model, with
    the messages behind what tools have shown it, and raises PromptAmendedError where something in the prompt was edited or taken back.
    `seconds` is the time that there is, `sequence` the number of the commit that the turn works towards.
    `is_overheard` tells that nobody has addressed the bot.
    """

    history: History
    asked: tuple[MessageRecord, ...]
    draft: OutcomeRecord
    look: Callable[[AbstractSet[str]], None]
    seconds: float
    sequence: int
    is_overheard: bool = False


class Thinker(Protocol):
    """Finds the words."""

    def __call__(self, question: Question) -> OutcomeRecord:
        """Return the draft with what was decided.  Raises: PromptAmendedError."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Answering:
    """Answers the messages of all chats."""

    journal: Journal
    turns: Turns
    taking: TurnTaking
    speaker: Speaker
    background: Background = field(repr=False)
    clock: Clock = field(repr=False)
    phrase: Callable[[Phrase], str] = field(repr=False)

    def __call__(
        self, conversation_id: str, message: MessageRecord, *, settle: Callable[[], None], think: Thinker
    ) -> SeenThrough:
        """The message is covered by an outcome, taken back, or too old to answer.

        `settle` waits first, so that bubbles that follow at once are answered together.
        Repeated: as often as you like. Raises: TurnBusyError, StorageUnavailableError; safe to deliver again.
        """
        turn = self.journal.bodies.reads.submit(self.turns.read, conversation_id)
        self.journal.keep(conversation_id, message)
        seen = turn.result()
        settle()
        if seen.record.state == "thinking":  # it may have come to its end meanwhile
            seen = self.turns.read(conversation_id)
        return self.taking.see_through(conversation_id, _Answer(self, conversation_id, message, think), seen)


@dataclass(frozen=True, slots=True)
class _Answer:
    """One delivery of a message."""

    of: Answering
    conversation_id: str
    own: MessageRecord
    think: Thinker

    def is_surely_open(self, seen: SeenTurn, listing: Listing) -> bool:
        message = message_name(self.conversation_id, self.own.line_message_id)
        amended = amended_name(self.conversation_id, self.own.line_message_id)
        covers = seen.record.outcome.covers if seen.record.outcome is not None else ()
        return (
            self.own.line_message_id not in covers
            and self.own.timestamp_ms > listing.watermark.timestamp_ms
            and any(one.name == message for one in listing.messages)
            and not any(one.name == amended for one in listing.amended)
        )

    def came_to(self, history: History, unfinished: OutcomeRecord | None) -> str | None:
        own_id = self.own.line_message_id
        if history.amendments.take_back(self.own):
            self.of.journal.drop(self.conversation_id, own_id)
        elif own_id in history.amendments.edits:
            self.of.journal.bring_up_to_date(self.conversation_id, own_id)
        if own_id in {one.line_message_id for one in self._pending(history)}:
            return None
        if unfinished is not None and own_id in unfinished.covers:
            return None
        return "withdrawn" if history.amendments.take_back(self.own) else "already_answered"

    def is_ended_by(self, outcome: OutcomeRecord) -> bool:
        return self.own.line_message_id in outcome.covers

    def in_turn(self, held: HeldTurn, history: History) -> OutcomeRecord | None:
        what = errand(history, self._pending(history))
        routes = self.of.speaker.routes(what.covers)
        logs.info("turn_opened", messages=len(history.messages), pending=len(what.covers), tries=held.record.tries)
        keeper = Keeper(of=self.of, held=held, history=history, what=what, routes=routes)
        outcome = self._decided(keeper)
        if keeper.has_ended:
            return keeper.stored(outcome) if outcome is not None else keeper.deferral
        if outcome is None:
            held.release()
            return None
        prompt = keeper.prompt.union(outcome.saw)
        if not held.commit(outcome, routes[0] if routes else Route(), prompt=prompt, since_ms=keeper.since_ms):
            logs.info("turn_lost")
            return None
        return self.of.speaker.finish(held, taken_over=False, spare=routes[1:])

    def _pending(self, history: History) -> tuple[MessageRecord, ...]:
        return history.pending(self.own, now_ms=self.of.clock.now_ms())

    def _decided(self, keeper: "Keeper") -> OutcomeRecord | None:
        """Return what to commit, or to store where the turn was deferred meanwhile; None: something in the prompt was amended."""
        what, draft = keeper.what, keeper.draft
        if what.unknown:
            return self._fixed(what, OutcomeKind.APOLOGISED, Phrase.NOTHING_TO_SHOW)
        if what.nothing_left or not keeper.routes:  # the next prompt shows the latter as unanswered
            return outcome_covering(what.covers, OutcomeKind.SKIPPED if what.nothing_left else OutcomeKind.UNDELIVERED)
        if what.stored is not None:
            return _repeating(draft, what.stored, saw=keeper.history.ids_in(what.stored))
        if keeper.held.record.tries >= _TRIES:
            return self._fixed(what, OutcomeKind.APOLOGISED, Phrase.APOLOGY_BUSY)
        question = Question(
            history=keeper.history,
            asked=what.asked,
            draft=draft,
            look=keeper.look,
            seconds=keeper.seconds,
            sequence=keeper.held.record.sequence + 1,
        )
        try:
            with self.of.background.beside(keeper.keep):
                return self.think(question)
        except PromptAmendedError:
            logs.info("prompt_amended")
            return None

    def _fixed(self, what: Errand, kind: OutcomeKind, words: Phrase) -> OutcomeRecord:
        return replace(outcome_covering(what.covers, kind), text=self.of.phrase(words))


class Keeper:
    """Keeps a turn while its holder thinks: renews the lease, and says "still thinking" before the token dies."""

    def __init__(
        self, *, of: Answering, held: HeldTurn, history: History, what: Errand, routes: tuple[Route, ...]
    ) -> None:
        self.held, self.history, self.what, self.routes = held, history, what, routes
        self.has_ended = False
        self.deferral: OutcomeRecord | None = None
        self._of = of
        ids = history.seen_ids.union(one.line_message_id for one in (*what.covers, *what.asked))
        ids |= history.quoted_ids(what.asked)
        if what.stored is not None:
            ids |= history.ids_in(what.stored)
        since_ms = min(history.since_ms, *(one.timestamp_ms for one in (*what.covers, *what.asked)))
        since_ms = min(since_ms, history.quoted_since_ms(what.asked))
        until_ms = max(one.timestamp_ms for one in (*history.messages, *what.covers, *what.asked))
        self.prompt, self.since_ms = ids, since_ms
        self.draft = replace(
            outcome_covering(what.covers, OutcomeKind.SKIPPED),
            saw=tuple(sorted(history.newest_seen(ids))),
            since_ms=since_ms,
            until_ms=until_ms,
            answers=what.answers,
        )

    @property
    def seconds(self) -> float:
        """Seconds to think; where there is no late way, the token has to live long enough for the answer, or an apology."""
        if self._of.speaker.late_reply is not LateReply.DROP:
            return MODEL_S
        left_ms = TOKEN_SURELY_ALIVE_MS - _TO_SAY_SORRY_MS - self._age_ms
        return min(MODEL_S, max(left_ms / 1_000, 0.0))

    @property
    def _age_ms(self) -> int:
        return self._of.clock.now_ms() - self.routes[0].received_ms

    def look(self, more_ids: AbstractSet[str]) -> None:
        """Raise PromptAmendedError where something in the prompt, or one of these messages, was edited or taken back since it was read."""
        amendments = self._of.journal.amendments.fresh_look(self.held.conversation_id)
        if amendments.change(self.prompt | more_ids, since_ms=self.since_ms, before=self.history.amendments):
            raise PromptAmendedError("something in the prompt was edited or taken back")

    def keep(self, pause: Pause) -> None:
        """Renew the lease until the block ends or "still thinking" had to be said."""
        nap_s = self._of.turns.lease_s / _RENEWALS_A_LEASE
        while not pause(min(nap_s, self._until_due_s())):
            if not self._until_due_s():
                self._defer()
                return
            try:
                self.held.renew()
            except StorageUnavailableError:
                logs.warning("lease_not_renewed")

    def _until_due_s(self) -> float:
        if self._of.speaker.late_reply is not LateReply.BUTTON:
            return float("inf")
        return max(0, DEFER_AT_MS - self._age_ms) / 1_000

    def _defer(self) -> None:
        """The turn ends with "still thinking" and a button, or because it was lost."""
        self.has_ended = True
        own_id = self.draft.webhook_event_id
        deferral = replace(
            outcome_covering(self.what.covers, OutcomeKind.DEFERRED),
            text=self._of.phrase(Phrase.STILL_THINKING),
            answers=(own_id, *self.draft.answers),
            has_button=True,
        )
        if self.held.commit(deferral, self.routes[0], prompt=self.prompt, since_ms=self.since_ms):
            logs.info("reply_deferred")
            self.deferral = self._of.speaker.finish(self.held, taken_over=False, spare=self.routes[1:])

    def stored(self, answer: OutcomeRecord) -> OutcomeRecord | None:
        """The late answer waits for a press, unless something in it was amended meanwhile; return the deferral."""
        if self.deferral is None or answer.kind is not OutcomeKind.REPLIED or answer.writes:
            return self.deferral  # what would write to entries is thought anew, on entries as they then are
        own_id = answer.webhook_event_id
        late = replace(
            answer, webhook_event_id=stored_id(own_id), kind=OutcomeKind.STORED, answers=(own_id, *answer.answers)
        )
        try:
            self.look(frozenset(answer.saw))
        except PromptAmendedError:
            return self.deferral
        self._of.journal.record_outcome(self.held.conversation_id, late)
        logs.info("answer_stored")
        return self.deferral


def _repeating(draft: OutcomeRecord, stored: OutcomeRecord, *, saw: AbstractSet[str]) -> OutcomeRecord:
    """Return the outcome that says a stored answer."""
    return replace(
        stored,
        webhook_event_id=draft.webhook_event_id,
        timestamp_ms=draft.timestamp_ms,
        kind=OutcomeKind.REPLIED,
        covers=draft.covers,
        saw=tuple(sorted(saw)),
        since_ms=min(stored.since_ms, draft.since_ms),
        until_ms=max(stored.until_ms, draft.until_ms),
    )
