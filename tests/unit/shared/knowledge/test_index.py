from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.agent.token_estimate import estimated_tokens
from shared.conversation.amendments import Amendments
from shared.conversation.history import IndexView
from shared.conversation.provenance import Provenance, Source
from shared.knowledge.catalog import Catalog, Row, row_mark_of
from shared.knowledge.index import index_file, rebuild_index
from shared.knowledge.prompt_index import (
    EMPTY_INDEX,
    PROMPT_TOKENS,
    UNREADABLE_INDEX,
    CatalogIndex,
    KnowledgeIndex,
    index_view,
)
from shared.knowledge.schema import Category
from tests.support.knowledge import WORDS, FilingChat, StallingStore, message

ROWS = st.builds(
    Row,
    path=st.integers(0, 10_000).map(lambda number: f"projects/庭の工事の長い名前-{number}.md"),
    category=st.sampled_from([one for one in Category if one is not Category.ITEMS]),
    name=WORDS,
    created_at=st.dates().map(str),
    updated_at=st.dates().map(str),
    provenance=st.just(Provenance.of_sources((Source(line_message_id="m1", timestamp_ms=1),))),
    shown=st.fixed_dictionaries(
        {"status": st.sampled_from(["active", "waiting", "blocked", "done", "someday", "pending"])},
        optional=dict.fromkeys(("context", "next_action", "one_liner", "original_text", "due_date"), WORDS),
    ),
)


def row(
    number: int, *, category: Category = Category.PROJECTS, status: str = "active", day: int = 1, **shown: str
) -> Row:
    return Row(
        path=f"{category}/n{number}.md",
        category=category,
        name=f"n{number}",
        created_at=f"2026-11-{day:02}T10:00:00+09:00",
        updated_at=f"2026-11-{day:02}T10:00:00+09:00",
        provenance=Provenance.of_sources((Source(line_message_id=f"m{number}", timestamp_ms=number),)),
        shown={"status": status, **shown},
    )


def test_an_index_lists_open_entries_and_counts_all() -> None:
    catalog = Catalog(
        rows=(
            row(1, next_action="call Sato"),
            row(2, status="waiting", next_action="the offer"),
            row(3, status="done"),
            row(4, category=Category.ADMIN, status="pending", due_date="2026-12-01"),
            row(5, category=Category.ADMIN, status="pending"),
            row(6, category=Category.IDEAS, status="", one_liner="a shop"),
        )
    )

    assert index_file(catalog) == (
        "# Index of the knowledge base\n"
        "> Last updated: 2026-11-01T10:00:00+09:00\n"
        "> Total entries: 6 (0 people, 3 projects, 1 ideas, 2 admin, 0 details, 0 inbox, 0 items)\n"
        "\n## People (0)\nNo people yet.\n"
        "\n## Projects: active (1)\n| Project | Next action | Status |\n| --- | --- | --- |\n"
        "| [n1](projects/n1.md) | call Sato | active |\n"
        "\n## Projects: waiting or blocked (1)\n| Project | Waiting on | Since |\n| --- | --- | --- |\n"
        "| [n2](projects/n2.md) | the offer | 2026-11-01 |\n"
        "\n## Ideas (1)\n| Idea | One-liner |\n| --- | --- |\n| [n6](ideas/n6.md) | a shop |\n"
        "\n## Admin: pending (2)\n| Task | Due |\n| --- | --- |\n| [n4](admin/n4.md) | 2026-12-01 |\n| [n5](admin/n5.md) |  |\n"
        "\n## Details (0)\nNo details yet.\n"
        "\n## Inbox: needs review (0)\nThe inbox is empty.\n"
        "\n## Items of lists (0)\nNo items yet.\n"
    )


def paths_in(text: str) -> list[str]:
    return [line.split("](")[1].split(")")[0] for line in text.splitlines() if line.startswith("| [")]


@pytest.mark.parametrize(
    ("category", "status"),
    [
        (Category.PROJECTS, "active"),
        (Category.PROJECTS, "waiting"),
        (Category.IDEAS, ""),
        (Category.PEOPLE, ""),
        (Category.INBOX, "needs_review"),
    ],
)
def test_a_section_lists_its_newest_entries_first(category: Category, status: str) -> None:
    rows = tuple(row(number, category=category, status=status, day=day) for number, day in enumerate((2, 9, 5)))

    assert paths_in(index_file(Catalog(rows=rows))) == [f"{category}/n{number}.md" for number in (1, 2, 0)]


def test_people_are_listed_by_what_last_happened_with_them() -> None:
    rows = (row(1, category=Category.PEOPLE, day=9), row(2, category=Category.PEOPLE, day=2, last_touched="2026-11-20"))

    assert paths_in(index_file(Catalog(rows=rows))) == ["people/n2.md", "people/n1.md"]


def test_tasks_are_listed_by_due_date_and_those_without_last() -> None:
    days = ("", "2026-12-09", "2026-12-01")
    rows = tuple(
        row(number, category=Category.ADMIN, status="pending", due_date=day) for number, day in enumerate(days)
    )

    assert paths_in(index_file(Catalog(rows=rows))) == ["admin/n2.md", "admin/n1.md", "admin/n0.md"]


