import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from shared.adapters.memory.scripted_model import JsonStep
from shared.agent.overlay import StagingFault
from shared.agent.retellings import Retelling
from shared.agent.tools import NeedsTap, ToolFault, load_schema
from shared.agent.turn_context import TurnContext
from shared.errors import ModelBlockedError, ModelRefusedError, ModelUnavailableError, StorageUnavailableError
from shared.knowledge.catalog import CATALOG_LIMIT_BYTES, Catalog, row_of
from shared.knowledge.entry_store import EntryStore
from shared.storage.codec import decode, encode
from tests.support.knowledge import FilingChat, found, message

OTHER_CHAT = "C" + "2" * 32


@pytest.fixture
def chat() -> FilingChat:
    return FilingChat()


def fault(result: object) -> str:
    assert isinstance(result, ToolFault)
    return result.message


def test_a_captured_thought_is_found_by_later_calls_of_its_turn(chat: FilingChat) -> None:
    chat.model.steps = [found(name="庭の工事", next_action="佐藤さんに電話")]
    turn = chat.begin(message(1, "庭の工事を始める。まず佐藤さんに電話"))

    captured = turn.call("classify_and_capture", text="庭の工事を始める。まず佐藤さんに電話")
    hits = turn.call("search_entries", query="佐藤")
    updated = turn.call("update_entry", path=captured["path"], updates={"status": "waiting"})

    assert captured == {
        "path": "projects/庭の工事.md",
        "category": "projects",
        "name": "庭の工事",
        "confidence": 0.9,
        "clarificationNeeded": False,
    }
    assert [one["path"] for one in hits["entries"]] == [captured["path"]]
    assert updated == {"path": captured["path"], "updatedFields": ["status"]}
    assert chat.paths == []  # nothing reaches the bucket before the commit

    turn.commit()

    entry = chat.entry(captured["path"])
    assert entry is not None
    assert entry.status == "waiting"


def test_a_turn_thought_again_begins_with_nothing_staged(chat: FilingChat) -> None:
    chat.model.steps = [found(), found()]
    lost = chat.begin(message(1, "庭の工事"))
    lost.call("classify_and_capture", text="庭の工事")

    again = chat.begin(message(1, "庭の工事"))
    captured = again.call("classify_and_capture", text="庭の工事")
    again.commit()

    assert captured["path"] == "projects/庭の工事.md"
    assert chat.paths == [captured["path"]]


def test_two_entries_of_one_name_get_paths_of_their_own(chat: FilingChat) -> None:
    chat.model.steps = [found(), found()]
    turn = chat.begin()

    paths = [turn.call("classify_and_capture", text=text)["path"] for text in ("庭の工事", "庭の工事、今週")]
    turn.commit()

    assert paths == ["projects/庭の工事.md", "projects/庭の工事-2.md"]
    assert chat.file("庭の工事、来週") == "projects/庭の工事-3.md"


def test_a_capture_that_is_repeated_files_nothing_more(chat: FilingChat) -> None:
    chat.model.steps = [found() for _ in range(4)]
    turn = chat.begin(message(1, "庭の工事"))

    first, again = (turn.call("classify_and_capture", text="庭の工事") for _ in range(2))
    turn.commit()
    later = chat.begin(message(2, "庭の工事だよ")).call("classify_and_capture", text="庭の工事")
    other = chat.begin(message(3, "庭の工事をもう一つ")).call("classify_and_capture", text="庭の工事")

    assert "alreadyFiled" not in first
    assert [(one["path"], one["alreadyFiled"]) for one in (again, later)] == [(first["path"], True)] * 2
    assert chat.paths == [first["path"]]
    assert other["path"] == "projects/庭の工事-2.md"


def test_an_errand_that_was_done_is_filed_again(chat: FilingChat) -> None:
    first = chat.file("牛乳を買う", category="admin", name="牛乳を買う")
    chat.once("update_entry", path=first, updates={"status": "done"})

    again = chat.file("牛乳を買う", category="admin", name="牛乳を買う")

    statuses = [entry.status for path in (first, again) if (entry := chat.entry(path)) is not None]
    assert statuses == ["done", "pending"]


def test_an_update_that_changes_nothing_is_no_change(chat: FilingChat) -> None:
    path = chat.file("牛乳を買う", category="admin", name="牛乳を買う")
    chat.once("update_entry", path=path, updates={"status": "done"})
    chat.clock.move(60)
    turn = chat.begin()

    result = turn.call("update_entry", path=path, updates={"status": "完了", "content": "牛乳を買う"})

    assert result == {"path": path, "updatedFields": ["content", "status"], "wasSoBefore": True}
    assert (turn.context.staged.deeds, turn.context.staged.changes()) == ((), ())
    assert chat.once("undo_last_change")["restored"] == [path]


