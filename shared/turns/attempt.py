"""One attempt at an answer: the lease is renewed while the model thinks, and a deferral is sent before the reply token dies."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from shared import logs
from shared.clock import Clock, Deadline
from shared.conversation.history import History
from shared.conversation.provenance import Provenance
from shared.conversation.records import Offer, OutcomeKind, OutcomeRecord, outcome_of, provenance_of
from shared.conversation.silences import SilenceKind
from shared.conversation.turn import FENCE, Route
from shared.errors import StorageUnavailableError
from shared.line.language import language_of
from shared.line.messaging import TOKEN_SURELY_ALIVE_MS
from shared.line.phrases import Phrase, Phrases
from shared.turns.agenda import Agenda
from shared.turns.background import Pause
from shared.turns.basis import Basis
from shared.turns.deferral import DEFER_AT_MS, DEFER_IN_GROUPS_AT_MS, LateReply, stored_id
from shared.turns.last_look import LastLook
from shared.turns.lease import Lease
from shared.turns.outbox import Outbox
from shared.turns.question import heard_words

MODEL_S: Final = 40.0
PRESS_IN: Final[Mapping[SilenceKind, Phrase]] = {
    SilenceKind.PAUSE: Phrase.PRESS_IN_PAUSE,
    SilenceKind.HANDOVER: Phrase.PRESS_IN_HANDOVER,
}
"""What a press is told that a silence keeps from taking effect."""
_RENEWALS_A_LEASE: Final = 3
_TO_APOLOGISE_MS: Final = 5_000
_FIXED: Final = frozenset({OutcomeKind.APOLOGISED, OutcomeKind.DEFERRED})


@dataclass(slots=True, kw_only=True)
class Attempt:
    """A turn that was opened for its agenda, and the state so far.

    `basis`: what the prompt rests on. `draft`: the outcome before the decision. `has_begun_last_request`: the model may only end the turn.
    `has_ended`: a deferral ended the turn; `deferral` is the recorded deferral, or None if the turn was lost.
    """

    lease: Lease
    history: History
    agenda: Agenda
    routes: tuple[Route, ...]
    basis: Basis
    draft: OutcomeRecord
    outbox: Outbox = field(repr=False)
    phrases: Phrases = field(repr=False)
    clock: Clock = field(repr=False)
    deadline: Deadline
    has_begun_last_request: bool = False
    has_ended: bool = False
    deferral: OutcomeRecord | None = None

    @classmethod
    def begin(  # noqa: PLR0913 - what an attempt rests on
        cls, lease: Lease, history: History, agenda: Agenda, *, outbox: Outbox, phrases: Phrases, deadline: Deadline
    ) -> "Attempt":
        """Return an attempt at the agenda on the available routes; the deadline belongs to the request."""
        prompt = _prompt_of(history, agenda)
        draft = replace(outcome_of(agenda.covers, OutcomeKind.SKIPPED), answers=agenda.answers)
        return cls(
            lease=lease,
            history=history,
            agenda=agenda,
            routes=outbox.routes(agenda.covers),
            basis=Basis(
                conversation=lease.conversation,
                lease=lease,
                prompt=prompt,
                before=history.amendments,
                looked_s=history.looked_s,
            ),
            draft=replace(draft, provenance=prompt),
            outbox=outbox,
            phrases=phrases,
            clock=outbox.clock,
            deadline=deadline,
        )

    def show(self, history: History) -> None:
        """Replace the history, and with it the prompt's provenance: `history` shows more than the first reading did."""
        if history is self.history:
            return
        prompt = _prompt_of(history, self.agenda)
        self.history = history
        self.basis = self.basis.showing(prompt)
        self.draft = replace(self.draft, provenance=prompt)

    @property
    def locale(self) -> str:
        """The language of a fixed text to the people who are answered."""
        heard = heard_words(self.history, self.agenda.covers)
        return language_of(heard, default=self.phrases.locale, chosen=self.lease.record.chosen_locale)

    @property
    def seconds(self) -> float:
        """Seconds to think.  If late answers are dropped, the freshest token has to outlive the thinking, and an apology afterwards.

        Example with `drop`: a token surely lives 53 s, so a token of 20 s leaves 53 - 20 - 5 = 28 s.
        """
        if self.outbox.late_reply is not LateReply.DROP:
            return MODEL_S
        left_ms = TOKEN_SURELY_ALIVE_MS - _TO_APOLOGISE_MS - self._token_age_ms
        return min(MODEL_S, max(left_ms / 1_000, 0.0))

    def basis_of(self, outcome: OutcomeRecord) -> Basis | None:
        """Return the basis of the outcome, with the tool results of this attempt; None for a fixed text."""
        is_of_the_model = outcome.kind not in _FIXED and outcome.audit.model_name is not None
        if outcome.is_fixed and not is_of_the_model:  # an apology that lists external calls holds words of people
            return None
        return self.basis.with_more(outcome.provenance)

    def begin_last_request(self) -> None:
        """Note that the running request to the model is the last one, so that a group is not told to wait for an answer that is near."""
        self.has_begun_last_request = True

    def renew_lease(self, pause: Pause) -> None:
        """Renew the lease until the block ends, or until a deferral has ended the turn.

        Example: a lease of 24 s is renewed every 8 s.
        """
        turn = self.lease.conversation.turn
        interval_s = turn.lease_s / _RENEWALS_A_LEASE
        pause_s = max(0.0, self.lease.left_s - (turn.lease_s * FENCE - interval_s))  # since the last write of the turn
        while not pause(min(pause_s, self._until_deferral_s())):
            pause_s = interval_s
            if not self._until_deferral_s():
                self._defer()
                return
            try:
                self.lease.renew()
            except StorageUnavailableError:
                logs.warning("lease_not_renewed")

    def finish(
        self, outcome: OutcomeRecord, *, is_outdated: Callable[[], bool] = lambda: False, has_acted: bool = False
    ) -> OutcomeRecord | None:
        """Commit the outcome and deliver it; return the recorded outcome, or None if the chat has to be read again.

        The last look before sending begins along with the commit.

        `is_outdated`, asked before the outcome is sent: whether the people who asked have written more. `has_acted`: a tool may have acted
        outside, so that a press is told what was done, in a silence too.
        """
        route = self.routes[0] if self.routes else Route()
        conversation = self.lease.conversation
        looking = LastLook.begin(conversation, outcome, clock=self.clock) if outcome.holds_words else None
        committed = self.lease.commit(outcome, route, basis=self.basis_of(outcome))
        if committed is None:
            logs.info("turn_lost")
            return None
        return self.outbox.finish(
            self.lease,
            committed,
            deadline=self.deadline,
            looking=looking,
            spare=self.routes[1:],
            is_outdated=is_outdated,
            in_silence=None if has_acted and self._answers_press else self._told_in_silence,
        )

    def store(self, answer: OutcomeRecord) -> OutcomeRecord | None:
        """Store a late answer for a press of the deferral's button, unless its basis was amended meanwhile; return the deferral.

        Where no button shows the answer, because LINE refused the deferral, the answer is stored as undelivered: the next prompts show it.
        """
        if self.deferral is None or answer.kind is not OutcomeKind.REPLIED or answer.writes:
            return self.deferral  # with staged writes, the press thinks again and reads the entries afresh
        deferral_id = answer.webhook_event_id
        has_earlier_button = bool(self.draft.answers)
        is_out_of_reach = self.deferral.kind is OutcomeKind.UNDELIVERED and not has_earlier_button
        late = replace(
            answer,
            webhook_event_id=stored_id(deferral_id),
            kind=OutcomeKind.UNDELIVERED if is_out_of_reach else OutcomeKind.STORED,
            answers=(deferral_id, *answer.answers),
        )
        conversation = self.lease.conversation
        if self.basis.with_more(answer.provenance).is_amended():
            return self.deferral
        conversation.journal.record_outcome(late)
        logs.info("answer_stored")
        return self.deferral

    @property
    def _token_age_ms(self) -> int:
        token = self.routes[0].reply_token
        return self.clock.now_ms() - (token.received_ms if token is not None else 0)

    def _until_deferral_s(self) -> float:
        if self.outbox.late_reply is not LateReply.BUTTON:
            return float("inf")
        is_told_early = not self.lease.conversation.is_one_on_one and not self.has_begun_last_request
        defer_at_ms = DEFER_IN_GROUPS_AT_MS if is_told_early else DEFER_AT_MS
        return max(0, defer_at_ms - self._token_age_ms) / 1_000

    def _defer(self) -> None:
        """End the turn with "still thinking" and a button.  If the turn was lost, `deferral` stays None."""
        self.has_ended = True
        deferral = replace(
            outcome_of(self.agenda.covers, OutcomeKind.DEFERRED),
            text=self.phrases.text(Phrase.STILL_THINKING, locale=self.locale),
            answers=(self.draft.webhook_event_id, *self.draft.answers),
            offer=Offer(is_deferral=True),
        )
        committed = self.lease.commit(deferral, self.routes[0])
        if committed is not None:
            logs.info("reply_deferred")
            self.deferral = self.outbox.finish(
                self.lease,
                committed,
                deadline=self.deadline,
                spare=self.routes[1:],
                in_silence=self._told_in_silence,
            )

    def _told_in_silence(self, silence: SilenceKind) -> str | None:
        """Return what a silence that overtook the turn says: presses are told that nothing was done.  None: no press is answered."""
        return self.phrases.text(PRESS_IN[silence], locale=self.locale) if self._answers_press else None

    @property
    def _answers_press(self) -> bool:
        return any(one.presses is not None for one in self.agenda.covers)


def _prompt_of(history: History, agenda: Agenda) -> Provenance:
    """Return the provenance of the prompt, or of the proposal that is carried out without a prompt.

    A stored answer brings provenance of its own.
    """
    if agenda.proposal is not None:  # no prompt is made: the outcome repeats words of the proposal
        own = Provenance(derived_ids=frozenset({agenda.proposal.webhook_event_id}))
        return agenda.proposal.provenance | own | provenance_of(agenda.covers)
    asked = provenance_of((*agenda.covers, *agenda.asked))
    return Provenance.union((history.provenance, asked, history.provenance_of_quotes(agenda.asked)))
