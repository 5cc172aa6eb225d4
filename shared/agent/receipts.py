"""Receipts: a line, written by the code, with a turn's effects, so that people need not rely on the model's words.

The line is made from the outcome's staged writes and from the confirmed external calls.
"""

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from enum import StrEnum
from functools import cache
from threading import Lock
from typing import Final

import regex

from shared.agent.receipt_symbols import BLANKS, symbol_before, without_leading_symbols
from shared.frozen import frozen
from shared.late_patterns import late
from shared.line.cards.card import Card, CardRow
from shared.line.display_names import LONGEST_DISTINCT_NAME
from shared.line.graphemes import short_line
from shared.line.ids import mask_ids
from shared.locales.language_file import LOCALES, language_file
from shared.locales.lists import listed
from shared.locales.local_times import shown_schedule, shown_value
from shared.locales.placeholders import beginning, filled, joined
from shared.recurrence import Recurrence

_NAMES_SHOWN: Final = 4  # of one kind
_NAME_GRAPHEMES: Final = 24
_SHARES_SHOWN: Final = 8
_ROOMY: Final = {1: 80, 2: 40}
"""Graphemes of each name where a receipt has only so many."""
_SHOWS_NOTHING: Final = late(regex.compile, rf"[{BLANKS}\p{{DI}}\p{{Cc}}]*+")

# A name stands between outer quotation marks, so it may hold only inner marks, and no character that changes the direction of the line.
_TURNS: Final = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
_QUOTABLE: Final = str.maketrans("“”「」｢｣", "‘’『』『』", _TURNS)  # noqa: RUF001 - that is what they are


class DeedKind(StrEnum):
    """The kind of an effect on an entry, a reminder or a page outside."""

    FILED = "filed"
    LISTED = "listed"
    CHANGED = "changed"
    DONE = "done"
    MOVED = "moved"
    DELETED = "deleted"
    RESTORED = "restored"
    UNDONE = "undone"
    PAGE_CREATED = "page_created"
    PAGE_CHANGED = "page_changed"
    TEXT_APPENDED = "text_appended"
    TOOL_CALLED = "tool_called"
    REMINDER_SET = "reminder_set"
    REMINDER_CHANGED = "reminder_changed"
    REMINDER_CANCELLED = "reminder_cancelled"
    EXPENSE_ADDED = "expense_added"
    EXPENSE_CHANGED = "expense_changed"
    EXPENSE_REMOVED = "expense_removed"
    EXPENSES_SETTLED = "expenses_settled"
    EXPENSES_REOPENED = "expenses_reopened"
    POLL_OPENED = "poll_opened"
    POLL_CLOSED = "poll_closed"
    POLL_REOPENED = "poll_reopened"
    POLL_REMOVED = "poll_removed"
    MEETING_OPENED = "meeting_opened"
    MEETING_CLOSED = "meeting_closed"
    MEETING_REOPENED = "meeting_reopened"
    MEETING_REMOVED = "meeting_removed"
    MEETING_CALLED_OFF = "meeting_called_off"
    MEETING_ON_AGAIN = "meeting_on_again"
    VOTED = "voted"
    VOTE_REMOVED = "vote_removed"


class Place(StrEnum):
    """The place of an entry."""

    PEOPLE = "people"
    PROJECTS = "projects"
    IDEAS = "ideas"
    ADMIN = "admin"
    DETAILS = "details"
    INBOX = "inbox"


class EntryStatus(StrEnum):
    """The statuses of an entry that a receipt tells; a new entry's usual status says nothing."""

    WAITING = "waiting"
    BLOCKED = "blocked"
    SOMEDAY = "someday"
    DONE = "done"


@frozen
class Due:
    """The time of a reminder, in local time: next at `at`, and again by `recurrence`.  `this_year` is the year of the turn.

    `messages`: the cost of each occurrence in messages of the account's quota. `carried`: the number of next occurrences within the month's
    quota, if the quota does not cover all. `place`: the place of a zone that the person named, such as `Bangkok`.
    `comes_with_message`: it is told with a message of the chat after that time. `is_private`: it is sent to the person who asked alone.
    """

    at: dt.datetime
    this_year: int
    recurrence: Recurrence | None = None
    messages: int = 1
    carried: int | None = None
    place: str = ""
    comes_with_message: bool = False
    is_private: bool = False