def test_what_was_told_of_a_person_is_not_filed_again_on_another_day(chat: FilingChat) -> None:
    filed = chat.file("佐藤さんは甘党", category="people", name="佐藤", context="甘党")
    chat.clock.move(86_400)

    assert chat.file("佐藤さんは甘党", category="people", name="佐藤", context="甘党") == filed
    assert chat.paths == [filed]


@pytest.mark.parametrize(
    ("hints", "text", "category", "name"),
    [
        ("[person:佐藤]", "来週会う", "people", "佐藤"),
        ("", "[project] 来週会う", "projects", "庭の工事"),
        ("[idea]", "[task] 来週会う", "admin", "庭の工事"),
        ("［ＴＡＳＫ］", "来週会う", "admin", "庭の工事"),
    ],
)
def test_the_last_hint_decides_the_category_and_is_not_kept(
    chat: FilingChat, hints: str, text: str, category: str, name: str
) -> None:
    chat.model.steps = [found("ideas")]

    result = chat.once("classify_and_capture", text=text, hints=hints)

    assert (result["category"], result["name"]) == (category, name)
    entry = chat.entry(result["path"])
    assert entry is not None
    assert entry.content == "来週会う"


def test_an_unsure_classification_goes_to_the_inbox_and_asks(chat: FilingChat) -> None:
    chat.model.steps = [found("ideas", 0.4, "金曜")]

    result = chat.once("classify_and_capture", text="金曜のこと")

    assert result["path"] == "inbox/20251121134000-金曜.md"
    assert (result["clarificationNeeded"], result["suggestedCategory"]) == (True, "ideas")
    entry = chat.begin().call("get_entry", path=result["path"])["entry"]
    assert (entry["original_text"], entry["suggested_category"], entry["status"]) == (
        "金曜のこと",
        "ideas",
        "needs_review",
    )
    assert "tags" not in entry


@pytest.mark.parametrize(
    "step",
    [
        ModelUnavailableError("down"),
        ModelRefusedError("no"),
        ModelBlockedError("no"),
        {"category": "inbox", "confidence": 1, "name": "x"},
        {"category": "ideas", "name": "x"},
        {"category": "ideas", "confidence": "high", "name": "x"},
    ],
)
def test_a_failed_classification_files_nothing(chat: FilingChat, step: JsonStep) -> None:
    is_asked_again = isinstance(step, ModelBlockedError)
    chat.model.steps = [step] * (2 if is_asked_again else 1)

    result = chat.once("classify_and_capture", text="庭")

    assert fault(result) == "The classification failed; nothing was filed."
    assert result.may_retry
    assert chat.paths == []


def test_an_invalid_field_of_a_classification_is_left_out(chat: FilingChat) -> None:
    path = chat.file("x", due_date="soon", status="done", tags=["a", "b"], context="of people, not of projects")

    entry = chat.begin().call("get_entry", path=path)["entry"]

    assert (entry["due_date"], entry["status"], entry["tags"]) == (None, "done", ["a", "b"])
    assert "context" not in entry


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("get_entry", {}),
        ("update_entry", {"updates": {"status": "done"}}),
        ("move_entry", {"targetCategory": "ideas"}),
        ("delete_entry", {}),
    ],
)
@pytest.mark.parametrize(
    "path",
    [
        "projects/nothing.md",
        "people/../../x.md",
        f"../{OTHER_CHAT}/projects/secret.md",
        "index.md",
        "search.json",
        "/etc/passwd",
        "projects/\u0000.md",
    ],
)
def test_a_path_without_an_entry_is_not_found(
    chat: FilingChat, tool: str, arguments: dict[str, object], path: str
) -> None:
    chat.file()

    assert fault(chat.once(tool, path=path, **arguments)) == f"Entry not found: {path}"


@pytest.mark.parametrize(
    ("updates", "sentence"),
    [
        ({"id": "x"}, "id cannot be changed."),
        ({"created_at": "2020-01-01"}, "created_at cannot be changed."),
        ({"confidence": 1}, "confidence cannot be changed."),
        ({"mood": "sunny"}, "projects entries have no field mood; they have: name, status"),
        ({"status": "dancing"}, "status must be one of: active, waiting, blocked, someday, done."),
        ({"due_date": "soon"}, "due_date must be a date such as 2026-12-24."),
        ({"next_action": 5}, "next_action must be a text."),
        ({"next_action": "電話" * 151}, "next_action takes at most 300 characters; put the rest into a note."),
        ({"tags": ["a", "b" * 301]}, "tags takes at most 300 characters"),
        ({"related_people": "sato"}, "related_people must be a list of texts."),
        ({"name": " "}, "name cannot be empty."),
        ({"note": ["x"]}, "note must be a text."),
    ],
)
def test_an_invalid_update_changes_nothing(chat: FilingChat, updates: dict[str, object], sentence: str) -> None:
    path = chat.file()
    before = chat.file_text(path)

    result = chat.once("update_entry", path=path, updates={"next_action": "x", **updates})

    assert fault(result).startswith(sentence)
    assert chat.file_text(path) == before


