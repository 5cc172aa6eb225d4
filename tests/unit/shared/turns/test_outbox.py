import io
import json
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import pytest

from shared.adapters.memory import FixedClock, MemoryLineApi, MemoryObjectStore
from shared.bus.endpoint import REQUEST_S
from shared.clock import Deadline
from shared.conversation.amendment_records import Amendment
from shared.conversation.amendments import Amendments
from shared.conversation.pushes import PushAllowance
from shared.conversation.records import (
    Audit,
    CarriedNotices,
    Erasure,
    MessageRecord,
    Offer,
    OutcomeKind,
    OutcomeRecord,
    ProposedCall,
    StagedWrite,
)
from shared.conversation.store import Conversation, Conversations
from shared.conversation.turn import Route
from shared.conversation.word_holder import Removal, WordHolder
from shared.errors import LineRefusedError, StorageUnavailableError
from shared.knowledge.entry_words import EntryWords
from shared.line.messaging import (
    MESSAGES_A_CALL,
    TOKEN_SURELY_DEAD_MS,
    OutgoingMessage,
    ReplyFate,
    ReplyToken,
    is_sendable,
)
from shared.line.postback_data import AnswerButton, AnswerPress, ConfirmPress
from shared.line.quota import PushBudget
from shared.turns.deferral import LateReply
from shared.turns.last_look import COUNTS_S, LastLook
from shared.turns.lease import Lease, open_turn, take_over
from shared.turns.outbox import ENDING_S, Outbox
from tests.support.chats import answer, conversations_on, everything_in, fold_amendments, made_with, withdraw_from_turn
from tests.support.knowledge import FilingChat, StallingStore, found
from tests.support.knowledge import message as said
from tests.support.races import SharedStore
from tests.support.turns import outbox_on


class CommittedChat:
    """A chat whose turn is committed to an outcome, and what delivers it."""

    def __init__(self, conversation: Conversation, clock: FixedClock, *, fates: Sequence[str] = ()) -> None:
        self.conversation = conversation
        self.clock = clock
        self.line = MemoryLineApi(fates=fates)

    def outbox(self, late_reply: LateReply = LateReply.BUTTON) -> Outbox:
        return outbox_on(self.line, self.clock, late_reply=late_reply)

    def commit(self, outcome: OutcomeRecord, route: Route | None = None) -> Lease:
        lease = open_turn(self.conversation, self.conversation.turn.read())
        assert lease is not None
        token = Route.on(ReplyToken(value="t1", received_ms=self.clock.now_ms()))
        assert lease.commit(outcome, route or token)
        return lease

    def finish(
        self,
        lease: Lease,
        *,
        late_reply: LateReply = LateReply.BUTTON,
        is_takeover: bool = False,
        spare: Sequence[Route] = (),
        left_s: float = REQUEST_S,
        looking: LastLook | None = None,
    ) -> OutcomeRecord | None:
        assert lease.record.outcome is not None
        return self.outbox(late_reply).finish(
            lease,
            lease.record.outcome,
            deadline=Deadline.after(self.clock, left_s),
            looking=looking,
            is_takeover=is_takeover,
            spare=spare,
        )

    def begin_look(self, outcome: OutcomeRecord) -> LastLook:
        return LastLook.begin(self.conversation, outcome, clock=self.clock)

    @property
    def deadline(self) -> Deadline:
        return Deadline.after(self.clock, REQUEST_S)

    def withdraw(self) -> None:
        self.conversation.amendments.amend(Amendment(line_message_id="m1", timestamp_ms=2))

    def take_over(self) -> Lease:
        lease = take_over(self.conversation, self.conversation.turn.read())
        assert lease is not None
        return lease

    @property
    def recorded(self) -> OutcomeRecord | None:
        return self.conversation.journal.outcome_of("e1")


MakeChat = Callable[..., CommittedChat]


@pytest.fixture
def committed(chat: Conversation, clock: FixedClock) -> CommittedChat:
    return CommittedChat(chat, clock)


@pytest.fixture
def committed_with(chat: Conversation, clock: FixedClock) -> MakeChat:
    """Make the chat; `fates` are what LINE reports."""
    return lambda *, fates: CommittedChat(chat, clock, fates=fates)


def outcome(text: str | None, kind: OutcomeKind = OutcomeKind.REPLIED) -> OutcomeRecord:
    return replace(answer(1, text, saw=(1,)), kind=kind)


def recent(chat: CommittedChat) -> OutcomeRecord:
    return replace(outcome("hello"), timestamp_ms=chat.clock.now_ms())


def pending(token: str, received_ms: int, *, timestamp_ms: int = 1) -> MessageRecord:
    return MessageRecord(
        line_message_id=token,
        webhook_event_id=token,
        timestamp_ms=timestamp_ms,
        type="text",
        addressed=True,
        text="",
        reply_token=ReplyToken(value=token, received_ms=received_ms),
    )


@pytest.mark.parametrize(
    ("fates", "kind"),
    [
        ([], OutcomeKind.REPLIED),
        (["refused"], OutcomeKind.UNDELIVERED),
        (["unknown"], OutcomeKind.REPLIED),
        (["unknown, not sent"] * 99, OutcomeKind.UNKNOWN),
    ],
)
def test_recorded_outcome_tells_what_the_user_saw(
    committed_with: MakeChat, fates: list[str], kind: OutcomeKind
) -> None:
    chat = committed_with(fates=fates)

    finished = chat.finish(chat.commit(outcome("hello")))

    assert finished is not None
    assert finished.kind is kind
    assert chat.recorded == finished


