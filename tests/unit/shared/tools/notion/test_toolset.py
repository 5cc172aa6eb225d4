import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from shared.adapters.memory import FixedClock, MemoryNotion, MemoryObjectStore
from shared.agent.model import Json
from shared.agent.receipts import Deed, receipt
from shared.agent.registry import Registry
from shared.agent.tools import ToolFault
from shared.agent.turn_context import TurnContext
from shared.clock import Deadline
from shared.tools.core import core_tools
from shared.tools.idempotency import IdempotentWrites
from shared.tools.notion.databases import CACHE_TTL_S, Databases, TtlCache
from shared.tools.notion.known_properties import KnownProperties
from shared.tools.notion.port import Property
from shared.tools.notion.toolset import PAGES_SHOWN, NotionTools
from tests.support.chats import message
from tests.support.knowledge import CHAT, conversation_on
from tests.support.notion import schema, shopping_list, todo_list

ELSEWHERE = "33333333-3333-4333-8333-333333333333"


class Desk:
    """The toolset on in-memory ports."""

    def __init__(self, conversations: frozenset[str] | None = None) -> None:
        self.clock = FixedClock()
        self.notion = MemoryNotion(self.clock, people=["ゆき"])
        self.store = MemoryObjectStore()
        self.conversation = conversation_on(self.store)
        ids = {
            "shopping_list": self.notion.add_database(shopping_list()),
            "todo_list": self.notion.add_database(todo_list()),
        }
        self.foreign = schema(ELSEWHERE, 名前="title")
        self.notion.add_database(self.foreign)
        self.deeds: tuple[Deed, ...] = ()  # of the last call
        self._conversations = conversations
        self._ids = ids
        self.restart()

    def restart(self) -> None:
        """Start a new process: every cache is empty."""
        databases = Databases(api=self.notion, ids=self._ids, cache=TtlCache(self.clock))
        tools = NotionTools(
            databases=databases,
            properties=KnownProperties(databases, self.clock),
            notion=self.notion,
            writes=IdempotentWrites(clock=self.clock),
            time_zone="Asia/Tokyo",
            conversations=self._conversations,
        )
        self.registry = Registry((*core_tools(), *tools.tools()))

    def call(self, name: str, *, first: str = "m1", seconds: float = 10.0, **arguments: object) -> Any:  # noqa: ANN401 - JSON
        """Call a tool; its result matches its schema."""
        tool = self.registry.find(name, TurnContext(conversation=self.conversation))
        assert tool is not None
        assert self.registry.faults_of_arguments(tool, arguments) is None
        context = TurnContext(
            conversation=self.conversation,
            to_answer=(replace(message(1), line_message_id=first),),
            deadline=Deadline.after(self.clock, seconds),
        )
        result = tool.run(arguments, context)
        self.deeds = context.outside.done
        if isinstance(result, ToolFault):
            return result
        assert isinstance(result, dict)
        assert self.registry.faults_of_response(tool, result) is None
        return result

    def add_old_page(self, title: str) -> None:
        """Add a page of this integration's, created four minutes ago by a turn that left no record."""
        properties = {**_title_of(title), "数量": {"number": 2}}
        self.notion.add_page(shopping_list().data_source_id, properties, is_own=True)
        self.clock.move(240)

    def create(self, title: str, **properties: object) -> Any:  # noqa: ANN401 - JSON
        return self.call("create_page", database_name="shopping_list", title=title, properties=properties)


@pytest.fixture
def desk() -> Desk:
    return Desk()


def message_of(fault: object) -> str:
    assert isinstance(fault, ToolFault)
    return fault.message