def test_a_note_is_dated_in_the_time_zone_of_the_bot(chat: FilingChat) -> None:
    path = chat.file("庭の工事")

    chat.once("update_entry", message(2, "見積もりが届いた"), path=path, updates={"note": "見積もりが届いた"})

    assert chat.file_text(path).endswith("庭の工事\n\n2025-11-21: 見積もりが届いた\n")


def test_a_null_empties_a_date(chat: FilingChat) -> None:
    path = chat.file(due_date="2026-01-01")

    chat.once("update_entry", path=path, updates={"due_date": None})

    assert chat.begin().call("get_entry", path=path)["entry"]["due_date"] is None


def test_a_move_keeps_common_fields_and_notes_the_others(chat: FilingChat) -> None:
    path = chat.file(
        "税金の書類を出す", name="税金", status="waiting", due_date="2026-03-15", next_action="書類を集める"
    )

    result = chat.once("move_entry", path=path, targetCategory="admin")

    assert result == {"oldPath": "projects/税金.md", "newPath": "admin/税金.md", "category": "admin"}
    entry = chat.begin().call("get_entry", path=result["newPath"])["entry"]
    assert (entry["id"], entry["due_date"], entry["status"]) == ("id-1", "2026-03-15", "pending")
    assert entry["content"] == "税金の書類を出す\n\nstatus: waiting\n\nnext_action: 書類を集める"


def test_a_moved_inbox_entry_keeps_its_words(chat: FilingChat) -> None:
    path = chat.file("金曜のこと", confidence=0.1, name="金曜")

    result = chat.once("move_entry", path=path, targetCategory="projects")

    entry = chat.begin().call("get_entry", path=result["newPath"])["entry"]
    assert result["newPath"] == "projects/金曜.md"
    assert (entry["name"], entry["content"]) == ("金曜", "金曜のこと")


def test_a_move_gets_a_free_path_and_a_different_category_only(chat: FilingChat) -> None:
    chat.file(category="ideas")
    path = chat.file()

    assert fault(chat.once("move_entry", path=path, targetCategory="projects")) == "The entry is in projects already."
    assert chat.once("move_entry", path=path, targetCategory="ideas")["newPath"] == "ideas/庭の工事-2.md"


def test_a_move_counts_as_the_last_placement(chat: FilingChat) -> None:
    path = chat.file(category="ideas")
    turn = chat.begin()
    turn.call("move_entry", path=path, targetCategory="projects")

    assert turn.commit().audit.filed_paths[-1:] == ("projects/庭の工事.md",)


def test_a_move_creates_before_it_deletes(chat: FilingChat) -> None:
    turn = chat.begin()
    turn.call("move_entry", path=chat.file(), targetCategory="ideas")

    writes = turn.commit().writes

    assert [(one.path, one.text is None) for one in writes] == [
        ("ideas/庭の工事.md", False),
        ("projects/庭の工事.md", True),
        ("undo.json", False),
    ]


@pytest.mark.parametrize("tool", ["delete_entry", "move_entry", "undo_last_change"])
def test_what_takes_no_words_from_the_prompt_works_without_the_archive(
    chat: FilingChat, monkeypatch: pytest.MonkeyPatch, tool: str
) -> None:
    def retellings(_: TurnContext) -> tuple[Retelling, ...]:
        raise StorageUnavailableError("the archive is not listed")

    path = chat.file()
    monkeypatch.setattr(TurnContext, "retellings", property(retellings))
    arguments = {"delete_entry": {"path": path}, "move_entry": {"path": path, "targetCategory": "ideas"}}

    chat.once(tool, **arguments.get(tool, {}))

    assert path not in chat.paths


def test_undo_restores_what_the_last_turn_changed_once(chat: FilingChat) -> None:
    path = chat.file(next_action="A")
    turn = chat.begin()
    turn.call("update_entry", path=path, updates={"next_action": "B"})
    turn.call("update_entry", path=path, updates={"status": "done"})
    chat.model.steps = [found(name="別件")]
    turn.call("classify_and_capture", text="別件")
    turn.commit()

    undone = chat.once("undo_last_change")

    assert undone == {"restored": [path], "removed": ["projects/別件.md"]}
    entry = chat.entry(path)
    assert entry is not None
    assert (entry.fields["next_action"], entry.status) == ("A", "active")
    assert chat.paths == [path]
    assert fault(chat.once("undo_last_change")) == "There is nothing to undo."


