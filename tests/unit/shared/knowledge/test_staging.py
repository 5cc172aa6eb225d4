"""What one turn reads and stages of a chat's entries."""

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import pytest

from shared.adapters.memory import FixedClock
from shared.agent.overlay import CHANGES_LIMIT, Attempt, StagingFault, UndoEffect
from shared.agent.receipts import DeedKind
from shared.agent.staged import Staged
from shared.conversation.amendments import Amendments
from shared.conversation.provenance import Provenance, Source
from shared.conversation.records import OutcomeKind, OutcomeRecord, StagedWrite
from shared.conversation.store import Conversations
from shared.conversation.undo import format_undo, read_undo
from shared.features.stored_features import writer_of
from shared.knowledge.catalog import CATALOG_LIMIT_BYTES, ROW_LIMIT_BYTES, Catalog, row_of
from shared.knowledge.entry import Entry, Note
from shared.knowledge.entry_file import format_entry, read_entry
from shared.knowledge.prompt_index import KnowledgeIndex
from shared.knowledge.schema import FIELDS, Category
from shared.knowledge.staging import ENTRIES_LIMIT, EntryOverlay, Placement
from shared.storage.codec import encode
from tests.support.chats import made_of
from tests.support.inline import InlineExecutor
from tests.support.knowledge import CHAT, OpenLease, WatchedStore

GARDEN, YARD = "projects/garden.md", "projects/yard.md"


def entry(path: str, source: str = "m1", **fields: str) -> Entry:
    slug = path.removeprefix("projects/").removesuffix(".md")
    return Entry(
        category=Category.PROJECTS,
        slug=slug,
        id=slug,
        created_at="2026-11-20T10:00:00+09:00",
        updated_at="2026-11-20T10:00:00+09:00",
        confidence=0.9,
        fields={**{one.name: one.default for one in FIELDS[Category.PROJECTS]}, "name": slug, **fields},
        field_message_ids={"name": (source,)},
        provenance=Provenance.of_sources((Source(line_message_id=source, timestamp_ms=5),)),
    )


class CountingExecutor(InlineExecutor):
    """Counts its calls."""

    calls = 0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:  # noqa: ANN401 - as in Executor
        self.calls += 1
        return super().submit(fn, *args, **kwargs)


class StagingChat:
    """A chat whose turns stage entries."""

    def __init__(self, store: WatchedStore | None = None) -> None:
        self.store = store or WatchedStore()
        self.reads = CountingExecutor()
        self.sequence = 0
        self.restarts()

    def restarts(self) -> None:
        """The chat is on an instance that has cached nothing."""
        self.conversation = Conversations.on(self.store, reads=self.reads, clock=FixedClock(), lease_s=25.0).of(CHAT)

    def on_another_instance(self) -> "StagingChat":
        """Return the same chat on an instance that has cached nothing."""
        other = StagingChat(self.store)
        other.sequence = self.sequence
        return other

    def begin(self, amendments: Amendments | None = None) -> EntryOverlay:
        """Begin a turn, whose prompt shows the index."""
        self.sequence += 1
        KnowledgeIndex(is_shown=True).read(self.conversation)
        attempt = Attempt.at(self.conversation, sequence=self.sequence, now_ms=0, amendments=amendments or Amendments())
        return EntryOverlay(attempt)

    def commit(self, overlay: EntryOverlay) -> tuple[StagedWrite, ...]:
        writes = Staged((overlay,)).changes()
        outcome = OutcomeRecord(
            webhook_event_id="e1",
            timestamp_ms=1,
            kind=OutcomeKind.SKIPPED,
            provenance=overlay.provenance,
            writes=writes,
            sequence=self.sequence,
        )
        assert writer_of().apply(self.conversation, outcome, OpenLease())
        return writes

    def keeps(self, *entries: Entry) -> None:
        self.changes({one.path: one for one in entries})

    def changes(self, changes: Mapping[str, Entry | None]) -> tuple[StagedWrite, ...]:
        overlay = self.begin()
        overlay.stage(changes)
        return self.commit(overlay)


@pytest.fixture
def chat() -> StagingChat:
    return StagingChat()


def names(overlay: EntryOverlay) -> list[str]:
    return [row.path for row in overlay.rows()]


