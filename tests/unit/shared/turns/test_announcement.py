from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import replace

import pytest

from shared.adapters.memory import FixedClock, MemoryLineApi, MemoryObjectStore
from shared.bus.endpoint import REQUEST_S
from shared.clock import Deadline
from shared.conversation.records import Erasure, Offer, OutcomeKind, OutcomeRecord
from shared.conversation.store import Conversation, Conversations
from shared.conversation.turn import Route
from shared.conversation.withdrawal import Withdrawal
from shared.errors import CrowdedOutError, TurnBusyError
from shared.line.events import LineEvent
from shared.line.messaging import SENDING_S, TOKEN_SURELY_DEAD_MS, ReplyToken
from shared.turns.announcement import Announcement, Announcer, in_chats_language, locale_of
from shared.turns.lease import Lease, open_turn
from shared.turns.outbox import ENDING_S
from shared.turns.waiting_room import PLACES
from tests.support.chats import answer, conversations_on, made_of, message
from tests.support.races import SharedStore, StoreThatReadsLast
from tests.support.turns import WorkerKilledError, outbox_on, runner_on

HELLO = Announcement(
    event=LineEvent(
        type="follow",
        webhook_event_id="e1",
        timestamp_ms=5,
        conversation_id="C" + "1" * 32,
        is_one_on_one=False,
        deadline=Deadline.after(FixedClock(), REQUEST_S),
    ),
    text="hello",
)
SECOND = replace(HELLO, event=replace(HELLO.event, webhook_event_id="e2"))


class AnnouncedChat:
    """One group, and deliveries of the event that HELLO answers."""

    def __init__(self, conversations: Conversations, clock: FixedClock) -> None:
        self.conversation: Conversation = conversations.of("C" + "1" * 32)
        self.line, self.clock = MemoryLineApi(), clock
        outbox = outbox_on(self.line, clock)
        self.runner = runner_on(outbox)
        self._announcer = Announcer(runner=self.runner, outbox=outbox)

    def deliver(self, announcement: Announcement = HELLO) -> str:
        return self.deliver_with(ReplyToken(value="t1", received_ms=self.clock.now_ms()), announcement)

    def deliver_with(
        self, token: ReplyToken | None, announcement: Announcement = HELLO, *, left_s: float = REQUEST_S
    ) -> str:
        event = replace(announcement.event, reply_token=token, deadline=Deadline.after(self.clock, left_s))
        return self._announcer.announce(self.conversation, replace(announcement, event=event))


@pytest.fixture
def group(conversations: Conversations, clock: FixedClock) -> AnnouncedChat:
    return AnnouncedChat(conversations, clock)


def test_announcement_of_a_redelivered_event_is_sent_once(group: AnnouncedChat) -> None:
    assert [group.deliver(), group.deliver()] == ["replied", "already_answered"]
    assert group.line.replies == {"t1": ("hello",)}
    assert group.clock.monotonic_s() == 0


def test_next_delivery_finishes_the_announcement_of_a_dead_holder(group: AnnouncedChat) -> None:
    group.deliver()
    # as if the holder had died before the record
    group.conversation.objects.store.delete(group.conversation.names.outcome("e1"))
    group.clock.move(26)

    assert group.deliver() == "replied"
    assert len(group.line.replied) == 1


def test_a_question_is_asked_with_its_context_after_announcements_whose_workers_died(group: AnnouncedChat) -> None:
    def dies() -> Announcement:
        raise WorkerKilledError

    for number in range(4):
        with pytest.raises(WorkerKilledError):
            group.deliver(replace(HELLO, event=replace(HELLO.event, webhook_event_id=f"e{number}"), decide=dies))
        group.clock.move(26)

    assert group.conversation.turn.read().record.next_tries(group.clock.now_ms()) == 1


def test_event_from_before_an_erasure_gets_no_announcement(group: AnnouncedChat, withdrawal: Withdrawal) -> None:
    withdrawal.erase(group.conversation, until_ms=5)

    assert group.deliver() == "erased"
    assert group.line.calls == 0


