"""The chat as lines: how far back they reach, and what stands for answers without words."""

import zoneinfo
from dataclasses import replace

import pytest

from shared.agent.chat_lines import HISTORY_TOKENS, ChatLines
from shared.agent.token_estimate import estimated_tokens
from shared.conversation.history import History
from shared.conversation.records import Audit, MessageRecord, Offer, OutcomeKind, OutcomeRecord, ProposedCall
from tests.support.chats import answer, message

LINES = ChatLines(time_zone=zoneinfo.ZoneInfo("UTC"), locale="en", names={}, quotable=None)
SILENCE = replace(answer(5, None), kind=OutcomeKind.SKIPPED, audit=Audit(model_name="model"))
FEW = 71


def shown(*messages: MessageRecord, outcomes: tuple[OutcomeRecord, ...] = ()) -> list[str]:
    """Return the lines after the first."""
    history = History(messages=messages, outcomes=outcomes)
    return LINES.all_of(history, leaving_out=frozenset()).split("\n")[1:]


def message_of(number: int, tokens: int) -> MessageRecord:
    """Return a message that takes so many tokens with its header."""
    header = estimated_tokens(LINES.line(message(number, "")))
    return message(number, "長" * (tokens - header))


def test_messages_that_fill_the_budget_are_shown_and_the_one_before_them_is_counted() -> None:
    said = [message_of(number, 199) for number in range(1, HISTORY_TOKENS // 200 + 1)]
    oldest = message(0, "hi")

    assert len(shown(*said)) == len(said)
    told = shown(oldest, *said)
    assert told[0] == "[note] 1 older messages and answers are not shown here."
    assert len(told) == len(said) + 1


def test_few_messages_are_shown_from_the_first_on_and_many_from_a_marked_one() -> None:
    said = [message(number, f"line {number}") for number in range(FEW + 1)]

    assert shown(*said[:FEW])[0].endswith("line 0")
    assert not shown(*said)[0].endswith("line 0")


def test_an_answer_without_words_takes_no_line() -> None:
    proposing = replace(
        answer(2, None), offer=Offer(proposes=(ProposedCall(tool="delete_entry", arguments="{}", name="x"),))
    )

    assert len(shown(message(1), outcomes=(proposing,))) == 1


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
