from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.clock import SKEW_MS
from shared.conversation.records import ANSWERABLE_MS, Audit, OutcomeKind, StagedWrite
from shared.conversation.store import Conversation
from shared.conversation.turn import Route, TurnRecord
from shared.errors import StorageUnavailableError
from shared.line.messaging import ReplyToken
from shared.reminders.reminder import REMINDERS_PATH
from shared.storage.object_store import StoredObject
from shared.storage.versioned import Versioned
from shared.turns.lease import open_turn
from tests.support.chats import answer, made_with, withdraw_from_turn
from tests.support.races import SharedStore


@pytest.fixture
def store() -> SharedStore:
    return SharedStore()


def think(chat: Conversation) -> None:
    chat.turn.swap(chat.turn.read(), TurnRecord(state="thinking"))


def amend(chat: Conversation, *, is_affected: bool = True) -> None:
    chat.turn.amend(is_affected=lambda _: is_affected)


def commit(chat: Conversation) -> None:
    seen = chat.turn.read()
    chat.turn.swap(seen, seen.record.with_outcome(answer(1, "your pin is 4711"), Route()))


def test_a_chat_without_a_turn_is_idle(chat: Conversation) -> None:
    assert chat.turn.read() == Versioned(record=TurnRecord(state="idle"), generation=0)


def test_of_two_swaps_over_one_generation_one_wins(chat: Conversation) -> None:
    seen = chat.turn.read()

    assert chat.turn.swap(seen, TurnRecord(sequence=1)) == chat.turn.read()
    assert chat.turn.swap(seen, TurnRecord(sequence=2)) is None
    assert chat.turn.read().record.sequence == 1


def test_a_swap_that_won_is_known_to_have_won_although_another_follows_at_once(
    chat: Conversation, store: SharedStore
) -> None:
    seen = chat.turn.read()
    store.followed_by = [lambda: think(chat)]

    written = chat.turn.swap(seen, TurnRecord(sequence=1))

    assert written is not None
    assert (written.record.sequence, written.generation) == (1, chat.turn.read().generation - 1)


def test_a_withdrawal_moves_the_generation_of_a_thinking_turn(chat: Conversation) -> None:
    thinking = chat.turn.swap(chat.turn.read(), TurnRecord(state="thinking"))
    assert thinking is not None

    withdraw_from_turn(chat, "m9")

    assert chat.turn.swap(thinking, TurnRecord()) is None


def test_an_update_that_loses_every_swap_is_an_error(chat: Conversation, store: SharedStore) -> None:
    def never(*_: object, **__: object) -> None:
        return None

    chat.turn.swap(chat.turn.read(), TurnRecord(state="thinking"))
    store.replace = never  # type: ignore[method-assign]

    with pytest.raises(StorageUnavailableError, match="others kept changing the turn"):
        chat.turn.amend(is_affected=lambda _: True)


def test_an_amendment_that_loses_to_a_renewal_counts_all_the_same(chat: Conversation, store: SharedStore) -> None:
    think(chat)
    store.others = [lambda: chat.turn.swap(chat.turn.read(), chat.turn.read().record)]

    amend(chat)

    assert chat.turn.read().record.epoch == 1


def test_of_two_amendments_at_once_one_moves_the_epoch_for_both(chat: Conversation, store: SharedStore) -> None:
    think(chat)
    store.others = [lambda: amend(chat)]

    amend(chat)

    assert chat.turn.read().record.epoch == 1


def test_an_amendment_that_loses_to_the_commit_takes_its_words(chat: Conversation, store: SharedStore) -> None:
    def commit_after_another_look() -> None:
        amend(chat, is_affected=False)
        commit(chat)

    think(chat)
    for other in (lambda: commit(chat), commit_after_another_look):
        store.others = [other]

        amend(chat)

        outcome = chat.turn.read().record.outcome
        assert outcome is not None
        assert (outcome.kind, outcome.text) == (OutcomeKind.WITHDRAWN, None)
        think(chat)


def test_a_committed_answer_that_is_not_affected_is_not_written(chat: Conversation) -> None:
    think(chat)
    commit(chat)
    before = chat.turn.read()

    amend(chat, is_affected=False)

    assert chat.turn.read() == before


def test_an_answer_without_words_stays_as_it_is(chat: Conversation) -> None:
    think(chat)
    seen = chat.turn.read()
    chat.turn.swap(seen, seen.record.with_outcome(answer(1, None), Route()))
    before = chat.turn.read()

    amend(chat)

    assert chat.turn.read() == before