def test_a_page_is_created_found_updated_and_appended_to(desk: Desk) -> None:
    made = desk.create("牛乳", 数量=2)
    found = desk.call("search_database", database_name="shopping_list", query="牛")
    changed = desk.call("update_page", page_id=made["page_id"], properties={"購入済み": True})
    written = desk.call("append_block", page_id=made["page_id"], content="- 低脂肪")

    assert made == {"status": "success", "page_id": made["page_id"]}
    assert found["pages"] == [
        {"page_id": made["page_id"], "title": "牛乳", "properties": {"数量": 2}}
    ]  # fmt: skip
    assert not found["has_more"]
    assert '"店" (select: "スーパー", "ドラッグストア")' in found["properties"]
    assert changed == {"status": "success", "page_id": made["page_id"]}
    assert written == {"status": "success", "page_id": made["page_id"], "blocks": 1}
    again = desk.call("search_database", database_name="shopping_list", filter_conditions={"購入済み": True})
    assert [page["title"] for page in again["pages"]] == ["牛乳"]


@pytest.mark.parametrize("properties", [{"数量": 2}, json.dumps({"数量": 2}), '{"数量": "2"}'])
def test_properties_are_an_object_or_the_text_of_one(properties: object, desk: Desk) -> None:
    desk.call("create_page", database_name="shopping_list", title="牛乳", properties=properties)

    assert desk.notion.pages[0].properties["数量"]["number"] == 2


def test_an_object_and_its_text_are_the_same_call(desk: Desk) -> None:
    desk.call("create_page", database_name="shopping_list", title="牛乳", properties={"数量": 2, "店": "スーパー"})

    again = desk.call(
        "create_page", database_name="shopping_list", title="牛乳", properties='{"店": "スーパー", "数量": 2}'
    )

    assert "already" in again["note"]
    assert len(desk.notion.pages) == 1


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("{数量: 2}", "`properties` is not valid JSON at character 1"),
        ("[1]", "`properties` must be a JSON object"),
        ('"x"', "`properties` must be a JSON object"),
        ("[" * 100_000, "`properties` is not valid JSON"),
    ],
)
def test_an_invalid_text_of_an_object_is_explained(text: str, complaint: str, desk: Desk) -> None:
    tool = desk.registry.find("create_page", TurnContext(conversation=desk.conversation))
    assert tool is not None
    arguments = {"database_name": "shopping_list", "title": "x", "properties": text}

    assert complaint in message_of(tool.run(arguments, TurnContext(conversation=desk.conversation)))


def test_an_unknown_option_is_refused_with_the_known_ones(desk: Desk) -> None:
    answer = desk.create("牛乳", 店="八百屋")

    assert '"店" has no option "八百屋"; its options are: "スーパー", "ドラッグストア".' in message_of(answer)
    assert desk.notion.pages == ()
    assert desk.store.list("") == ()


def test_an_option_added_after_the_schema_was_cached_is_found(desk: Desk) -> None:
    desk.create("牛乳", 店="スーパー")
    (database_id,) = (one for one, sources in desk.notion.sources.items() if "店" in sources[0].properties)
    (old,) = desk.notion.sources[database_id]
    wider = Property(name="店", type="select", options=("スーパー", "八百屋"))
    desk.notion.sources[database_id] = (replace(old, properties={**old.properties, "店": wider}),)

    assert desk.create("大根", 店="八百屋")["status"] == "success"


def test_a_cached_value_is_read_again_after_its_ttl() -> None:
    clock = FixedClock()
    cache = TtlCache(clock)
    reads: list[int] = []

    def read() -> int:
        reads.append(1)
        return len(reads)

    assert [cache.get("a", read), cache.get("a", read), cache.get("b", read)] == [1, 1, 2]
    clock.move(CACHE_TTL_S)
    assert cache.get("a", read) == 3
    assert cache.get("a", read, refresh=True) == 4


def test_declarations_take_objects_as_text_and_name_the_databases(desk: Desk) -> None:
    properties = {
        declaration.name: declaration.parameters["properties"]
        for declaration in desk.registry.declarations(TurnContext(conversation=desk.conversation))
    }

    for name, parameter in [
        ("search_database", "filter_conditions"),
        ("create_page", "properties"),
        ("update_page", "properties"),
    ]:
        declared = properties[name][parameter]  # type: ignore[index]  # JSON
        assert declared["type"] == "string"
        assert "anyOf" not in declared
    assert properties["create_page"]["database_name"]["enum"] == ["shopping_list", "todo_list"]  # type: ignore[index]


