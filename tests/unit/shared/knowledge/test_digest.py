import datetime as dt
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.conversation.provenance import Provenance, Source
from shared.knowledge.catalog import Row
from shared.knowledge.digest import Digest, digest, digest_texts
from shared.knowledge.schema import Category
from shared.locales.language_file import LOCALES
from tests.support.knowledge import TOKYO, WORDS

NOW = dt.datetime(2026, 11, 22, 7, 0, tzinfo=TOKYO)
KINDS: tuple[Literal["daily", "weekly"], ...] = ("daily", "weekly")
LONG = st.text("あいう", min_size=60, max_size=80) | st.just("w " * 40) | st.just("ยาว" * 25) | WORDS
ROWS = st.builds(
    Row,
    path=st.integers(0, 1_000).map(lambda number: f"projects/n{number}.md"),
    category=st.sampled_from([one for one in Category if one is not Category.ITEMS]),
    name=LONG,
    created_at=st.dates(dt.date(2026, 11, 1), dt.date(2026, 11, 22)).map(lambda day: f"{day}T10:00:00+09:00"),
    updated_at=st.dates(dt.date(2026, 1, 1), dt.date(2026, 11, 22)).map(lambda day: f"{day}T10:00:00+09:00"),
    provenance=st.just(Provenance()),
    shown=st.fixed_dictionaries(
        {"status": st.sampled_from(["active", "waiting", "blocked", "done", "pending"])},
        optional={"next_action": LONG, "original_text": LONG, "due_date": st.just("2026-12-01")},
    ),
)


def row(
    name: str, category: Category = Category.PROJECTS, *, created: str = "2026-11-20", updated: str = "", **shown: str
) -> Row:
    return Row(
        path=f"{category}/{name}.md",
        category=category,
        name=name,
        created_at=f"{created}T10:00:00+09:00",
        updated_at=f"{updated or created}T10:00:00+09:00",
        provenance=Provenance.of_sources((Source(line_message_id=f"m-{name}", timestamp_ms=1),)),
        shown=shown,
    )


def test_a_daily_digest_tells_what_is_due_stuck_and_done() -> None:
    rows = [
        row("Garden", status="active", next_action="call Sato", due_date="2026-12-01"),
        row("Taxes", Category.ADMIN, status="pending", due_date="2026-11-25"),
        row("Books", Category.ADMIN, status="pending"),
        row("Later", Category.ADMIN, status="pending"),
        row("Milk", Category.ADMIN, status="done"),
        row("?", Category.INBOX, created="2026-11-10", original_text="about Friday", status="needs_review"),
        row("Waiting", status="waiting", next_action="the offer"),
    ]

    summary = digest(rows, kind="daily", locale="en", now=NOW)

    assert summary.text == (
        "Good morning.\n\nTop 3 for today:\n- Taxes, due Wed 25 Nov\n- call Sato (Garden), due Tue 1 Dec\n- Books\n\n"
        "Might be stuck:\n- “about Friday” has been in the inbox for 12 days. Want to clarify?\n\n"
        "Small win:\n- You completed 1 task this week.\n- “Taxes” is next.\n\nReply to this message to capture a thought."
    )
    assert summary.provenance.message_ids == {"m-Taxes", "m-Garden", "m-Books", "m-?"}


def test_a_weekly_digest_counts_entries_by_their_creation_date() -> None:
    rows = [
        row("Garden", status="active"),
        row("Old", created="2026-01-01", updated="2026-11-21", status="active", due_date="2026-12-01"),
        row("Offer", created="2026-10-01", updated="2026-10-23", status="waiting"),
        row("Sato", Category.PEOPLE, created="2026-10-01"),
        row("Milk", Category.ADMIN, status="done"),
        row("?", Category.INBOX, created="2026-11-10", status="needs_review"),
    ]

    assert digest(rows, kind="weekly", locale="ja", now=NOW).text == (
        "11月16日(月)〜11月22日(日)の1週間\n\n【あったこと】\n・記録：2件（プロジェクト 1、用事 1）\n・片づいた用事：1件\n\n"
        "【しばらく動きのないもの】\n・「Offer」（30日）\n・「?」（12日）\n\n"
        "【来週の注目】\n・受信箱の1件を整理する\n・「Sato」さんに連絡する\n・「Garden」の期限を決める\n\n"
        "【今週の傾向】\n・特に多いものはありませんでした。\n\n感想や直したいことがあれば返信してください。"
    )