@frozen
class Deed:
    """One effect of a turn on the entry, page, reminder or expense of this `name`.

    `place`: the place of an entry afterwards, with its `status` and `due_date` (`2026-12-01`). `due`: the time of a reminder. `details`:
    values of a page outside; equal effects may differ in these. `this_year` is the year of the turn. `amount`: what an expense comes to,
    such as "¥1,200 ÷ 2", `shares` among whom, such as "Ann", and `payer` who paid it. `takes_words`: words of the entry were removed.
    `closes`: the names of the things that a settlement closes, in place of `name`.
    """

    kind: DeedKind
    name: str = field(default="", repr=False)
    place: Place | None = None
    status: EntryStatus | None = None
    due_date: str = ""
    details: tuple[str, ...] = field(default=(), compare=False, repr=False)
    this_year: int = 0
    due: Due | None = None
    amount: str = ""
    shares: tuple[str, ...] = field(default=(), repr=False)
    payer: str = field(default="", repr=False)
    takes_words: bool = False
    closes: tuple[str, ...] = field(default=(), repr=False)


class OutsideDeeds:
    """The external calls of a turn that had an effect; safe to share between threads."""

    def __init__(self) -> None:
        self._done: dict[Deed, None] = {}
        self._has_acted = False
        self._lock = Lock()

    def add(self, deed: Deed) -> None:
        """Add an effect; equal effects count once."""
        with self._lock:
            self._done[deed] = None
            self._has_acted = True

    def add_possible(self) -> None:
        """Record that a call of the turn may have had an effect: for example, the answer to `create_page` was lost."""
        with self._lock:
            self._has_acted = True

    @property
    def has_acted(self) -> bool:
        """Whether a call of the turn had an effect, or may have had one."""
        with self._lock:
            return self._has_acted

    @property
    def done(self) -> tuple[Deed, ...]:
        """The effects, in their order."""
        with self._lock:
            return tuple(self._done)


@frozen
class ReceiptTexts:
    """The texts of receipts in one language.  `of_kind` texts hold {names}; `placed` is a name with its place, `timed` with its time."""

    named: str
    placed: str
    timed: str
    due: str
    paid_by: str
    costed: str
    costed_once: str
    with_message: str
    in_private: str
    beyond_quota: str
    partly_carried: str
    others: str
    two_kinds: str
    of_kind: Mapping[DeedKind, str]
    of_place: Mapping[Place, str]
    of_status: Mapping[EntryStatus, str]


def without_receipt_symbols(text: str) -> str:
    """Return the model's words, changed so that no line looks like a receipt or a proposal, which only the code may write.

    No line begins with a receipt symbol, and within a line no symbol precedes the first words of a receipt: `OK ✓ Deleted: “milk”` becomes
    `OK Deleted: “milk”`. For example, `without_receipt_symbols("✓ Filed: milk")` returns "- Filed: milk".
    """
    return _forged_receipt().sub("", without_leading_symbols(text))


@cache
def _forged_receipt() -> "regex.Pattern[str]":
    """Return the pattern of a receipt symbol before the first words of a receipt in any language."""
    heads = {beginning(text).strip(" :\uff1a") for locale in LOCALES for text in _texts(locale).of_kind.values()}
    return symbol_before(heads, followed_by=r"[:\ufe30\ufe55\uff1a\ua789]")


def is_blank(text: str) -> bool:
    """Whether nothing of the text is visible; for example, of a zero-width space."""
    return _SHOWS_NOTHING.fullmatch(text) is not None


def without_turns(text: str) -> str:
    """Return the text without the characters that change its reading direction."""
    return text.translate(dict.fromkeys(map(ord, _TURNS)))


def quotable(name: str, *, limit: int) -> str:
    """Return the name in one line for use between quotation marks: no character of the name passes for a closing mark.

    For example, `quotable('the "best" 「cake」', limit=24)` is `the "best" 『cake』`.
    """
    return short_line(name, limit=limit).translate(_QUOTABLE)


def receipt(deeds: Sequence[Deed], *, locale: str) -> str:
    """Return one line with each kind of effect and its first four names; "" without effects.

    For example, `✓ Filed: “lunch” (ideas)`.
    """
    if not deeds:
        return ""
    texts = _texts(locale)
    by_kind: dict[DeedKind, list[str]] = {}
    count = sum(len(deed.closes) or 1 for deed in deeds)
    limit = _ROOMY.get(count, _NAME_GRAPHEMES)
    for deed in deeds:
        for name in deed.closes or (deed.name,):
            named = _name_with_details(deed, texts, name=name, limit=limit, locale=locale)
            by_kind.setdefault(deed.kind, []).append(named)
    sentences = (
        filled(texts.of_kind[kind], names=_names_with_count(names, texts, locale=locale))
        for kind, names in by_kind.items()
    )
    return f"✓ {joined(texts.two_kinds, sentences)}"


