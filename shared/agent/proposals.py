"""Proposals: changes that wait for the person's tap, because the turn has read words of strangers.

The code describes each change from the arguments of the call, not in words of the model or of a page. So the person confirms exactly what
will be done.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from threading import Lock
from typing import Final

from shared.agent.model import Json
from shared.agent.receipts import quotable, without_turns
from shared.conversation.records import ProposedCall
from shared.line.graphemes import short_line
from shared.line.utf16 import without_lone_surrogates
from shared.locales.language_file import language_file

MOST_PROPOSED: Final = 3
ARGUMENTS_LIMIT: Final = 2_000
_DETAIL_GRAPHEMES: Final = 80
_SHOWN: Final = ("content", "fact", "text", "at", "rule", "digest")  # of arguments, as they are


class Proposals:
    """The proposals of a turn, each once; safe to share between threads."""

    def __init__(self) -> None:
        self._proposed: dict[tuple[str, str], ProposedCall] = {}
        self._lock = Lock()

    def add(self, tool: str, arguments: Json, *, name: str) -> bool:
        """Propose this call, which would touch something of this name; return whether there is room for it.

        It is kept without lone surrogates, which no record takes.
        """
        text = without_lone_surrogates(json.dumps(arguments, ensure_ascii=False, sort_keys=True))
        with self._lock:
            is_known = (tool, text) in self._proposed
            if len(text) > ARGUMENTS_LIMIT or (not is_known and len(self._proposed) >= MOST_PROPOSED):
                return False
            self._proposed[tool, text] = ProposedCall(tool=tool, arguments=text, name=without_lone_surrogates(name))
            return True

    @property
    def proposed(self) -> tuple[ProposedCall, ...]:
        """The proposals, in the order in which they were made."""
        with self._lock:
            return tuple(self._proposed.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Texts:
    """What a tap would do to something of this {name}, by tool."""

    delete_entry: str
    forget_fact: str
    undo_last_change: str
    create_page: str
    update_page: str
    append_block: str
    create_reminder: str
    change_reminder: str
    cancel_reminder: str


def shown_values(arguments: Json, *, name: str) -> tuple[object, ...]:
    """Return what the line of a call's proposal shows, uncut and as it is."""
    return (name, _properties_of(arguments), *(arguments.get(key) for key in _SHOWN))


def described(proposed: tuple[ProposedCall, ...], *, locale: str) -> str:
    """Return a line for each proposal, such as `☐ Delete “lunch”`."""
    return "\n".join(f"☐ {_line(one, _texts(locale))}" for one in proposed)


def _line(one: ProposedCall, texts: Mapping[str, str]) -> str:
    detail = "; ".join(value for value in _details(json.loads(one.arguments)) if value != one.name)
    told = texts[one.tool].replace("{name}", quotable(one.name, limit=_DETAIL_GRAPHEMES))
    return f"{told} ({short_line(without_turns(detail), limit=_DETAIL_GRAPHEMES)})" if detail else told


def _details(arguments: Json) -> Iterator[str]:
    properties = _properties_of(arguments)
    if isinstance(properties, Mapping):
        values = (f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in properties.items())
        yield from map(without_lone_surrogates, values)
    yield from (str(arguments[key]) for key in _SHOWN if isinstance(arguments.get(key), str))


def _properties_of(arguments: Json) -> object:
    """Return the properties of a page, which may be an object or the text of one."""
    properties = arguments.get("properties")
    if isinstance(properties, str):
        return json.loads(properties) if properties.strip() else None
    return properties


@cache
def _texts(locale: str) -> Mapping[str, str]:
    texts = language_file(locale).table("proposal", _Texts)
    return {name: getattr(texts, name) for name in _Texts.__slots__}