@pytest.mark.parametrize(
    ("age_ms", "covered"), [(ANSWERABLE_MS + SKEW_MS - 1, {"m0": 0, "m1": 1}), (ANSWERABLE_MS + SKEW_MS, {"m1": 1})]
)
def test_what_is_covered_is_known_while_a_late_clock_may_take_it_for_answerable(
    age_ms: int, covered: dict[str, int]
) -> None:
    turn = TurnRecord(state="committed", covered={"m0": 0}, outcome=answer(1))

    assert turn.followed_by("idle", now_ms=age_ms).covered == covered


def test_an_outcome_that_covers_no_message_is_known_by_its_event() -> None:
    greeting = made_with(replace(answer(1), answered_ids=()))
    turn = TurnRecord(state="committed", outcome=greeting)

    assert turn.followed_by("idle", now_ms=greeting.timestamp_ms).covered == {
        greeting.webhook_event_id: greeting.timestamp_ms
    }


def test_the_presses_that_an_answer_carried_out_are_covered_with_its_own() -> None:
    ticked = replace(answer(1), answered_ids=(), pressed_ids=("press 2", "press 3"))
    turn = TurnRecord(state="committed", outcome=ticked)

    assert set(turn.followed_by("idle", now_ms=1).covered) == {ticked.webhook_event_id, "press 2", "press 3"}


def test_only_a_committed_turn_has_an_outcome_to_deliver() -> None:
    outcome = answer(1)

    assert TurnRecord(state="committed", outcome=outcome).committed == outcome
    assert TurnRecord(state="idle", outcome=outcome).committed is None


@given(st.text(max_size=5), st.integers(0, 2**42))
def test_a_route_on_a_token_has_that_token(value: str, received_ms: int) -> None:
    token = ReplyToken(value=value, received_ms=received_ms)

    assert Route.on(token) == Route(kind="token", reply_token=token)


def test_a_route_without_a_token_is_none() -> None:
    assert Route.on(None) == Route(kind="none")
    assert Route.on(None).reply_token is None


def test_a_reply_token_is_not_in_the_repr_of_its_route() -> None:
    assert "secret" not in repr(Route.on(ReplyToken(value="secret", received_ms=1)))


def test_a_swap_whose_answer_was_lost_has_won(chat: Conversation, store: SharedStore) -> None:
    seen, replace_object = chat.turn.read(), store.replace

    def lose_the_answer(name: str, data: bytes, *, generation: int) -> None:
        replace_object(name, data, generation=generation)

    store.replace = lose_the_answer  # type: ignore[method-assign]

    assert chat.turn.swap(seen, TurnRecord(sequence=1)) == chat.turn.read()
    assert chat.turn.swap(seen, TurnRecord(sequence=2)) is None


def test_what_was_charged_to_a_chat_is_in_its_turn_once(chat: Conversation) -> None:
    chat.turn.ledger.put_back(chat.id, 70)

    chat.turn.settle()
    settled = chat.turn.read()
    chat.turn.settle()

    assert chat.turn.spending(settled.record).tokens == 70
    assert chat.turn.read() == settled


def test_what_cannot_be_settled_stays_charged(chat: Conversation, store: SharedStore) -> None:
    chat.turn.ledger.put_back(chat.id, 70)
    store.others = [lambda: think(chat)] * 99

    chat.turn.settle()

    assert chat.turn.spending(chat.turn.read().record).tokens == 0
    assert chat.turn.ledger.take(chat.id) == 70


def test_a_settlement_that_loses_a_swap_is_repeated(chat: Conversation, store: SharedStore) -> None:
    chat.turn.ledger.put_back(chat.id, 70)
    store.others = [lambda: think(chat)]

    chat.turn.settle()

    settled = chat.turn.read().record
    assert (settled.state, chat.turn.spending(settled).tokens) == ("thinking", 70)
    assert chat.turn.ledger.take(chat.id) == 0


def test_a_settlement_over_the_turn_that_was_written_last_reads_nothing(chat: Conversation, store: SharedStore) -> None:
    known = chat.turn.swap(chat.turn.read(), TurnRecord(state="thinking"))
    chat.turn.ledger.put_back(chat.id, 70)
    read_names: list[str] = []
    read = store.read

    def note_and_read(name: str) -> StoredObject | None:
        read_names.append(name)
        return read(name)

    store.read = note_and_read  # type: ignore[method-assign]
    chat.turn.settle(known)

    assert read_names == []
    settled = chat.turn.read().record
    assert (settled.state, chat.turn.spending(settled).tokens) == ("thinking", 70)