def test_an_undo_of_several_entries_is_refused_after_a_reading_from_outside(chat: FilingChat) -> None:
    turn = chat.begin()
    for name in ("庭の工事", "別件"):
        chat.model.steps = [found(name=name)]
        turn.call("classify_and_capture", text=name)
    turn.commit()
    tainted = chat.begin()
    tainted.context.untrusted_input.record_outside("web_search")

    assert "several things" in fault(tainted.call("undo_last_change"))

    assert tainted.context.staged.changes() == ()


def test_an_undo_of_a_rename_after_a_reading_from_outside_waits_for_a_tap(chat: FilingChat) -> None:
    path = chat.file("庭の工事", name="庭の工事")
    chat.once("update_entry", path=path, updates={"name": "ガレージの工事"})
    tainted = chat.begin()
    tainted.context.untrusted_input.record_outside("web_search")

    undo = chat.tools["undo_last_change"].run({}, tainted.context)

    assert undo == NeedsTap(name="庭の工事")


@pytest.mark.parametrize("tool", ["delete_entry", "move_entry"])
def test_undo_restores_a_deleted_or_moved_entry(chat: FilingChat, tool: str) -> None:
    path = chat.file()
    before = chat.entry(path)
    chat.once(tool, path=path, **({"targetCategory": "ideas"} if tool == "move_entry" else {}))

    chat.once("undo_last_change")

    after = chat.entry(path)
    assert before is not None
    assert after is not None
    assert (after.id, after.fields, after.notes) == (before.id, before.fields, before.notes)
    assert chat.paths == [path]
    assert [one["path"] for one in chat.begin().call("list_entries")["entries"]] == [path]


def test_undo_within_a_turn_reverts_its_last_call(chat: FilingChat) -> None:
    path = chat.file()
    turn = chat.begin()
    turn.call("update_entry", path=path, updates={"status": "done"})
    chat.model.steps = [found(name="別件")]
    turn.call("classify_and_capture", text="別件")

    assert turn.call("undo_last_change") == {"restored": [], "removed": ["projects/別件.md"]}
    outcome = turn.commit()

    assert outcome.audit.filed_paths == ()
    entry = chat.entry(path)
    assert entry is not None
    assert entry.status == "done"
    assert chat.paths == [path]


def test_a_second_undo_in_a_turn_is_refused(chat: FilingChat) -> None:
    path = chat.file()
    chat.once("update_entry", path=path, updates={"status": "done"})
    turn = chat.begin()

    assert turn.call("undo_last_change") == {"restored": [path], "removed": []}
    assert fault(turn.call("undo_last_change")) == "There is nothing to undo."


def test_a_change_after_an_undo_can_be_undone(chat: FilingChat) -> None:
    path = chat.file()
    chat.once("update_entry", path=path, updates={"status": "done"})
    turn = chat.begin()
    turn.call("undo_last_change")
    turn.call("update_entry", path=path, updates={"next_action": "C"})
    turn.commit()

    chat.once("undo_last_change")

    entry = chat.entry(path)
    assert entry is not None
    assert (entry.status, entry.fields["next_action"]) == ("active", "")


def test_a_turn_changes_at_most_twenty_entries(chat: FilingChat) -> None:
    turn = chat.begin()
    chat.model.steps = [found(name=f"n{number}") for number in range(21)]

    results = [turn.call("classify_and_capture", text="x") for _ in range(21)]

    assert fault(results[-1]) == "One turn can change at most 20 entries; do the rest after the next message."
    assert len(turn.commit().writes) == 21  # twenty entries and the undo record


def test_after_the_decision_nothing_is_staged(chat: FilingChat) -> None:
    turn = chat.begin()
    turn.commit()
    chat.model.steps = [found()]

    assert fault(turn.call("classify_and_capture", text="late")) == "The turn is over."


@pytest.mark.parametrize(("limit", "shown"), [(0, 1), (-5, 1), (2, 2), (1e300, 3), (2.9, 2)])
def test_a_limit_is_clamped(chat: FilingChat, limit: float, shown: int) -> None:
    for number in range(3):
        chat.file(name=f"n{number}")

    result = chat.begin().call("list_entries", limit=limit)

    assert (len(result["entries"]), result["total"]) == (shown, 3)