def test_filing_a_note_asks_the_bucket_once_whether_its_path_is_taken(chat: StagingChat) -> None:
    chat.keeps(entry(GARDEN))
    overlay = chat.begin()
    reads = chat.store.reads

    assert not overlay.is_taken(YARD)
    overlay.stage({YARD: entry(YARD)})
    assert [deed.kind for deed in overlay.deeds] == [DeedKind.FILED]

    assert chat.store.reads - reads == 1


def test_a_turn_reads_its_own_writes(chat: StagingChat) -> None:
    chat.keeps(entry(GARDEN), entry(YARD))
    overlay = chat.begin()

    overlay.stage({GARDEN: None, YARD: entry(YARD, status="done"), "projects/shed.md": entry("projects/shed.md")})

    assert names(overlay) == [YARD, "projects/shed.md"]
    assert overlay.show_entry(YARD).fields["status"] == "done"
    assert [one.path for one in overlay.show_entries([GARDEN, "projects/shed.md", YARD])] == ["projects/shed.md", YARD]
    with pytest.raises(StagingFault, match=r"Entry not found: projects/garden\.md"):
        overlay.show_entry(GARDEN)


def test_tools_take_the_catalog_that_was_read_for_the_prompt(chat: StagingChat) -> None:
    chat.keeps(entry(GARDEN))
    overlay = chat.begin()
    chat.store.reads = 0

    assert names(overlay) == names(overlay) == [GARDEN]
    assert chat.store.reads == 0


def test_an_entry_is_read_once_a_turn(chat: StagingChat) -> None:
    chat.keeps(entry(GARDEN))
    chat.restarts()
    overlay = chat.begin()
    chat.store.reads = 0

    assert overlay.show_entries([GARDEN]) == overlay.show_entries([GARDEN]) == [overlay.show_entry(GARDEN)]
    assert chat.store.reads == 1


def test_an_entry_that_this_instance_has_as_the_catalog_names_it_is_shown_without_a_request(chat: StagingChat) -> None:
    chat.keeps(entry(GARDEN))
    overlay = chat.begin()
    chat.store.reads = 0

    assert [one.path for one in overlay.show_entries([GARDEN])] == [GARDEN]
    assert chat.store.reads == 0


def test_an_entry_that_another_instance_has_changed_is_shown_as_changed(chat: StagingChat) -> None:
    chat.keeps(entry(GARDEN))
    chat.begin().show_entry(GARDEN)
    chat.on_another_instance().changes({GARDEN: entry(GARDEN, status="done")})

    [shown] = chat.begin().show_entries([GARDEN])

    assert shown.fields["status"] == "done"


def test_an_entry_is_read_before_a_turn_changes_it(chat: StagingChat) -> None:
    chat.keeps(entry(GARDEN))
    overlay = chat.begin()
    overlay.show_entries([GARDEN])
    chat.on_another_instance().changes({GARDEN: entry(GARDEN, status="done")})

    current = overlay.current(GARDEN)

    assert current is not None
    assert current.fields["status"] == "done"


def test_several_entries_are_read_side_by_side(chat: StagingChat) -> None:
    chat.keeps(entry(GARDEN), entry(YARD))
    chat.restarts()
    overlay = chat.begin()
    chat.reads.calls = 0

    assert [one.path for one in overlay.show_entries([YARD, "projects/none.md", GARDEN])] == [YARD, GARDEN]
    assert chat.reads.calls == 3


@pytest.mark.parametrize("path", ["projects/none.md", "index.md", "../x", ""])
def test_a_path_without_an_entry_is_a_fault(chat: StagingChat, path: str) -> None:
    with pytest.raises(StagingFault, match="Entry not found") as caught:
        chat.begin().show_entry(path)

    assert caught.value.may_retry


def test_entries_of_withdrawn_messages_do_not_exist_for_the_turn(chat: StagingChat) -> None:
    chat.keeps(entry(GARDEN, "m1"), entry(YARD, "m2"))
    overlay = chat.begin(Amendments(withdrawn=frozenset({"m1"})))

    assert names(overlay) == [YARD]
    assert [one.path for one in overlay.show_entries([GARDEN, YARD])] == [YARD]
    with pytest.raises(StagingFault, match="not found"):
        overlay.show_entry(GARDEN)
    assert overlay.is_taken(GARDEN)  # its object is still there


