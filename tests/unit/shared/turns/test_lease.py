from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.adapters.memory import FixedClock, MemoryObjectStore
from shared.conversation.amendments import Amendments
from shared.conversation.provenance import Provenance
from shared.conversation.records import OutcomeKind, OutcomeRecord
from shared.conversation.store import Conversation
from shared.conversation.turn import Route
from shared.turns.lease import Lease, open_turn, take_over
from tests.support.chats import conversations_on, withdraw_from_turn
from tests.support.inline import InlineExecutor

CHAT = "U" + "1" * 32
OUTCOME = OutcomeRecord(
    webhook_event_id="e1",
    timestamp_ms=5,
    kind=OutcomeKind.REPLIED,
    covers=("m1",),
    saw=("m0", "m1"),
    since_ms=3,
    until_ms=5,
    text="hello",
)
FIRST = replace(OUTCOME, sequence=1)
ROUTE = Route(kind="token", reply_token="t1", received_ms=7)


class ForgetfulStore(MemoryObjectStore):
    """Loses the answers of writes: the client library tries again and reports that it lost, although it won."""

    loses = 0

    def replace(self, name: str, data: bytes, *, generation: int) -> int | None:
        written = super().replace(name, data, generation=generation)
        if self.loses and written is not None:
            self.loses -= 1
            return None
        return written


@pytest.fixture
def store() -> ForgetfulStore:
    return ForgetfulStore()


def opened(chat: Conversation) -> Lease:
    lease = open_turn(chat, chat.turn.read())
    assert lease is not None
    return lease


def commit(lease: Lease) -> bool:
    prompt = Provenance(ids=frozenset({"m0", "m1"}), since_ms=3)
    return lease.commit(OUTCOME, ROUTE, prompt=prompt) is not None


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
    assert opened(chat).record.tries == 0


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


def test_an_edit_ends_a_thinking_turn_and_leaves_a_committed_answer_alone(chat: Conversation) -> None:
    lease = opened(chat)
    chat.turn.update(lambda turn: turn.with_cancellation("m0"))
    assert not commit(lease)

    again = opened(chat)
    assert commit(again)
    chat.turn.update(lambda turn: turn.with_cancellation("m0"))
    assert chat.turn.read().record.outcome == FIRST


@pytest.mark.parametrize(("until_ms", "commits"), [(2, True), (3, False)])
def test_an_erasure_ends_a_turn_whose_prompt_reaches_back_before_it(
    chat: Conversation, until_ms: int, *, commits: bool
) -> None:
    lease = opened(chat)

    chat.turn.update(lambda turn: turn.without_withdrawn(Amendments(erased_ms=until_ms), None, lambda _: True))

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


def test_a_turn_that_a_withdrawal_rewrote_cannot_be_opened_as_seen(chat: Conversation) -> None:
    seen = chat.turn.read()

    withdraw_from_turn(chat, "m9")

    assert open_turn(chat, seen) is None


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


def test_a_renewed_lease_lasts_longer(chat: Conversation, clock: FixedClock) -> None:
    lease = opened(chat)
    clock.move(15)
    lease.renew()
    clock.move(15)

    assert chat.turn.read().record.expires_ms > clock.now_ms()
    assert commit(lease)


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
