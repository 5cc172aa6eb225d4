"""The nine properties of the requirement "LLM tool routing", each under its tag.

Feature: llm-tool-routing, Property {N}: {title}
"""

import random
from dataclasses import replace

import frontmatter
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from shared.adapters.memory import FixedClock, ScriptedModel
from shared.adapters.memory.scripted_model import calling
from shared.agent import transcript
from shared.agent.executor import ToolExecutor
from shared.agent.loop import Agent
from shared.agent.model import TextContent
from shared.agent.prompt import PromptBuilder
from shared.agent.registry import Registry
from shared.agent.token_estimate import estimated_tokens
from shared.agent.tools import Tool, ToolFault
from shared.agent.turn_context import TurnContext
from shared.agent.turn_requests import Limits
from shared.conversation.history import History
from shared.knowledge.catalog import Catalog, row_of, search_texts
from shared.knowledge.entry import Entry
from shared.knowledge.prompt_index import EMPTY_INDEX, PROMPT_TOKENS, index_view
from shared.knowledge.schema import FIELDS, Category, Field, fields_of
from shared.search.folding import fold
from shared.tools.core import core_tools
from shared.tools.guides.knowledge import KNOWLEDGE_GUIDE
from tests.support.inline import InlineExecutor
from tests.support.knowledge import (
    MOMO,
    WORDS,
    FilingChat,
    WatchedStore,
    conversation_on,
    entries,
    found,
    message,
    values_of,
)

SEVEN_TOOLS = (
    "classify_and_capture",
    "list_entries",
    "get_entry",
    "generate_digest",
    "update_entry",
    "move_entry",
    "search_entries",
)
CATEGORIES = st.sampled_from([one for one in Category if one is not Category.ITEMS])
TARGETS = CATEGORIES.filter(lambda category: category is not Category.INBOX)
CONFIDENCES = st.floats(0, 1)
STATUSES = ["active", "waiting", "done", "pending", "needs_review", "Active", "?"]
TOOLS = list(FilingChat().tools.values())
EXECUTOR = ToolExecutor(registry=Registry((*core_tools(), *TOOLS)), threads=InlineExecutor())
several = settings(max_examples=200)


def store_entries(chat: FilingChat, given_entries: list[Entry]) -> list[Entry]:
    """Store entries through a turn, each on a path of its own; return them as they are stored."""
    turn = chat.begin()
    for number, entry in enumerate(given_entries):
        path = f"{entry.category}/{entry.slug}-{number}.md"
        turn.overlay.stage({path: replace(entry, slug=f"{entry.slug}-{number}")})
    turn.commit()
    return [stored for path in chat.paths if (stored := chat.entry(path)) is not None]


# Feature: llm-tool-routing, Property 1: Tool Schema Validity
@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_property_1_every_tool_has_a_valid_schema(tool: Tool) -> None:
    assert tool.name in {*SEVEN_TOOLS, "delete_entry", "undo_last_change"}
    assert len(tool.description) >= 20
    assert "Use " in tool.description
    assert tool.parameters["type"] == "object"
    assert isinstance(tool.parameters["properties"], dict)
    assert isinstance(tool.parameters["required"], list)
    assert set(tool.parameters["required"]) <= set(tool.parameters["properties"])


def test_the_seven_required_tools_exist() -> None:
    assert set(SEVEN_TOOLS) <= {tool.name for tool in TOOLS}


