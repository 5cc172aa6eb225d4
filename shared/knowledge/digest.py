"""Digests of the catalog: open entries and recent changes, written without a model, within a limit of length."""

import datetime as dt
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Final, Literal

from shared.conversation.provenance import Provenance
from shared.frozen import frozen
from shared.knowledge.catalog import Row
from shared.knowledge.schema import Category
from shared.knowledge.shared_lists import without_items
from shared.line.graphemes import cut
from shared.locales.language_file import language_file
from shared.locales.lists import listed
from shared.locales.local_times import shown_value
from shared.locales.placeholders import filled

STALE_INBOX_DAYS: Final = 3
_QUIET_DAYS: Final = 7
_WEEK: Final = dt.timedelta(days=7)
_WORDS: Final = {"daily": 149, "weekly": 249}
_CHARACTERS: Final = {"daily": 300, "weekly": 480}
_ITEM_UTF16: Final = 40
_ITEM_WORDS: Final = 7
_FAR: Final = "9999"
_MOST_DUE: Final = 3
_MORNING, _DAY, _EVENING = 4, 11, 18


@frozen
class DigestTexts:
    """The phrases of digests in a language.  `counts_words`: limits count words, else characters."""

    counts_words: bool
    greeting_morning: str
    greeting_day: str
    greeting_evening: str
    top: str
    due_item: str
    nothing_open: str
    stuck: str
    stuck_item: str
    win: str
    win_item: str
    win_next: str
    daily_footer: str
    week: str
    happened: str
    captured: str
    of_category: Mapping[Category, str]
    completed: str
    loops: str
    loop_item: str
    no_loops: str
    focus: str
    focus_inbox: str
    focus_person: str
    focus_deadline: str
    focus_due: str
    no_focus: str
    theme: str
    theme_item: str
    theme_tie: str
    nothing_filed: str
    weekly_footer: str


@frozen
class Digest:
    """A digest, and the provenance of the entries in the text.  `is_empty`: there is nothing to report."""

    text: str = field(repr=False)
    provenance: Provenance = field(default_factory=Provenance)
    is_empty: bool = False


@dataclass(slots=True)
class _Draft:
    """A digest in the making: fixed lines, and items, which are left out from the end where the digest is too long."""

    texts: DigestTexts
    kind: Literal["daily", "weekly"]
    locale: str
    lines: list[tuple[str, bool, Row | None]] = field(default_factory=list)

    def heading(self, text: str) -> None:
        self.lines += [("", False, None), (f"{text}:" if self.texts.counts_words else f"【{text}】", False, None)]

    def line(self, text: str) -> None:
        self.lines.append((text, False, None))

    def item(self, text: str, row: Row | None = None) -> None:
        self.lines.append((f"・{text}" if not self.texts.counts_words else f"- {text}", True, row))

    def day(self, date: str, now: dt.datetime) -> str:
        """Return a date of an entry in words, such as `12月1日(火)` for "2026-12-01"."""
        return shown_value(date, locale=self.locale, this_year=now.year)

    def label(self, row: Row, text: str = "") -> str:
        """Return the row's label in an item, short enough for several items: 40 UTF-16 units, and seven words where words are counted."""
        words = (text or row.name).split()
        return cut(" ".join(words[:_ITEM_WORDS] if self.texts.counts_words else words), limit_utf16=_ITEM_UTF16)

    def finish(self, *, is_empty: bool) -> Digest:
        """Return the digest within the limit; the last items are left out first."""
        while not self._fits():
            last = max(index for index, (_, is_item, _) in enumerate(self.lines) if is_item)
            del self.lines[last]
        rows = (row for _, _, row in self.lines if row is not None)
        text = "\n".join(line for line, _, _ in self.lines).strip()
        provenance = Provenance.union(row.provenance for row in rows)
        return Digest(text=text, provenance=provenance, is_empty=is_empty)

    def _fits(self) -> bool:
        text = "\n".join(line for line, _, _ in self.lines).strip()
        return (
            len(text.split()) <= _WORDS[self.kind] if self.texts.counts_words else len(text) <= _CHARACTERS[self.kind]
        )


def digest(rows: Iterable[Row], *, kind: Literal["daily", "weekly"], locale: str, now: dt.datetime) -> Digest:
    """Return the digest of the entries at `now`, in the bot's time zone; items of shared lists are left out."""
    make = _daily if kind == "daily" else _weekly
    return make(sorted(without_items(rows), key=lambda row: row.path), _Draft(digest_texts(locale), kind, locale), now)


@cache
def digest_texts(locale: str) -> DigestTexts:
    """Return the phrases of digests in a locale of the bot."""
    return language_file(locale).table("digest", DigestTexts)


def _daily(rows: Sequence[Row], draft: _Draft, now: dt.datetime) -> Digest:
    texts = draft.texts
    draft.line(_greeting(texts, now))
    draft.heading(texts.top)
    todo = sorted(_todo(rows), key=lambda row: (row.shown.get("due_date", _FAR), row.path))
    if not todo:
        draft.line(texts.nothing_open)
    for row in todo[:3]:
        action = row.shown.get("next_action", "")
        is_more = action not in {"", row.name}
        label = f"{draft.label(row, action)} ({draft.label(row)})" if is_more else draft.label(row)
        due = row.shown.get("due_date")
        draft.item(texts.due_item.format(text=label, date=draft.day(due, now)) if due else label, row)
    stale = _stale(rows, now)
    if stale:
        draft.heading(texts.stuck)
        row = stale[0]
        original = draft.label(row, row.shown.get("original_text", ""))
        draft.item(filled(texts.stuck_item, text=original, days=str(_days(row.created_at, now))), row)
    done = [
        row
        for row in rows
        if row.category is Category.ADMIN and row.status == "done" and _is_recent(row.updated_at, now)
    ]
    if done:
        draft.heading(texts.win)
        draft.item(filled(texts.win_item, count=str(len(done))))
        if todo:
            draft.item(texts.win_next.format(text=draft.label(todo[0])), todo[0])
    draft.lines += [("", False, None), (texts.daily_footer, False, None)]
    return draft.finish(is_empty=not (todo or stale or done))