def test_announcement_waits_for_the_holder_of_the_turn(group: AnnouncedChat) -> None:
    lease = open_turn(group.conversation, group.conversation.turn.read())
    assert lease is not None

    assert group.deliver() == "replied"  # the lease expired while it waited
    assert lease.is_over


def test_announcement_whose_token_died_while_others_had_the_turn_is_undelivered(group: AnnouncedChat) -> None:
    lease = open_turn(group.conversation, group.conversation.turn.read())
    assert lease is not None
    renew = lease.renew

    class Renewing(FixedClock):
        def sleep(self, seconds: float) -> None:
            super().sleep(seconds)
            renew()

    group.clock.__class__ = Renewing

    assert [group.deliver(), group.deliver()] == ["undelivered", "already_answered"]
    assert group.line.calls == 0


def test_announcement_waits_for_as_long_as_its_token_may_live(reads: ThreadPoolExecutor, clock: FixedClock) -> None:
    group = AnnouncedChat(conversations_on(MemoryObjectStore(), reads, clock, lease_s=1_000), clock)
    assert open_turn(group.conversation, group.conversation.turn.read()) is not None

    assert group.deliver() == "undelivered"

    assert clock.monotonic_s() == pytest.approx(TOKEN_SURELY_DEAD_MS / 1_000, abs=0.2)


def test_announcement_of_a_young_token_waits_until_its_turn_could_not_end_within_the_request(
    reads: ThreadPoolExecutor, clock: FixedClock
) -> None:
    group = AnnouncedChat(conversations_on(MemoryObjectStore(), reads, clock, lease_s=1_000), clock)
    assert open_turn(group.conversation, group.conversation.turn.read()) is not None
    token = ReplyToken(value="t1", received_ms=clock.now_ms())

    with pytest.raises(TurnBusyError):
        group.deliver_with(token, left_s=40)

    assert clock.monotonic_s() == pytest.approx(40 - SENDING_S - ENDING_S)


def test_announcement_that_comes_too_late_in_its_request_opens_no_turn(group: AnnouncedChat) -> None:
    token = ReplyToken(value="t1", received_ms=group.clock.now_ms())

    with pytest.raises(TurnBusyError):
        group.deliver_with(token, left_s=SENDING_S + ENDING_S)

    assert group.line.calls == 0
    assert group.conversation.turn.read().generation == 0


@pytest.mark.parametrize(("chosen", "locale"), [("", "en"), ("th", "th")])
def test_a_text_that_is_postponed_after_a_vain_wait_is_in_the_language_of_the_chat(
    reads: ThreadPoolExecutor, clock: FixedClock, chosen: str, locale: str
) -> None:
    group = AnnouncedChat(conversations_on(MemoryObjectStore(), reads, clock, lease_s=1_000), clock)
    if chosen:
        group.conversation.turn.choose_locale(chosen)
    group.conversation.journal.keep(replace(message(1, "what a lovely day it was"), user_id="U" + "2" * 32))
    assert open_turn(group.conversation, group.conversation.turn.read()) is not None

    def worded(locale: str | None) -> Announcement:
        return replace(HELLO, text=f"hello in {locale}", offer=Offer(is_postponed=True))

    assert group.deliver_with(None, in_chats_language(worded)) == "undelivered"

    kept = group.conversation.journal.outcome_of("e1")
    assert kept is not None
    assert (kept.kind, kept.text) == (OutcomeKind.UNDELIVERED, f"hello in {locale}")


@pytest.mark.parametrize(
    ("type_", "text"),
    [("sticker", "[sticker: Laugh, Funny]"), ("audio", "[voice message: 3 s]"), ("postback", "Show the answer")],
)
def test_only_words_that_people_wrote_show_the_language_of_a_chat(type_: str, text: str) -> None:
    written = replace(message(1, "明日の予定は？"), user_id="U" + "2" * 32)
    unwritten = replace(message(2, text), type=type_, user_id="U" + "2" * 32)
    left = replace(HELLO.event, user_id=written.user_id)

    assert locale_of(left, chosen=None, messages=(written, unwritten)) == "ja"
    assert locale_of(left, chosen=None, messages=(unwritten,)) is None