def test_schemas_that_name_the_databases_are_valid(desk: Desk) -> None:
    for tool in desk.registry:
        Draft202012Validator.check_schema(tool.parameters)
        Draft202012Validator.check_schema(tool.declaration.parameters)


def test_only_configured_databases_are_accepted(desk: Desk) -> None:
    tool = desk.registry.find("search_database", TurnContext(conversation=desk.conversation))
    assert tool is not None

    fault = desk.registry.faults_of_arguments(tool, {"database_name": "diary"})

    assert fault is not None
    assert 'enum: ["shopping_list", "todo_list"]' in fault


@pytest.mark.parametrize(
    ("name", "more"), [("update_page", {"properties": {"名前": "x"}}), ("append_block", {"content": "x"})]
)
def test_a_page_outside_the_configured_databases_is_not_found(name: str, more: dict[str, Any], desk: Desk) -> None:
    foreign = desk.notion.add_page(ELSEWHERE, {"名前": {"title": [{"text": {"content": "日記"}}]}})

    outside = desk.call(name, page_id=foreign.page_id, **more)
    unknown = desk.call(name, page_id="44444444-4444-4444-8444-444444444444", **more)

    assert "There is no page of this page_id" in message_of(outside)
    assert message_of(outside) == message_of(unknown)
    assert desk.notion.written == []


def test_a_page_in_the_trash_is_not_found(desk: Desk) -> None:
    made = desk.create("牛乳")
    page = desk.notion._pages[made["page_id"]]  # noqa: SLF001 - the fake has no way to trash a page
    desk.notion._pages[made["page_id"]] = replace(page, in_trash=True)  # noqa: SLF001

    assert "There is no page" in message_of(desk.call("append_block", page_id=made["page_id"], content="x"))


@pytest.mark.parametrize("page_id", ["", "x", "../users/me", "1" * 31, "1" * 33])
def test_a_malformed_page_id_is_refused(page_id: str, desk: Desk) -> None:
    tool = desk.registry.find("update_page", TurnContext(conversation=desk.conversation))
    assert tool is not None

    assert desk.registry.faults_of_arguments(tool, {"page_id": page_id, "properties": {}})


def test_an_empty_update_or_text_is_refused(desk: Desk) -> None:
    made = desk.create("牛乳")

    assert "nothing to change" in message_of(desk.call("update_page", page_id=made["page_id"], properties="{}"))
    for blank in (" \n", "```\n```", ">"):
        assert "no text" in message_of(desk.call("append_block", page_id=made["page_id"], content=blank))


def test_a_search_tells_that_there_are_more_pages(desk: Desk) -> None:
    for number in range(PAGES_SHOWN + 1):
        desk.create(f"品 {number}")

    found = desk.call("search_database", database_name="shopping_list")

    assert len(found["pages"]) == PAGES_SHOWN
    assert found["has_more"]


def test_long_texts_are_cut_between_graphemes(desk: Desk) -> None:
    desk.call("create_page", database_name="todo_list", title="x", properties={"メモ": "👨‍👩‍👧" * 200})

    (page,) = desk.call("search_database", database_name="todo_list")["pages"]

    assert page["properties"]["メモ"].endswith("👧…")
    assert len(page["properties"]["メモ"]) <= 301


def test_a_text_that_was_shown_in_part_does_not_lose_its_end(desk: Desk) -> None:
    whole = "".join(f"{number}番。" for number in range(200))
    made = desk.call("create_page", database_name="todo_list", title="x", properties={"メモ": whole})
    (page,) = desk.call("search_database", database_name="todo_list")["pages"]
    shown = page["properties"]["メモ"].removesuffix("…")

    refused = desk.call("update_page", page_id=made["page_id"], properties={"メモ": f"{shown}ボブに電話"})

    assert "its end would be lost" in message_of(refused)
    assert "199番。" in str(desk.notion.pages[0].properties)
    for other in (f"{whole}ボブに電話", "0番。1番。", "新しいメモ"):
        assert desk.call("update_page", page_id=made["page_id"], properties={"メモ": other})["status"] == "success"