def test_delivered_apology_is_recorded_as_an_apology(committed: CommittedChat) -> None:
    finished = committed.finish(committed.commit(outcome("sorry", OutcomeKind.APOLOGISED)))

    assert finished is not None
    assert finished.kind is OutcomeKind.APOLOGISED


def test_outcome_without_text_spends_no_token(committed: CommittedChat) -> None:
    committed.finish(committed.commit(outcome(None, OutcomeKind.SKIPPED)))

    assert committed.line.calls == 0
    assert committed.recorded is not None


@pytest.mark.parametrize("are_others_withdrawn", [False, True])
def test_staged_write_that_stalls_until_after_a_withdrawal_is_removed(
    reads: ThreadPoolExecutor, clock: FixedClock, *, are_others_withdrawn: bool
) -> None:
    store = StallingStore()
    filing = FilingChat(store=store)
    filing.model.steps = [found(name="暗証番号四七一一")]
    turn = filing.begin(said(1, "暗証番号は四七一一"))
    turn.call("classify_and_capture", text="暗証番号は四七一一")
    chat = CommittedChat(conversations_on(store, reads, clock).of(filing.chat), clock)
    lease = chat.commit(made_with(replace(turn.outcome(), answered_ids=("m1",)), "m1", since_ms=1_000, until_ms=1_000))

    def withdraw_until_the_lease_is_over() -> None:
        chat.withdraw()
        EntryWords().remove_withdrawn(chat.conversation, chat.conversation.amendments.look())
        if are_others_withdrawn:
            fold_amendments(chat.conversation.amendments)
        clock.move(60)

    store.meanwhile = withdraw_until_the_lease_is_over
    finished = chat.finish(lease)

    assert finished is None
    assert chat.recorded is None
    assert filing.paths == []
    assert [one.name for one in store.list("entries/") if "四七一一" in filing.text(one.name)] == []


def test_spare_token_that_died_while_the_model_thought_is_not_tried(committed_with: MakeChat) -> None:
    chat = committed_with(fates=["refused"])
    dead = Route.on(ReplyToken(value="t0", received_ms=chat.clock.now_ms() - TOKEN_SURELY_DEAD_MS))

    finished = chat.finish(chat.commit(outcome("hello")), spare=[dead])

    assert finished is not None
    assert finished.kind is OutcomeKind.UNDELIVERED
    assert chat.line.calls == 1


def test_refused_token_is_followed_by_the_next_freshest(committed_with: MakeChat) -> None:
    chat = committed_with(fates=["refused"])
    spare = Route.on(ReplyToken(value="t0", received_ms=chat.clock.now_ms()))

    finished = chat.finish(chat.commit(outcome("hello")), spare=[spare])

    assert finished is not None
    assert finished.kind is OutcomeKind.REPLIED
    assert chat.line.replies == {"t0": ("hello",)}
    assert chat.conversation.turn.read().record.route == spare


def test_outcome_withdrawn_after_the_commit_is_not_sent_and_frees_the_turn(committed: CommittedChat) -> None:
    lease = committed.commit(outcome("your pin is 4711"))
    committed.withdraw()

    assert committed.finish(lease) is None

    assert committed.line.calls == 0
    assert committed.conversation.turn.read().record.state == "idle"
    assert committed.recorded is None


def test_a_withdrawal_that_a_look_beside_the_commit_finds_keeps_the_answer_back(committed: CommittedChat) -> None:
    committed.withdraw()
    looking = committed.begin_look(outcome("hello"))
    lease = committed.commit(outcome("hello"))

    assert committed.finish(lease, looking=looking) is None
    assert committed.line.replies == {}


@pytest.mark.parametrize(("commit_s", "is_sent"), [(0.0, True), (COUNTS_S - 0.01, True), (COUNTS_S, False)])
def test_after_a_commit_of_a_second_the_look_beside_it_is_repeated(
    committed: CommittedChat, commit_s: float, *, is_sent: bool
) -> None:
    looking = committed.begin_look(outcome("hello"))
    assert looking.end_look().withdrawn == frozenset()  # the reading is over before the message is withdrawn
    lease = committed.commit(outcome("hello"))
    committed.withdraw()
    committed.clock.move(commit_s)

    finished = committed.finish(lease, looking=looking)

    assert (finished is not None, len(committed.line.replies)) == (is_sent, int(is_sent))


def test_takeover_records_a_withdrawn_outcome_without_its_words(committed: CommittedChat) -> None:
    committed.commit(outcome("your pin is 4711"))
    committed.withdraw()

    finished = committed.finish(committed.take_over(), is_takeover=True)

    assert committed.line.calls == 0
    assert finished is not None
    assert (finished.kind, finished.text) == (OutcomeKind.WITHDRAWN, None)


