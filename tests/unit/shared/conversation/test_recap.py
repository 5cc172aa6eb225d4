from dataclasses import replace

import pytest

from shared.adapters.memory import FixedClock, MemoryObjectStore
from shared.clock import Deadline
from shared.conversation.compaction import Compaction
from shared.conversation.records import Amendment
from shared.conversation.store import Conversation
from shared.conversation.withdrawal import Withdrawal
from tests.support.chats import answer, everything_in, message, reader
from tests.support.recaps import IN_TIME, QuotingSummariser, keep_messages


def test_messages_beyond_the_verbatim_part_are_summed_up_with_their_answers(
    chat: Conversation, clock: FixedClock, compaction: Compaction, summariser: QuotingSummariser
) -> None:
    keep_messages(chat, clock, range(13))

    compaction.fold(chat, IN_TIME)

    history = reader().read_newest(chat)
    assert summariser.asked == [("m0", "m1", "m2"), ("m3", "m4", "m5")]
    assert "answer-1" in history.recaps[0].text
    assert [one.line_message_id for one in history.older] == [f"m{number}" for number in range(6)]
    assert [one.line_message_id for one in history.messages] == [f"m{number}" for number in range(6, 13)]
    assert all(one.timestamp_ms >= history.messages[0].timestamp_ms for one in history.answers)


def test_messages_stay_where_a_recap_fails(
    chat: Conversation, clock: FixedClock, compaction: Compaction, summariser: QuotingSummariser
) -> None:
    summariser.is_down = True
    keep_messages(chat, clock, range(10))

    assert compaction.fold(chat, IN_TIME)
    assert len(reader().read_newest(chat).messages) == 10

    summariser.is_down = False
    keep_messages(chat, clock, range(10, 15))
    compaction.fold(chat, IN_TIME)
    assert summariser.asked == [("m0", "m1", "m2"), ("m3", "m4", "m5")]


def test_no_message_of_a_long_chat_is_summed_up_twice(
    chat: Conversation, clock: FixedClock, compaction: Compaction, summariser: QuotingSummariser
) -> None:
    for begin in range(0, 90, 6):
        keep_messages(chat, clock, range(begin, begin + 6))
        compaction.fold(chat, IN_TIME)

    summed_up = [one for asked in summariser.asked for one in asked]
    shown = [one.line_message_id for one in reader().read_newest(chat).messages]
    assert summed_up == [f"m{number}" for number in range(84)]
    assert shown == [f"m{number}" for number in range(84, 90)]


def test_a_recap_whose_source_was_withdrawn_is_written_again_without_it(
    chat: Conversation,
    clock: FixedClock,
    compaction: Compaction,
    summariser: QuotingSummariser,
    withdrawal: Withdrawal,
    store: MemoryObjectStore,
) -> None:
    keep_messages(chat, clock, range(12))
    compaction.fold(chat, IN_TIME)
    withdrawal.withdraw(chat, "m1", timestamp_ms=clock.now_ms())
    assert "word-1 " not in everything_in(store) + " "
    summariser.asked.clear()

    keep_messages(chat, clock, range(12, 17))
    compaction.fold(chat, IN_TIME)

    assert summariser.asked[0] == ("m0", "m2")
    assert "word-1 " not in everything_in(store) + " "


def test_a_recap_names_the_messages_and_the_answers_that_it_sums_up(
    chat: Conversation, clock: FixedClock, compaction: Compaction, withdrawal: Withdrawal
) -> None:
    kept = keep_messages(chat, clock, range(12), is_answered=False)
    for number, one in enumerate(kept):
        outcome = replace(answer(number), timestamp_ms=one.timestamp_ms, since_ms=one.timestamp_ms)
        chat.journal.record_outcome(outcome)
    compaction.fold(chat, IN_TIME)
    recaps = chat.snapshot.read().record.recaps
    assert recaps
    assert [one.saw for one in recaps] == [tuple(f"e{named[1:]}" for named in one.covers) for one in recaps]
    assert [one.id for one in recaps] == [f"recap-{number + 1}" for number in range(len(recaps))]

    withdrawal.withdraw(chat, "m11", timestamp_ms=clock.now_ms())

    assert chat.snapshot.read().record.recaps == recaps