@pytest.mark.parametrize("query", ["", "  ", "\u3000"])
def test_an_empty_query_finds_nothing(chat: FilingChat, query: str) -> None:
    chat.file()

    assert chat.begin().call("search_entries", query=query) == {"entries": [], "total": 0, "similar": []}


def test_a_hit_shows_the_original_words(chat: FilingChat) -> None:
    path = chat.file("ガレージの鍵は玄関のフックに掛けてある", name="鍵")

    hits = chat.begin().call("search_entries", query="がれーじ")["entries"]

    assert hits == [
        {
            "path": path,
            "name": "鍵",
            "category": "projects",
            "matchedField": "content",
            "snippet": "ガレージの鍵は玄関のフックに掛けてある",
        }
    ]


def test_an_entry_that_only_shares_words_is_shown_as_similar(chat: FilingChat) -> None:
    path = chat.file("引っ越しの準備。段ボールを二十箱", name="新居")
    chat.file("牛乳を買う", name="牛乳")

    result = chat.begin().call("search_entries", query="引越", alternatives=["搬家"])

    assert (result["entries"], result["total"]) == ([], 0)
    assert [(one["path"], one["matchedField"]) for one in result["similar"]] == [(path, "content")]


def test_any_of_the_queries_finds_an_entry(chat: FilingChat) -> None:
    one, other = chat.file("合鍵を作る", name="鍵"), chat.file("fence", name="Fence")

    result = chat.begin().call("search_entries", query="スペアキー", alternatives=["合鍵", "fence"])

    assert {hit["path"] for hit in result["entries"]} == {one, other}


def test_next_actions_and_lists_are_searched(chat: FilingChat) -> None:
    path = chat.file(name="庭", next_action="佐藤さんに電話", tags=["住まい"])

    for query, matched in (("佐藤", "next_action"), ("住まい", "tags")):
        hits = chat.begin().call("search_entries", query=query)["entries"]
        assert [(one["path"], one["matchedField"]) for one in hits] == [(path, matched)]


def test_another_chat_finds_no_entry_of_this_one() -> None:
    one = FilingChat()
    other = FilingChat(store=one.store, chat=OTHER_CHAT)
    path = one.file("庭の工事")

    turn = other.begin()

    assert turn.call("list_entries") == {"entries": [], "total": 0}
    assert turn.call("search_entries", query="庭")["total"] == 0
    assert fault(turn.call("get_entry", path=path)) == f"Entry not found: {path}"
    assert fault(turn.call("undo_last_change")) == "There is nothing to undo."
    assert turn.commit().writes == ()


def test_sources_of_shown_entries_count_as_seen(chat: FilingChat) -> None:
    path = chat.file("庭の工事", message(7, "庭の工事"))

    def seen(tool: str, **arguments: object) -> frozenset[str]:
        turn = chat.begin(message(9, "?"))
        turn.call(tool, **arguments)
        return turn.overlay.provenance.ids

    assert seen("list_entries") == seen("get_entry", path=path) == seen("search_entries", query="庭") == {"m7"}
    assert seen("generate_digest", type="weekly") == {"m7"}
    assert seen("delete_entry", path=path) == seen("undo_last_change") == {"m7"}
    assert seen("search_entries", query="nothing") == frozenset()


def test_an_unreadable_entry_does_not_hide_the_others(chat: FilingChat) -> None:
    broken, path = chat.file(name="壊れ"), chat.file()
    name = chat.conversation.names.entry(broken)
    stored = chat.store.read(name)
    assert stored is not None
    chat.store.replace(name, b"---\nx: [\n---\n", generation=stored.generation)

    turn = chat.begin()

    assert fault(turn.call("get_entry", path=broken)) == f"Entry not found: {broken}"
    assert turn.call("get_entry", path=path)["entry"]["name"] == "庭の工事"
    assert [one["path"] for one in turn.call("search_entries", query="庭")["entries"]] == [path]


def test_an_unreadable_entry_is_never_overwritten(chat: FilingChat) -> None:
    name = chat.conversation.names.entry("projects/庭の工事.md")
    chat.store.create(name, b"broken")

    assert chat.file() == "projects/庭の工事-2.md"
    assert chat.text(name) == "broken"


def test_the_classifier_gets_the_text_the_index_and_the_date(chat: FilingChat) -> None:
    chat.file("佐藤さん", category="people", name="佐藤")
    chat.model.steps = [found()]

    chat.once("classify_and_capture", text="庭の工事を佐藤さんと")

    request = chat.model.requests[-1]
    assert "It is Fri 2025-11-21 13:40 (Asia/Tokyo, UTC+09:00)." in request.prompt
    assert "[佐藤](people/佐藤.md)" in request.prompt
    assert request.prompt.endswith("# Text\n庭の工事を佐藤さんと")
    assert json.dumps(request.schema)