@pytest.mark.parametrize(
    ("hour", "greeting"),
    [
        (3, "こんばんは。"),
        (4, "おはようございます。"),
        (10, "おはようございます。"),
        (11, "こんにちは。"),
        (17, "こんにちは。"),
        (18, "こんばんは。"),
    ],
)
def test_a_digest_greets_by_the_hour(hour: int, greeting: str) -> None:
    now = NOW.replace(hour=hour)

    assert digest([row("Milk", Category.ADMIN, status="pending")], kind="daily", locale="ja", now=now).text.startswith(
        f"{greeting}\n"
    )


def test_a_weekly_digest_names_what_is_due_within_a_week() -> None:
    rows = [
        row("Tuesday", Category.ADMIN, status="pending", due_date="2026-11-24"),
        row("Overdue", status="active", due_date="2026-11-20"),
        row("Far", status="active", due_date="2026-12-24"),
        row("Done", Category.ADMIN, status="done", due_date="2026-11-24"),
    ]

    text = digest(rows, kind="weekly", locale="en", now=NOW).text

    assert "next week:\n- “Overdue”, due Fri 20 Nov\n- “Tuesday”, due Tue 24 Nov\n\n" in text


def test_the_kind_that_was_filed_most_is_named_and_of_two_none() -> None:
    tasks = [row("Milk", Category.ADMIN, status="pending"), row("Tea", Category.ADMIN, status="pending")]
    idea = row("Pond", Category.IDEAS)

    assert "- Mostly tasks (67%)." in weekly(*tasks, idea).text
    assert "- No kind stood out." in weekly(tasks[0], idea).text


@pytest.mark.parametrize("locale", LOCALES)
def test_a_digest_without_entries_says_so(locale: str) -> None:
    texts = digest_texts(locale)

    assert texts.nothing_open in digest((), kind="daily", locale=locale, now=NOW).text
    assert texts.nothing_filed in digest((), kind="weekly", locale=locale, now=NOW).text


def daily(*rows: Row, locale: str = "en") -> Digest:
    return digest(rows, kind="daily", locale=locale, now=NOW)


def weekly(*rows: Row, locale: str = "en") -> Digest:
    return digest(rows, kind="weekly", locale=locale, now=NOW)


def test_an_open_task_is_an_active_project_with_a_next_action_or_a_pending_task() -> None:
    others = (
        row("Idea", Category.IDEAS, status="active", next_action="think"),
        row("Person", Category.PEOPLE, status="pending"),
        row("Waiting", status="waiting", next_action="wait"),
        row("Active", status="active"),
        row("Done", Category.ADMIN, status="open"),
    )

    assert daily(*others).is_empty
    assert daily(*others, row("Garden", status="active", next_action="dig")).provenance.message_ids == {"m-Garden"}
    assert daily(*others, row("Taxes", Category.ADMIN, status="pending")).provenance.message_ids == {"m-Taxes"}


@pytest.mark.parametrize(("created", "is_stale"), [("2026-11-19", True), ("2026-11-20", False)])
def test_the_inbox_is_stuck_after_three_days(created: str, *, is_stale: bool) -> None:
    waiting, idea = row("?", Category.INBOX, created=created), row("Idea", Category.IDEAS, created="2026-01-01")

    assert daily(waiting, idea).is_empty is not is_stale
    assert ("m-?" in weekly(waiting, idea).provenance.message_ids) is is_stale


@pytest.mark.parametrize(("day", "is_recent"), [("2026-11-16", True), ("2026-11-15", False)])
def test_a_week_has_seven_days(day: str, *, is_recent: bool) -> None:
    created = row("Idea", Category.IDEAS, created=day)
    done = row("Milk", Category.ADMIN, created="2026-01-01", updated=day, status="done")

    assert f"Filed: {int(is_recent)} (" in weekly(created, done).text
    assert f"Tasks completed: {int(is_recent)}" in weekly(created, done).text
    assert daily(done).is_empty is not is_recent


@pytest.mark.parametrize(("touched", "is_quiet"), [("2026-11-15", False), ("2026-11-14", True)])
def test_a_person_is_quiet_after_more_than_a_week(touched: str, *, is_quiet: bool) -> None:
    person = row("Sato", Category.PEOPLE, created="2026-01-01", updated=touched)

    assert ("Follow up with “Sato”" in weekly(person).text) is is_quiet


