"""Presses of a poll's buttons: each is counted, and the standing is told on the newest press's token.

    press ─▶ the vote's object is created ─▶ newest press that was not told? ─no─▶ done: a newer press tells
                                                   │ yes
                                                   ▼
                            20 s since the poll was told last? ─no─▶ wait, and look again
                                                   │ yes
                                                   ▼
                            claim by a swap ─▶ tell what stands when the chat's turn is held ─▶ record which votes were told

The chat was told a press if the digest of the counted votes holds the press, and the same members wait for a place. A press that is older
than the newest told press, because its delivery was late, tells on the press's own token. The worker of the claiming press may die: 40 s
after the claim, the redelivery or another press tells. Where the token of the claiming press dies before the chat's turn is free, the
chat's next answer says that a vote counts.
"""

from collections.abc import Callable
from dataclasses import field, replace
from functools import partial
from typing import Final, TypeAlias

from shared import logs
from shared.agent.people import People
from shared.bus.result import EventResult
from shared.clock import Clock
from shared.conversation.amendments import Amendments
from shared.conversation.history import History
from shared.conversation.member_mark import mark_id
from shared.conversation.records import Offer, OutcomeKind, OutcomeRecord
from shared.conversation.store import Conversation, Conversations
from shared.errors import StorageUnavailableError, TurnBusyError
from shared.frozen import frozen
from shared.line.cards.card import card_text, written
from shared.line.events import LineEvent
from shared.line.phrases import Phrase, Phrases
from shared.line.postback_data import VotePress
from shared.polls.poll import (
    FOLDER,
    LastStanding,
    Poll,
    Vote,
    counted,
    digest_of,
    members_waiting,
    queued_since,
    standing_told,
    superseded,
)
from shared.polls.store import PollStore, is_vote_withdrawn
from shared.polls.wording import Group, shown_choice, standing_card, standing_of
from shared.turns.announcement import Announcement, Announcer, in_chats_language, phrased, postponed_once
from shared.turns.committed import await_committed
from shared.turns.lease import Lease

STANDING_EVERY_MS: Final = 20_000
"""A poll's standing is told on presses at most once in this time."""
_LOOK_S: Final = 2.0
"""How often a waiting press looks whether a newer press will tell."""
_CLAIM_MS: Final = 40_000
"""How long a press that has claimed to tell may wait for the chat's turn before another press tells."""
_DELETED_AT_ONCE: Final = 64
"""Superseded votes that a press deletes after it has told."""


@frozen
class _Told:
    """The poll and the votes that a turn of the chat told; `turn` is the turn's number."""

    poll: Poll
    votes: tuple[Vote, ...]
    turn: int


_OnSent: TypeAlias = Callable[[_Told], None]