@pytest.mark.parametrize(
    ("age_s", "kind"), [(52, OutcomeKind.REPLIED), (54, OutcomeKind.UNKNOWN)], ids=["young", "old"]
)
def test_after_a_takeover_a_refused_young_token_was_already_spent(
    committed: CommittedChat, age_s: float, kind: OutcomeKind
) -> None:
    committed.commit(outcome("hello"))
    committed.line.reply(
        ReplyToken(value="t1", received_ms=0), [OutgoingMessage(text="hello")]
    )  # the holder died between LINE's answer and its record
    committed.clock.move(age_s)

    finished = committed.finish(committed.take_over(), is_takeover=True)

    assert finished is not None
    assert finished.kind is kind
    assert committed.line.replies == {"t1": ("hello",)}


def test_after_a_takeover_a_live_token_on_which_line_was_not_reached_tells_nothing(committed_with: MakeChat) -> None:
    chat = committed_with(fates=["not_sent"] * 99)
    chat.commit(outcome("hello"))

    finished = chat.finish(chat.take_over(), is_takeover=True)

    assert finished is not None
    assert finished.kind is OutcomeKind.UNKNOWN
    assert chat.line.replies == {}


def test_text_too_long_for_one_bubble_is_sent_whole_in_one_call(committed: CommittedChat) -> None:
    committed.finish(committed.commit(outcome("😀" * 5_000)))

    assert [len(bubble) for bubble in committed.line.replies["t1"]] == [2_500, 2_500]
    assert committed.line.calls == 1


def test_routes_are_the_tokens_that_may_be_alive_freshest_first(committed: CommittedChat) -> None:
    now_ms = committed.clock.now_ms()
    messages = [pending("old", now_ms - 65_000), pending("fresh", now_ms - 1_000), pending("newest", now_ms)]

    assert committed.outbox().routes(messages) == tuple(
        Route.on(message.reply_token) for message in (messages[2], messages[1])
    )


@pytest.mark.parametrize(("age_s", "routes"), [(1_190, ["push"]), (1_196, [])])
def test_push_is_the_last_route_and_only_for_young_messages(
    committed: CommittedChat, age_s: int, routes: list[str]
) -> None:
    message = pending("dead", 0, timestamp_ms=committed.clock.now_ms() - age_s * 1_000)

    assert [one.kind for one in committed.outbox(LateReply.PUSH).routes([message])] == routes
    assert committed.outbox(LateReply.DROP).routes([message]) == ()


def test_refused_token_is_followed_by_a_push_where_configured(committed_with: MakeChat) -> None:
    chat = committed_with(fates=["refused"])

    finished = chat.finish(chat.commit(recent(chat)), late_reply=LateReply.PUSH, spare=[Route(kind="push")])

    assert finished is not None
    assert finished.kind is OutcomeKind.REPLIED
    assert chat.line.pushes == [(chat.conversation.id, ("hello",))]


def test_push_repeated_after_a_takeover_arrives_once(committed: CommittedChat) -> None:
    committed.finish(committed.commit(recent(committed), Route(kind="push")), late_reply=LateReply.PUSH)
    # as if the holder had died before the record
    committed.conversation.objects.store.delete(committed.conversation.names.outcome("e1"))

    finished = committed.finish(committed.take_over(), late_reply=LateReply.PUSH, is_takeover=True)

    assert finished is not None
    assert finished.kind is OutcomeKind.REPLIED
    assert len(committed.line.pushes) == 1


@pytest.mark.parametrize(
    ("age_s", "fates"), [(1_300, []), (30, ["refused"])], ids=["too late to push", "refused by LINE"]
)
@pytest.mark.parametrize(("is_takeover", "kind"), [(True, OutcomeKind.UNKNOWN), (False, OutcomeKind.UNDELIVERED)])
def test_push_of_a_dead_holder_may_have_arrived(
    committed_with: MakeChat, age_s: int, fates: list[str], kind: OutcomeKind, *, is_takeover: bool
) -> None:
    chat = committed_with(fates=fates)
    outcome_before = recent(chat)
    chat.clock.move(age_s)
    lease = chat.commit(outcome_before, Route(kind="push"))

    finished = chat.finish(
        chat.take_over() if is_takeover else lease, late_reply=LateReply.PUSH, is_takeover=is_takeover
    )

    assert finished is not None
    assert finished.kind is kind
    assert chat.line.pushes == []


def test_words_that_are_withdrawn_between_two_routes_are_not_sent(committed_with: MakeChat) -> None:
    chat = committed_with(fates=["refused"])
    lease = chat.commit(outcome("your pin is 4711"))
    reply = chat.line.reply

    def reply_and_withdraw(token: ReplyToken, messages: Sequence[OutgoingMessage]) -> ReplyFate:
        fate = reply(token, messages)
        chat.withdraw()
        withdraw_from_turn(chat.conversation, "m1")
        return fate

    chat.line.reply = reply_and_withdraw  # type: ignore[method-assign]
    spare = Route.on(ReplyToken(value="t0", received_ms=chat.clock.now_ms()))

    assert chat.finish(lease, spare=[spare]) is None

    assert chat.line.replies == {}
    assert chat.conversation.turn.read().record.state == "idle"


def test_holder_whose_lease_ends_while_it_sends_records_nothing(committed: CommittedChat) -> None:
    lease = committed.commit(outcome("hello"))
    reply = committed.line.reply

    def reply_slowly(token: ReplyToken, messages: Sequence[OutgoingMessage]) -> ReplyFate:
        committed.clock.move(26)
        return reply(token, messages)

    committed.line.reply = reply_slowly  # type: ignore[method-assign]

    assert committed.finish(lease) is None
    assert committed.line.replies == {"t1": ("hello",)}
    assert committed.recorded is None


