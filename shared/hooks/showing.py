"""Show the waiting notices with the chat's next message: along with its answer, or alone on the token of a message that gets none."""

from collections.abc import Callable
from dataclasses import field, replace

from shared import logs
from shared.clock import Clock, Deadline
from shared.conversation.history import History
from shared.conversation.provenance import Provenance
from shared.conversation.records import MessageRecord, OutcomeKind, OutcomeRecord
from shared.conversation.store import Conversation
from shared.conversation.turn import Route
from shared.errors import StorageUnavailableError
from shared.frozen import frozen
from shared.hooks.store import HookStore
from shared.hooks.wording import NoticeWording, waiting_in
from shared.turns.free_token import FreeTokenUse, FreeTokenWork
from shared.turns.lease import Lease
from shared.turns.outbox import Outbox
from shared.turns.runner import TurnRunner


@frozen
class AnswerNotices:
    """Sends waiting notices along with answers; an Additions."""

    wording: NoticeWording
    clock: Clock = field(repr=False)

    def begin(self, lease: Lease) -> Callable[[OutcomeRecord, History], OutcomeRecord]:
        """Begin to read the chat's hooks; return a function that adds their waiting notices to an answer, in a bubble of their own.

        A question with a button goes alone. If the bucket does not answer, so does the answer.
        """
        conversation = lease.conversation
        listing = conversation.objects.reads.submit(HookStore(conversation).list_objects)

        def add(outcome: OutcomeRecord, history: History) -> OutcomeRecord:
            is_answer = outcome.kind is OutcomeKind.REPLIED and bool(outcome.text)
            if not is_answer or outcome.offer.is_deferral or outcome.offer.may_be_pressed:
                return outcome
            try:
                hooks = HookStore(conversation).read(listing.result())
            except StorageUnavailableError as cause:
                logs.error("hooks_unread", cause=cause)
                return outcome
            now_ms = self.clock.now_ms()
            notices = self.wording.bubble(waiting_in(hooks, history.amendments, now_ms=now_ms), now_ms=now_ms)
            return outcome if notices is None else replace(outcome, notices=notices)

        return add


@frozen
class NextMessageNotices:
    """Shows waiting notices on the reply token of a message that nobody answers."""

    runner: TurnRunner
    outbox: Outbox
    wording: NoticeWording
    clock: Clock = field(repr=False)

    def __call__(self, conversation: Conversation, message: MessageRecord, deadline: Deadline) -> None:
        """The waiting notices are shown, if the chat's turn is free and the message's token is alive.

        Otherwise they wait for the next message. Repeated: nothing is shown twice. Raises: StorageUnavailableError.
        """
        token = message.reply_token
        if token is None or token.is_surely_dead(self.clock.now_ms()):
            return
        hooks = HookStore(conversation).read_all()
        if not hooks:
            return
        amendments = conversation.amendments.look()
        if next(waiting_in(hooks, amendments, now_ms=self.clock.now_ms()), None) is None:
            return
        work = _NoticesDelivery(
            wording=self.wording,
            conversation=conversation,
            own=message,
            deadline=deadline,
            outbox=self.outbox,
            clock=self.clock,
        )
        work.try_once(self.runner, conversation.turn.read())


@frozen
class _NoticesDelivery(FreeTokenWork):
    use = FreeTokenUse.NOTICE

    wording: NoticeWording

    def take_turn(self, lease: Lease, history: History) -> OutcomeRecord | None:
        now_ms = self.clock.now_ms()
        hooks = HookStore(self.conversation).read_all()
        silence = self.conversation.silences.read().now(now_ms)
        waiting = waiting_in(hooks, history.amendments, now_ms=now_ms) if silence is None else ()
        notices = self.wording.bubble(waiting, now_ms=now_ms)
        token = self.live_token(now_ms)
        if notices is None or token is None:
            lease.release()
            return None
        outcome = OutcomeRecord(
            webhook_event_id=self.outcome_id,
            timestamp_ms=self.own.timestamp_ms,
            kind=OutcomeKind.REPLIED,
            provenance=Provenance(since_ms=self.own.timestamp_ms, until_ms=self.own.timestamp_ms),
            notices=notices,
        )
        committed = lease.commit(outcome, Route.on(token), basis=None)
        if committed is None:
            return None
        logs.info("notices_shown", count=len(notices.names))
        return self.outbox.finish(lease, committed, deadline=self.sent_by)
