"""Receipts: one line, written by the code, that says what a turn did, so that people need not rely on the model's words.

The line is made from the staged writes that the outcome carries, and from the external calls that were confirmed.
"""

import datetime as dt
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache, reduce
from threading import Lock
from typing import Final

import regex

from shared.agent.receipt_marks import BLANKS, mark_before, without_leading_marks
from shared.line.graphemes import short_line
from shared.locales.language_file import LOCALES, language_file
from shared.locales.local_times import shown_schedule
from shared.recurrence import Recurrence

_NAMES_SHOWN: Final = 4  # of one kind
_NAME_GRAPHEMES: Final = 24
_PLACE: Final = re.compile(r"\{(\w+)\}")
_SHOWS_NOTHING: Final = regex.compile(rf"[{BLANKS}\p{{DI}}\p{{Cc}}]*+")

# A name stands between the outer quotation marks of a language, so within it only inner ones do; and nothing in it turns the line around.
_TURNS: Final = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
_QUOTABLE: Final = str.maketrans("“”「」｢｣", "‘’『』『』", _TURNS)  # noqa: RUF001 - that is what they are


class DeedKind(StrEnum):
    """What was done to an entry or a reminder of the chat, or to a page outside."""

    FILED = "filed"
    CHANGED = "changed"
    MOVED = "moved"
    DELETED = "deleted"
    RESTORED = "restored"
    PAGE_CREATED = "page_created"
    PAGE_CHANGED = "page_changed"
    TEXT_APPENDED = "text_appended"
    REMINDER_SET = "reminder_set"
    REMINDER_CHANGED = "reminder_changed"
    REMINDER_CANCELLED = "reminder_cancelled"


class Place(StrEnum):
    """Where an entry was put."""

    PEOPLE = "people"
    PROJECTS = "projects"
    IDEAS = "ideas"
    ADMIN = "admin"
    INBOX = "inbox"


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """When a reminder is said, in local time: next at `at`, and again by `recurrence`.  `this_year` is that of the turn.

    `messages`: how many messages of the account's quota it costs each time. `carried`: how many of its next times the quota carries this
    month, where it does not carry all.
    """

    at: dt.datetime
    this_year: int
    recurrence: Recurrence | None = None
    messages: int = 1
    carried: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Deed:
    """One thing that a turn did to the entry, page or reminder of this `name`.

    `place` is where an entry is then, `due` when a reminder is said.  `takes_words`: the entry has lost words that it held.
    """

    kind: DeedKind
    name: str = field(default="", repr=False)
    place: Place | None = None
    due: Due | None = None
    takes_words: bool = False


class OutsideDeeds:
    """The confirmed external calls of a turn; safe to share between threads."""

    def __init__(self) -> None:
        self._done: dict[Deed, None] = {}
        self._lock = Lock()

    def add(self, deed: Deed) -> None:
        """Add a deed; equal ones count once."""
        with self._lock:
            self._done[deed] = None

    @property
    def done(self) -> tuple[Deed, ...]:
        """The deeds, in the order in which they were done."""
        with self._lock:
            return tuple(self._done)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptTexts:
    """What receipts say in one language.  Every text of `of_kind` has {names}; `placed` is a name with its place, `timed` with its time."""

    named: str
    placed: str
    timed: str
    costed: str
    beyond_quota: str
    partly_carried: str
    two_names: str
    others: str
    two_kinds: str
    of_kind: Mapping[DeedKind, str]
    of_place: Mapping[Place, str]


def without_marks(text: str) -> str:
    """Return words of the model of which no line looks like a receipt or a proposal, which the code alone writes.

    No line begins with their mark, and within a line no mark precedes the first words of a receipt: of `OK ✓ Deleted: “milk”` stays
    `OK Deleted: “milk”`.
    """
    return _forged_receipt().sub("", without_leading_marks(text))


@cache
def _forged_receipt() -> "regex.Pattern[str]":
    """Return the pattern of a mark before what receipts of any language begin with."""
    heads = {_PLACE.split(told)[0].strip(" :\uff1a") for locale in LOCALES for told in _texts(locale).of_kind.values()}
    return mark_before(heads, followed_by=r"[:\ufe30\ufe55\uff1a\ua789]")


def is_blank(text: str) -> bool:
    """Whether nothing of the text can be seen."""
    return _SHOWS_NOTHING.fullmatch(text) is not None


def without_turns(text: str) -> str:
    """Return the text without the characters that turn around how a line is read."""
    return text.translate(dict.fromkeys(map(ord, _TURNS)))


def quotable(name: str, *, limit: int) -> str:
    """Return the name of something in one line, as it may stand between quotation marks: nothing in it can pass for their end."""
    return short_line(name, limit=limit).translate(_QUOTABLE)


def receipt(deeds: Sequence[Deed], *, locale: str) -> str:
    """Return one line that tells every kind of deed with the first few names; "" where nothing was done."""
    if not deeds:
        return ""
    texts = _texts(locale)
    by_kind: dict[DeedKind, list[str]] = {}
    for deed in deeds:
        by_kind.setdefault(deed.kind, []).append(_named(deed, texts, locale=locale))
    told = (_filled(texts.of_kind[kind], names=_listed(names, texts)) for kind, names in by_kind.items())
    return f"✓ {_joined(texts.two_kinds, told)}"


def _listed(names: Sequence[str], texts: ReceiptTexts) -> str:
    shown = _joined(texts.two_names, names[:_NAMES_SHOWN])
    left = len(names) - _NAMES_SHOWN
    return _filled(texts.others, names=shown, count=str(left)) if left > 0 else shown


def _named(deed: Deed, texts: ReceiptTexts, *, locale: str) -> str:
    name = _filled(texts.named, name=quotable(deed.name, limit=_NAME_GRAPHEMES))
    if deed.due is not None:
        text = texts.timed if deed.due.messages == 1 else texts.costed
        told = _filled(text, name=name, when=shown_due(deed.due, locale=locale), count=str(deed.due.messages))
        if deed.due.carried is None:
            return told
        quota = texts.partly_carried if deed.due.carried else texts.beyond_quota
        return _filled(quota, told=told, count=str(deed.due.carried))
    return name if deed.place is None else _filled(texts.placed, name=name, place=texts.of_place[deed.place])


def shown_due(due: Due, *, locale: str) -> str:
    """Return when a reminder is said, in words."""
    return shown_schedule(due.recurrence, start=due.at, locale=locale, this_year=due.this_year)


def _joined(two: str, told: Iterable[str]) -> str:
    return reduce(lambda first, second: _filled(two, first=first, second=second), told)


def _filled(text: str, **values: str) -> str:
    """Return the text with its placeholders filled; a value may hold braces itself."""
    return _PLACE.sub(lambda place: values.get(place[1], place[0]), text)


@cache
def _texts(locale: str) -> ReceiptTexts:
    return language_file(locale).table("receipt", ReceiptTexts)