class CommittingClock(FixedClock):
    """Meanwhile another delivery of the event holds the turn; it commits its text at `commits_s`, and dies."""

    lease: Lease | None = None

    def __init__(self, commits_s: float) -> None:
        super().__init__()
        self.commits_s = commits_s

    def sleep(self, seconds: float) -> None:
        super().sleep(seconds)
        if self.lease is not None and self.monotonic_s() < self.commits_s:
            self.lease.renew()
        elif self.lease is not None:
            lease, self.lease = self.lease, None
            lease.commit(HELLO.outcome, Route.on(ReplyToken(value="t1", received_ms=self.now_ms())))


@pytest.mark.parametrize("commits_s", [1, 30, 64, 64.9, 90, 96.5, 101.9])
def test_announcement_never_fails_because_its_other_delivery_has_the_turn(
    reads: ThreadPoolExecutor, commits_s: float
) -> None:
    clock = CommittingClock(commits_s)
    group = AnnouncedChat(conversations_on(MemoryObjectStore(), reads, clock), clock)
    clock.lease = open_turn(group.conversation, group.conversation.turn.read())

    result = group.deliver()

    assert result == ("replied" if commits_s < 65 else "undelivered")
    assert group.conversation.journal.outcome_of("e1") is not None
    assert clock.monotonic_s() < REQUEST_S


def test_announcement_whose_token_still_lives_comes_again(reads: ThreadPoolExecutor, clock: FixedClock) -> None:
    group = AnnouncedChat(conversations_on(MemoryObjectStore(), reads, clock, lease_s=1_000), clock)
    assert open_turn(group.conversation, group.conversation.turn.read()) is not None
    young = ReplyToken(value="t1", received_ms=clock.now_ms() + round(REQUEST_S * 1_000))

    with pytest.raises(TurnBusyError):
        group.deliver_with(young)

    assert group.conversation.journal.outcome_of("e1") is None


def test_announcement_that_slept_while_another_delivery_made_it_is_not_called_undelivered(
    reads: ThreadPoolExecutor, clock: FixedClock
) -> None:
    store = SharedStore()
    group = AnnouncedChat(conversations_on(store, reads, clock), clock)

    hello = replace(HELLO, event=replace(HELLO.event, timestamp_ms=clock.now_ms()))

    def make_and_fold_it() -> None:
        assert group.deliver(hello) == "replied"
        open_turn(group.conversation, group.conversation.turn.read())
        store.delete(group.conversation.names.outcome("e1"))
        clock.move(REQUEST_S)

    store.others = [make_and_fold_it]

    assert group.deliver_with(ReplyToken(value="t0", received_ms=clock.now_ms()), hello) == "undelivered"

    assert group.conversation.journal.outcome_of("e1") is None
    assert group.line.replies == {"t1": ("hello",)}


def test_announcement_whose_worker_slept_after_the_commit_is_finished_by_its_redelivery(
    reads: ThreadPoolExecutor, clock: FixedClock
) -> None:
    store = SharedStore()
    group = AnnouncedChat(conversations_on(store, reads, clock), clock)
    store.followed_by = [lambda: None, lambda: clock.move(REQUEST_S)]  # the turn is opened, then committed

    with pytest.raises(TurnBusyError):
        group.deliver()
    assert group.deliver() == "replied"

    assert group.conversation.journal.outcome_of("e1") is not None
    assert group.line.calls == 1


def test_announcement_without_a_token_waits_for_no_later_delivery(reads: ThreadPoolExecutor, clock: FixedClock) -> None:
    group = AnnouncedChat(conversations_on(MemoryObjectStore(), reads, clock, lease_s=1_000), clock)
    assert open_turn(group.conversation, group.conversation.turn.read()) is not None

    assert group.deliver_with(None) == "undelivered"


class CrowdedClock(FixedClock):
    """During the first sleep so many others begin to wait that every place is taken."""

    others: Callable[[], AbstractContextManager[object]]

    def sleep(self, seconds: float) -> None:
        super().sleep(seconds)
        if not self.waiting:
            for _ in range(PLACES):
                self.waiting.append(self.others())
                self.waiting[-1].__enter__()

    def __init__(self) -> None:
        super().__init__()
        self.waiting: list[AbstractContextManager[object]] = []


