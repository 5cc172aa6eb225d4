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

from shared.line.graphemes import short_line
from shared.locales.language_file import language_file
from shared.locales.local_times import shown_moment, shown_recurrence
from shared.recurrence import Recurrence

_NAMES_SHOWN: Final = 4  # of one kind
_NAME_GRAPHEMES: Final = 24
_PLACE: Final = re.compile(r"\{(\w+)\}")
_BREAKS: Final = r"\n\v\f\r\x1c-\x1e\x85\u2028\u2029"
_BLANKS: Final = r"\s\u115f\u1160\u2800\u3164\uffa0"  # spaces, and letters that look like one
# What shows nothing hides no mark, neither before it nor behind it: many a mark is written with a variation selector.
_HIDDEN: Final = rf"(?:(?![{_BREAKS}])[{_BLANKS}\p{{DI}}])*+"
_LIST_SIGN: Final = (
    r"(?:[-\u2010-\u2015*+\u2022\u2023\u2043\u25a0-\u25ff\u30fb\uff65\u00b7>#]{1,6}"
    r"|[(\uff08]?[0-9a-zA-Z]{1,3}[.)\uff0e\uff09\u3001:])"
)
_OPEN_MARK: Final = "\u2610"
_MARKS: Final = regex.compile(
    rf"(?<![^{_BREAKS}])({_HIDDEN}(?:{_LIST_SIGN}{_HIDDEN})*+)"
    rf"([\u2610-\u2612\u2705\u2713\u2714\U0001f5f8\U0001f5f9](?:(?![{_BLANKS}])\p{{DI}})*+)++([{_BLANKS}]?)"
)

_SHOWS_NOTHING: Final = regex.compile(rf"[{_BLANKS}\p{{DI}}\p{{Cc}}]*+")

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
    """Return words of the model in which no line begins with the mark of a receipt or of a proposal, which the code alone writes.

    Behind the sign of a list a mark becomes a box, because a list may tell what is done: `- ✓ milk` becomes `- [x] milk`.
    """
    return _MARKS.sub(_without_mark, text)


def _without_mark(found: "regex.Match[str]") -> str:
    before, mark, blank = found[1], found[2], found[3] or " "
    if regex.fullmatch(_HIDDEN, before):
        return f"{before}-{blank}"
    return f"{before}{'[ ]' if mark.startswith(_OPEN_MARK) else '[x]'}{blank}"


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
    if due.recurrence is None:
        return shown_moment(due.at, locale=locale, this_year=due.this_year)
    return shown_recurrence(due.recurrence, start=due.at, locale=locale, this_year=due.this_year)


def _joined(two: str, told: Iterable[str]) -> str:
    return reduce(lambda first, second: _filled(two, first=first, second=second), told)


def _filled(text: str, **values: str) -> str:
    """Return the text with its placeholders filled; a value may hold braces itself."""
    return _PLACE.sub(lambda place: values.get(place[1], place[0]), text)


@cache
def _texts(locale: str) -> ReceiptTexts:
    return language_file(locale).table("receipt", ReceiptTexts)