def test_spent_push_quota_is_logged_and_recorded_as_undelivered(committed: CommittedChat, lines: io.StringIO) -> None:
    committed.line.push_quota_left = 0

    finished = committed.finish(committed.commit(recent(committed), Route(kind="push")), late_reply=LateReply.PUSH)

    assert finished is not None
    assert finished.kind is OutcomeKind.UNDELIVERED
    assert "push_quota_spent" in lines.getvalue()


def test_outcome_without_a_route_is_undelivered(committed: CommittedChat) -> None:
    finished = committed.finish(committed.commit(outcome("hello"), Route(kind="none")))

    assert finished is not None
    assert (finished.kind, committed.line.calls) == (OutcomeKind.UNDELIVERED, 0)


def test_deferral_is_sent_with_its_button(committed: CommittedChat) -> None:
    deferral = replace(outcome("still thinking", OutcomeKind.DEFERRED), answers=("e1",), offer=Offer(is_deferral=True))

    committed.finish(committed.commit(deferral))

    [message] = committed.line.replied["t1"]
    assert message.button is not None
    assert (message.text, message.button.label, message.button.data) == (
        "still thinking",
        "show_button",
        "late:e1",
    )


def test_holder_whose_lease_expired_sends_nothing_more(committed: CommittedChat) -> None:
    lease = committed.commit(outcome("hello"))
    committed.clock.move(26)

    assert committed.finish(lease) is None
    assert committed.line.calls == 0


def test_a_push_is_wanted_where_the_newest_message_is_young(committed: CommittedChat) -> None:
    now_ms = committed.clock.now_ms()
    messages = [pending("old", 0, timestamp_ms=0), pending("young", 0, timestamp_ms=now_ms)]

    assert committed.outbox(LateReply.PUSH).routes(messages) == (Route(kind="push"),)


@pytest.mark.parametrize(("age_ms", "routes"), [(1_194_999, ["push"]), (1_195_000, [])])
def test_a_push_ends_before_a_clock_that_is_ahead_takes_the_message_for_old(
    committed: CommittedChat, age_ms: int, routes: list[str]
) -> None:
    message = pending("dead", 0, timestamp_ms=committed.clock.now_ms() - age_ms)

    assert [one.kind for one in committed.outbox(LateReply.PUSH).routes([message])] == routes


def test_a_message_without_a_token_has_no_route(committed: CommittedChat) -> None:
    without = replace(pending("m1", committed.clock.now_ms()), reply_token=None)

    assert committed.outbox().routes([without]) == ()


@pytest.mark.parametrize(
    ("kind", "recorded"),
    [
        (OutcomeKind.REPLIED, OutcomeKind.WITHDRAWN),
        (OutcomeKind.APOLOGISED, OutcomeKind.WITHDRAWN),
        (OutcomeKind.DEFERRED, OutcomeKind.WITHDRAWN),
        (OutcomeKind.SKIPPED, OutcomeKind.SKIPPED),
        (OutcomeKind.UNDELIVERED, OutcomeKind.UNDELIVERED),
    ],
)
def test_an_answer_whose_words_were_taken_out_of_the_turn_is_recorded_as_withdrawn(
    committed: CommittedChat, kind: OutcomeKind, recorded: OutcomeKind
) -> None:
    committed.commit(outcome(None, kind))

    finished = committed.finish(committed.take_over(), is_takeover=True)

    assert finished is not None
    assert (finished.kind, committed.line.calls) == (recorded, 0)


def test_a_takeover_that_loses_the_turn_before_it_withholds_the_words_records_nothing(
    clock: FixedClock, reads: ThreadPoolExecutor
) -> None:
    store = SharedStore()
    chat = CommittedChat(conversations_on(store, reads, clock).of("U" + "1" * 32), clock)
    chat.commit(outcome("your pin is 4711"))
    chat.withdraw()
    lease = chat.take_over()
    store.others = [chat.take_over]

    assert chat.finish(lease, is_takeover=True) is None
    assert chat.recorded is None


def test_an_answer_that_is_withdrawn_while_it_is_recorded_stays_nowhere(
    committed: CommittedChat, store: MemoryObjectStore
) -> None:
    lease = committed.commit(outcome("your pin is 4711"))
    reply = committed.line.reply

    def reply_and_withdraw(token: ReplyToken, messages: Sequence[OutgoingMessage]) -> ReplyFate:
        committed.withdraw()
        return reply(token, messages)

    committed.line.reply = reply_and_withdraw  # type: ignore[method-assign]

    assert committed.finish(lease) is not None
    assert "4711" not in everything_in(store)


def test_a_recorded_answer_stays_in_the_turn_as_it_was_committed(committed: CommittedChat) -> None:
    lease = committed.commit(outcome("hello"))
    before = committed.conversation.turn.read()

    committed.finish(lease)

    assert committed.conversation.turn.read() == before


def test_a_worker_that_loses_the_turn_between_two_routes_sends_nothing_more(
    clock: FixedClock, reads: ThreadPoolExecutor
) -> None:
    store = SharedStore()
    chat = CommittedChat(conversations_on(store, reads, clock).of("U" + "1" * 32), clock, fates=["refused"])
    lease = chat.commit(outcome("hello"))
    store.others = [chat.take_over]

    assert chat.finish(lease, spare=[Route.on(ReplyToken(value="t0", received_ms=clock.now_ms()))]) is None
    assert (chat.line.calls, chat.recorded) == (1, None)