def test_announcement_keeps_its_place_beside_messages(reads: ThreadPoolExecutor) -> None:
    clock = CrowdedClock()
    group = AnnouncedChat(conversations_on(MemoryObjectStore(), reads, clock), clock)
    clock.others = lambda: group.runner.room.place(group.conversation.id, sent_ms=clock.now_ms(), gives_way=True)
    assert open_turn(group.conversation, group.conversation.turn.read()) is not None

    assert group.deliver() == "replied"


def test_announcement_that_lost_its_place_to_newer_ones_comes_again(reads: ThreadPoolExecutor) -> None:
    clock = CrowdedClock()
    group = AnnouncedChat(conversations_on(MemoryObjectStore(), reads, clock, lease_s=20), clock)
    clock.others = lambda: group.runner.room.place(group.conversation.id, sent_ms=clock.now_ms(), gives_way=False)
    assert open_turn(group.conversation, group.conversation.turn.read()) is not None

    with pytest.raises(CrowdedOutError):
        group.deliver()
    assert (group.line.calls, group.conversation.journal.outcome_of("e1")) == (0, None)

    clock.move(20)
    assert group.deliver() == "replied"


def test_announcement_whose_older_delivery_is_evicted_does_not_come_again_for_it(reads: ThreadPoolExecutor) -> None:
    clock = CrowdedClock()
    group = AnnouncedChat(conversations_on(MemoryObjectStore(), reads, clock), clock)
    others = iter(["e2", "e3", "e4", "e1"])
    clock.others = lambda: group.runner.room.place(group.conversation.id, event=next(others), gives_way=False)
    assert open_turn(group.conversation, group.conversation.turn.read()) is not None

    assert group.deliver() == "undelivered"
    assert (group.line.calls, group.conversation.journal.outcome_of("e1")) == (0, None)


def crowded_chat_with(committed: OutcomeRecord, reads: ThreadPoolExecutor) -> AnnouncedChat:
    """Return a chat whose turn is committed to the outcome by a holder that has died, and in which a delivery loses its place at once."""
    clock = CrowdedClock()
    group = AnnouncedChat(conversations_on(MemoryObjectStore(), reads, clock), clock)
    clock.others = lambda: group.runner.room.place(group.conversation.id, sent_ms=clock.now_ms(), gives_way=False)
    lease = open_turn(group.conversation, group.conversation.turn.read())
    assert lease is not None
    token = ReplyToken(value="t1", received_ms=clock.now_ms())
    assert lease.commit(committed, Route.on(token)) is not None
    return group


def test_announcement_that_lost_its_place_waits_for_the_record_of_its_text(reads: ThreadPoolExecutor) -> None:
    group = crowded_chat_with(HELLO.outcome, reads)

    assert group.deliver() == "replied"

    assert group.line.calls == 1
    assert group.conversation.journal.outcome_of("e1") is not None


def test_announcement_takes_the_place_of_an_older_delivery_of_its_event(
    reads: ThreadPoolExecutor,
) -> None:
    clock = CrowdedClock()
    group = AnnouncedChat(conversations_on(MemoryObjectStore(), reads, clock), clock)
    assert open_turn(group.conversation, group.conversation.turn.read()) is not None

    with ExitStack() as waiting:
        events = ("e0", "e1", "e2", "e3")
        places = [
            waiting.enter_context(group.runner.room.place(group.conversation.id, event=event, gives_way=False))
            for event in events
        ]
        clock.others = nullcontext
        group.deliver()

    assert [one.is_evicted for one in places] == [False, True, False, False]


def test_announcement_is_recorded_with_what_it_asks_or_greets(group: AnnouncedChat) -> None:
    group.deliver(replace(HELLO, offer=Offer(asks=Erasure.FORGET, asked_by="m1")))
    asking = group.conversation.journal.outcome_of("e1")
    group.deliver(replace(SECOND, is_joining=True))
    greeting = group.conversation.journal.outcome_of("e2")

    assert asking is not None
    assert greeting is not None
    assert [(one.offer.asks, one.offer.asked_by, one.is_joining) for one in (asking, greeting)] == [
        (Erasure.FORGET, "m1", False),
        (None, None, True),
    ]
    assert (asking.kind, asking.answered_ids, asking.provenance.since_ms, asking.provenance.until_ms) == (
        OutcomeKind.REPLIED,
        (),
        5,
        5,
    )


