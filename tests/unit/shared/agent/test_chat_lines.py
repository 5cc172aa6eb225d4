"""The chat as lines: how far back they reach, their days, and what stands for answers without words."""

import datetime as dt
import zoneinfo
from dataclasses import replace

import pytest

from shared.agent.chat_lines import HISTORY_TOKENS, ChatLines
from shared.agent.token_estimate import estimated_tokens
from shared.agent.transcript import DAY_NOTE_TOKENS, day_note, is_day_note
from shared.conversation.history import History
from shared.conversation.records import Audit, MessageRecord, Offer, OutcomeKind, OutcomeRecord, ProposedCall
from tests.support.chats import answer, message

LINES = ChatLines(time_zone=zoneinfo.ZoneInfo("UTC"), locale="en", names={}, quotable=None)
SILENCE = replace(answer(5, None), kind=OutcomeKind.SKIPPED, audit=Audit(model_name="model"))
FEW = 71


def shown(*messages: MessageRecord, outcomes: tuple[OutcomeRecord, ...] = ()) -> list[str]:
    """Return the lines after the first: for example, the note of a day and the line of a message."""
    history = History(messages=messages, outcomes=outcomes)
    return LINES.all_of(history, leaving_out=frozenset()).split("\n")[1:]


def message_of(number: int, tokens: int) -> MessageRecord:
    """Return a message that takes so many tokens with its header."""
    header = estimated_tokens(shown(message(number, ""))[1])
    return message(number, "長" * (tokens - header))


def test_messages_that_fill_the_budget_are_shown_and_the_one_before_them_is_counted() -> None:
    day_note = DAY_NOTE_TOKENS + 1
    count = HISTORY_TOKENS // 200
    said = [message_of(number, 199 - day_note * (number == count)) for number in range(1, count + 1)]
    oldest = message(0, "hi")

    assert len(shown(*said)) == 1 + len(said)
    told = shown(oldest, *said)
    assert told[0] == "[note] 1 older messages and answers are not shown here."
    assert len(told) == len(said) + 2
    assert len(shown(*said[:-1], message_of(count, 200 - day_note))) == 1 + len(said)  # the note of the cut, too


def test_few_messages_are_shown_from_the_first_on_and_many_from_a_marked_one() -> None:
    said = [message(number, f"line {number}") for number in range(FEW + 1)]

    assert shown(*said[:FEW])[1].endswith("line 0")
    assert not shown(*said)[1].endswith("line 0")


def test_a_note_begins_each_day_and_the_lines_below_it_have_hours_only() -> None:
    day_ms = 86_400_000
    said = (message(1, "late", timestamp_ms=day_ms - 60_000), message(2, "early", timestamp_ms=day_ms))
    said_later = message(3, "noon", timestamp_ms=3 * day_ms + day_ms // 2)
    replied = replace(answer(2, "morning"), timestamp_ms=day_ms + 60_000)

    assert shown(*said, said_later, outcomes=(replied,)) == [
        "[note] Thu 1970-01-01:",
        "[someone | 23:59] late",
        "[note] Fri 1970-01-02:",
        "[someone | 00:00] early",
        "[you | 00:01] morning",
        "[note] Sun 1970-01-04:",
        "[someone | 12:00] noon",
    ]


def test_days_are_those_of_the_bots_zone() -> None:
    tokyo = replace(LINES, time_zone=zoneinfo.ZoneInfo("Asia/Tokyo"))
    evening_ms = 15 * 3_600_000 - 60_000
    history = History(messages=(message(1, timestamp_ms=evening_ms), message(2, timestamp_ms=evening_ms + 60_000)))

    lines = tokyo.all_of(history, leaving_out=frozenset()).split("\n")[1:]

    assert lines[::2] == ["[note] Thu 1970-01-01:", "[note] Fri 1970-01-02:"]


def test_a_day_without_words_has_no_note() -> None:
    proposal = ProposedCall(tool="delete_entry", arguments="{}", name="x")
    wordless = replace(answer(2, None), timestamp_ms=2 * 86_400_000, offer=Offer(proposes=(proposal,)))

    assert [line for line in shown(message(1), outcomes=(wordless,)) if is_day_note(line)] == ["[note] Thu 1970-01-01:"]


def test_the_lines_of_a_prompt_stay_when_more_is_said_on_the_same_day_or_another() -> None:
    said = [message(number, timestamp_ms=number * 40_000_000) for number in range(1, 9)]

    shorter, longer = (shown(*said[:count]) for count in (7, 8))

    assert longer[: len(shorter)] == shorter


@pytest.mark.parametrize("day", [dt.date(2026, 11, 22), dt.date(999, 1, 1), dt.date(9999, 12, 31)])
def test_a_note_of_a_day_is_known_and_counted(day: dt.date) -> None:
    assert is_day_note(day_note(day))
    assert estimated_tokens(day_note(day)) == DAY_NOTE_TOKENS


@pytest.mark.parametrize("line", ["[note] Sun 2026-11-22: hi", "\\[note] Sun 2026-11-22:", "[note] To be answered:"])
def test_no_other_line_is_a_note_of_a_day(line: str) -> None:
    assert not is_day_note(line)


def test_an_answer_without_words_takes_no_line() -> None:
    proposing = replace(
        answer(2, None), offer=Offer(proposes=(ProposedCall(tool="delete_entry", arguments="{}", name="x"),))
    )

    assert shown(message(1), outcomes=(proposing,)) == shown(message(1))


@pytest.mark.parametrize(
    ("silence", "is_told"),
    [
        (SILENCE, True),
        (replace(SILENCE, timestamp_ms=3), True),
        (replace(SILENCE, timestamp_ms=2), False),
        (replace(SILENCE, audit=Audit(model_name=None)), False),
        (replace(SILENCE, kind=OutcomeKind.REPLIED), False),
    ],
)
def test_a_silence_that_the_model_chose_is_told_as_far_back_as_messages_are_shown(
    silence: OutcomeRecord, *, is_told: bool
) -> None:
    history = History(messages=(message(3), message(6)), outcomes=(silence,), shown_since_ms=3)

    lines = LINES.all_of(history, leaving_out=frozenset())

    assert ("[note] You said nothing about that." in lines) is is_told
