"""How much a look into the chat's memory shows, and who may have messages or facts forgotten."""

import zoneinfo
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import cast

import pytest

from shared.agent.model import Json
from shared.agent.tools import NeedsTap, Tool, ToolFault
from shared.conversation.records import MessageRecord
from shared.tools.own_facts import OwnFactTools
from shared.tools.recall import MemoryTools
from tests.support.archives import put_segment
from tests.support.chats import message
from tests.support.knowledge import FilingChat
from tests.unit.shared.agent.test_chat_memory import ASKS, KENJI, YUKI, Remembering, said

UTC = zoneinfo.ZoneInfo("UTC")


@pytest.fixture
def group(reads: ThreadPoolExecutor) -> Remembering:
    return Remembering(reads)


def tools_of(group: Remembering) -> dict[str, Tool]:
    tools = (
        *MemoryTools(memory=group.memory, time_zone=UTC).tools(),
        *OwnFactTools(memory=group.memory, time_zone=UTC).tools(),
    )
    return {tool.name: tool for tool in tools}


def recalled(group: Remembering, arguments: Json) -> list[str]:
    lines = [said(100 - number, f"melon {number}") for number in range(60)]
    result = tools_of(group)["recall"].run(arguments, group.context(*lines, ASKS))
    assert isinstance(result, Mapping)
    found = result["lines"]
    assert isinstance(found, list)
    return found


@pytest.mark.parametrize(
    ("arguments", "count"),
    [
        ({"query": "melon"}, 10),
        ({"query": "melon", "limit": 3}, 3),
        ({"query": "melon", "limit": 80}, 50),
        ({"since": "1970-01-01"}, 60),
        ({"since": "1970-01-01", "limit": 55}, 55),
    ],
)
def test_a_search_shows_the_best_few_and_a_stretch_all_of_it(group: Remembering, arguments: Json, count: int) -> None:
    assert len(recalled(group, arguments)) == count


def test_what_changes_nothing_is_a_reading_tool(group: Remembering) -> None:
    reading = {name for name, tool in tools_of(group).items() if tool.is_reading}

    assert reading == {"recall", "list_own_facts"}


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("forget_messages", {"query": "melon"}),
        ("list_own_facts", {}),
        ("forget_fact", {"path": "ideas/melon.md", "fact": "melon"}),
    ],
)
def test_of_several_people_who_ask_at_once_nothing_is_listed_or_forgotten(
    group: Remembering, name: str, arguments: Json
) -> None:
    asked = (said(2, "forget it"), said(1, "forget mine", by=KENJI))
    context = replace(group.context(said(9, "melon"), *asked), to_answer=asked)

    result = tools_of(group)[name].run(arguments, context)

    assert isinstance(result, ToolFault)
    assert "several people ask at once" in result.message
    assert not result.may_retry


def test_a_fact_of_what_the_person_does_not_name_waits_for_a_tap_after_a_reading(group: Remembering) -> None:
    chat = FilingChat()
    path = chat.file("庭の工事", message(1, "庭の工事"))
    context = chat.begin(replace(message(2, "忘れて"), user_id=YUKI)).context
    context.untrusted_input.record_outside("web_search")

    result = tools_of(group)["forget_fact"].run({"path": path, "fact": "庭の工事"}, context)

    assert result == NeedsTap(name="庭の工事")


@pytest.mark.parametrize(
    ("messages", "names"),
    [((said(9, "melon", by=KENJI), ASKS), "Kenji, Yuki"), ((message(1, "melon"), message(2, "what?")), "none")],
)
def test_a_name_of_nobody_is_answered_with_the_names_that_there_are(
    group: Remembering, messages: tuple[MessageRecord, ...], names: str
) -> None:
    result = tools_of(group)["recall"].run({"who": "Hana"}, group.context(*messages))

    assert isinstance(result, ToolFault)
    assert result.message.endswith(f"Names here: {names}.")
    assert result.may_retry


@pytest.mark.parametrize("name", ["recall", "forget_messages"])
def test_a_time_that_does_not_exist_is_looked_up_by_neither_tool(group: Remembering, name: str) -> None:
    result = tools_of(group)[name].run({"since": "yesterday"}, group.context(said(9, "melon"), ASKS))

    assert isinstance(result, ToolFault)
    assert "that exists" in result.message


def test_lines_from_an_archive_of_which_a_part_is_unreadable_are_partial(group: Remembering) -> None:
    context = group.context(said(3, "melon"), ASKS)
    put_segment(group.chat, [said(9, "lemon")])
    assert "isPartial" not in tools_of(group)["recall"].run({"query": "melon"}, context)  # type: ignore[operator]
    broken = put_segment(group.chat, [said(8, "melon")])
    store = group.chat.objects.store
    store.replace(broken, b"{", generation=store.list(broken)[0].generation)

    result = tools_of(group)["recall"].run({"query": "melon"}, context)

    assert isinstance(result, Mapping)
    assert result["isPartial"] is True


def test_of_many_entries_the_newest_are_listed(reads: ThreadPoolExecutor) -> None:
    chat = FilingChat(chat=YUKI)
    for number in range(1, 102):
        chat.clock.move(60)
        chat.file(f"fact {number}", replace(message(number, f"fact {number}"), user_id=YUKI), name=f"fact {number}")
    direct = Remembering(reads, YUKI)
    context = replace(direct.context(ASKS), staged=chat.begin(ASKS).context.staged)

    result = tools_of(direct)["list_own_facts"].run({"limit": 1}, context)

    assert isinstance(result, Mapping)
    (fact,) = cast("list[dict[str, str]]", result["facts"])
    assert fact["name"] == "fact 101"


def test_facts_of_a_message_that_is_kept_nowhere_any_more_are_of_the_member_whom_the_entry_names(
    group: Remembering,
) -> None:
    chat = FilingChat(chat=group.chat.id)
    for number, (name, user_id) in enumerate({"yukis boat": YUKI, "kenjis boat": KENJI, "a boat": None}.items(), 1):
        chat.file(name, replace(message(number, name), user_id=user_id), name=name)
    context = replace(group.context(ASKS), staged=chat.begin(ASKS).context.staged)

    result = tools_of(group)["list_own_facts"].run({}, context)

    assert isinstance(result, Mapping)
    assert {one["name"] for one in cast("list[dict[str, str]]", result["facts"])} == {"yukis boat"}
