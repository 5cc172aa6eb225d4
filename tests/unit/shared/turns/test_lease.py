from dataclasses import replace
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.adapters.memory import FixedClock, MemoryObjectStore
from shared.conversation.amendment_records import Amendment
from shared.conversation.amendments import Amendments
from shared.conversation.records import ANSWERABLE_MS, OutcomeKind, OutcomeRecord
from shared.conversation.store import Conversation
from shared.conversation.turn import Route
from shared.line.messaging import ReplyToken
from shared.turns.basis import Basis
from shared.turns.lease import Lease, open_turn, take_over
from tests.support.chats import basis_of, conversations_on, made_of, withdraw_from_turn
from tests.support.inline import InlineExecutor
from tests.support.races import SharedStore

CHAT = "U" + "1" * 32
NOW_MS = FixedClock().now_ms()
OUTCOME = OutcomeRecord(
    webhook_event_id="e1",
    timestamp_ms=NOW_MS,
    kind=OutcomeKind.REPLIED,
    text="hello",
    answered_ids=("m1",),
    provenance=made_of("m1", "m0", "m1", since_ms=3, until_ms=5),
)
FIRST = replace(OUTCOME, sequence=1)
ROUTE = Route.on(ReplyToken(value="t1", received_ms=7))


class ForgetfulStore(MemoryObjectStore):
    """Loses the answers of writes: the client library tries again and reports that it lost, although it won."""

    loses = 0

    def replace(self, name: str, data: bytes, *, generation: int) -> int | None:
        written = super().replace(name, data, generation=generation)
        if self.loses and written is not None:
            self.loses -= 1
            return None
        return written


class RacedChat:
    """A chat whose turn others write first."""

    def __init__(self, clock: FixedClock) -> None:
        self.store = SharedStore()
        self.chat = conversations_on(self.store, InlineExecutor(), clock).of(CHAT)
        self.lease = opened(self.chat)

    def withdraw_first(self, *line_message_ids: str) -> None:
        """Let these messages be withdrawn, one before each of the next writes."""
        self.store.others = [partial(withdraw_from_turn, self.chat, one) for one in line_message_ids]

    def touch_first(self) -> None:
        """Let the turn be written before every further write of its holder, who stays its holder."""

        def touch() -> None:
            seen = self.chat.turn.read()
            self.chat.turn.swap(seen, seen.record)

        self.store.others = [touch] * 100

    def take_first(self) -> None:
        """Let another worker open the turn before the next write."""
        self.store.others = [partial(opened, self.chat)]


@pytest.fixture
def raced(clock: FixedClock) -> RacedChat:
    return RacedChat(clock)


class SlowStore(MemoryObjectStore):
    """Takes ten seconds for a write."""

    def __init__(self, clock: FixedClock) -> None:
        super().__init__()
        self._clock = clock

    def replace(self, name: str, data: bytes, *, generation: int) -> int | None:
        written = super().replace(name, data, generation=generation)
        self._clock.move(10)
        return written


@pytest.fixture
def store() -> ForgetfulStore:
    return ForgetfulStore()


def opened(chat: Conversation) -> Lease:
    lease = open_turn(chat, chat.turn.read())
    assert lease is not None
    return lease


def basis_as_read(lease: Lease) -> Basis:
    """Return what the outcome rests on, read before anything was amended."""
    prompt = made_of("m0", "m1", since_ms=3)
    return Basis(conversation=lease.conversation, lease=lease, prompt=prompt, before=Amendments())


def commit(lease: Lease) -> bool:
    return lease.commit(OUTCOME, ROUTE, basis=basis_as_read(lease)) is not None


def edit_in_turn(chat: Conversation) -> None:
    """Edit message m0, and change the turn as an edit does."""
    chat.amendments.amend(Amendment(line_message_id="m0", timestamp_ms=1, text="newer words"))
    chat.turn.amend(is_affected=lambda _: False)


def test_of_two_workers_that_saw_the_same_turn_one_opens_it(chat: Conversation) -> None:
    seen = chat.turn.read()

    assert open_turn(chat, seen) is not None
    assert open_turn(chat, seen) is None


def test_a_turn_goes_from_idle_to_thinking_to_committed(chat: Conversation) -> None:
    lease = opened(chat)
    assert chat.turn.read().record.state == "thinking"

    assert commit(lease)

    record = chat.turn.read().record
    assert (record.state, record.outcome, record.route, record.sequence) == ("committed", FIRST, ROUTE, 1)