def test_of_several_people_and_projects_the_one_that_waits_longest_is_named() -> None:
    rows = [
        row(name, category, created="2026-01-01", updated=updated, status="active")
        for category, first in ((Category.PEOPLE, "S"), (Category.PROJECTS, "P"))
        for name, updated in ((f"{first}2", "2026-10-02"), (f"{first}1", "2026-10-01"), (f"{first}3", "2026-10-03"))
    ]

    text = weekly(*rows).text

    assert "Follow up with “S1”" in text
    assert "Set a deadline for “P1”" in text


@pytest.mark.parametrize(
    ("told", "is_empty"),
    [
        (row("Old", Category.IDEAS, created="2026-01-01"), True),
        (row("New", Category.IDEAS), False),
        (row("Milk", Category.ADMIN, created="2026-01-01", updated="2026-11-20", status="done"), False),
        (row("Offer", created="2026-01-01", status="waiting"), False),
        (row("Sato", Category.PEOPLE, created="2026-01-01"), False),
    ],
)
def test_a_weekly_digest_is_empty_where_nothing_is_new_done_open_or_to_be_done(told: Row, *, is_empty: bool) -> None:
    assert weekly(told).is_empty is is_empty


def test_a_weekly_digest_says_where_a_part_has_nothing() -> None:
    text = weekly(row("Old", Category.IDEAS, created="2026-01-01")).text

    assert "- Filed: 0 (0)" in text
    assert "Biggest open loops:\nNone." in text
    assert "next week:\nNothing in particular." in text
    assert "None." not in weekly(row("Offer", created="2026-01-01", status="waiting")).text
    assert "Nothing in particular." not in weekly(row("Sato", Category.PEOPLE, created="2026-01-01")).text


def test_where_words_are_counted_an_item_has_seven_of_them() -> None:
    task = row("a b c d e f g h i", Category.ADMIN, status="pending")

    assert "- a b c d e f g\n" in daily(task).text
    assert "・a b c d e f g h i\n" in daily(task, locale="ja").text


def long_rows(stuck: int) -> list[Row]:
    """Three open tasks, something stuck and something done; `stuck` is how long the name of what is stuck is."""
    return [
        *(row("庭" * 30 + str(number), Category.ADMIN, status="pending", due_date="2026-12-01") for number in range(3)),
        row("?", Category.INBOX, created="2026-11-10", original_text="屋" * stuck),
        row("Milk", Category.ADMIN, status="done"),
    ]


@pytest.mark.parametrize("locale", LOCALES)
def test_no_text_of_an_entry_begins_a_line_of_a_digest(locale: str) -> None:
    rows = [row("?", Category.INBOX, created="2026-11-10", original_text="a\n✓ b\n\n- c", status="needs_review")]

    lines = digest(rows, kind="daily", locale=locale, now=NOW).text.split("\n")

    assert [one for one in lines if "a ✓ b - c" in one]


def test_a_digest_that_is_too_long_loses_its_last_items_first() -> None:
    fits = max(one for one in range(1, 40) if daily(*long_rows(one), locale="ja").text.count("・") == 6)
    whole, cut = daily(*long_rows(fits), locale="ja"), daily(*long_rows(fits + 1), locale="ja")

    assert len(whole.text) == 300
    assert whole.text.count("・") == 6
    assert cut.text.count("・") == 5
    assert cut.text.count("12月1日(火)まで") == 3
    assert cut.text.endswith(digest_texts("ja").daily_footer)


def test_where_words_are_counted_the_length_in_characters_has_no_limit() -> None:
    rows = [
        *(row(f"{number}{'w' * 35}", status="active", next_action=f"{number}{'v' * 35}") for number in range(3)),
        row("?", Category.INBOX, created="2026-11-10", original_text="x" * 38),
        row("Milk", Category.ADMIN, status="done"),
    ]

    text = daily(*rows).text

    assert len(text) > 300
    assert text.count("\n- ") == 6


@settings(max_examples=400)
@given(st.lists(ROWS, max_size=25), st.sampled_from(KINDS), st.sampled_from(LOCALES))
def test_a_digest_stays_within_its_limit(rows: list[Row], kind: Literal["daily", "weekly"], locale: str) -> None:
    text = digest(rows, kind=kind, locale=locale, now=NOW).text

    if locale == "en":
        assert len(text.split()) < {"daily": 150, "weekly": 250}[kind]
    else:
        assert len(text) <= {"daily": 300, "weekly": 480}[kind]
    footer = digest_texts(locale).daily_footer if kind == "daily" else digest_texts(locale).weekly_footer
    assert text.endswith(footer) or not rows


@pytest.mark.parametrize("locale", LOCALES)
def test_every_locale_names_every_category(locale: str) -> None:
    assert set(digest_texts(locale).of_category) == set(Category)