def test_a_thousand_entries_are_the_limit_and_are_searched_in_few_reads(chat: FilingChat) -> None:
    path = chat.file("庭の工事")
    entry = chat.entry(path)
    assert entry is not None
    rows = tuple(row_of(replace(entry, slug=f"n{number}")) for number in range(999))
    stored = chat.store.read(chat.conversation.names.entry("search.json"))
    assert stored is not None
    full = encode(replace(decode(Catalog, stored.data), rows=(row_of(entry), *rows)))
    chat.store.replace(chat.conversation.names.entry("search.json"), full, generation=stored.generation)

    chat.model.steps = [found(name="one more")]
    refused = chat.once("classify_and_capture", text="one more")
    moved = chat.once("move_entry", path=path, targetCategory="ideas")
    chat.watched.reads = 0
    searched = chat.begin().call("search_entries", query="工事", limit=10)

    assert fault(refused) == "The knowledge base is full (1000 entries); delete some first."
    assert moved["newPath"] == "ideas/庭の工事.md"
    assert searched["total"] == 1_000
    assert chat.watched.reads == 11


def test_captures_in_parallel_get_paths_of_their_own(chat: FilingChat) -> None:
    chat.model.steps = [found() for _ in range(8)]
    turn = chat.begin(message(1, "庭の工事"))

    with ThreadPoolExecutor(8) as threads:
        texts = (f"庭の工事 {number}" for number in range(8))
        results = list(threads.map(lambda text: turn.call("classify_and_capture", text=text), texts))
    turn.commit()

    assert sorted(one["path"] for one in results) == sorted(chat.paths)
    assert len(chat.paths) == 8


LONGEST_CONTENT = "漢字" * 5_000


def full_of_long_entries(chat: FilingChat) -> list[str]:
    """Fill the catalog with copies of the longest entry up to its limit; return the paths of two that really exist."""
    first, second = chat.file("長い", name="長い"), chat.file("短い", name="短い")
    chat.once("update_entry", path=first, updates={"content": LONGEST_CONTENT})
    entry, stored = chat.entry(first), chat.store.read(chat.conversation.names.entry("search.json"))
    assert entry is not None
    assert stored is not None
    catalog = decode(Catalog, stored.data)
    copies = {f"admin/n{number}.md": replace(row_of(entry), path=f"admin/n{number}.md") for number in range(1_000)}
    while catalog.size_bytes + len(encode(row_of(entry))) < CATALOG_LIMIT_BYTES:
        path, row = copies.popitem()
        catalog = catalog.with_rows({path: row}, key=catalog.key)
    small = row_of(chat.entry(second) or entry)
    gap = (CATALOG_LIMIT_BYTES - catalog.size_bytes) // (len(encode(small)) + 10)
    rest = {f"admin/s{number}.md": replace(small, path=f"admin/s{number}.md") for number in range(gap)}
    catalog = catalog.with_rows(rest, key=catalog.key)
    chat.store.replace(chat.conversation.names.entry("search.json"), encode(catalog), generation=stored.generation)
    return [first, second]


def test_a_catalog_at_its_limit_takes_no_longer_entries(chat: FilingChat) -> None:
    long, short = full_of_long_entries(chat)

    chat.model.steps = [found(name="新しい")]
    text = "字" * 5_000
    captured = chat.begin(message(9, text)).call("classify_and_capture", text=text)
    grown = chat.begin().call("update_entry", path=short, updates={"content": LONGEST_CONTENT})

    wanted = "The knowledge base is full (4 MiB of text); delete or shorten some entries first."
    assert fault(captured) == fault(grown) == wanted

    chat.once("update_entry", path=long, updates={"content": "短くなった"})
    chat.once("update_entry", path=short, updates={"content": LONGEST_CONTENT})
    stored = chat.store.read(chat.conversation.names.entry("search.json"))
    assert stored is not None
    assert len(stored.data) <= CATALOG_LIMIT_BYTES


def test_the_longest_message_is_filed_and_one_that_folding_lengthens_is_refused(chat: FilingChat) -> None:
    chat.file("𠮷" * 2_500, name="𠮷" * 50)
    chat.model.steps = [found(name="長さ")]

    refused = chat.begin().call("classify_and_capture", text="㌖" * 5_000)

    assert fault(refused) == "The entry is too long to be kept; shorten it, or file it in parts."