def test_a_view_leaves_no_entry_out_that_has_room() -> None:
    kinds = ((Category.PEOPLE, ""), (Category.PROJECTS, "active"), (Category.IDEAS, ""), (Category.ADMIN, "pending"))
    rows = tuple(
        row(10 * number + more, category=category, status=status)
        for number, (category, status) in enumerate(kinds)
        for more in range(4)
    )
    catalog = Catalog(rows=rows)
    whole = estimated_tokens(index_view(catalog, limit_tokens=5_000).text)

    spare = next(
        more
        for more in range(-40, 200)
        if len(paths_in(index_view(catalog, limit_tokens=whole + more).text)) == len(rows)
    )

    assert 40 <= spare <= 70  # the line that tells how many are left out, and less than two tokens a row for rounding


def test_a_short_view_shows_open_entries_before_newer_ones_that_are_put_off() -> None:
    newer = tuple(row(number, category=Category.PEOPLE, status="someday", day=20) for number in range(1, 40))

    view = index_view(Catalog(rows=(row(0, category=Category.PEOPLE, status="", day=1), *newer)), limit_tokens=400)

    assert "people/n0.md" in paths_in(view.text)
    assert len(paths_in(view.text)) < 40


@settings(max_examples=300)
@given(st.lists(ROWS, max_size=80), st.integers(400, 2_000))
def test_a_view_stays_within_its_tokens_and_counts_the_omitted_entries(rows: list[Row], limit: int) -> None:
    catalog = Catalog(rows=tuple({one.path: one for one in rows}.values()))

    view = index_view(catalog, limit_tokens=limit)

    assert estimated_tokens(view.text) <= limit
    shown = sum(one.path in view.text for one in catalog.rows)
    more = len(catalog.rows) - view.text.count("](projects/")
    assert (f"and {more} more entries" in view.text) is bool(more)
    assert bool(view.provenance.message_ids) is bool(shown)


@given(st.lists(ROWS, max_size=10))
def test_a_cell_of_any_text_keeps_the_table_intact(rows: list[Row]) -> None:
    text = index_file(Catalog(rows=tuple({one.path: one for one in rows}.values())))

    lines = text.replace("\\\\", "").replace("\\|", "").split("\n")
    widths = {"Name": 4, "Project": 4, "Idea": 3, "Task": 3, "Detail": 3, "Suggested name": 5}
    width = 0
    for line in lines:
        if line.startswith("| "):
            head = line.split("|")[1].strip()
            width = widths.get(head, width) if line.startswith(tuple(f"| {one} |" for one in widths)) else width
            assert line.count("|") == width


def test_a_view_shows_the_newest_entries_first() -> None:
    rows = tuple(row(number, day=1 + number % 28) for number in range(300))

    view = index_view(Catalog(rows=rows), limit_tokens=400)

    shown = [one for one in rows if f"({one.path})" in view.text]
    left_out = [one for one in rows if one not in shown]
    assert 5 < len(shown) < 300
    assert min(one.updated_at for one in shown) >= max(one.updated_at for one in left_out)
    assert view.provenance.message_ids == {next(iter(one.provenance.message_ids)) for one in shown}


def test_an_index_takes_one_read_of_the_bucket() -> None:
    chat = FilingChat()
    index = KnowledgeIndex(is_shown=True)

    assert index.read(chat.conversation).view(Amendments()).text == EMPTY_INDEX
    chat.file("庭の工事", message(4, "庭の工事"))
    chat.watched.reads = 0

    read = index.read(chat.conversation)
    view = read.view(Amendments())

    assert chat.watched.reads == 1
    assert f"| {view.rows[0].handle} 庭の工事 |" in view.text
    assert view.provenance.message_ids == {"m4"}


def test_an_index_is_read_anew_from_the_catalog_that_is_there() -> None:
    chat, index = FilingChat(), KnowledgeIndex(is_shown=True)
    kept = chat.file("庭の工事", message(4, "庭の工事"), name="庭の工事", next_action="見積もり")
    gone = chat.file("屋根", message(5, "屋根"), name="屋根")
    before = index.read(chat.conversation)

    chat.once("update_entry", message(6, "契約"), path=kept, updates={"next_action": "契約"})
    chat.once("delete_entry", message(7, "消して"), path=gone)

    view = index.read(chat.conversation).view(Amendments())
    assert f"| {view.rows[0].handle} 庭の工事 | 契約 | active |" in view.text
    assert "見積もり" not in view.text
    assert "屋根" not in view.text
    assert view.provenance.message_ids == {"m4", "m6"}
    assert "屋根" in before.view(Amendments()).text


def test_an_index_of_an_older_catalog_is_not_written_over_a_newer_one() -> None:
    store = StallingStore()
    chat = FilingChat(store=store)
    gone = chat.file("庭の工事", name="庭の工事")
    store.delete(f"entries/{chat.chat}/index.md")

    store.meanwhile = lambda: (chat.once("delete_entry", path=gone), chat.file("屋根", name="屋根"))
    rebuild_index(chat.entries)

    assert chat.file_text("index.md") == index_file(chat.entries.catalog())
    assert "庭の工事" not in chat.file_text("index.md")
    assert "屋根" in chat.file_text("index.md")