def test_an_entry_that_the_instance_has_cached_is_not_shown_once_its_message_is_withdrawn(chat: StagingChat) -> None:
    chat.keeps(entry(GARDEN, "m1"))
    assert [one.path for one in chat.begin().show_entries([GARDEN])] == [GARDEN]

    assert chat.begin(Amendments(withdrawn=frozenset({"m1"}))).show_entries([GARDEN]) == []


def test_the_sources_of_what_was_shown_staged_or_replaced_are_told(chat: StagingChat) -> None:
    chat.keeps(entry(GARDEN, "m1"), entry(YARD, "m2"), entry("projects/shed.md", "m3"))
    overlay = chat.begin()
    assert overlay.provenance.ids == set()

    overlay.show_entry(GARDEN)
    assert overlay.provenance.ids == {"m1"}
    overlay.show_entries([YARD])
    assert overlay.provenance.ids == {"m1", "m2"}
    overlay.stage({"projects/shed.md": entry("projects/shed.md", "m4")})
    assert overlay.provenance.ids == {"m1", "m2", "m3", "m4"}
    overlay.mark_shown(made_of("m5"))
    assert overlay.provenance.ids == {"m1", "m2", "m3", "m4", "m5"}


def test_a_path_is_taken_by_an_object_or_by_what_is_staged(chat: StagingChat) -> None:
    chat.keeps(entry(GARDEN), entry(YARD))
    chat.store.create(chat.conversation.names.entry("projects/broken.md"), b"---")
    overlay = chat.begin()
    overlay.stage({YARD: None, "projects/new.md": entry("projects/new.md")})

    taken = [overlay.is_taken(f"projects/{name}.md") for name in ("garden", "yard", "new", "broken", "none")]

    assert taken == [True, False, True, True, False]


def test_a_path_that_the_catalog_names_is_taken_without_a_read(chat: StagingChat) -> None:
    chat.keeps(entry(GARDEN))
    overlay = chat.begin()
    overlay.rows()
    chat.store.reads = 0

    assert overlay.is_taken(GARDEN)
    assert chat.store.reads == 0


def test_writes_come_before_deletions_and_the_undo_record_last(chat: StagingChat) -> None:
    chat.keeps(entry(GARDEN), entry(YARD))

    writes = chat.changes({GARDEN: None, "projects/new.md": entry("projects/new.md"), YARD: entry(YARD)})

    assert [(one.path, one.text is None) for one in writes] == [
        ("projects/new.md", False),
        (YARD, False),
        (GARDEN, True),
        ("undo.json", False),
    ]
    revisions = [read_entry(one.path, one.text.encode()).revision for one in writes[:2] if one.text is not None]
    assert revisions == [(2, 0), (2, 1)]
    assert read_undo((writes[3].text or "").encode()).revision == "2.3"


def test_what_is_as_it_was_is_not_written(chat: StagingChat) -> None:
    chat.keeps(entry(GARDEN))
    overlay = chat.begin()

    overlay.stage({GARDEN: overlay.show_entry(GARDEN)})

    assert Staged((overlay,)).changes() == ()


def test_after_the_decision_nothing_more_is_staged(chat: StagingChat) -> None:
    overlay = chat.begin()
    Staged((overlay,)).changes()

    with pytest.raises(StagingFault, match="The turn is over"):
        overlay.stage({GARDEN: entry(GARDEN)})


def test_a_turn_changes_as_many_entries_as_the_limit(chat: StagingChat) -> None:
    overlay = chat.begin()
    paths = [f"projects/n{number}.md" for number in range(CHANGES_LIMIT + 1)]
    overlay.stage({path: entry(path) for path in paths[:-1]})
    overlay.stage({paths[0]: entry(paths[0], status="done")})

    with pytest.raises(StagingFault, match="at most 20 entries"):
        overlay.stage({paths[-1]: entry(paths[-1])})

    assert len(overlay.rows()) == CHANGES_LIMIT