def test_the_hint_of_the_only_message_counts_where_the_model_leaves_it_out(chat: FilingChat) -> None:
    said = message(1, "[person:佐藤] 来週会う")

    assert chat.file("来週会う", said, category="ideas").startswith("people/")
    chat.model.steps = [found(category="ideas")]
    both = chat.begin(message(2, "[person:佐藤] 来週会う"), message(3, "池を作る"))
    assert both.call("classify_and_capture", text="来週会う")["category"] == "ideas"


@pytest.mark.parametrize("text", ["[project]", " ", "\x00", "[project]\x00\x01", "\ufeff"])
def test_a_text_without_words_is_nothing_to_capture(chat: FilingChat, text: str) -> None:
    result = chat.begin().call("classify_and_capture", text=text)

    assert fault(result) == "There is nothing to capture in the text."
    assert not result.may_retry
    assert chat.model.requests == []


def test_the_index_that_the_classifier_reads_counts_as_seen(chat: FilingChat) -> None:
    chat.file("庭の工事", message(1, "庭の工事"))
    chat.model.steps = [found(name="池")]
    turn = chat.begin(message(2, "池を作る"))

    turn.call("classify_and_capture", text="池を作る")

    assert "m1" in turn.overlay.provenance.ids


def test_the_model_is_told_of_the_fields_that_an_update_takes(chat: FilingChat) -> None:
    tool = chat.tools["update_entry"]

    assert tool.declaration.parameters == load_schema("update_entry.declared") != tool.parameters
    assert chat.tools["move_entry"].declaration.parameters == load_schema("move_entry.parameters")


def test_only_tools_that_change_nothing_are_reading_tools(chat: FilingChat) -> None:
    reading = {name for name, tool in chat.tools.items() if tool.is_reading}

    assert reading == {"list_entries", "get_entry", "search_entries", "generate_digest"}


def test_a_list_is_of_one_status_where_one_is_wanted(chat: FilingChat) -> None:
    waiting, active = chat.file(name="a", status="waiting"), chat.file(name="b", status="active")
    turn = chat.begin()

    assert [one["path"] for one in turn.call("list_entries", status="waiting")["entries"]] == [waiting]
    assert {one["path"] for one in turn.call("list_entries")["entries"]} == {waiting, active}


@pytest.mark.parametrize("kind", ["daily", "weekly"])
def test_a_digest_is_of_the_kind_that_was_asked_for(chat: FilingChat, kind: str) -> None:
    turn = chat.begin()

    digest, other = (
        turn.call("generate_digest", type=period) for period in (kind, {"daily", "weekly"}.difference({kind}).pop())
    )

    assert digest["type"] == kind
    assert digest["content"] != other["content"]


def test_no_more_similar_entries_are_shown_than_wanted(chat: FilingChat) -> None:
    for name in ("新居", "旧居"):
        chat.file("引っ越しの準備。段ボールを二十箱", name=name)

    result = chat.begin().call("search_entries", query="引越", limit=1)

    assert (result["entries"], len(result["similar"])) == ([], 1)


def test_a_snippet_is_of_the_words_that_match(chat: FilingChat) -> None:
    chat.file(f"ガレージ。{'長い話。' * 90}ガレージの鍵は玄関。{'長い話。' * 90}", name="家")
    chat.file(f"{'別の話。' * 90}引っ越しの準備。{'別の話。' * 90}", name="新居")

    (literal,) = chat.begin().call("search_entries", query="ガレージの鍵")["entries"]
    (similar,) = chat.begin().call("search_entries", query="引越")["similar"]
    (other,) = chat.begin().call("search_entries", query="ガレージの車", alternatives=["鍵は玄関"])["entries"]

    assert "ガレージの鍵は玄関" in literal["snippet"]
    assert "鍵は玄関" in other["snippet"]
    assert "引っ越しの準備" in similar["snippet"]


def test_half_a_character_in_arguments_is_left_out(chat: FilingChat) -> None:
    assert chat.file("庭\ud800の工事", message(1, "庭の工事")) == "projects/庭の工事.md"
    assert chat.model.requests[0].prompt.endswith("# Text\n庭\N{REPLACEMENT CHARACTER}の工事")


def test_an_entry_that_lost_the_words_since_another_instance_read_the_catalog_is_no_hit(chat: FilingChat) -> None:
    path = chat.file("作る", name="合鍵")
    turn = FilingChat(store=chat.store).begin()
    turn.overlay.rows()
    chat.once("update_entry", path=path, updates={"name": "別の話"})

    assert turn.call("search_entries", query="合鍵")["entries"] == []


