"""Proposals: changes that wait for the person's tap, because the turn has read words of strangers.

The code describes each change from the arguments of the call, never in words of the model or of a page. Therefore the person confirms
exactly the change that will be made.
"""

import datetime as dt
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from enum import StrEnum
from functools import cache
from threading import Lock
from typing import Final

from shared.agent.model import Json
from shared.agent.receipts import quotable, quoted, shown_place, without_receipt_symbols, without_turns
from shared.conversation.records import ProposedCall
from shared.frozen import frozen
from shared.line.utf16 import without_lone_surrogates
from shared.locales.language_file import language_file
from shared.locales.lists import listed
from shared.locales.local_times import shown_schedule, shown_value
from shared.recurrence import Recurrence

MOST_PROPOSED: Final = 3
ARGUMENTS_LIMIT: Final = 2_000
_NAME_GRAPHEMES: Final = 80
_INDENT: Final = "     "
_FIRST: Final = ("at", "zone", "rule", "digest")  # of the arguments, so that a long text cannot hide them
_OF_SEVERAL: Final = frozenset({"settle", "add_to_list", "clear_list", "undo_last_change"})
"""The tools whose calls are named by several things, each a line of `ProposedCall.name`."""
_SHOWN_BY_NAME: Final = frozenset({"id", "page_id", "path"})


class Proposals:
    """The proposals of a turn, each once; safe to share between threads."""

    def __init__(self) -> None:
        self._proposed: dict[tuple[str, str], ProposedCall] = {}
        self._revisions: dict[tuple[str, str], Callable[[], str]] = {}
        self._lock = Lock()

    def add(self, proposed: ProposedCall, arguments: Json, *, revise: Callable[[], str] = str) -> bool:
        """Propose a call with these arguments; return False if the call or its name is too long, or three others are proposed.

        Lone surrogates are removed, because no record can hold them. `revise` returns the state of the target after the turn.
        """
        text = without_lone_surrogates(json.dumps(arguments, ensure_ascii=False, sort_keys=True))
        with self._lock:
            is_known = (proposed.tool, text) in self._proposed
            is_long = max(len(text), len(proposed.name)) > ARGUMENTS_LIMIT
            if is_long or (not is_known and len(self._proposed) >= MOST_PROPOSED):
                return False
            name = without_lone_surrogates(proposed.name)
            self._proposed[proposed.tool, text] = replace(proposed, arguments=text, name=name)
            self._revisions[proposed.tool, text] = revise
            return True

    @property
    def proposed(self) -> tuple[ProposedCall, ...]:
        """The proposals, in the order of their calls."""
        with self._lock:
            return tuple(self._proposed.values())

    @property
    def revised(self) -> tuple[ProposedCall, ...]:
        """The proposals, each with the state of its target; to be read after the turn's last staged write.

        For example, if a turn proposes to delete an entry and also adds a note, the question shows the entry with the note.
        """
        with self._lock:
            revisions = dict(self._revisions)
            return tuple(replace(one, revision=revisions[key]()) for key, one in self._proposed.items())


class ShownArgument(StrEnum):
    """The arguments with a name in the person's language; other names come from the chat, for example of Notion properties."""

    AT = "at"
    ZONE = "zone"
    RULE = "rule"
    DIGEST = "digest"
    TEXT = "text"
    CONTENT = "content"
    FACT = "fact"
    NOTE = "note"
    REPLACE = "replace"
    NAME = "name"
    DATABASE_NAME = "database_name"
    HINTS = "hints"
    TARGET_CATEGORY = "targetCategory"
    AMOUNT = "amount"
    CURRENCY = "currency"
    PAYER = "payer"
    EXACT = "exact"
    DAY = "day"
    RATES = "rates"
    LIST = "list"
    ITEMS = "items"
    OPTIONS = "options"
    CLOSES = "closes"
    PUSH = "push"
    PLACE = "place"
    CAPACITY = "capacity"
    REMIND_BEFORE = "remind_minutes_before"


_NAMED: Final = frozenset(ShownArgument)


@frozen
class _Texts:
    """The effects of a tap on the things of this {name}, quoted, by tool; `served_tool` stands for each tool of a tool server."""

    classify_and_capture: str
    delete_entry: str
    move_entry: str
    update_entry: str
    forget_fact: str
    undo_last_change: str
    create_page: str
    update_page: str
    append_block: str
    served_tool: str
    create_reminder: str
    change_reminder: str
    cancel_reminder: str
    add_expense: str
    change_expense: str
    remove_expense: str
    settle: str
    add_to_list: str
    clear_list: str
    create_poll: str
    create_meeting: str
    close_poll: str
    call_off_meeting: str
    arguments: Mapping[ShownArgument, str]


def shown_values(arguments: Json, *, name: str) -> tuple[object, ...]:
    """Return the values in the lines of a call's proposal, unchanged."""
    return (name, *(value for _, value in _shown(arguments)))