@pytest.mark.parametrize(
    ("paths", "is_full"),
    [
        ({"projects/new.md": False}, True),
        ({"projects/n0.md": False, "projects/new.md": False}, True),
        ({"projects/n0.md": False}, False),
        ({"projects/n0.md": True, "projects/new.md": False}, False),  # as a move does
    ],
)
def test_a_full_chat_takes_changes_and_no_new_entry(
    chat: StagingChat, paths: Mapping[str, bool], *, is_full: bool
) -> None:
    rows = tuple(row_of(entry(f"projects/n{number}.md")) for number in range(ENTRIES_LIMIT))
    chat.store.create(chat.conversation.names.entry("search.json"), encode(Catalog(rows=rows)))
    overlay = chat.begin()
    changes = {path: None if is_deleted else entry(path) for path, is_deleted in paths.items()}

    with pytest.raises(StagingFault, match="full") if is_full else nullcontext():
        overlay.stage(changes)


def test_the_placement_is_that_of_the_last_filing_until_its_entry_changes(chat: StagingChat) -> None:
    overlay = chat.begin()
    placement = Placement(path=GARDEN, confidence=0.9)

    overlay.stage({GARDEN: entry(GARDEN)}, placement=placement)
    overlay.stage({YARD: entry(YARD)})
    placements = [overlay.placement]
    overlay.stage({GARDEN: None})
    placements.append(overlay.placement)
    Staged((overlay,)).undo()
    placements.append(overlay.placement)

    assert placements == [placement, None, placement]


def test_an_undo_in_the_turn_takes_back_its_last_step(chat: StagingChat) -> None:
    chat.keeps(entry(GARDEN))
    overlay = chat.begin()
    overlay.stage({GARDEN: entry(GARDEN, status="done"), YARD: entry(YARD)})
    overlay.stage({YARD: entry(YARD, status="done")})

    assert Staged((overlay,)).undo() == UndoEffect(restored=(YARD,), removed=())
    assert overlay.show_entry(YARD).fields["status"] == "active"
    assert Staged((overlay,)).undo() == UndoEffect(restored=(GARDEN,), removed=(YARD,))
    assert names(overlay) == [GARDEN]
    assert Staged((overlay,)).changes() == ()


def test_the_next_turn_undoes_what_the_last_one_changed_and_only_that(chat: StagingChat) -> None:
    chat.keeps(entry(GARDEN, "m1"))
    chat.changes({GARDEN: entry(GARDEN, "m2", status="done"), YARD: entry(YARD, "m3")})
    overlay = chat.begin()

    assert Staged((overlay,)).undo() == UndoEffect(restored=(GARDEN,), removed=(YARD,))
    assert overlay.provenance.ids == {"m1", "m2", "m3"}
    with pytest.raises(StagingFault, match="nothing to undo"):
        Staged((overlay,)).undo()
    chat.commit(overlay)

    following = chat.begin()
    assert names(following) == [GARDEN]
    assert following.show_entry(GARDEN).fields["status"] == "active"
    with pytest.raises(StagingFault, match="nothing to undo"):
        Staged((following,)).undo()


def test_whoever_is_shown_what_would_be_undone_has_read_its_sources(chat: StagingChat) -> None:
    chat.keeps(entry(GARDEN, "m1"))
    chat.changes({GARDEN: entry(GARDEN, "m2", status="done"), YARD: entry(YARD, "m3")})
    overlay = chat.begin()
    overlay.mark_shown(made_of("m9"))

    assert Staged((overlay,)).show_undo() == ("garden", "yard")
    assert overlay.provenance.ids == {"m1", "m2", "m3", "m9"}


def test_the_undo_record_holds_what_was_before_with_every_source(chat: StagingChat) -> None:
    chat.keeps(entry(GARDEN, "m1"))
    first = chat.begin().show_entry(GARDEN)

    *_, write = chat.changes({GARDEN: entry(GARDEN, "m2", status="done"), YARD: entry(YARD, "m3")})

    record = read_undo((write.text or "").encode())
    assert record.before == (StagedWrite(path=GARDEN, text=format_entry(first)), StagedWrite(path=YARD, text=None))
    assert [one.line_message_id for one in record.provenance.sources] == ["m1", "m2", "m3"]


@pytest.mark.parametrize("line_message_id", ["m1", "m2"])
def test_what_a_withdrawn_message_said_is_not_restored(chat: StagingChat, line_message_id: str) -> None:
    chat.keeps(entry(GARDEN, "m1"))
    chat.changes({GARDEN: entry(GARDEN, "m2", status="done")})

    with pytest.raises(StagingFault, match="nothing to undo"):
        Staged((chat.begin(Amendments(withdrawn=frozenset({line_message_id}))),)).undo()