def test_a_token_that_is_committed_is_tried_once(committed_with: MakeChat) -> None:
    chat = committed_with(fates=["refused"])
    lease = chat.commit(outcome("hello"))

    finished = chat.finish(lease, spare=[lease.record.route])

    assert finished is not None
    assert (finished.kind, chat.line.calls) == (OutcomeKind.UNDELIVERED, 1)


def test_where_every_token_is_refused_the_answer_is_undelivered(committed_with: MakeChat) -> None:
    chat = committed_with(fates=["refused", "refused"])
    spare = Route.on(ReplyToken(value="t0", received_ms=chat.clock.now_ms()))

    finished = chat.finish(chat.commit(outcome("hello")), spare=[spare])

    assert finished is not None
    assert (finished.kind, chat.line.calls) == (OutcomeKind.UNDELIVERED, 2)


def test_an_accepted_answer_is_sent_along_one_route_only(committed: CommittedChat) -> None:
    spare = Route.on(ReplyToken(value="t0", received_ms=committed.clock.now_ms()))

    committed.finish(committed.commit(outcome("hello")), spare=[spare])

    assert committed.line.replies == {"t1": ("hello",)}


@pytest.mark.parametrize(("age_ms", "kind"), [(52_999, OutcomeKind.REPLIED), (53_000, OutcomeKind.UNKNOWN)])
def test_a_token_that_may_be_dead_says_nothing_about_a_dead_holder(
    committed: CommittedChat, age_ms: int, kind: OutcomeKind
) -> None:
    committed.commit(outcome("hello"))
    committed.line.reply(ReplyToken(value="t1", received_ms=0), [OutgoingMessage(text="hello")])
    committed.clock.move(age_ms / 1_000)

    finished = committed.finish(committed.take_over(), is_takeover=True)

    assert finished is not None
    assert finished.kind is kind


def test_a_takeover_on_a_token_that_was_not_spent_sends_the_answer(committed: CommittedChat) -> None:
    committed.commit(outcome("hello"))
    committed.clock.move(60)

    finished = committed.finish(committed.take_over(), is_takeover=True)

    assert finished is not None
    assert (finished.kind, finished.sent_message_ids) == (OutcomeKind.REPLIED, ("1-1",))


def test_a_push_whose_fate_stays_unknown_is_recorded_so(committed_with: MakeChat) -> None:
    chat = committed_with(fates=["unknown, not sent"] * 20)

    finished = chat.finish(chat.commit(recent(chat), Route(kind="push")), late_reply=LateReply.PUSH)

    assert finished is not None
    assert finished.kind is OutcomeKind.UNKNOWN


def test_a_late_answer_that_the_months_quota_does_not_carry_tells_the_operator_so(
    committed: CommittedChat, lines: io.StringIO
) -> None:
    committed.line.push_quota_left = 0
    outbox = replace(
        committed.outbox(LateReply.PUSH),
        pushes=PushAllowance(budget=PushBudget(api=committed.line, clock=committed.clock), clock=committed.clock),
    )
    lease = committed.commit(recent(committed), Route(kind="push"))
    assert lease.record.outcome is not None

    outbox.finish(lease, lease.record.outcome, deadline=committed.deadline)

    assert committed.line.pushes == []
    assert "push_quota_spent" in lines.getvalue()


def test_late_answers_to_a_group_leave_others_their_part_of_the_quota(
    reads: ThreadPoolExecutor, clock: FixedClock, lines: io.StringIO
) -> None:
    group = "C" + "2" * 32
    chat = CommittedChat(conversations_on(MemoryObjectStore(), reads, clock).of(group), clock)
    chat.line.push_quota_left, chat.line.members[group] = 500, 50
    pushes = PushAllowance(budget=PushBudget(api=chat.line, clock=clock), clock=clock)
    kinds = []
    for number in range(1, 5):
        late = replace(answer(number, "hello", saw=(1,)), timestamp_ms=clock.now_ms())
        lease = chat.commit(late, Route(kind="push"))
        assert lease.record.outcome is not None
        outbox = replace(chat.outbox(LateReply.PUSH), pushes=pushes)
        finished = outbox.finish(lease, lease.record.outcome, deadline=chat.deadline)
        assert finished is not None
        kinds.append(finished.kind)

    assert kinds == [OutcomeKind.REPLIED] * 2 + [OutcomeKind.UNDELIVERED] * 2
    assert chat.line.push_quota_left == 400
    assert "push_quota_spent" not in lines.getvalue()


def test_a_pushed_answer_is_known_by_its_message_ids(committed: CommittedChat) -> None:
    finished = committed.finish(committed.commit(recent(committed), Route(kind="push")), late_reply=LateReply.PUSH)

    assert finished is not None
    assert (finished.kind, finished.sent_message_ids) == (OutcomeKind.REPLIED, ("p1-1",))


def test_a_question_whether_to_forget_is_sent_with_its_button(committed: CommittedChat) -> None:
    committed.finish(committed.commit(replace(outcome("sure?"), offer=Offer(asks=Erasure.FORGET))))

    [message] = committed.line.replied["t1"]
    assert message.button is not None
    assert (message.text, message.button.label) == ("sure?", "forget_button")
    assert message.button.data == ConfirmPress(question_id="e1").data