def test_only_opening_over_a_thinking_holder_counts_as_a_try(chat: Conversation) -> None:
    first = opened(chat)
    second = opened(chat)
    third = opened(chat)

    assert [lease.record.tries for lease in (first, second, third)] == [0, 1, 2]
    third.release()
    assert opened(chat).record.tries == 2


def test_holders_that_died_of_what_nobody_asked_for_count_as_one_try(chat: Conversation) -> None:
    unasked = [open_turn(chat, chat.turn.read(), is_unasked=True) for _ in range(4)]
    asked = [opened(chat) for _ in range(3)]
    unasked.append(open_turn(chat, chat.turn.read(), is_unasked=True))

    assert [lease.record.tries for lease in unasked if lease is not None] == [0, 1, 1, 1, 4]
    assert [lease.record.tries for lease in asked] == [1, 2, 3]
    assert opened(chat).record.tries == 4


@pytest.mark.parametrize("ends", ["commits", "releases"])
def test_what_comes_after_a_turn_that_nobody_asked_for_is_counted_in_full(chat: Conversation, ends: str) -> None:
    lease = open_turn(chat, chat.turn.read(), is_unasked=True)
    assert lease is not None
    if ends == "commits":
        assert commit(lease)
    else:
        lease.release()

    assert [opened(chat).record.tries for _ in range(3)] == [0, 1, 2]


@pytest.mark.parametrize(("after_ms", "tries"), [(ANSWERABLE_MS - 1, 2), (ANSWERABLE_MS, 0)])
def test_holders_that_died_count_for_as_long_as_their_messages_may_wait(
    chat: Conversation, clock: FixedClock, after_ms: int, tries: int
) -> None:
    opened(chat)
    opened(chat)

    clock.move(chat.turn.lease_s + after_ms / 1_000)

    assert opened(chat).record.tries == tries


def test_a_former_holder_can_neither_commit_nor_renew_nor_release(chat: Conversation) -> None:
    former, current = opened(chat), opened(chat)

    former.renew()
    former.release()
    assert not commit(former)
    assert chat.turn.read().record.holder == current.record.holder
    assert commit(current)


def test_a_withdrawal_ends_a_turn_only_where_its_prompt_held_the_message(chat: Conversation) -> None:
    lease = opened(chat)
    withdraw_from_turn(chat, "m9")
    assert commit(lease)

    again = opened(chat)
    withdraw_from_turn(chat, "m0")
    assert not commit(again)
    assert chat.turn.read().record.state == "idle"


def test_fixed_words_are_committed_whatever_was_withdrawn(chat: Conversation) -> None:
    lease = opened(chat)
    withdraw_from_turn(chat, "m0")

    assert lease.commit(OUTCOME, ROUTE) is not None


def test_an_amendment_that_the_prompt_was_read_with_does_not_count_against_it(chat: Conversation) -> None:
    chat.amendments.amend(Amendment(line_message_id="m0", timestamp_ms=1, text="newer words"))
    lease = opened(chat)
    basis = basis_of(lease, "m0", since_ms=3)
    withdraw_from_turn(chat, "m9")

    assert lease.commit(OUTCOME, ROUTE, basis=basis) is not None


def test_many_withdrawals_during_one_thought_write_the_turn_once_each_at_most(chat: Conversation) -> None:
    lease = opened(chat)
    for number in range(10, 30):
        withdraw_from_turn(chat, f"m{number}")

    assert chat.turn.read().record.epoch == 20
    assert commit(lease)


def test_a_withdrawal_leaves_an_idle_turn_unwritten(chat: Conversation) -> None:
    opened(chat).release()
    seen = chat.turn.read()

    withdraw_from_turn(chat, "m9")

    assert chat.turn.read() == seen


def test_what_was_answered_stays_covered_through_later_turns(chat: Conversation) -> None:
    lease = opened(chat)
    commit(lease)
    opened(chat).release()
    opened(chat).release()

    assert chat.turn.read().record.covered == {"m1": OUTCOME.timestamp_ms}


def test_an_outcome_that_was_given_up_covers_nothing(chat: Conversation) -> None:
    lease = opened(chat)
    commit(lease)
    lease.release()
    opened(chat)

    assert chat.turn.read().record.covered == {}


def test_what_can_no_longer_be_answered_is_not_kept_as_covered(chat: Conversation, clock: FixedClock) -> None:
    commit(opened(chat))
    clock.move(ANSWERABLE_MS / 1_000 + 10)
    opened(chat)

    assert chat.turn.read().record.covered == {}


def test_a_lost_renewal_ends_the_lease(chat: Conversation) -> None:
    former, _ = opened(chat), opened(chat)

    former.renew()

    assert former.is_over