@frozen
class VotePressHandler:
    """Counts presses of members."""

    conversations: Conversations
    announcer: Announcer
    people: People
    size_of: Callable[[str], int | None] = field(repr=False)
    phrases: Phrases
    locale: str
    clock: Clock = field(repr=False)

    def __call__(self, event: LineEvent, press: VotePress) -> EventResult:
        """The vote counts, unless the poll was closed before, or is gone; the press or a newer press tells the standing.

        Repeated: counts once, tells once. Raises: StorageUnavailableError, TurnBusyError; safe to deliver again.
        """
        conversation = self.conversations.of(event.conversation_id)
        store = PollStore(conversation)
        own = Vote(
            poll_id=press.poll_id,
            sent_ms=event.timestamp_ms,
            choice=press.choice,
            member=mark_id(event.user_id or event.conversation_id),
            id=event.webhook_event_id,
        )
        poll = self._standing_poll(conversation, press.poll_id) or self._awaited_poll(
            conversation, event, press.poll_id
        )
        if poll is None or press.choice >= len(poll.options):
            return self._refuse(conversation, event, own)
        if poll.is_closed(event.timestamp_ms):
            logs.info("press_refused", reason="poll_closed")
            return self._tell_in_time(conversation, event, own, poll)
        store.record(own, name=self._name_of(conversation, event))
        amendments = conversation.amendments.fresh_look()
        if self._standing_poll(conversation, poll.id, amendments) is None or is_vote_withdrawn(own, amendments):
            return self._refuse(conversation, event, own)
        logs.info("vote_counted")
        return self._tell_in_time(conversation, event, own, poll)

    def tell_unnamed(self, event: LineEvent, press: VotePress) -> EventResult:
        """Say what to write instead to a person of whom LINE does not say who pressed: the words count under the written name.

        Repeated, and raises: as a press does.
        """
        conversation = self.conversations.of(event.conversation_id)
        poll = self._standing_poll(conversation, press.poll_id) or self._awaited_poll(
            conversation, event, press.poll_id
        )
        if poll is None or press.choice >= len(poll.options):
            return self._say_gone(conversation, event)
        if poll.is_closed(event.timestamp_ms):
            return self._tell(conversation, event, poll.id)
        logs.info("press_refused", reason=Phrase.POLL_PRESS_UNNAMED.value)
        decide = partial(self._unnamed, conversation, event, press)
        refusal = phrased(event, self.phrases, Phrase.POLL_GONE)
        return self.announcer.announce(conversation, replace(refusal, decide=decide))

    def _unnamed(self, conversation: Conversation, event: LineEvent, press: VotePress) -> Announcement:
        """Return what to write, with the words of the poll as they stand when the turn is held."""
        amendments = conversation.amendments.look()
        poll = self._standing_poll(conversation, press.poll_id, amendments)
        if poll is None:
            return phrased(event, self.phrases, Phrase.POLL_GONE)
        question, option = shown_choice(poll, press.choice)

        def worded(locale: str | None) -> Announcement:
            in_locale = locale or poll.locale or self.locale
            return Announcement(
                event=event,
                text=self.phrases.text(Phrase.POLL_PRESS_UNNAMED, locale=in_locale, question=question, option=option),
                provenance=poll.provenance.in_entries_spared_by(amendments),
            )

        return in_chats_language(worded)

    def _tell_in_time(self, conversation: Conversation, event: LineEvent, own: Vote, poll: Poll) -> EventResult:
        """Tell the standing 20 s after the last standing, unless a newer press tells; at once, if the poll was closed before the press."""
        store = PollStore(conversation)
        while True:
            pending_read = conversation.objects.reads.submit(store.last_standing, own.poll_id)
            pending_poll = conversation.objects.reads.submit(store.poll, own.poll_id)
            amendments = conversation.amendments.look()
            listed = tuple(one for one in store.votes(own.poll_id) if not is_vote_withdrawn(one, amendments))
            (last, generation), poll = pending_read.result(), pending_poll.result() or poll
            votes = poll.votes_in_time(listed)
            claimed_votes = standing_told(votes, by=own.id, at_ms=self.clock.now_ms())
            waited = (*last.waiting, *queued_since(poll, votes, last.newest))
            claim = replace(claimed_votes, waiting=tuple(dict.fromkeys(waited)), turn=last.turn)
            is_late = poll.is_closed(own.sent_ms)
            if is_late:  # earlier presses may have left the telling to this one, while the poll was not written yet
                store.delete_votes(vote for vote in listed if vote == own)
                if _is_same_standing(last, claim) or not votes:
                    return self._tell(conversation, event, own.poll_id)
            elif own not in votes and self._standing_poll(conversation, own.poll_id, amendments) is None:
                return self._refuse(conversation, event, own)
            elif own not in votes or is_told(own, votes, last, poll) or is_left_to_newer(own, votes, last):
                return EventResult.COUNTED
            is_own_claim = _is_claimed_by(own, last)
            if not is_late and not is_own_claim and (wait_ms := self._wait_ms(last)) > 0:
                if not event.deadline.pause(min(wait_ms / 1_000, _LOOK_S)):
                    raise TurnBusyError("the poll's standing was told a moment ago")
                continue
            is_claimed = is_own_claim and _is_same_standing(last, claim)
            claimed = generation if is_claimed else store.swap_standing(own.poll_id, claim, generation=generation)
            if claimed is not None:
                on_sent = partial(self._record, store, own, claimed)
                if_late = partial(self._late, conversation, event, own)
                result = self._tell(conversation, event, own.poll_id, on_sent=on_sent, if_late=if_late)
                store.delete_votes(superseded(votes, now_ms=self.clock.now_ms())[:_DELETED_AT_ONCE])
                return result

    def _wait_ms(self, last: LastStanding) -> int:
        """Return how long no press may tell: 20 s after the last standing was sent, or during another press's claim."""
        until_ms = last.at_ms + (STANDING_EVERY_MS if last.is_sent else _CLAIM_MS)
        wait_ms = until_ms - self.clock.now_ms()
        return wait_ms if wait_ms <= _CLAIM_MS else 0  # a clock may have been wrong

    def _record(self, store: PollStore, own: Vote, generation: int, told: _Told) -> None:
        """Record the told votes; where another press has claimed to tell meanwhile, only who was told to wait for a place.

        The press was answered, so no later try could record more: where the bucket is down, the next press tells again.
        """
        standing = standing_told(told.votes, by=own.id, at_ms=self.clock.now_ms())
        sent = replace(standing, waiting=members_waiting(told.poll, told.votes), turn=told.turn, is_sent=True)
        try:
            if store.swap_standing(own.poll_id, sent, generation=generation) is None:
                store.record_told(own.poll_id, sent)
        except StorageUnavailableError as cause:
            logs.error("standing_not_recorded", cause=cause)

    def _late(self, conversation: Conversation, event: LineEvent, own: Vote) -> Announcement | None:
        """Return the notice that the vote counts, for the chat's next answer, where its token died before the standing was told.

        None: a newer press has told the standing meanwhile, or tells it; or the poll is gone.
        """
        store, amendments = PollStore(conversation), conversation.amendments.look()
        poll = self._standing_poll(conversation, own.poll_id, amendments)
        if poll is None:
            return None
        votes = poll.votes_in_time(
            tuple(one for one in store.votes(own.poll_id) if not is_vote_withdrawn(one, amendments))
        )
        last, _ = store.last_standing(own.poll_id)
        is_needed = own in votes and not is_told(own, votes, last, poll) and not is_left_to_newer(own, votes, last)
        return postponed_once(event, self.phrases, Phrase.POLL_PRESS_LATE) if is_needed else None

    def _tell(
        self,
        conversation: Conversation,
        event: LineEvent,
        poll_id: str,
        *,
        on_sent: _OnSent = lambda _: None,
        if_late: Callable[[], Announcement | None] = lambda: None,
    ) -> EventResult:
        """Tell the standing at the time of the chat's turn; `on_sent` gets what was told, before the next turn opens.

        Where the token is dead by then, the chat's next answer tells the notice of `if_late`.
        """
        token = event.reply_token
        refusal = phrased(event, self.phrases, Phrase.POLL_GONE)

        def decide() -> Announcement:
            is_late = token is None or token.is_surely_dead(self.clock.now_ms())
            late = if_late() if is_late else None
            return late or self._decided(conversation, event, poll_id, on_sent)

        return self.announcer.announce(conversation, replace(refusal, decide=decide, if_late=if_late))

    def _decided(self, conversation: Conversation, event: LineEvent, poll_id: str, on_sent: _OnSent) -> Announcement:
        told: list[_Told] = []
        amendments = conversation.amendments.look()
        poll = self._standing_poll(conversation, poll_id, amendments)
        if poll is None:
            return phrased(event, self.phrases, Phrase.POLL_GONE)

        def worded(locale: str | None) -> Announcement:
            return Announcement(
                event=event,
                text=poll.question,
                provenance=poll.provenance.in_entries_spared_by(amendments),
                complete=partial(with_standing, locale or poll.locale or self.locale),
                on_sent=was_sent,
            )

        def with_standing(locale: str, outcome: OutcomeRecord, lease: Lease, history: History) -> OutcomeRecord:
            group = self._group(conversation, history)
            standing = standing_of(conversation, poll, amendments, group=group, now_ms=self.clock.now_ms())
            card = standing_card(standing, locale=locale)
            told.append(_Told(poll=poll, votes=standing.votes, turn=lease.record.sequence + 1))
            provenance = outcome.provenance | standing.provenance
            return replace(outcome, provenance=provenance, text=written(card), offer=Offer(card=card_text(card)))

        def was_sent(outcome: OutcomeRecord) -> None:
            if outcome.kind is OutcomeKind.REPLIED:
                on_sent(told[-1])

        return in_chats_language(worded)

    def _group(self, conversation: Conversation, history: History) -> Group:
        """Return the members: the authors of messages in memory are known."""
        names = self.people.of(conversation, history.messages)
        names_by_mark = {mark_id(user_id): name for user_id, name in names.items()}
        return Group(names=names_by_mark, size=self.size_of(conversation.id))

    def _standing_poll(
        self, conversation: Conversation, poll_id: str, amendments: Amendments | None = None
    ) -> Poll | None:
        """Return the poll; None for a removed poll, or after a withdrawal of a source message."""
        looked = amendments or conversation.amendments.look()
        poll = PollStore(conversation).poll(poll_id)
        is_gone = poll is None or poll.provenance.has_withdrawn(looked.is_withdrawn_from_entries)
        return None if is_gone else poll

    def _awaited_poll(self, conversation: Conversation, event: LineEvent, poll_id: str) -> Poll | None:
        """Return a missing poll once the turn that has shown its buttons has written it; None: the poll is gone.

        A card is sent before its poll is written, and the writing worker may die in between: then this press finishes the turn. A poll that
        was withdrawn in between is missing for good.
        Raises: TurnBusyError, StorageUnavailableError; safe to deliver again.
        """
        stored_turn = conversation.turn.read()
        committed = stored_turn.record.committed
        if committed is not None and _writes_poll(committed, poll_id):
            await_committed(self.announcer.runner, conversation, stored_turn, committed, event)
        return self._standing_poll(conversation, poll_id)

    def _name_of(self, conversation: Conversation, event: LineEvent) -> str:
        if event.user_id is None:
            return ""
        return self.people.name_of(conversation, event.user_id)

    def _refuse(self, conversation: Conversation, event: LineEvent, own: Vote) -> EventResult:
        """Say that the poll is gone; an earlier delivery of the press may have left a vote."""
        PollStore(conversation).delete_votes([own])
        return self._say_gone(conversation, event)

    def _say_gone(self, conversation: Conversation, event: LineEvent) -> EventResult:
        logs.info("press_refused", reason=Phrase.POLL_GONE.value)
        refusal = phrased(event, self.phrases, Phrase.POLL_GONE)
        return self.announcer.announce(conversation, refusal)