def test_a_settlement_over_a_turn_that_another_worker_wrote_since_keeps_what_that_one_wrote(chat: Conversation) -> None:
    known = chat.turn.swap(chat.turn.read(), TurnRecord(state="thinking"))
    commit(chat)
    chat.turn.ledger.put_back(chat.id, 70)

    chat.turn.settle(known)

    settled = chat.turn.read().record
    assert (settled.state, chat.turn.spending(settled).tokens) == ("committed", 70)
    assert chat.turn.ledger.take(chat.id) == 0


@pytest.mark.parametrize("charging_writes", [0, 1, 15])
def test_a_charge_that_was_made_and_overwritten_before_its_writer_knew_is_not_made_again(
    chat: Conversation, store: SharedStore, charging_writes: int
) -> None:
    seen, replace_object = chat.turn.read(), store.replace

    def lose_the_answer_and_be_overwritten(name: str, data: bytes, *, generation: int) -> None:
        store.replace = replace_object  # type: ignore[method-assign]
        replace_object(name, data, generation=generation)
        there = chat.turn.read()
        there = chat.turn.swap(there, replace(there.record, state="thinking")) or there
        for _ in range(charging_writes):
            there = chat.turn.swap(there, there.record, charged=1) or there

    store.replace = lose_the_answer_and_be_overwritten  # type: ignore[method-assign]

    assert chat.turn.swap(seen, seen.record, charged=70) is None

    assert chat.turn.read().record.spending.tokens == 70 + charging_writes
    assert not chat.turn.ledger.owes(chat.id)


@pytest.mark.parametrize("takes_effect", [True, False])
def test_a_charge_whose_write_failed_is_made_once(chat: Conversation, store: SharedStore, takes_effect: bool) -> None:
    replace_object = store.replace

    def fail(name: str, data: bytes, *, generation: int) -> int | None:
        store.replace = replace_object  # type: ignore[method-assign]
        if takes_effect:
            replace_object(name, data, generation=generation)
        raise StorageUnavailableError("no answer")

    store.replace = fail  # type: ignore[method-assign]
    seen = chat.turn.read()
    chat.turn.ledger.put_back(chat.id, 70)
    with pytest.raises(StorageUnavailableError):
        chat.turn.settle(seen)

    there = chat.turn.read()
    known = chat.turn.ledger.spending(chat.id, chat.turn.clock.now_ms())
    assert known is not None
    assert known.tokens == 70
    chat.turn.swap(there, replace(there.record, state="thinking"))
    chat.turn.settle()

    assert chat.turn.read().record.spending.tokens == 70


def test_an_outcome_over_the_limit_has_told_the_chat() -> None:
    told, other = (replace(answer(1), audit=Audit(is_over_limit=one)) for one in (True, False))

    assert TurnRecord().with_outcome(told, Route()).spending.was_told
    assert not TurnRecord().with_outcome(other, Route()).spending.was_told


def test_what_a_tick_leaves_is_looked_for_until_a_turn_found_nothing_left(chat: Conversation) -> None:
    assert chat.turn.read().record.has_left  # no turn has looked yet

    chat.turn.leave()
    lease = open_turn(chat, chat.turn.read())
    assert lease is not None
    lease.note_said(lease.record.left)
    lease.release()

    seen = chat.turn.read()
    assert not seen.record.has_left
    assert not seen.record.followed_by("thinking", now_ms=0).has_left
    chat.turn.leave()
    assert chat.turn.read().record.has_left


def test_a_look_for_what_is_left_does_not_count_for_what_a_tick_leaves_after_it(chat: Conversation) -> None:
    lease = open_turn(chat, chat.turn.read())
    assert lease is not None
    left = lease.record.left
    chat.turn.leave()

    lease.note_said(left)
    lease.release()

    assert chat.turn.read().record.has_left


def test_reminders_may_stand_until_a_turn_found_none_and_after_a_commit_with_one(chat: Conversation) -> None:
    lease = open_turn(chat, chat.turn.read())
    assert lease is not None
    assert lease.record.may_have_reminders  # no turn has looked yet
    lease.note_no_reminders()
    lease.release()
    record = chat.turn.read().record
    assert not record.may_have_reminders
    assert not record.followed_by("thinking", now_ms=0).may_have_reminders
    assert not record.with_outcome(answer(1), Route()).may_have_reminders

    written = replace(answer(1), writes=(StagedWrite(path=f"{REMINDERS_PATH}r1", text="{}"),))
    cancelled = replace(answer(1), writes=(StagedWrite(path=f"{REMINDERS_PATH}r1", text=None),))

    assert record.with_outcome(written, Route()).may_have_reminders
    assert record.with_outcome(written, Route()).abandoned().may_have_reminders
    assert record.with_outcome(written, Route()).writes_reminders
    assert not record.with_outcome(cancelled, Route()).may_have_reminders