def test_an_edit_ends_a_thinking_turn_and_leaves_a_committed_answer_alone(chat: Conversation) -> None:
    lease = opened(chat)
    edit_in_turn(chat)
    assert not commit(lease)

    again = opened(chat)
    assert commit(again)
    edit_in_turn(chat)
    assert chat.turn.read().record.outcome == FIRST


@pytest.mark.parametrize(("until_ms", "commits"), [(2, True), (3, False)])
def test_an_erasure_ends_a_turn_whose_prompt_reaches_back_before_it(
    chat: Conversation, until_ms: int, *, commits: bool
) -> None:
    lease = opened(chat)

    chat.amendments.erase(until_ms, spares_entries=True)
    chat.turn.amend(is_affected=lambda _: True)

    assert commit(lease) is commits


def test_commits_are_numbered_also_across_idle_turns(chat: Conversation) -> None:
    commit(opened(chat))
    opened(chat).release()
    commit(opened(chat))

    assert chat.turn.read().record.sequence == 2


def test_a_committed_answer_that_lost_its_words_never_gets_them_back(chat: Conversation) -> None:
    lease = opened(chat)
    commit(lease)

    withdraw_from_turn(chat, "m0")
    assert lease.amend(replace(OUTCOME, kind=OutcomeKind.UNKNOWN), ROUTE)

    outcome = chat.turn.read().record.outcome
    assert outcome is not None
    assert outcome.text is None


def test_a_write_whose_answer_was_lost_is_recognised_by_its_token(chat: Conversation, store: ForgetfulStore) -> None:
    store.loses = 1
    lease = opened(chat)
    store.loses = 1

    assert commit(lease)
    lease.amend(replace(OUTCOME, kind=OutcomeKind.UNDELIVERED), ROUTE)

    outcome = chat.turn.read().record.outcome
    assert outcome is not None
    assert outcome.kind is OutcomeKind.UNDELIVERED


def test_a_holder_stops_writing_before_its_lease_ends(chat: Conversation, clock: FixedClock) -> None:
    lease = opened(chat)
    clock.move(16.9)
    before = lease.is_over
    clock.move(0.1)

    assert (before, lease.is_over) == (False, True)
    assert not commit(lease)


def test_a_lease_counts_from_before_the_write_that_begins_it(clock: FixedClock) -> None:
    chat = conversations_on(SlowStore(clock), InlineExecutor(), clock).of(CHAT)
    lease = opened(chat)
    clock.move(6.9)
    before = lease.is_over
    clock.move(0.1)

    assert (before, lease.is_over) == (False, True)


def test_a_renewed_lease_lasts_longer(chat: Conversation, clock: FixedClock) -> None:
    lease = opened(chat)
    clock.move(15)
    lease.renew()
    clock.move(15)

    assert chat.turn.read().record.expires_ms > clock.now_ms()
    assert commit(lease)


def test_a_renewal_writes_the_turn_once(chat: Conversation) -> None:
    lease = opened(chat)
    before = chat.turn.read()

    lease.renew()

    assert chat.turn.read().generation == before.generation + 1


def test_a_renewal_that_loses_to_an_unsend_is_repeated_at_once(raced: RacedChat, clock: FixedClock) -> None:
    clock.move(10)
    raced.withdraw_first("m8", "m9")

    raced.lease.renew()

    record = raced.chat.turn.read().record
    assert (record.expires_ms, record.epoch) == (clock.now_ms() + 25_000, 2)


def test_a_committed_turn_is_not_renewed(chat: Conversation) -> None:
    lease = opened(chat)
    commit(lease)
    before = chat.turn.read()

    lease.renew()

    assert chat.turn.read() == before


def test_a_commit_that_loses_to_an_unsend_looks_whether_it_concerns_the_prompt(raced: RacedChat) -> None:
    raced.withdraw_first("m9", "m0")

    assert not commit(raced.lease)
    assert raced.chat.turn.read().record.state == "idle"


def test_a_commit_that_loses_to_unsends_of_other_messages_is_repeated(raced: RacedChat) -> None:
    raced.withdraw_first("m8", "m9")

    assert commit(raced.lease)
    assert raced.chat.turn.read().record.state == "committed"


def test_what_is_committed_is_never_committed_again(chat: Conversation) -> None:
    lease = opened(chat)

    assert commit(lease)
    assert not commit(lease)
    assert chat.turn.read().record.sequence == 1


def test_a_release_that_loses_to_an_unsend_is_repeated(raced: RacedChat) -> None:
    raced.withdraw_first("m8", "m9")

    raced.lease.release()

    assert raced.chat.turn.read().record.state == "idle"