def test_an_index_that_agrees_with_its_catalog_is_not_written_again() -> None:
    chat = FilingChat()
    chat.file("庭の工事")
    before = {one.name: one.generation for one in chat.store.list("")}

    rebuild_index(chat.entries)

    assert {one.name: one.generation for one in chat.store.list("")} == before


def test_an_index_that_is_not_shown_reads_nothing() -> None:
    chat = FilingChat()
    chat.file("庭の工事")
    chat.watched.reads = 0

    read = KnowledgeIndex(is_shown=False).read(chat.conversation)

    assert read.view(Amendments()) == IndexView()
    assert chat.watched.reads == 0


def test_an_index_shows_no_entry_of_a_withdrawn_message() -> None:
    chat = FilingChat()
    chat.file("庭の工事", message(4, "庭の工事"))

    view = KnowledgeIndex(is_shown=True).read(chat.conversation).view(Amendments(withdrawn=frozenset({"m4"})))

    assert view.text == EMPTY_INDEX


@given(
    st.builds(
        Amendments,
        withdrawn=st.frozensets(st.sampled_from(["m1", "m4", "m9"])),
        edited_ms=st.dictionaries(st.sampled_from(["m2", "m4", "m9"]), st.integers(0, 9)),
        erased_entries_ms=st.integers(-1, 9),
    )
)
def test_an_index_is_that_of_the_entries_that_no_amendment_takes(amendments: Amendments) -> None:
    catalog = Catalog(rows=tuple(map(row, range(1, 6))))
    left = catalog.without(amendments.is_withdrawn_from_entries)

    assert CatalogIndex(catalog).view(amendments) == index_view(left)


def test_an_index_of_a_newer_release_is_shown_as_unreadable() -> None:
    chat = FilingChat()
    chat.store.create(f"entries/{chat.chat}/search.json", b'{"version": 2}')

    assert KnowledgeIndex(is_shown=True).read(chat.conversation).view(Amendments()).text == UNREADABLE_INDEX


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("abcd", 1), ("abcde", 2), ("庭の工事", 4), ("庭 abc", 2)])
def test_tokens_are_estimated_from_above(text: str, tokens: int) -> None:
    assert estimated_tokens(text) == tokens


def test_an_index_does_not_depend_on_the_revision() -> None:
    catalog = Catalog(rows=(row(1), row(2)))

    assert index_file(catalog) == index_file(replace(catalog, revision="9.9"))


def test_a_view_has_no_section_without_a_row() -> None:
    view = index_view(Catalog(rows=(row(1), row(2, category=Category.IDEAS, one_liner="a shop"))))

    assert view.text == (
        "> 2 entries: 1 projects, 1 ideas\n"
        "## Projects: active (1)\n| Project | Next action | Status |\n| [n1](projects/n1.md) |  | active |\n"
        "## Ideas (1)\n| Idea | One-liner |\n| [n2](ideas/n2.md) | a shop |\n"
    )


def test_what_the_message_may_mean_is_shown_before_what_is_newer() -> None:
    rows = tuple(replace(row(number, day=1 + number % 28), id=f"id{number}") for number in range(300))
    oldest = replace(row(500, day=1), id="id500", name="庭の工事", updated_at="2020-01-01")
    index = CatalogIndex(Catalog(rows=(*rows, oldest)))

    unasked = index.view(Amendments())
    asked = index.view(Amendments(), asked=("庭の工事おわった",))

    assert oldest.handle not in unasked.text
    assert f"{oldest.handle} 庭の工事" in asked.text
    assert estimated_tokens(asked.text) <= PROMPT_TOKENS
    assert "m500" in asked.provenance.message_ids


def test_a_view_of_many_shared_lists_stays_within_its_tokens() -> None:
    items = tuple(
        row(number, category=Category.ITEMS, status="pending", list=f"the list of number {number}")
        for number in range(60)
    )

    view = index_view(Catalog(rows=items), limit_tokens=400)

    assert "the list of number" in view.text
    assert estimated_tokens(view.text) <= 400


def test_a_list_counts_an_item_with_words_from_outside_and_does_not_name_it() -> None:
    milk, page = (row(number, category=Category.ITEMS, status="pending", list="shopping") for number in (1, 2))
    outside = replace(page, provenance=replace(page.provenance, outside=frozenset({"web"})))

    view = index_view(Catalog(rows=(milk, outside)))

    assert [one.mark for one in view.rows] == [row_mark_of(milk)]
    assert "; … 1 more |" in view.text
    assert "| shopping | 2 |" in view.text


def test_a_view_with_paths_has_no_lists() -> None:
    milk = row(1, category=Category.ITEMS, status="pending", list="shopping")

    assert "## Shared lists" not in index_view(Catalog(rows=(milk,)), shows_paths=True).text