@pytest.mark.parametrize("text", ["shall I?", "a sentence of words. " * 40])
@pytest.mark.parametrize(
    ("forgets", "arguments", "expected"),
    [
        (("m1", "m2"), "", [ConfirmPress(question_id="e1").data]),
        ((), "{}", [AnswerPress(button=AnswerButton.CARRY_OUT, answer_id="e1").data]),
        (
            ("m1",),
            "{}",
            [ConfirmPress(question_id="e1").data, AnswerPress(button=AnswerButton.CARRY_OUT, answer_id="e1").data],
        ),
        ((), "", []),
    ],
)
def test_what_an_answer_proposes_is_asked_after_it_each_with_its_button(
    committed: CommittedChat, text: str, forgets: tuple[str, ...], arguments: str, expected: list[str]
) -> None:
    proposed = ProposedCall(tool="delete_entry", arguments=arguments)

    committed.finish(committed.commit(replace(outcome(text), offer=Offer(forgets=forgets, proposes=(proposed,)))))

    sent = committed.line.replied["t1"]
    assert [one.button.data for one in sent if one.button is not None] == expected
    assert [one.button is not None for one in sent] == sorted(one.button is not None for one in sent)
    assert len(sent) <= MESSAGES_A_CALL


class CalendarOfOne:
    """Attachments that go with every answer."""

    def of(self, outcome: OutcomeRecord) -> Sequence[OutgoingMessage]:
        return (OutgoingMessage(text=f"calendar of {outcome.webhook_event_id}"),)


def test_what_goes_with_an_answer_follows_its_words(committed: CommittedChat) -> None:
    lease = committed.commit(outcome("at nine"))

    outbox = replace(committed.outbox(), attachments=CalendarOfOne())
    outbox.finish(lease, outcome("at nine"), deadline=committed.deadline)

    assert committed.line.replies == {"t1": ("at nine", "calendar of e1")}


@pytest.mark.parametrize(("model_name", "bubbles"), [("model", 2), (None, 1)])
def test_only_words_of_the_model_are_split_into_short_bubbles(
    committed: CommittedChat, model_name: str | None, bubbles: int
) -> None:
    text = "a sentence of words. " * 10
    committed.finish(committed.commit(replace(outcome(text), quote_token="q1", audit=Audit(model_name=model_name))))

    sent = committed.line.replied["t1"]
    assert [one.quote_token for one in sent] == ["q1", None][:bubbles]


@pytest.mark.parametrize(
    ("fates", "logged"),
    [
        ([], ("INFO", "reply_sent", 1)),
        (["refused"], ("WARNING", "reply_undelivered", 0)),
        (["unknown, not sent"] * 99, ("WARNING", "reply_fate_unknown", 0)),
    ],
)
def test_the_fate_of_an_answer_is_logged(
    committed_with: MakeChat, lines: io.StringIO, fates: list[str], logged: tuple[str, str, int]
) -> None:
    chat = committed_with(fates=fates)

    chat.finish(chat.commit(outcome("hello")))

    last = [json.loads(line) for line in lines.getvalue().splitlines()][-1]
    assert (last["severity"], last["message"], last["bubbles"]) == logged


def test_an_answer_that_line_refuses_for_good_is_undelivered(committed: CommittedChat) -> None:
    def refuse(token: ReplyToken, messages: Sequence[OutgoingMessage]) -> ReplyFate:
        raise LineRefusedError(f"{len(messages)} messages on {len(token.value)} characters: 403")

    lease = committed.commit(outcome("hello"))
    committed.line.reply = refuse  # type: ignore[method-assign]

    finished = committed.finish(lease)

    assert finished is not None
    assert finished.kind is OutcomeKind.UNDELIVERED


def test_an_empty_text_is_not_sent(committed: CommittedChat) -> None:
    finished = committed.finish(committed.commit(outcome("")))

    assert finished is not None
    assert (finished.kind, committed.line.replies) == (OutcomeKind.UNDELIVERED, {})


@dataclass
class FiledEntries(WordHolder):
    """Entries that are written while something is amended; how often they were looked through for words that have to go."""

    meanwhile: Callable[[Conversation], object]
    looked_through: int = 0

    def apply(self, conversation: Conversation, outcome: OutcomeRecord, lease: Lease) -> bool:
        assert not lease.is_over
        if outcome.writes:
            self.meanwhile(conversation)
        return True

    def begin_removal(self, conversation: Conversation) -> Removal:
        def remove(amendments: Amendments) -> None:
            assert conversation.amendments.look() == amendments
            self.looked_through += 1

        return remove