@pytest.mark.parametrize("broken", [b"{", b'{"version": 2}'])
def test_an_undo_record_that_cannot_be_read_restores_nothing(chat: StagingChat, broken: bytes) -> None:
    name = chat.conversation.names.entry("undo.json")
    chat.keeps(entry(GARDEN))
    stored = chat.store.read(name)
    assert stored is not None
    chat.store.replace(name, broken, generation=stored.generation)

    with pytest.raises(StagingFault, match="nothing to undo"):
        Staged((chat.begin(),)).undo()


def test_a_chat_that_filed_nothing_has_nothing_to_undo(chat: StagingChat) -> None:
    with pytest.raises(StagingFault, match="nothing to undo"):
        Staged((chat.begin(),)).undo()


def test_what_is_filed_is_what_was_not_there_before(chat: StagingChat) -> None:
    chat.keeps(entry(GARDEN), entry(YARD))
    overlay = chat.begin()
    assert not overlay.filed_paths

    overlay.stage({"projects/new.md": entry("projects/new.md"), "projects/none.md": None})
    overlay.stage({YARD: entry(YARD, status="done"), GARDEN: None})

    assert overlay.filed_paths == ("projects/new.md",)


def test_an_entry_that_is_too_long_may_be_filed_in_parts(chat: StagingChat) -> None:
    with pytest.raises(StagingFault, match="file it in parts") as caught:
        chat.begin().stage({GARDEN: replace(entry(GARDEN), notes=(Note(text="x" * ROW_LIMIT_BYTES),))})

    assert caught.value.may_retry


def deeds(overlay: EntryOverlay) -> list[tuple[str, str, str | None]]:
    return [(one.kind, one.name, one.place) for one in overlay.deeds]


def test_deeds_tell_what_the_staged_writes_do(chat: StagingChat) -> None:
    shed, moved = entry("projects/shed.md"), entry("projects/moved.md")
    chat.keeps(entry(GARDEN), entry(YARD), shed)
    overlay = chat.begin()
    assert deeds(overlay) == []

    overlay.stage({"projects/new.md": entry("projects/new.md")})
    overlay.stage({YARD: entry(YARD, status="done"), GARDEN: None})
    overlay.stage({moved.path: replace(moved, id=shed.id), shed.path: None})

    assert deeds(overlay) == [
        ("filed", "new", "projects"),
        ("changed", "yard", "projects"),
        ("moved", "moved", "projects"),
        ("deleted", "garden", None),
    ]


@pytest.mark.parametrize(
    ("new", "takes_words"),
    [
        ({"status": "done"}, False),
        ({"next_action": "call Sato today"}, False),
        ({"next_action": "call"}, True),
        ({"next_action": ""}, True),
        ({"name": "yard"}, True),
    ],
)
def test_a_deed_tells_whether_it_takes_words(chat: StagingChat, new: dict[str, str], *, takes_words: bool) -> None:
    old = entry(GARDEN, next_action="call Sato")
    chat.keeps(old)
    changed = replace(old, fields={**old.fields, **new})

    for staged in ({GARDEN: changed}, {GARDEN: None, YARD: replace(changed, slug="yard")}):
        overlay = chat.begin()
        overlay.stage(staged)
        assert [one.takes_words for one in overlay.deeds] == [takes_words]


def test_a_note_that_goes_is_words_that_go(chat: StagingChat) -> None:
    chat.keeps(replace(entry(GARDEN), notes=(Note(text="the gate"), Note(text="the pond"))))
    overlay = chat.begin()

    overlay.stage({GARDEN: replace(entry(GARDEN), notes=(Note(text="the pond"),))})

    assert [one.takes_words for one in overlay.deeds] == [True]


def test_a_deletion_is_told_also_where_another_entry_takes_the_place(chat: StagingChat) -> None:
    shed = entry("projects/shed.md")
    chat.keeps(entry(GARDEN), entry(YARD), shed)
    overlay = chat.begin()

    overlay.stage({GARDEN: None})
    overlay.stage({GARDEN: replace(entry(GARDEN), id="other")})
    overlay.stage({YARD: None})
    overlay.stage({YARD: replace(entry(YARD, name="shed"), id=shed.id), shed.path: None})

    assert deeds(overlay) == [
        ("filed", "garden", "projects"),
        ("moved", "shed", "projects"),
        ("deleted", "garden", None),
        ("deleted", "yard", None),
    ]
    assert overlay.filed_paths == (GARDEN, YARD)


