from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from shared.adapters.memory import FixedClock, MemoryObjectStore
from shared.conversation.compaction import Compaction
from shared.conversation.records import ANSWERABLE_MS, OutcomeKind
from shared.conversation.store import Conversation
from shared.handlers.unsend import withdrawal_of
from tests.support.chats import answer, conversations_on, message, reader
from tests.support.inline import InlineExecutor
from tests.support.recaps import IN_TIME, LIMITS, QuotingSummariser, compaction_by, keep_messages

CHAT = "U" + "1" * 32


def journalled(chat: Conversation) -> list[str]:
    listed = chat.objects.store.list(chat.names.journal_prefix)
    return [one.name.removeprefix(chat.names.journal_prefix) for one in listed]


def test_a_short_journal_is_not_folded(chat: Conversation, clock: FixedClock, compaction: Compaction) -> None:
    keep_messages(chat, clock, range(4))

    assert not compaction.fold(chat, IN_TIME)


def test_readers_see_the_same_before_and_after_a_compaction(
    chat: Conversation, clock: FixedClock, compaction: Compaction
) -> None:
    keep_messages(chat, clock, range(5))
    before = reader().read_newest(chat)

    assert compaction.fold(chat, IN_TIME)

    after = reader().read_newest(chat)
    assert journalled(chat) == ["e4.outcome.json"]
    assert after.messages == before.messages
    assert [one.text for one in after.outcomes] == [one.text for one in before.outcomes]
    assert (after.covered, after.recorded) == (before.covered, before.recorded)
    assert after.provenance.ids == before.provenance.ids


def test_a_pending_message_and_the_newest_outcome_stay_in_the_journal(
    chat: Conversation, clock: FixedClock, compaction: Compaction
) -> None:
    keep_messages(chat, clock, range(5))
    [waiting] = keep_messages(chat, clock, range(7, 8), is_answered=False)

    compaction.fold(chat, IN_TIME)

    assert journalled(chat) == ["e4.outcome.json", "m7.json"]
    assert reader().read_newest(chat).pending(waiting, now_ms=clock.now_ms()) == (waiting,)


def test_messages_that_are_too_old_to_be_answered_are_folded(
    chat: Conversation, clock: FixedClock, compaction: Compaction
) -> None:
    keep_messages(chat, clock, range(5), is_answered=False)
    clock.move(ANSWERABLE_MS / 1_000)

    assert compaction.fold(chat, IN_TIME)
    assert journalled(chat) == []


def test_a_redelivered_message_that_was_folded_is_known_as_answered(
    chat: Conversation, clock: FixedClock, compaction: Compaction
) -> None:
    kept = keep_messages(chat, clock, range(5))
    compaction.fold(chat, IN_TIME)

    chat.journal.keep(kept[0])

    history = reader().read_newest(chat)
    assert history.pending(kept[0], now_ms=clock.now_ms()) == ()
    assert [one.line_message_id for one in history.messages].count("m0") == 1


def test_chatter_is_folded_without_the_model(
    chat: Conversation, compaction: Compaction, summariser: QuotingSummariser
) -> None:
    for number in range(9):
        chat.journal.keep(message(number, addressed=False))

    assert compaction.fold(chat, None)
    assert (summariser.asked, journalled(chat)) == ([], [])


def test_a_long_chat_is_kept_within_its_limits(
    chat: Conversation, clock: FixedClock, compaction: Compaction, summariser: QuotingSummariser
) -> None:
    sizes = []
    for begin in range(0, 90, 6):
        keep_messages(chat, clock, range(begin, begin + 6))
        compaction.fold(chat, IN_TIME)
        history = reader().read_newest(chat)
        sizes.append((len(history.recaps), len(history.older), len(history.messages)))

    assert sizes[5:] == [sizes[5]] * len(sizes[5:])
    summed_up = [one for batch in summariser.asked for one in batch]
    assert len(summed_up) == len(set(summed_up))
    assert sizes[-1][:2] == (LIMITS.recaps, LIMITS.sources)


def test_a_stored_answer_is_kept_until_its_button_is_pressed(
    chat: Conversation, clock: FixedClock, compaction: Compaction
) -> None:
    late = replace(answer(0, "at last"), webhook_event_id="e0-late", kind=OutcomeKind.STORED, answers=("e0",))
    chat.journal.record_outcome(late)
    for begin in range(0, 90, 6):
        keep_messages(chat, clock, range(begin, begin + 6))
        compaction.fold(chat, IN_TIME)

    assert "e0-late" in reader().read_newest(chat).recorded


def test_about_one_message_in_sixteen_triggers_a_compaction_check(compaction: Compaction) -> None:
    triggering = sum(compaction.is_triggered_by(f"57300000000000{number:04}") for number in range(3_200))

    assert 150 < triggering < 250


@given(
    steps=st.lists(
        st.tuples(st.sampled_from(["say", "answer", "fold", "unsend", "lose model"]), st.integers(0, 20)), max_size=40
    )
)
def test_no_message_is_lost_or_shown_twice_in_any_order_of_steps(steps: list[tuple[str, int]]) -> None:
    clock, summariser = FixedClock(), QuotingSummariser()
    chat = conversations_on(MemoryObjectStore(), InlineExecutor(), clock).of(CHAT)
    compaction, withdrawal = compaction_by(summariser, clock), withdrawal_of(clock)
    said: set[str] = set()
    withdrawn: set[str] = set()
    for step, number in steps:
        match step:
            case "say":
                keep_messages(chat, clock, range(number, number + 1), is_answered=False)
                said.add(f"m{number}")
            case "answer":
                keep_messages(chat, clock, range(number, number + 1))
                said.add(f"m{number}")
            case "fold":
                compaction.fold(chat, IN_TIME)
            case "unsend":
                withdrawal.withdraw(chat, f"m{number}", timestamp_ms=1)
                withdrawn.add(f"m{number}")
            case "lose model":
                summariser.is_down = not summariser.is_down
    for one in withdrawn:  # as every writer does after its write
        if chat.amendments.look().withdrawn >= {one}:
            chat.journal.drop(one)

    history = reader().read_newest(chat)
    shown = [one.line_message_id for one in (*history.older, *history.messages)]

    assert len(shown) == len(set(shown))
    assert set(shown) <= said - withdrawn
    recapped = {one for recap in history.recaps for one in recap.covers}
    assert len(shown) >= min(len(said - withdrawn), LIMITS.verbatim)
    assert recapped <= said - withdrawn