# Feature: llm-tool-routing, Property 2: List Entries Filtering
@several
@given(
    st.lists(entries(), max_size=5),
    st.none() | CATEGORIES,
    st.none() | st.sampled_from(STATUSES),
    st.none() | st.floats(-5, 60),
)
def test_property_2_a_list_holds_the_entries_that_match_its_filters(
    given_entries: list[Entry], category: Category | None, status: str | None, limit: float | None
) -> None:
    chat = FilingChat()
    stored = store_entries(chat, given_entries)
    arguments = {"category": category, "status": status, "limit": limit}

    result = chat.begin().call("list_entries", **{name: one for name, one in arguments.items() if one is not None})

    wanted = {
        entry.path
        for entry in stored
        if entry.category is not Category.ITEMS
        and category in {None, entry.category}
        and (status is None or entry.status == status.lower())
    }
    listed = [one["path"] for one in result["entries"]]
    assert set(listed) <= wanted
    assert result["total"] == len(wanted)
    assert len(listed) == len(set(listed)) == min(len(wanted), max(1, min(50, int(10 if limit is None else limit))))
    assert all(category is None or one["category"] == category for one in result["entries"])
    assert all(status is None or one["status"] == status.lower() for one in result["entries"])


# Feature: llm-tool-routing, Property 3: Get Entry Round-Trip
@several
@given(st.lists(entries(), min_size=1, max_size=3))
def test_property_3_an_entry_is_returned_as_it_is_in_the_bucket(given_entries: list[Entry]) -> None:
    chat = FilingChat()
    store_entries(chat, given_entries)

    for path in chat.paths:
        entry = chat.begin().call("get_entry", path=path)["entry"]

        assert entry["path"] == path
        file = frontmatter.loads(chat.file_text(path))
        kept = {name: value for name, value in file.metadata.items() if name in entry}
        assert {name: entry[name] for name in kept} == kept
        assert {"id", "created_at", "confidence"} <= kept.keys()
        assert entry["content"] in str(file.content)


# Feature: llm-tool-routing, Property 4: Update Entry Application
@several
@given(entries(), st.data())
def test_property_4_an_update_changes_its_fields_and_no_others(entry: Entry, data: st.DataObject) -> None:
    chat = FilingChat()
    (before,) = store_entries(chat, [entry])
    chosen = data.draw(st.lists(st.sampled_from(FIELDS[entry.category]), min_size=1, max_size=3, unique=True))
    updates = {one.name: draw_update(data, one) for one in chosen}
    assume(updates.get("name", "x") and updates.get("suggested_name", "x"))

    result = chat.once("update_entry", path=before.path, updates=updates)

    after = chat.entry(before.path)
    assert after is not None
    assert (result["path"], result["updatedFields"]) == (before.path, sorted(updates))
    assert {name: after.fields[name] for name in updates} == {one.name: one.check(updates[one.name]) for one in chosen}
    untouched = before.fields.keys() - updates.keys()
    assert {name: after.fields[name] for name in untouched} == {name: before.fields[name] for name in untouched}
    assert (after.id, after.created_at, after.confidence, after.content) == (
        before.id,
        before.created_at,
        before.confidence,
        before.content,
    )


def draw_update(data: st.DataObject, field: Field) -> object:
    value = data.draw(values_of(field), label=field.name)
    return list(value) if isinstance(value, tuple) else value


# Feature: llm-tool-routing, Property 5: Move Entry Path Change
@several
@given(entries(), TARGETS)
def test_property_5_a_moved_entry_is_complete_at_its_new_path_only(entry: Entry, target: Category) -> None:
    chat = FilingChat()
    (before,) = store_entries(chat, [entry])

    result = chat.once("move_entry", path=before.path, targetCategory=target)

    if before.category is target:
        assert isinstance(result, ToolFault)
        assert chat.paths == [before.path]
        return
    assert (result["oldPath"], result["category"]) == (before.path, target)
    assert chat.paths == [result["newPath"]]
    assert result["newPath"].startswith(f"{target}/")
    assert result["newPath"].endswith(".md")
    after = chat.entry(result["newPath"])
    assert after is not None
    assert after.fields.keys() == fields_of(target).keys()
    head = frontmatter.loads(chat.file_text(after.path)).metadata
    assert head.keys() & {one.name for fields in FIELDS.values() for one in fields} == fields_of(target).keys()
    assert (after.id, after.created_at, after.confidence, after.name) == (
        before.id,
        before.created_at,
        before.confidence,
        before.name,
    )
    assert before.content in after.content
    for field in FIELDS[before.category]:
        value = before.fields[field.name]
        texts = value if isinstance(value, tuple) else (value or "",)
        lost = after.fields.get(field.name) != value and field.name not in {"suggested_name", "suggested_category"}
        if lost and value != field.default:
            assert all(text in after.content for text in texts)