@pytest.mark.parametrize(("until_ms", "result"), [(4, "replied"), (5, "erased")])
def test_event_that_is_erased_opens_no_turn(
    group: AnnouncedChat, withdrawal: Withdrawal, until_ms: int, result: str
) -> None:
    withdrawal.erase(group.conversation, until_ms=until_ms)

    assert group.deliver() == result
    assert (group.conversation.turn.read().generation == 0) is (result == "erased")


def test_redelivered_event_opens_no_turn(group: AnnouncedChat) -> None:
    other = replace(SECOND, text="bye")
    for announcement in (HELLO, other):
        group.deliver(announcement)
        before = group.conversation.turn.read()

        assert group.deliver() == "already_answered"

        assert group.conversation.turn.read() == before


def test_announcement_opens_its_turn_beside_the_read_of_the_chat(reads: ThreadPoolExecutor, clock: FixedClock) -> None:
    store = StoreThatReadsLast()
    group = AnnouncedChat(conversations_on(store, reads, clock), clock)

    assert group.deliver() == "replied"

    assert store.were_open[0]


def test_announcement_follows_the_answer_that_it_took_over(group: AnnouncedChat) -> None:
    lease = open_turn(group.conversation, group.conversation.turn.read())
    assert lease is not None
    before = Route.on(ReplyToken(value="t0", received_ms=group.clock.now_ms()))
    assert lease.commit(answer(9, "decided before"), before) is not None
    group.clock.move(26)

    assert group.deliver() == "replied"

    assert group.line.replies == {"t0": ("decided before",), "t1": ("hello",)}


def test_announcement_that_loses_its_turn_is_sent_by_the_next_one(reads: ThreadPoolExecutor, clock: FixedClock) -> None:
    store = SharedStore()
    group = AnnouncedChat(conversations_on(store, reads, clock), clock)
    store.others = [lambda: None, lambda: open_turn(group.conversation, group.conversation.turn.read())]

    assert group.deliver() == "replied"

    assert group.line.calls == 1


def test_announcement_that_is_committed_when_everything_is_erased_is_recorded_without_words(
    group: AnnouncedChat, withdrawal: Withdrawal
) -> None:
    lease = open_turn(group.conversation, group.conversation.turn.read())
    assert lease is not None
    assert lease.commit(HELLO.outcome, Route()) is not None
    withdrawal.erase(group.conversation, until_ms=5)
    group.clock.move(26)

    assert group.deliver() == "withdrawn"
    assert group.line.calls == 0


def test_announcement_that_repeats_older_words_goes_with_them() -> None:
    assert HELLO.outcome.provenance.since_ms == HELLO.event.timestamp_ms == 5
    assert replace(HELLO, provenance=made_of(since_ms=3)).outcome.provenance.since_ms == 3


def test_a_press_that_another_one_has_carried_out_is_not_answered_again(group: AnnouncedChat) -> None:
    assert group.deliver(replace(HELLO, pressed_ids=("e2",))) == "replied"

    assert group.deliver(SECOND) == "already_answered"
    assert group.line.replies == {"t1": ("hello",)}


def test_a_press_that_was_answered_meanwhile_is_not_told_of_with_another_one(group: AnnouncedChat) -> None:
    group.deliver_with(ReplyToken(value="t2", received_ms=group.clock.now_ms()), SECOND)
    decided = iter([replace(HELLO, text="both", pressed_ids=("e2",)), HELLO])

    assert group.deliver(replace(HELLO, decide=lambda: next(decided))) == "replied"
    assert group.line.calls == 2
    assert group.line.replied["t1"][-1].text == "hello"


def test_a_press_waits_for_the_record_of_the_answer_that_tells_of_it(reads: ThreadPoolExecutor) -> None:
    group = crowded_chat_with(replace(HELLO.outcome, pressed_ids=("e2",)), reads)

    assert group.deliver(SECOND) == "replied"
    assert group.line.replies == {"t1": ("hello",)}
