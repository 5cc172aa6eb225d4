"""What of the chat's memory a turn is shown, and what it proposes to take back."""

import zoneinfo
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, Final

import pytest

from shared.adapters.memory import FixedClock, MemoryLineApi, MemoryObjectStore
from shared.adapters.memory.line_people import MemoryProfiles
from shared.agent.catch_up import CatchUp, is_catch_up_only
from shared.agent.chat_memory import LINE_TOKENS, MATCH_TOKENS, SPAN_TOKENS, ChatMemory
from shared.agent.people import People
from shared.agent.recall_request import NothingToRecallError, RecallRequest
from shared.agent.result_budget import tokens_of
from shared.agent.turn_context import TurnContext
from shared.conversation.history import History
from shared.conversation.records import MessageRecord
from shared.line.bot_name import BotName
from shared.line.display_names import DisplayNames
from tests.support.chats import conversations_on, message
from tests.support.inline import InlineExecutor
from tests.support.questions import question_about

YUKI, KENJI = "U" + "1" * 32, "U" + "2" * 32
GROUP: Final = "C" + "1" * 32
HOUR_MS: Final = 3_600_000
NOW_MS: Final = 1_000 * HOUR_MS


def said(hours_ago: int, text: str, *, by: str = YUKI, **changed: Any) -> MessageRecord:  # noqa: ANN401 - fields of MessageRecord
    at_ms = NOW_MS - hours_ago * HOUR_MS
    return replace(message(hours_ago, text, timestamp_ms=at_ms), user_id=by, **changed)


class Remembering:
    """A chat of which everything is in the history; its newest message asks."""

    def __init__(self, threads: ThreadPoolExecutor, chat_id: str = GROUP) -> None:
        clock = FixedClock(now_ms=NOW_MS)
        self.chat = conversations_on(MemoryObjectStore(), threads, clock).of(chat_id)
        names = DisplayNames(profiles=MemoryProfiles({YUKI: "Yuki", KENJI: "Kenji"}), threads=InlineExecutor())
        self.memory = ChatMemory(
            people=People(display_names=names, bot_name=BotName(account=MemoryLineApi(), configured="Momo")),
            time_zone=zoneinfo.ZoneInfo("UTC"),
            locale="en",
        )

    def context(self, *messages: MessageRecord, isolated: bool = False) -> TurnContext:
        asked = messages[-1:]
        history = History(messages=messages)
        question = question_about(self.chat, *asked, history=history.isolated(asked) if isolated else history)
        return TurnContext(conversation=self.chat, to_answer=asked, question=question)


@pytest.fixture
def group(reads: ThreadPoolExecutor) -> Remembering:
    return Remembering(reads)


def texts(lines: tuple[str, ...]) -> list[str]:
    return [line.partition("] ")[2] for line in lines]


ASKS: Final = said(0, "what was it?")


def test_what_is_found_comes_best_first_and_a_stretch_oldest_first(group: Remembering) -> None:
    context = group.context(said(9, "melon cake"), said(8, "melon"), said(7, "melon cake with cream"), ASKS)

    found = group.memory.find(context, RecallRequest(queries=("melon cake with cream",)))
    stretch = group.memory.find(context, RecallRequest(since_ms=0))

    assert texts(found.lines)[0] == "melon cake with cream"
    assert texts(stretch.lines) == ["melon cake", "melon", "melon cake with cream"]
    assert context.recalled.is_stretch


def test_a_search_shows_fewer_lines_than_a_stretch(group: Remembering) -> None:
    long = [said(100 - number, f"{number} melon {'長' * (LINE_TOKENS - 100)}") for number in range(60)]
    context = group.context(*long, ASKS)

    found = group.memory.find(context, RecallRequest(queries=("melon",)))
    stretch = group.memory.find(context, RecallRequest(since_ms=0))

    assert sum(map(tokens_of, found.lines)) <= MATCH_TOKENS < sum(map(tokens_of, stretch.lines)) <= SPAN_TOKENS
    assert found.left_out == 60 - len(found.lines) > 0