def with_repeats(entry: Entry, times: int) -> Entry:
    """Return the entry with one more note, which repeats a word so many times."""
    return entry.with_note("ガレージ " * times, ()) if times else entry


# Feature: llm-tool-routing, Property 6: Search Results Filtering and Relevance
@settings(max_examples=300)
@given(
    st.lists(st.builds(with_repeats, entries(), st.integers(0, 4)), max_size=5),
    WORDS | st.sampled_from(["が", "ガ", "ｶﾞﾚｰｼﾞ", "がれーじ", "GARDEN", "e", " "]),
    st.none() | CATEGORIES,
    st.none() | st.integers(-3, 60),
)
def test_property_6_every_hit_holds_the_query_most_matches_first(
    given_entries: list[Entry], query: str, category: Category | None, limit: int | None
) -> None:
    chat = FilingChat()
    stored = {entry.path: entry for entry in store_entries(chat, given_entries)}
    arguments = {"category": category, "limit": limit}

    result = chat.begin().call(
        "search_entries", query=query, **{name: one for name, one in arguments.items() if one is not None}
    )

    counts = {path: count_matches(entry, query) for path, entry in stored.items() if category in {None, entry.category}}
    hits = [one["path"] for one in result["entries"]]
    assert all(counts[path] for path in hits)
    assert result["total"] == sum(bool(count) for count in counts.values())
    assert len(hits) == min(result["total"], max(1, min(50, 10 if limit is None else limit)))
    assert [counts[path] for path in hits] == sorted((counts[path] for path in hits), reverse=True)
    assert not {one["path"] for one in result["similar"]} & {path for path, count in counts.items() if count}
    assert len(result["similar"]) <= 5
    assert {one["path"] for one in result["similar"]} <= counts.keys()
    for match in result["entries"]:
        assert fold(query) in fold(search_texts(stored[match["path"]])[match["matchedField"]])
        assert category in {None, match["category"]}


def count_matches(entry: Entry, query: str) -> int:
    return sum(fold(text).count(fold(query)) for text in search_texts(entry).values()) if fold(query) else 0


# Feature: llm-tool-routing, Property 7: System Prompt Completeness
@several
@given(
    st.lists(entries(), max_size=30),
    st.none() | WORDS,
    st.lists(WORDS.filter(str.strip), min_size=1, max_size=4),
)
def test_property_7_a_request_holds_role_tools_guidelines_index_and_chat(
    given_entries: list[Entry], persona: str | None, said: list[str]
) -> None:
    rows = [row_of(entry) for entry in given_entries]
    catalog = Catalog(rows=tuple({row.path: row for row in rows}.values()))
    view = index_view(catalog)
    messages = tuple(message(number, text) for number, text in enumerate(said))

    prompt = PromptBuilder(bot_name=MOMO, persona=persona, guides=(KNOWLEDGE_GUIDE,))
    model = ScriptedModel([calling(("skip", {"reason": "thanks"}))])
    agent = Agent(model=model, tools=EXECUTOR, limits=Limits(), clock=FixedClock(), chance=random.Random(1))
    agent.think(
        prompt.system_instruction(),
        prompt.contents(History(messages=messages[:-1], index=view), pending=messages[-1:], now_ms=0),
        TurnContext(conversation=conversation_on()),
    )
    (request,) = model.requests

    system = request.system_instruction
    assert set(SEVEN_TOOLS) <= {one.name for one in request.declarations}
    assert "knowledge management assistant" in system
    assert all(f"`{name}`: when" in system for name in SEVEN_TOOLS)
    assert "just chatting, answer without these functions" in system
    contents = [content for content in request.contents if isinstance(content, TextContent)]
    assert len(contents) == len(request.contents)
    texts = [text for content in contents for text in content.texts]
    assert any(text.endswith(view.text) for text in texts)
    assert (view.text == EMPTY_INDEX) is (not catalog.rows)
    assert "conversation so far" in texts[0]
    assert all(any(transcript.words(words) in text for text in texts) for words in said)
    assert estimated_tokens(view.text) <= PROMPT_TOKENS