def test_what_is_as_it_was_or_came_and_went_is_no_deed(chat: StagingChat) -> None:
    chat.keeps(entry(GARDEN))
    overlay = chat.begin()

    overlay.stage({GARDEN: overlay.show_entry(GARDEN), YARD: entry(YARD)})
    overlay.stage({YARD: None})

    assert deeds(overlay) == []


def test_deeds_of_an_undo_are_told_apart_from_what_follows_it(chat: StagingChat) -> None:
    chat.keeps(entry(GARDEN), entry("projects/shed.md"))
    chat.changes({GARDEN: entry(GARDEN, status="done"), YARD: entry(YARD)})
    overlay = chat.begin()

    Staged((overlay,)).undo()
    overlay.stage({"projects/new.md": entry("projects/new.md")})
    overlay.stage({"projects/shed.md": entry("projects/shed.md", status="done")})

    assert deeds(overlay) == [
        ("restored", "garden", "projects"),
        ("filed", "new", "projects"),
        ("changed", "shed", "projects"),
        ("undone", "yard", None),
    ]


@pytest.mark.parametrize(("over", "is_too_long"), [(0, False), (1, True)])
def test_an_entry_may_take_as_much_of_the_catalog_as_the_limit_of_a_row(
    chat: StagingChat, over: int, *, is_too_long: bool
) -> None:
    brief = replace(entry(GARDEN), notes=(Note(text="x"),))
    length = 1 + ROW_LIMIT_BYTES - row_of(brief).size_bytes + over
    overlay = chat.begin()

    with pytest.raises(StagingFault, match="too long to be kept") if is_too_long else nullcontext():
        overlay.stage(
            {GARDEN: replace(brief, notes=(Note(text="x" * length),)), YARD: entry(YARD), "projects/x.md": None}
        )

    assert bool(names(overlay)) is not is_too_long


@pytest.mark.parametrize(("over", "is_full"), [(0, False), (1, True)])
def test_a_catalog_grows_up_to_its_limit(chat: StagingChat, over: int, *, is_full: bool) -> None:
    row = row_of(entry(GARDEN))
    rows = [replace(row, path=f"projects/n{number}.md", folded={"content": "x" * 60_000}) for number in range(69)]
    added = row_of(entry(YARD))
    after = Catalog(rows=tuple(rows)).with_rows({YARD: added}, key=(chat.sequence + 1, CHANGES_LIMIT))
    length = 60_000 + CATALOG_LIMIT_BYTES - after.size_bytes + over
    rows[0] = replace(rows[0], folded={"content": "x" * length})
    chat.store.create(chat.conversation.names.entry("search.json"), encode(Catalog(rows=tuple(rows))))

    overlay = chat.begin()
    with pytest.raises(StagingFault, match="4 MiB of text") if is_full else nullcontext():
        overlay.stage({YARD: entry(YARD)})


def test_an_undo_record_round_trips(chat: StagingChat) -> None:
    *_, write = chat.changes({GARDEN: entry(GARDEN)})
    record = read_undo((write.text or "").encode())

    assert format_undo(record) == write.text
    assert replace(record, before=()) != record


def test_an_entry_whose_notes_name_so_many_messages_that_it_could_not_be_read_back_is_refused(
    chat: StagingChat,
) -> None:
    ids = tuple(f"{number:018d}" for number in range(300))
    sources = tuple(Source(line_message_id=one, timestamp_ms=5) for one in ids)
    diary = replace(entry(GARDEN), field_message_ids={"name": ids[:1]}, provenance=Provenance.of_sources(sources))
    chat.keeps(replace(diary, notes=tuple(Note(text=f"day {day}", message_ids=ids) for day in range(20))))
    assert names(chat.begin()) == [GARDEN]
    more = tuple(Note(text=f"day {day}", message_ids=ids) for day in range(40))

    with pytest.raises(StagingFault, match="too long to be kept"):
        chat.changes({GARDEN: replace(diary, notes=more)})

    assert chat.begin().show_entry(GARDEN).notes[-1].text == "day 19"