def test_lines_that_fill_what_a_search_may_show_are_shown(group: Remembering) -> None:
    def padded(hours_ago: int, tokens: int) -> MessageRecord:
        text = f"melon {chr(ord('一') + hours_ago)}"  # texts that are the same are shown once
        (line,) = group.memory.find(group.context(said(hours_ago, text), ASKS), RecallRequest(queries=("melon",))).lines
        return said(hours_ago, f"{text}{'長' * (tokens - tokens_of(line))}")

    filling = [padded(hours, MATCH_TOKENS // 10 - 1) for hours in range(11, 21)]

    assert len(group.memory.find(group.context(*filling, ASKS), RecallRequest(queries=("melon",))).lines) == 10
    longer = replace(filling[0], text=f"{filling[0].text}長")
    assert (
        len(group.memory.find(group.context(longer, *filling[1:], ASKS), RecallRequest(queries=("melon",))).lines) == 9
    )


def test_nobody_is_shown_what_was_said_before_they_joined_but_what_they_said_themselves(group: Remembering) -> None:
    group.chat.members.record_joining([YUKI], at_ms=NOW_MS - 5 * HOUR_MS)
    before, after = said(9, "my melon"), said(3, "our melon", by=KENJI)
    context = group.context(before, after, ASKS)

    assert texts(group.memory.find(context, RecallRequest(queries=("melon",))).lines) == ["our melon"]
    assert texts(group.memory.find(context, RecallRequest(since_ms=0)).lines) == ["our melon"]
    assert texts(group.memory.own_messages(context, RecallRequest(queries=("melon",))).lines) == ["my melon"]
    assert group.memory.own_ids(context) == frozenset({"m9", "m0"})
    assert texts(group.memory.propose(context, {"m9"}).lines) == ["my melon"]


@pytest.mark.parametrize(("joined", "since"), [(8, 6), (4, 4)])
def test_a_catch_up_begins_where_its_sender_spoke_last_or_joined_later(
    group: Remembering, joined: int, since: int
) -> None:
    group.chat.members.record_joining([YUKI], at_ms=NOW_MS - joined * HOUR_MS)
    lines = [said(hours, f"line {hours}", by=YUKI if hours == 6 else KENJI) for hours in range(9, 0, -1)]

    found = group.memory.find(group.context(*lines, ASKS), RecallRequest())

    assert texts(found.lines) == [f"line {hours}" for hours in range(since, 0, -1)]


def test_nothing_is_looked_up_without_a_prompt_or_for_one_that_shows_nothing_else(group: Remembering) -> None:
    for context in (TurnContext(conversation=group.chat), group.context(said(9, "melon"), ASKS, isolated=True)):
        with pytest.raises(NothingToRecallError):
            group.memory.find(context, RecallRequest(queries=("melon",)))


def test_in_a_chat_of_two_all_messages_are_the_askers(reads: ThreadPoolExecutor) -> None:
    direct = Remembering(reads, YUKI)

    assert direct.memory.own_ids(direct.context(said(9, "melon"), ASKS)) is None


def test_of_ones_own_messages_those_that_hold_the_words_are_proposed_else_the_most_alike(group: Remembering) -> None:
    cake, pie, ham = said(9, "melon cake"), said(8, "melon pie"), said(7, "ham")
    asks = said(0, "forget the melon cake and the plum")
    context = group.context(cake, pie, ham, said(6, "melon cake", by=KENJI), asks)

    literal = group.memory.own_messages(context, RecallRequest(queries=("melon cake", "durian")))
    assert texts(literal.lines) == ["melon cake", asks.text]
    assert [one.line_message_id for one in context.forgetting.proposed] == ["m9", "m0"]
    assert context.recalled.shown.provenance.ids == {"m9", "m0"}

    alike = group.memory.own_messages(context, RecallRequest(queries=("melon tart",)))
    assert texts(alike.lines) == ["melon cake", "melon pie"]


def test_what_a_request_quotes_is_proposed_whatever_else_it_says(group: Remembering) -> None:
    quoted, other = said(9, "melon"), said(8, "plum")
    context = group.context(quoted, other, replace(ASKS, quoted_message_id="m9"))

    assert texts(group.memory.own_messages(context, RecallRequest(queries=("plum",)), is_quoted=True).lines) == [
        "melon"
    ]
    assert texts(group.memory.own_messages(context, RecallRequest()).lines) == ["melon", "plum"]


CATCH_UP: Final = said(0, "/catchup")


@pytest.mark.parametrize(
    ("asked", "is_only"), [((), False), ((CATCH_UP,), True), ((ASKS,), False), ((CATCH_UP, ASKS), False)]
)
def test_only_a_turn_about_nothing_else_must_answer_a_catch_up(
    group: Remembering, asked: tuple[MessageRecord, ...], *, is_only: bool
) -> None:
    assert is_catch_up_only(TurnContext(conversation=group.chat, to_answer=asked)) is is_only


def task_of(group: Remembering, *messages: MessageRecord) -> tuple[str, ...]:
    content = CatchUp(memory=group.memory).content(group.context(*messages))
    assert content is not None
    return content.texts


def test_a_catch_up_tells_since_when_and_how_much_is_left_out(group: Remembering) -> None:
    long = [said(100 - number, f"{number} {'長' * (LINE_TOKENS - 100)}", by=KENJI) for number in range(60)]

    task, *lines = task_of(group, said(101, "see you"), *long, CATCH_UP)

    assert "what they missed since 1970-02-07 11:00, when they spoke last." in task
    assert f"At most 1,500 characters. {61 - len(lines)} older lines are left out here: say so. The lines" in task


def test_a_catch_up_of_who_never_spoke_has_no_beginning(group: Remembering) -> None:
    task, *lines = task_of(group, said(9, "hello", by=KENJI), CATCH_UP)

    assert "what they missed. Call" in task
    assert "At most 1,500 characters. The lines" in task
    assert texts(tuple(lines)) == ["hello"]


def test_a_catch_up_that_can_read_nothing_says_so(group: Remembering) -> None:
    assert "Nothing was said since then" in task_of(group, CATCH_UP)[-1]

    content = CatchUp(memory=group.memory).content(group.context(CATCH_UP, isolated=True))

    assert content is not None
    assert "Older messages cannot be read this time" in content.texts[0]
    assert CatchUp(memory=group.memory).content(group.context(ASKS)) is None