def test_lone_surrogates_in_arguments_are_replaced(desk: Desk) -> None:
    desk.call("create_page", database_name="todo_list", title="a\ud83d", properties='{"メモ": "b\\ud83d"}')

    (page,) = desk.call("search_database", database_name="todo_list")["pages"]

    assert (page["title"], page["properties"]["メモ"]) == ("a\N{REPLACEMENT CHARACTER}", "b\N{REPLACEMENT CHARACTER}")


def test_the_tools_are_offered_in_the_configured_chats_only() -> None:
    desk = Desk(conversations=frozenset({CHAT}))
    names = {"search_database", "create_page", "update_page", "append_block"}

    assert names <= {tool.name for tool in desk.registry.offered_to(TurnContext(conversation=desk.conversation))}
    assert not names & {
        tool.name for tool in desk.registry.offered_to(TurnContext(conversation=conversation_on(chat="U" + "2" * 32)))
    }


def test_no_tool_deletes_or_archives(desk: Desk) -> None:
    assert len(list(desk.registry)) == 6
    assert not [name for name in dir(desk.notion) if "delete" in name or "archive" in name or "trash" in name]


def test_the_receipt_of_a_span_of_days_is_in_words(desk: Desk) -> None:
    days = {"start": "2026-11-28", "end": "2026-11-30"}
    desk.call("create_page", database_name="todo_list", title="旅行", properties={"期限": days})

    assert receipt(desk.deeds, locale="en") == "✓ Added to Notion: “旅行” (Sat 28 Nov 2026 – Mon 30 Nov 2026)"


# Writes whose worker died


def test_a_created_page_whose_answer_was_lost_is_found_next_time(desk: Desk) -> None:
    desk.create("食パン")
    desk.notion.fates = ["lost"]
    assert "may have been done or not" in message_of(desk.create("牛乳", 数量=2))
    desk.restart()

    again = desk.create("牛乳", 数量=2)

    assert [page.page_id for page in desk.notion.pages][1:] == [again["page_id"]]
    assert "already" in again["note"]


def test_while_notion_is_down_a_lost_write_is_not_called_undone(desk: Desk) -> None:
    desk.create("食パン")
    desk.notion.fates = ["lost", "down"]
    desk.create("牛乳", 数量=2)

    uncertain = desk.create("牛乳", 数量=2)

    assert "nothing was changed" not in message_of(uncertain)
    assert "may have been done" in message_of(uncertain)
    assert "already" in desk.create("牛乳", 数量=2)["note"]


def die_before_request(desk: Desk, title: str, **properties: object) -> None:
    """A worker died before its request: there is an intent, and no page."""
    desk.notion.fates = ["lost"]
    message_of(desk.create(title, **properties))
    (page,) = [page for page in desk.notion.pages if page.is_own][-1:]
    desk.notion._pages.pop(page.page_id)  # noqa: SLF001 - as if the request had never arrived
    desk.restart()


OTHERS: dict[str, Callable[[Desk], object]] = {
    "made by hand": lambda desk: desk.notion.add_page(shopping_list().data_source_id, _title_of("牛乳")),
    "made with other properties": lambda desk: desk.create("牛乳", 数量=3),
    "made for an earlier message": lambda desk: desk.call(
        "create_page", first="m0", database_name="shopping_list", title="牛乳", properties={"数量": 2}
    ),
    "made long before": lambda desk: desk.add_old_page("牛乳"),
}


def _title_of(title: str) -> dict[str, Json]:
    return {"品名": {"title": [{"type": "text", "text": {"content": title}}]}}


@pytest.mark.parametrize("other", OTHERS)
def test_another_page_of_the_same_title_does_not_count_as_the_effect(other: str, desk: Desk) -> None:
    desk.create("食パン")
    OTHERS[other](desk)
    before = len(desk.notion.pages)
    die_before_request(desk, "牛乳", 数量=2)

    made = desk.create("牛乳", 数量=2)

    assert "note" not in made
    assert len(desk.notion.pages) == before + 1