def receipt_card(deeds: Sequence[Deed], *, locale: str) -> Card | None:
    """Return the receipt of several changes as a card, a change a row; None for a single change, and where a reminder is set.

    For example, a turn that files lunch and deletes milk has the rows `✓ Filed: “lunch” (ideas)` and `✓ Deleted: “milk”`.
    """
    if len(deeds) < 2 or any(deed.kind is DeedKind.REMINDER_SET for deed in deeds):  # noqa: PLR2004 - several
        return None
    return Card(rows=tuple(CardRow(text=mask_ids(receipt([deed], locale=locale))) for deed in deeds))


def closing_receipt(text: str) -> str:
    """Return the receipt that is the last paragraph of an outcome's text, such as `✓ Filed: “lunch”`; "" without one."""
    last = text.rpartition("\n\n")[2]
    return last if last.startswith("✓ ") and "\n" not in last else ""


def quoted(names: Sequence[str], *, limit: int, locale: str) -> str:
    """Return the names, each between its own quotation marks and cut at `limit` graphemes: “milk”, “eggs”."""
    texts = _texts(locale)
    return listed((_quoted(name, texts, limit=limit) for name in names), locale=locale)


def _quoted(name: str, texts: ReceiptTexts, *, limit: int) -> str:
    return filled(texts.named, name=quotable(name, limit=limit))


def _names_with_count(names: Sequence[str], texts: ReceiptTexts, *, locale: str) -> str:
    shown = listed(names[:_NAMES_SHOWN], locale=locale)
    hidden_count = len(names) - _NAMES_SHOWN
    return filled(texts.others, names=shown, count=str(hidden_count)) if hidden_count > 0 else shown


def _name_with_details(deed: Deed, texts: ReceiptTexts, *, name: str, limit: int, locale: str) -> str:
    name = _quoted(name, texts, limit=limit)
    if deed.due is not None:
        costed = texts.costed_once if deed.due.recurrence is None else texts.costed
        text = texts.timed if deed.due.messages == 1 else costed
        text = texts.with_message if deed.due.comes_with_message else text
        text = texts.in_private if deed.due.is_private else text
        dated = filled(text, name=name, when=shown_due(deed.due, locale=locale), count=str(deed.due.messages))
        if deed.due.carried is None:
            return dated
        quota = texts.partly_carried if deed.due.carried else texts.beyond_quota
        return filled(quota, told=dated, count=str(deed.due.carried))
    details = tuple(_details(deed, texts, locale=locale))
    return filled(texts.placed, name=name, place=listed(details, locale=locale)) if details else name


def _details(deed: Deed, texts: ReceiptTexts, *, locale: str) -> Iterator[str]:
    """Yield what was understood of an entry, a page or an expense: its place, status, date and amount."""
    if deed.place is not None:
        yield texts.of_place[deed.place]
    if deed.status is not None:
        yield texts.of_status[deed.status]
    if deed.due_date:
        yield filled(texts.due, date=shown_value(deed.due_date, locale=locale, this_year=deed.this_year))
    if deed.amount:
        among = listed(deed.shares[:_SHARES_SHOWN], locale=locale, hidden_count=len(deed.shares) - _SHARES_SHOWN)
        yield f"{deed.amount}: {among}" if among else deed.amount
    if deed.payer:
        yield filled(texts.paid_by, name=quotable(deed.payer, limit=LONGEST_DISTINCT_NAME))
    for value in deed.details:
        shown = shown_value(value, locale=locale, this_year=deed.this_year)
        yield shown if shown != value else quotable(value, limit=_NAME_GRAPHEMES)


def shown_place(name: str, *, locale: str) -> str:
    """Return the name of a category in the language: `shown_place("projects", locale="ja")` is `プロジェクト`."""
    return _texts(locale).of_place[Place(name)] if name in set(Place) else name


def shown_due(due: Due, *, locale: str) -> str:
    """Return the time of a reminder in words."""
    return shown_schedule(due.recurrence, start=due.at, locale=locale, this_year=due.this_year, place=due.place)


@cache
def _texts(locale: str) -> ReceiptTexts:
    return language_file(locale).table("receipt", ReceiptTexts)