def described(proposed: tuple[ProposedCall, ...], *, locale: str) -> str:
    """Return all effects of a tap: a line for each proposal and a line for each of its arguments, uncut.

    ☐ Change the reminder: “medicine” (every day at 21:00)
         when: Tuesday 5 May 2026, 03:00
         text: medicine, with water
    """
    return "\n".join("\n".join(_lines(one, _texts(locale), locale=locale)) for one in proposed)


def _lines(call: ProposedCall, texts: _Texts, *, locale: str) -> Iterator[str]:
    arguments: Json = json.loads(call.arguments)
    names = (call.name.splitlines() if call.tool in _OF_SEVERAL else []) or [call.name]
    is_cut = any(quotable(name, limit=_NAME_GRAPHEMES) != quotable(name, limit=len(name) + 1) for name in names)
    shown_names = quoted(names, limit=_NAME_GRAPHEMES, locale=locale)
    head = str(getattr(texts, call.tool, texts.served_tool)).replace("{name}", shown_names)
    path = arguments.get("path")
    place = path if isinstance(path, str) else _due(call.due_at, call.due_rule, locale=locale)
    yield f"☐ {head} ({place})" if place else f"☐ {head}"
    start = str(arguments.get("at") or call.due_at)
    for argument, value in _shown(arguments):
        shown = _value_text(argument, value, start=start, locale=locale)
        if shown and (is_cut or shown.split() != listed(names, locale=locale).split()):
            label = texts.arguments[ShownArgument(argument)] if argument in _NAMED else argument
            yield without_receipt_symbols(
                without_turns(without_lone_surrogates(f"{_INDENT}{label}: {_indented(shown)}"))
            )


def _shown(arguments: Json) -> Iterator[tuple[str, object]]:
    """Yield every argument except identifiers of the target; of an object, yield each field."""
    names = sorted(arguments.keys() - _SHOWN_BY_NAME, key=lambda name: (name not in _FIRST, name))
    for name in names:
        value = _properties_of(arguments) if name == "properties" else arguments[name]
        if isinstance(value, Mapping):
            yield from value.items()
        elif value is not None:
            yield name, value


def _value_text(argument: str, value: object, *, start: str, locale: str) -> str:
    """Return a value for people: a date in words, a list or a span in one line, any other value as it is."""
    if not isinstance(value, str) and (text := _compound_text(argument, value, locale=locale)) is not None:
        return text
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    match argument:
        case "at":
            return _due(text, "", locale=locale)
        case "rule" if text.strip():
            return _due(start, text, locale=locale) or text
        case "targetCategory" | "category":
            return shown_place(text, locale=locale)
        case _:
            return shown_value(text.strip(), locale=locale, this_year=0)


def _compound_text(argument: str, value: object, *, locale: str) -> str | None:
    """Return a list of texts, a span of days or a replacement in one line; None: the value is none of these."""
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return listed((shown_value(item.strip(), locale=locale, this_year=0) for item in value), locale=locale)
    if argument == ShownArgument.EXACT and isinstance(value, list):
        shares = (f"{share['name']} {share['value']}" for share in value if isinstance(share, Mapping))
        return listed(shares, locale=locale)
    if argument == ShownArgument.RATES and isinstance(value, list):
        rates = [rate for rate in value if isinstance(rate, Mapping)]
        lines = (f"{rate['amount']} {rate['currency']} = {rate['makes']} {rate['into']}" for rate in rates)
        return listed(lines, locale=locale)
    if isinstance(value, Mapping) and value.keys() <= {"start", "end"}:
        return " \N{EN DASH} ".join(shown_value(str(day), locale=locale, this_year=0) for day in value.values() if day)
    if argument == ShownArgument.REPLACE and isinstance(value, Mapping):
        return f"{str(value.get('old', '')).strip()} → {str(value.get('new', '')).strip()}".strip()
    return None


def _due(at: str, rule: str, *, locale: str) -> str:
    """Return when a reminder is due in words: “every day at 09:00” for 2026-11-26T09:00 and `FREQ=DAILY`; odd texts as they are."""
    if not at:
        return ""
    try:
        # A rule that ends in UTC is shown with its date in UTC: the chat's zone is not known here
        recurrence = Recurrence.parse(rule, dt.UTC) if rule else None
        return shown_schedule(recurrence, start=dt.datetime.fromisoformat(at), locale=locale, this_year=0)
    except ValueError:
        return rule or at


def _indented(text: str) -> str:
    return f"\n{_INDENT}".join(text.splitlines())


def _properties_of(arguments: Json) -> object:
    """Return the properties of a page, given as an object or as its JSON text."""
    properties = arguments.get("properties")
    if isinstance(properties, str):
        return json.loads(properties) if properties.strip() else None
    return properties


@cache
def _texts(locale: str) -> _Texts:
    return language_file(locale).table("proposal", _Texts)