@pytest.mark.parametrize(
    ("meanwhile", "times"),
    [
        (lambda _: None, 0),
        (lambda chat: chat.amendments.amend(Amendment(line_message_id="m1", timestamp_ms=2)), 1),
        (lambda chat: chat.amendments.amend(Amendment(line_message_id="m9", timestamp_ms=2)), 0),
        (lambda chat: chat.amendments.amend(Amendment(line_message_id="m1", timestamp_ms=2, text="new")), 1),
        (lambda chat: chat.amendments.amend(Amendment(line_message_id="m9", timestamp_ms=2, text="new")), 0),
        (lambda chat: chat.amendments.erase(1, spares_entries=True), 1),
        (lambda chat: chat.amendments.erase(0, spares_entries=True), 0),
        (lambda chat: chat.amendments.erase(0), 1),
    ],
    ids=["nothing", "unsend", "other unsend", "edit", "other edit", "erasure", "older erasure", "erasure of entries"],
)
@pytest.mark.parametrize("writes", [True, False])
def test_entries_are_looked_through_where_an_amendment_may_concern_what_was_filed(
    committed: CommittedChat, meanwhile: Callable[[Conversation], object], times: int, *, writes: bool
) -> None:
    entries = FiledEntries(meanwhile)
    staged = (StagedWrite(path="a.md", text="x"),) if writes else ()
    lease = committed.commit(replace(outcome(None), writes=staged))
    assert lease.record.outcome is not None

    outbox = replace(committed.outbox(), staged=entries, holders=(entries,))

    assert outbox.finish(lease, lease.record.outcome, deadline=committed.deadline) is not None
    assert entries.looked_through == (times if writes else 0)


@pytest.mark.parametrize("writes", [True, False])
def test_writes_that_are_applied_stay_in_no_object(committed: CommittedChat, *, writes: bool) -> None:
    entries = FiledEntries(lambda _: None)
    staged = (StagedWrite(path="a.md", text="x"),) if writes else ()
    lease = committed.commit(replace(outcome("hello"), writes=staged))
    assert lease.record.outcome is not None
    before = committed.conversation.turn.read().generation

    outbox = replace(committed.outbox(), staged=entries, holders=(entries,))
    assert outbox.finish(lease, lease.record.outcome, deadline=committed.deadline)

    turn = committed.conversation.turn.read()
    for left in (turn.record.outcome, committed.recorded):
        assert left is not None
        assert (left.writes, left.text) == ((), "hello")
    assert (turn.generation > before) is writes


@pytest.mark.parametrize(("route", "since_ms"), [(None, 3_000), (Route(kind="push"), None)], ids=["reply", "push"])
def test_what_is_sent_is_logged_with_the_age_of_its_token(
    committed: CommittedChat, lines: io.StringIO, route: Route | None, since_ms: int | None
) -> None:
    lease = committed.commit(recent(committed), route)
    committed.clock.move(3)

    committed.finish(lease, late_reply=LateReply.PUSH)

    [sent] = [line for line in map(json.loads, lines.getvalue().splitlines()) if line["message"] == "reply_sent"]
    assert sent.get("since_received_ms") == since_ms


class DownLine(MemoryLineApi):
    """LINE, which is down for some seconds; `fate` is what its callers see, and `meanwhile` happens once within that time."""

    def __init__(self, clock: FixedClock, *, down_s: float, fate: str = "not_sent") -> None:
        super().__init__()
        self.meanwhile: Callable[[], object] = lambda: None
        self.happens_s = 0.0
        self._clock = clock
        self._fate = fate
        self._up_s = clock.monotonic_s() + down_s

    def reply(self, token: ReplyToken, messages: Sequence[OutgoingMessage]) -> ReplyFate:
        now_s = self._clock.monotonic_s()
        if now_s >= self.happens_s:
            happens, self.meanwhile = self.meanwhile, lambda: None
            happens()
        if now_s < self._up_s:
            self.fates = [self._fate]
        return super().reply(token, messages)


@pytest.mark.parametrize("fate", ["not_sent", "unknown, not sent"])
@pytest.mark.parametrize("down_s", [5, 15, 45, 50])
def test_an_answer_is_sent_once_line_is_back_while_its_token_lives(
    committed: CommittedChat, down_s: float, fate: str
) -> None:
    committed.line = DownLine(committed.clock, down_s=down_s, fate=fate)

    finished = committed.finish(committed.commit(outcome("hello")))

    assert finished is not None
    assert finished.kind is OutcomeKind.REPLIED
    assert committed.line.replies == {"t1": ("hello",)}
    assert committed.clock.monotonic_s() < down_s + 2.1
    assert committed.recorded == finished


@pytest.mark.parametrize(("age_s", "tried_s"), [(0, 53), (30, 23), (48, 10), (56, 10)])
def test_an_answer_is_tried_until_its_token_may_be_dead(committed_with: MakeChat, age_s: float, tried_s: float) -> None:
    chat = committed_with(fates=["not_sent"] * 99)
    token = ReplyToken(value="t1", received_ms=chat.clock.now_ms() - round(age_s * 1_000))

    finished = chat.finish(chat.commit(outcome("hello"), Route.on(token)))

    assert finished is not None
    assert finished.kind is OutcomeKind.UNDELIVERED
    assert tried_s - 2.1 < chat.clock.monotonic_s() <= tried_s


def test_an_answer_is_tried_until_five_seconds_before_its_request_ends(committed_with: MakeChat) -> None:
    chat = committed_with(fates=["not_sent"] * 99)

    finished = chat.finish(chat.commit(outcome("hello")), left_s=30)

    assert finished is not None
    assert finished.kind is OutcomeKind.UNDELIVERED
    assert 30 - ENDING_S - 2.1 < chat.clock.monotonic_s() <= 30 - ENDING_S