def test_a_detail_is_filed_with_its_value_and_found_by_the_value(chat: FilingChat) -> None:
    path = chat.file("the wifi password is harbour-42", category="details", name="wifi password", value="harbour-42")

    (listed,) = chat.begin().call("list_entries", category="details")["entries"]
    (hit,) = chat.begin().call("search_entries", query="harbour")["entries"]
    assert path == listed["path"] == "details/wifi-password.md"
    assert listed["value"] == "harbour-42"
    assert (hit["path"], hit["matchedField"]) == (path, "value")
    assert chat.once("update_entry", path=path, updates={"value": "quay-43"})["updatedFields"] == ["value"]
    assert chat.begin().call("get_entry", path=path)["entry"]["value"] == "quay-43"


def handle_at(chat: FilingChat, path: str) -> str:
    """Return the handle that the index of the next prompt shows for the entry."""
    (row,) = [row for row in EntryStore(chat.conversation).catalog().rows if row.path == path]
    return row.handle


def test_an_entry_is_changed_moved_and_deleted_by_its_handle(chat: FilingChat) -> None:
    handle = handle_at(chat, chat.file(name="庭の工事"))

    assert chat.once("update_entry", path=handle, updates={"status": "waiting"})["updatedFields"] == ["status"]
    moved = chat.once("move_entry", path=handle, targetCategory="ideas")
    assert (moved["oldPath"], moved["newPath"]) == ("projects/庭の工事.md", "ideas/庭の工事.md")
    assert chat.begin().call("get_entry", path=handle)["entry"]["path"] == "ideas/庭の工事.md"
    assert chat.once("delete_entry", path=handle)["path"] == "ideas/庭の工事.md"
    assert chat.paths == []


def test_a_handle_of_an_earlier_turn_never_names_another_entry(chat: FilingChat) -> None:
    path = chat.file(name="庭の工事")
    earlier = handle_at(chat, path)
    chat.once("delete_entry", path=path)
    assert chat.file(name="庭の工事") == path

    result = chat.once("delete_entry", path=earlier)

    assert isinstance(result, ToolFault)
    assert result.may_retry
    assert chat.paths == [path]


def test_an_entry_that_changed_since_the_prompt_was_made_is_read_before_it_is_changed(chat: FilingChat) -> None:
    path = chat.file(name="庭の工事")
    handle, turn = handle_at(chat, path), chat.begin()

    with pytest.raises(StagingFault, match="changed meanwhile"):
        turn.overlay.path_of(handle, shown_marks={handle: "row-of-an-earlier-state"})
    turn.call("get_entry", path=handle)

    assert turn.overlay.path_of(handle, shown_marks={handle: "row-of-an-earlier-state"}) == path


def test_one_item_of_a_list_is_replaced_where_it_stands(chat: FilingChat) -> None:
    path = chat.file("milk, eggs, bread", message(1, "keep: milk, eggs, bread"), name="shopping")

    result = chat.once(
        "update_entry",
        message(2, "oat milk instead"),
        path=path,
        updates={"replace": {"old": "milk", "new": "oat milk"}},
    )

    entry = chat.entry(path)
    assert result["updatedFields"] == ["replace"]
    assert entry is not None
    assert entry.content == "oat milk, eggs, bread"
    assert entry.provenance.message_ids == {"m1", "m2"}


def test_an_item_of_a_field_is_replaced_or_taken_out(chat: FilingChat) -> None:
    path = chat.file("about Sato", category="people", name="Sato", follow_ups=["call", "a gift"])

    chat.once("update_entry", path=path, updates={"replace": {"old": "a gift", "new": "a cake"}})
    chat.once("update_entry", path=path, updates={"replace": {"old": "call", "new": ""}})

    entry = chat.entry(path)
    assert entry is not None
    assert entry.fields["follow_ups"] == ("a cake",)


@pytest.mark.parametrize(
    ("updates", "reason"),
    [
        ({"replace": {"old": "cheese", "new": "x"}}, "does not hold them"),
        ({"replace": {"old": "egg", "new": "x"}}, "exactly once, but they stand in content"),
        ({"replace": {"old": "shopping", "new": "x"}}, "exactly once, but they stand in name, content"),
        ({"replace": {"old": "milk", "new": "x"}, "content": "y"}, "at once"),
        ({"replace": {"old": "", "new": "x"}}, "two texts"),
        ({"replace": "milk"}, "two texts"),
    ],
)
def test_a_replacement_that_is_not_clear_changes_nothing(
    chat: FilingChat, updates: dict[str, object], reason: str
) -> None:
    path = chat.file("shopping: milk, eggs, an egg cup", name="shopping")

    result = chat.once("update_entry", path=path, updates=updates)

    entry = chat.entry(path)
    assert isinstance(result, ToolFault)
    assert reason in result.message
    assert entry is not None
    assert entry.content == "shopping: milk, eggs, an egg cup"