def test_an_unsend_while_the_model_sums_up_wins_over_the_recap(
    chat: Conversation,
    clock: FixedClock,
    compaction: Compaction,
    summariser: QuotingSummariser,
    withdrawal: Withdrawal,
    store: MemoryObjectStore,
) -> None:
    keep_messages(chat, clock, range(12))
    summariser.meanwhile = lambda: withdrawal.withdraw(chat, "m1", timestamp_ms=clock.now_ms())

    compaction.fold(chat, IN_TIME)

    assert reader().read_newest(chat).recaps == ()
    assert '"word-1"' not in everything_in(store)


def test_no_prompt_of_a_recap_holds_a_message_that_was_withdrawn_meanwhile(
    chat: Conversation,
    clock: FixedClock,
    compaction: Compaction,
    summariser: QuotingSummariser,
    withdrawal: Withdrawal,
) -> None:
    keep_messages(chat, clock, range(13))
    summariser.meanwhile = lambda: withdrawal.withdraw(chat, "m4", timestamp_ms=clock.now_ms())

    compaction.fold(chat, IN_TIME)

    assert summariser.asked == [("m0", "m1", "m2")]


def test_no_recap_is_begun_after_the_first_step_of_an_unsend(
    chat: Conversation, clock: FixedClock, compaction: Compaction, summariser: QuotingSummariser
) -> None:
    keep_messages(chat, clock, range(13))
    summariser.meanwhile = lambda: chat.amendments.amend(Amendment(line_message_id="m4", timestamp_ms=clock.now_ms()))

    compaction.fold(chat, IN_TIME)

    assert summariser.asked == [("m0", "m1", "m2")]


def test_a_recap_that_crashed_its_workers_is_given_up(
    chat: Conversation, clock: FixedClock, compaction: Compaction, summariser: QuotingSummariser
) -> None:
    def crash() -> None:
        raise SystemExit

    summariser.meanwhile = crash
    keep_messages(chat, clock, range(9))
    for _ in range(2):
        with pytest.raises(SystemExit):
            compaction.fold(chat, IN_TIME)
        # a redelivery leaves the recap to the worker that recorded an attempt less than 30 s ago
        assert not compaction.fold(chat, IN_TIME)
        clock.move(30)

    summariser.meanwhile = lambda: None
    keep_messages(chat, clock, range(9, 12))
    compaction.fold(chat, IN_TIME)

    history = reader().read_newest(chat)
    assert [(one.text == "", one.covers) for one in history.recaps] == [
        (True, ("m0", "m1", "m2")),
        (False, ("m3", "m4", "m5")),
    ]
    assert [one.line_message_id for one in history.older] == [f"m{number}" for number in range(6)]


def test_an_attempt_that_failed_does_not_count_as_a_crash(
    chat: Conversation, clock: FixedClock, compaction: Compaction, summariser: QuotingSummariser
) -> None:
    summariser.is_down = True
    keep_messages(chat, clock, range(10))
    for _ in range(4):
        compaction.fold(chat, IN_TIME)

    summariser.is_down = False
    compaction.fold(chat, IN_TIME)

    assert summariser.asked == [("m0", "m1", "m2")]


def test_chatter_is_summed_up_after_the_next_answer(
    chat: Conversation, compaction: Compaction, summariser: QuotingSummariser
) -> None:
    for number in range(12):
        chat.journal.keep(message(number, addressed=False))
    compaction.fold(chat, None)
    shown = len(reader().read_newest(chat).messages)

    assert compaction.is_due(journalled=1, shown=shown)
    assert compaction.fold(chat, IN_TIME)

    assert summariser.asked == [("m0", "m1", "m2"), ("m3", "m4", "m5")]
    assert not compaction.is_due(journalled=1, shown=len(reader().read_newest(chat).messages))


def test_a_request_that_is_nearly_over_begins_no_recap_and_counts_no_try(
    chat: Conversation, clock: FixedClock, compaction: Compaction, summariser: QuotingSummariser
) -> None:
    keep_messages(chat, clock, range(12))

    assert compaction.fold(chat, Deadline.after(FixedClock(), 19))

    assert summariser.asked == []
    assert chat.snapshot.read().record.recap_tries == 0