def _writes_poll(outcome: OutcomeRecord, poll_id: str) -> bool:
    """Whether the outcome makes the poll, or changes the poll."""
    return any(write.path == f"{FOLDER}/{poll_id}" and write.text is not None for write in outcome.writes)


def _is_claimed_by(own: Vote, last: LastStanding) -> bool:
    """Whether the press itself has claimed to tell: by a write whose answer was lost, or in another delivery, which may have died."""
    return last.by == own.id and not last.is_sent


def _is_same_standing(last: LastStanding, claim: LastStanding) -> bool:
    """Whether the last standing counts the same votes as the claim."""
    return last.votes == claim.votes


def is_told(own: Vote, votes: tuple[Vote, ...], last: LastStanding, poll: Poll) -> bool:
    """Whether the chat was told all counted votes, with the press or a newer press of the same member, and who waits for a place.

    For example, Ann took the only place, gave it up and took it again after Ben. All but the second press were told: Ben has the place, and
    no vote counts that was not told.
    """
    counting = counted(votes)
    is_of_all = digest_of(counting) == last.votes and own.order <= last.newest
    return last.is_sent and is_of_all and members_waiting(poll, counting) == last.waiting


def is_left_to_newer(own: Vote, votes: tuple[Vote, ...], last: LastStanding) -> bool:
    """Whether a newer press tells: a press after the newest told press, with a worker still to tell.

    A vote in words has no telling worker.
    """
    return any(vote.order > max(own.order, last.newest) for vote in votes if not vote.is_said)