def test_the_lease_is_renewed_while_line_is_down(committed: CommittedChat) -> None:
    seen: list[bool] = []

    def look() -> None:
        turn = committed.conversation.turn.read().record
        seen.append(turn.state == "committed" and turn.expires_ms > committed.clock.now_ms())

    line = committed.line = DownLine(committed.clock, down_s=45)
    line.happens_s, line.meanwhile = 40, look

    committed.finish(committed.commit(outcome("hello")))

    assert seen == [True]


def test_words_that_are_withdrawn_while_line_is_down_are_not_sent(committed: CommittedChat) -> None:
    line = committed.line = DownLine(committed.clock, down_s=45)
    line.happens_s, line.meanwhile = 12, committed.withdraw

    assert committed.finish(committed.commit(outcome("your pin is 4711"))) is None

    assert line.replies == {}
    assert committed.conversation.turn.read().record.state == "idle"
    assert committed.recorded is None


def test_words_that_an_unsend_took_out_of_the_turn_are_not_sent_once_line_is_back(committed: CommittedChat) -> None:
    line = committed.line = DownLine(committed.clock, down_s=45)
    line.happens_s = 12
    line.meanwhile = lambda: withdraw_from_turn(committed.conversation, "m1")

    assert committed.finish(committed.commit(outcome("your pin is 4711"))) is None

    assert line.replies == {}
    assert committed.conversation.turn.read().record.outcome is None


def test_words_that_may_have_arrived_and_are_withdrawn_meanwhile_are_recorded_without_them(
    committed: CommittedChat,
) -> None:
    line = committed.line = DownLine(committed.clock, down_s=45, fate="unknown, not sent")
    line.happens_s, line.meanwhile = 12, committed.withdraw

    finished = committed.finish(committed.commit(outcome("your pin is 4711")))

    assert finished is not None
    assert (finished.kind, finished.text) == (OutcomeKind.WITHDRAWN, None)
    assert "4711" not in everything_in(committed.conversation.objects.store)
    assert line.replies == {}


def test_a_holder_that_lost_the_turn_while_line_was_down_sends_nothing_more(committed: CommittedChat) -> None:
    line = committed.line = DownLine(committed.clock, down_s=45)
    line.happens_s, line.meanwhile = 12, committed.take_over

    assert committed.finish(committed.commit(outcome("hello"))) is None

    assert line.replies == {}
    assert committed.recorded is None


def test_a_takeover_repeats_its_call_while_line_is_down(committed: CommittedChat) -> None:
    committed.commit(outcome("hello"))
    committed.line = DownLine(committed.clock, down_s=30)

    finished = committed.finish(committed.take_over(), is_takeover=True)

    assert finished is not None
    assert finished.kind is OutcomeKind.REPLIED


class FailingStore(MemoryObjectStore):
    """Cloud Storage, which fails from some moment on for a while."""

    down_s: tuple[float, float] = (0.0, 0.0)

    def __init__(self, clock: FixedClock) -> None:
        super().__init__()
        self._clock = clock

    def replace(self, name: str, data: bytes, *, generation: int) -> int | None:
        if self.down_s[0] <= self._clock.monotonic_s() < self.down_s[1]:
            raise StorageUnavailableError("down")
        return super().replace(name, data, generation=generation)


def test_an_answer_is_sent_within_its_lease_although_the_lease_is_not_renewed(
    reads: ThreadPoolExecutor, clock: FixedClock
) -> None:
    store = FailingStore(clock)
    chat = CommittedChat(conversations_on(store, reads, clock).of("U" + "1" * 32), clock)
    chat.line = DownLine(clock, down_s=12)
    store.down_s = (8, 13)

    finished = chat.finish(chat.commit(outcome("hello")))

    assert finished is not None
    assert finished.kind is OutcomeKind.REPLIED


def test_nothing_is_sent_after_the_fence_of_a_lease_that_cannot_be_renewed(
    reads: ThreadPoolExecutor, clock: FixedClock
) -> None:
    store = FailingStore(clock)
    chat = CommittedChat(conversations_on(store, reads, clock).of("U" + "1" * 32), clock)
    chat.line = DownLine(clock, down_s=25)
    store.down_s = (1, 100)

    assert chat.finish(chat.commit(outcome("hello"))) is None

    assert chat.line.replies == {}
    assert chat.recorded is None


@pytest.mark.parametrize("sentences", [1, 60, 480])
@pytest.mark.parametrize("sources", [0, 2])
@pytest.mark.parametrize("has_notices", [True, False])
def test_suggestions_and_cards_leave_every_word_of_the_answer(
    conversations: Conversations, clock: FixedClock, sentences: int, sources: int, *, has_notices: bool
) -> None:
    group = CommittedChat(conversations.of("C" + "1" * 32), clock)
    links = "".join(f"\n[{number}] page\nhttps://example.com/{number}" for number in range(sources))
    words = f"{'A word. ' * sentences}\n{links}".strip()
    notices = CarriedNotices(names=("n1",), text="build is red") if has_notices else None
    offer = Offer(suggests=("Go on", "And then?"))

    said = replace(outcome(words), notices=notices, offer=offer, audit=Audit(model_name="scripted"))
    group.finish(group.commit(said))

    (messages,) = group.line.replied.values()
    assert is_sendable(messages)
    shown = "".join(message.text for message in messages)
    assert all(shown.count(word) >= words.count(word) for word in ("A word.", *links.split()))
    labels = [button.label for message in messages if message.card is not None for button in message.card.buttons]
    assert "Go on" in labels or sentences == 480
