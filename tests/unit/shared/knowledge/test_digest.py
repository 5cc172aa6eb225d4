import datetime as dt
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.knowledge.catalog import Row
from shared.knowledge.digest import digest, digest_texts
from shared.knowledge.entry import Source
from shared.knowledge.schema import Category
from shared.locales.language_file import LOCALES
from tests.support.knowledge import TOKYO, WORDS

NOW = dt.datetime(2026, 11, 22, 7, 0, tzinfo=TOKYO)
KINDS: tuple[Literal["daily", "weekly"], ...] = ("daily", "weekly")
LONG = st.text("あいう", min_size=60, max_size=80) | st.just("w " * 40) | st.just("ยาว" * 25) | WORDS
ROWS = st.builds(
    Row,
    path=st.integers(0, 1_000).map(lambda number: f"projects/n{number}.md"),
    category=st.sampled_from(Category),
    name=LONG,
    created_at=st.dates(dt.date(2026, 11, 1), dt.date(2026, 11, 22)).map(lambda day: f"{day}T10:00:00+09:00"),
    updated_at=st.dates(dt.date(2026, 1, 1), dt.date(2026, 11, 22)).map(lambda day: f"{day}T10:00:00+09:00"),
    sources=st.just(()),
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
        sources=(Source(line_message_id=f"m-{name}", timestamp_ms=1),),
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
        "Good morning.\n\nTop 3 for today:\n- Taxes, 2026-11-25\n- call Sato (Garden), 2026-12-01\n- Books\n\n"
        "Might be stuck:\n- “about Friday” has been in the inbox for 12 days. Want to clarify?\n\n"
        "Small win:\n- You completed 1 task(s) this week.\n- “Taxes” is next.\n\nReply to this message to capture a thought."
    )
    assert summary.source_ids == {"m-Taxes", "m-Garden", "m-Books", "m-?"}


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
        "2026-11-16〜2026-11-22の1週間\n\n【あったこと】\n・記録：2件（プロジェクト 1, 用事 1）\n・片づいた用事：1件\n\n"
        "【長く開いたままのもの】\n・「Offer」（30日）\n・「?」（12日）\n\n"
        "【来週の注目】\n・受信箱の1件を整理する\n・「Sato」さんに連絡する\n・「Garden」の期限を決める\n\n"
        "【今週の傾向】\n・用事が多めでした（50%）。\n\n感想や直したいことがあれば返信してください。"
    )


@pytest.mark.parametrize("locale", LOCALES)
def test_a_digest_without_entries_says_so(locale: str) -> None:
    texts = digest_texts(locale)

    assert texts.nothing_open in digest((), kind="daily", locale=locale, now=NOW).text
    assert texts.nothing_filed in digest((), kind="weekly", locale=locale, now=NOW).text


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