# Feature: llm-tool-routing, Property 8: Message Metadata Persistence
@several
@given(TARGETS, CONFIDENCES, WORDS)
def test_property_8_the_outcome_names_the_new_entry(category: Category, confidence: float, name: str) -> None:
    chat = FilingChat()
    chat.model.steps = [found(category, confidence, name)]
    turn = chat.begin(message(1, "remember this"))
    result = turn.call("classify_and_capture", text="remember this")

    outcome = turn.commit()

    assert outcome.audit.filed_paths == (result["path"],)
    assert outcome.audit.filed_confidence == result["confidence"] == confidence
    assert chat.paths == [result["path"]]


# Feature: llm-tool-routing, Property 9: Confidence-Based Routing Preservation
@settings(max_examples=300)
@given(TARGETS, st.floats(-2, 3) | st.sampled_from([0.6, 0.59999, 0, 1]), st.just(0.6) | CONFIDENCES)
def test_property_9_confidence_decides_between_category_and_inbox(
    category: Category, confidence: float, threshold: float
) -> None:
    chat = FilingChat(threshold=threshold)
    chat.model.steps = [found(category, confidence)]

    result = chat.once("classify_and_capture", text="something")

    is_sure = min(1.0, max(0.0, confidence)) >= threshold
    assert result["category"] == (category if is_sure else "inbox")
    assert result["path"].split("/")[0] == result["category"]
    assert result["clarificationNeeded"] is not is_sure
    assert chat.paths == [result["path"]]


@several
@given(
    st.lists(entries(), min_size=1, max_size=4),
    st.lists(
        st.sampled_from(
            [
                "list_entries",
                "search_entries",
                "generate_digest",
                "undo_last_change",
                "get_entry",
                "move_entry",
                "delete_entry",
            ]
        ),
        max_size=6,
    ),
    st.data(),
)
def test_no_tool_reaches_entries_of_another_chat(
    given_entries: list[Entry], tools: list[str], data: st.DataObject
) -> None:
    store = WatchedStore()
    one, other = FilingChat(store=store), FilingChat(store=store, chat="C" + "2" * 32)
    store_entries(one, given_entries)
    before = {listed: store.read(listed.name) for listed in store.list(f"entries/{one.chat}/")}
    words = data.draw(st.sampled_from([entry.name for entry in given_entries]))
    path = data.draw(
        st.sampled_from(
            [prefix + path for path in one.paths for prefix in ("", f"../{one.chat}/", f"entries/{one.chat}/")]
        )
    )
    arguments: dict[str, dict[str, object]] = {
        "search_entries": {"query": words},
        "generate_digest": {"type": "weekly"},
        "get_entry": {"path": path},
        "delete_entry": {"path": path},
        "move_entry": {"path": path, "targetCategory": "ideas"},
    }

    turn = other.begin()
    results = [turn.call(tool, **arguments.get(tool, {})) for tool in tools]
    turn.commit()

    assert all(isinstance(result, ToolFault) or result.get("entries", []) == [] for result in results)
    assert turn.overlay.provenance.ids == frozenset()
    assert {listed: store.read(listed.name) for listed in store.list(f"entries/{one.chat}/")} == before
    assert other.paths == []