def test_an_update_whose_answer_was_lost_is_not_repeated(desk: Desk) -> None:
    made = desk.create("牛乳")
    desk.notion.fates = ["well", "lost"]
    message_of(desk.call("update_page", page_id=made["page_id"], properties={"購入済み": True}))
    desk.restart()

    again = desk.call("update_page", page_id=made["page_id"], properties={"購入済み": True})

    assert "already" in again["note"]
    assert desk.notion.written.count("update_page") == 1


def test_an_update_that_cannot_be_compared_is_repeated(desk: Desk) -> None:
    made = desk.call("create_page", database_name="todo_list", title="掃除")
    desk.notion.fates = ["well", "lost"]
    message_of(desk.call("update_page", page_id=made["page_id"], properties={"期限": "2026-11-30"}))
    desk.restart()

    again = desk.call("update_page", page_id=made["page_id"], properties={"期限": "2026-11-30"})

    assert "note" not in again
    assert desk.notion.written.count("update_page") == 2


@pytest.mark.parametrize("lost_batch", [1, 2, 3])
def test_an_append_that_lost_an_answer_continues_after_the_last_block(lost_batch: int, desk: Desk) -> None:
    made = desk.create("牛乳")
    lines = [f"- {number % 7}" for number in range(250)]
    desk.notion.fates = ["well"] * lost_batch + ["lost"]
    message_of(desk.call("append_block", page_id=made["page_id"], content="\n".join(lines)))
    desk.restart()

    again = desk.call("append_block", page_id=made["page_id"], content="\n".join(lines))

    there = desk.notion.blocks(made["page_id"], limit=1_000, deadline=Deadline.after(desk.clock, 1))
    assert again["blocks"] == 250
    assert [f"- {one.text}" for one in there or ()] == lines


def test_an_append_whose_second_batch_failed_is_continued(desk: Desk) -> None:
    made = desk.create("牛乳")
    content = "\n".join(f"- {number}" for number in range(150))
    desk.notion.fates = ["well", "well", "down"]
    assert "may have been done" in message_of(desk.call("append_block", page_id=made["page_id"], content=content))

    assert desk.call("append_block", page_id=made["page_id"], content=content)["blocks"] == 150
    there = desk.notion.blocks(made["page_id"], limit=1_000, deadline=Deadline.after(desk.clock, 1))
    assert [one.text for one in there or ()] == [str(number) for number in range(150)]


def test_an_append_to_a_too_long_page_is_left_to_the_person(desk: Desk) -> None:
    made = desk.create("牛乳")
    for first in ("a", "b"):
        desk.call("append_block", first=first, page_id=made["page_id"], content="\n".join(["- x"] * 600))
    desk.notion.fates = ["well", "lost"]
    message_of(desk.call("append_block", page_id=made["page_id"], content="メモ"))
    desk.restart()

    assert "too long to look" in message_of(desk.call("append_block", page_id=made["page_id"], content="メモ"))


def test_a_write_without_effect_may_be_retried(desk: Desk) -> None:
    desk.create("食パン")
    desk.notion.fates = ["down"]

    answer = desk.create("牛乳")

    assert answer == ToolFault(message="Notion did not answer in time; nothing was changed.", may_retry=True)
    assert len(desk.notion.pages) == 1
    assert "note" not in desk.create("牛乳")


def test_a_call_without_seconds_left_writes_nothing(desk: Desk) -> None:
    assert "did not answer" in message_of(
        desk.call("create_page", seconds=0.0, database_name="shopping_list", title="牛乳")
    )
    assert desk.notion.pages == ()


def test_a_page_created_in_the_minute_of_its_intent_is_found(desk: Desk) -> None:
    desk.clock.move(59 - desk.clock.now_ms() // 1_000 % 60)
    desk.notion.fates = ["well", "lost"]
    message_of(desk.create("牛乳"))
    desk.restart()

    assert "already" in desk.create("牛乳")["note"]