def _weekly(rows: Sequence[Row], draft: _Draft, now: dt.datetime) -> Digest:
    texts = draft.texts
    first, last = (now - dt.timedelta(days=6)).date(), now.date()
    draft.line(texts.week.format(first=draft.day(first.isoformat(), now), last=draft.day(last.isoformat(), now)))
    if not rows:
        draft.line(texts.nothing_filed)
        return draft.finish(is_empty=True)
    draft.heading(texts.happened)
    counts = Counter(row.category for row in rows if _is_recent(row.created_at, now))
    parts = [f"{texts.of_category[one]} {counts[one]}" for one in Category if counts[one]]
    draft.item(texts.captured.format(count=counts.total(), parts=listed(parts or ["0"], locale=draft.locale)))
    done = sum(row.status == "done" and _is_recent(row.updated_at, now) for row in rows)
    draft.item(texts.completed.format(count=done))
    draft.heading(texts.loops)
    loops = [row for row in rows if row.category is Category.PROJECTS and row.status in {"waiting", "blocked"}]
    oldest = sorted([*loops, *_stale(rows, now)], key=lambda row: (row.updated_at, row.path))[:3]
    for row in oldest:
        draft.item(filled(texts.loop_item, text=draft.label(row), days=str(_days(row.updated_at, now))), row)
    if not oldest:
        draft.line(texts.no_loops)
    draft.heading(texts.focus)
    focus_items = _focus(rows, draft, now)
    for text, focus_row in focus_items:
        draft.item(text, focus_row)
    if not focus_items:
        draft.line(texts.no_focus)
    if counts:
        draft.heading(texts.theme)
        draft.item(_theme(counts, texts))
    draft.lines += [("", False, None), (texts.weekly_footer, False, None)]
    return draft.finish(is_empty=not (counts or done or oldest or focus_items))


def _greeting(texts: DigestTexts, now: dt.datetime) -> str:
    """Return the greeting of the hour: good morning until 11:00, good evening from 18:00 until 4:00."""
    if _MORNING <= now.hour < _DAY:
        return texts.greeting_morning
    return texts.greeting_day if _DAY <= now.hour < _EVENING else texts.greeting_evening


def _theme(counts: Counter[Category], texts: DigestTexts) -> str:
    """Return which category was filed most; where two were filed as often, that there is none."""
    (category, most), *runners_up = counts.most_common(2)
    if runners_up and runners_up[0][1] == most:
        return texts.theme_tie
    return texts.theme_item.format(category=texts.of_category[category], percent=round(100 * most / counts.total()))


def _focus(rows: Sequence[Row], draft: _Draft, now: dt.datetime) -> list[tuple[str, Row | None]]:
    texts = draft.texts
    inbox = sum(row.category is Category.INBOX for row in rows)
    quiet = _first(
        rows,
        lambda row: row.category is Category.PEOPLE and _days(row.last_activity, now) > _QUIET_DAYS,
        lambda row: row.last_activity,
    )
    open_ended = _first(
        rows,
        lambda row: row.category is Category.PROJECTS and row.status == "active" and "due_date" not in row.shown,
        lambda row: row.updated_at,
    )
    focus_items: list[tuple[str, Row | None]] = [
        (texts.focus_due.format(text=draft.label(row), date=draft.day(row.shown["due_date"], now)), row)
        for row in _due_soon(rows, now)[:_MOST_DUE]
    ]
    if inbox:
        focus_items.append((filled(texts.focus_inbox, count=str(inbox)), None))
    if quiet:
        focus_items.append((texts.focus_person.format(text=draft.label(quiet)), quiet))
    if open_ended:
        focus_items.append((texts.focus_deadline.format(text=draft.label(open_ended)), open_ended))
    return focus_items


def _due_soon(rows: Iterable[Row], now: dt.datetime) -> list[Row]:
    """Return the open rows that are due within a week, or are overdue, the first due first."""
    last = (now + _WEEK).date().isoformat()
    due = (row for row in rows if row.status != "done" and row.shown.get("due_date", _FAR) <= last)
    return sorted(due, key=lambda row: (row.shown["due_date"], row.path))


def _first(rows: Iterable[Row], is_wanted: Callable[[Row], bool], key: Callable[[Row], str]) -> Row | None:
    return min((row for row in rows if is_wanted(row)), key=lambda row: (key(row), row.path), default=None)


def _todo(rows: Iterable[Row]) -> list[Row]:
    return [
        row
        for row in rows
        if (row.category is Category.PROJECTS and row.status == "active" and "next_action" in row.shown)
        or (row.category is Category.ADMIN and row.status == "pending")
    ]


def _stale(rows: Iterable[Row], now: dt.datetime) -> list[Row]:
    """Return the rows that have been in the inbox for `STALE_INBOX_DAYS` or longer, oldest first."""
    waiting = (row for row in rows if row.category is Category.INBOX and _days(row.created_at, now) >= STALE_INBOX_DAYS)
    return sorted(waiting, key=lambda row: (row.created_at, row.path))


def _is_recent(moment: str, now: dt.datetime) -> bool:
    return _days(moment, now) < _WEEK.days


def _days(moment: str, now: dt.datetime) -> int:
    try:
        return (now.date() - dt.date.fromisoformat(moment[:10])).days
    except ValueError:
        return 0