def test_a_release_writes_the_turn_once(chat: Conversation) -> None:
    lease = opened(chat)
    before = chat.turn.read()

    lease.release()

    assert chat.turn.read().generation == before.generation + 1


def test_a_change_that_loses_to_an_unsend_keeps_the_words_out(raced: RacedChat) -> None:
    commit(raced.lease)
    raced.withdraw_first("m0")

    assert raced.lease.amend(replace(OUTCOME, kind=OutcomeKind.UNKNOWN), Route())

    record = raced.chat.turn.read().record
    assert record.outcome is not None
    assert (record.outcome.kind, record.outcome.text, record.route) == (OutcomeKind.UNKNOWN, None, Route())


def test_a_change_of_words_that_stand_is_written_whole(chat: Conversation) -> None:
    lease = opened(chat)
    commit(lease)

    assert lease.amend(replace(FIRST, kind=OutcomeKind.UNKNOWN), Route(kind="push"))

    record = chat.turn.read().record
    assert (record.outcome, record.route) == (replace(FIRST, kind=OutcomeKind.UNKNOWN), Route(kind="push"))


@pytest.mark.parametrize("step", ["renew", "release", "commit", "amend"])
def test_a_holder_whose_turn_another_worker_took_changes_nothing_more(raced: RacedChat, step: str) -> None:
    if step == "amend":
        commit(raced.lease)
    raced.take_first()

    match step:
        case "commit":
            assert not commit(raced.lease)
        case "amend":
            assert not raced.lease.amend(OUTCOME, ROUTE)
        case _:
            getattr(raced.lease, step)()

    record = raced.chat.turn.read().record
    assert (record.state, record.holder == raced.lease.holder) == ("thinking", False)
    assert raced.lease.is_over


def test_a_holder_that_loses_every_swap_gives_up(raced: RacedChat) -> None:
    raced.touch_first()
    raced.lease.renew()
    raced.lease.release()
    assert not commit(raced.lease)
    raced.store.others = []
    assert commit(raced.lease)

    raced.touch_first()
    assert not raced.lease.amend(replace(OUTCOME, kind=OutcomeKind.UNKNOWN), ROUTE)
    assert raced.chat.turn.read().record.outcome == FIRST


def test_a_takeover_goes_on_with_what_was_committed(chat: Conversation) -> None:
    former = opened(chat)
    commit(former)

    lease = take_over(chat, chat.turn.read())

    assert lease is not None
    assert (lease.record.state, lease.record.outcome, lease.record.route) == ("committed", FIRST, ROUTE)
    assert not former.amend(OUTCOME, Route())
    assert take_over(chat, replace(chat.turn.read(), generation=1)) is None


def test_seconds_that_are_left_are_counted_down_to_none(chat: Conversation, clock: FixedClock) -> None:
    lease = opened(chat)
    left = [lease.left_s]
    for seconds in (10, 6, 2, 60):
        clock.move(seconds)
        left.append(lease.left_s)

    assert left == [pytest.approx(one) for one in (17, 7, 1, 0, 0)]


@given(
    steps=st.lists(st.sampled_from(["open", "commit", "renew", "release", "cancel", "take over", "wait"]), max_size=12)
)
def test_at_most_one_holder_can_write_in_any_order_of_steps(steps: list[str]) -> None:
    clock = FixedClock()
    chat = conversations_on(ForgetfulStore(), InlineExecutor(), clock).of(CHAT)
    leases: list[Lease] = []
    for step in steps:
        match step:
            case "open" | "take over":
                act = open_turn if step == "open" else take_over
                lease = act(chat, chat.turn.read())
                leases += [lease] if lease else []
            case "cancel":
                withdraw_from_turn(chat, "m7")
            case "wait":
                clock.move(10)
            case "commit" | "renew" | "release":
                for lease in leases[-2:]:
                    commit(lease) if step == "commit" else getattr(lease, step)()

    able = [lease for lease in leases if lease.write(lease.record)]

    assert len(able) <= 1


def test_what_a_lost_write_was_to_charge_is_charged_by_the_next_one(clock: FixedClock) -> None:
    raced = RacedChat(clock)
    raced.chat.turn.ledger.put_back(CHAT, 70)
    raced.withdraw_first("m9")

    assert not raced.lease.write(raced.lease.record)
    raced.lease.renew()

    assert raced.chat.turn.read().record.spending.tokens == 70
    assert raced.chat.turn.ledger.take(CHAT) == 0
