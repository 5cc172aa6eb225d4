"""The names of a chat's members for the model: sanitised display names, never ids.

Two names look alike if the skeletons are equal (`shared/line/lookalikes.py`). Then each of the two is followed by the end of its id.
Names are hostile input: people choose them, and the model reads them between brackets.  Source: LINE, "Get profile", "Get group chat
member profile": a name is missing for a person who has not consented or has left.
"""

import threading
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from concurrent.futures import Executor, Future
from contextvars import copy_context
from dataclasses import field
from typing import Final, Protocol, TypeVar

from cachetools import TLRUCache

from shared.clock import Clock, Deadline, SystemClock
from shared.frozen import frozen
from shared.line.graphemes import LONGEST_GRAPHEME, graphemes
from shared.line.ids import mask_ids
from shared.line.lookalikes import BLANK_LETTERS, skeleton

_Result = TypeVar("_Result")
LONGEST_NAME: Final = 20  # graphemes
LONGEST_DISTINCT_NAME: Final = LONGEST_NAME + len(" \u2026a1b2")
"""A name with the end of an id, which tells two members of one name apart."""
CACHED_S: Final = 600.0
MISSING_CACHED_S: Final = 60.0
WAITED_S: Final = 5.0
"""Seconds that a prompt waits for names; in a large group there are more names to ask for than threads."""
_NAMES_CACHED: Final = 4_096
_JOINER: Final = "\u200d"  # joins the emojis of a family
_REMOVED: Final = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp", "Ps", "Pe"})
_BRACKETS: Final = frozenset("<>|＜＞｜")
_ELLIPSIS: Final = "\u2026"
RESERVED: Final = (
    "note",
    "you",
    "quote",
    "recap",
    "index",
    "reminders",
    "filed",
    "earlier attempt",
    "now",
    "system",
    "assistant",
    "model",
    "someone",
)
"""Words at the beginning of the system's own lines, and words that a reader may take for such a beginning."""


class Profiles(Protocol):
    """LINE's names of people and groups."""

    def display_name(self, conversation_id: str, user_id: str) -> str | None:
        """Return the person's display name in the 1:1 chat, group or room, unchanged.

        None: LINE gives no name, or did not answer; the latter is logged. Repeated: asks again.
        """
        ...

    def is_member(self, conversation_id: str, user_id: str) -> bool | None:
        """Whether the person is in the group or room; None, with a log line, if LINE did not answer."""
        ...

    def group_name(self, conversation_id: str) -> str | None:
        """Return the group's name, unchanged.  None: the chat is no group, or LINE did not answer; the latter is logged."""
        ...


def sanitised(name: str) -> str | None:
    """Return the name without brackets, line breaks, control and bidi characters, cut to 20 graphemes; None if nothing remains.

    For example, `"<Ann>"` -> `"Ann"`.
    """
    # Mask once more: brackets may have split an id.
    visible = _visible(mask_ids(_visible(mask_ids(name))))
    readable = [grapheme for grapheme in graphemes(visible) if len(grapheme) <= LONGEST_GRAPHEME]
    shown = "".join(readable[:LONGEST_NAME]).strip(f" {_JOINER}")
    return shown or None


def someone(user_id: str) -> str:
    """Return the placeholder for a missing name, such as `someone …a1b2`, so that two persons without names stay distinct."""
    return f"someone …{user_id[-4:]}"


def distinct_names(names: Mapping[str, str | None], *, bot_names: Collection[str] = ()) -> Mapping[str, str]:
    """Return a name for every user id, followed by the id's end if it looks like another name, a name of the bot or a reserved word.

    For example, two members "Ann" become "Ann …a1b2" and "Ann …c3d4".
    """
    shown = {user_id: sanitised(name or "") for user_id, name in names.items()}
    skeleton_counts = Counter(skeleton(name) for name in (*bot_names, *RESERVED, *filter(None, shown.values())))
    return {
        user_id: someone(user_id)
        if name is None
        else name
        if skeleton_counts[skeleton(name)] == 1
        else f"{name} {_ELLIPSIS}{user_id[-4:]}"
        for user_id, name in shown.items()
    }


def _visible(name: str) -> str:
    spaced = " ".join(name.split())
    shown = (
        character
        for character in spaced.replace(_ELLIPSIS, "...")
        if character not in _BRACKETS | BLANK_LETTERS and _is_shown(character)
    )
    return " ".join("".join(shown).split())


def _is_shown(character: str) -> bool:
    return character == _JOINER or unicodedata.category(character) not in _REMOVED


def _expiry_s(_: tuple[str, str], name: str | None, now_s: float) -> float:
    return now_s + (MISSING_CACHED_S if name is None else CACHED_S)


def _new_cache() -> TLRUCache[tuple[str, str], str | None]:
    return TLRUCache(_NAMES_CACHED, ttu=_expiry_s)


def _result_of(lookup: "Future[_Result | None]", deadline: Deadline) -> _Result | None:
    try:
        return lookup.result(timeout=deadline.left_s)
    except TimeoutError:
        return None


@frozen
class DisplayNames:
    """Looks up names in parallel, each once at a time, with a cache of ten minutes; safe to share between threads.

    A name that LINE does not return within `waited_s` counts as missing. The look-up goes on for later callers.
    """

    profiles: Profiles
    threads: Executor = field(repr=False)
    waited_s: float = WAITED_S
    clock: Clock = field(default_factory=SystemClock, repr=False)
    _names: TLRUCache[tuple[str, str], str | None] = field(default_factory=_new_cache, repr=False)
    _open: dict[tuple[str, str], Future[str | None]] = field(default_factory=dict, repr=False)
    _lock: threading.RLock = field(default_factory=threading.RLock, repr=False)

    def of(
        self, conversation_id: str, user_ids: Iterable[str], *, bot_names: Collection[str] = ()
    ) -> Mapping[str, str]:
        """Return the name for the model, by user id."""
        lookups = {user_id: self._begin(conversation_id, user_id) for user_id in dict.fromkeys(user_ids)}
        deadline = Deadline.after(self.clock, self.waited_s)
        names = {
            user_id: _result_of(lookup, deadline) if isinstance(lookup, Future) else lookup
            for user_id, lookup in lookups.items()
        }
        return distinct_names(names, bot_names=bot_names)

    def begin(self, conversation_id: str, user_id: str) -> None:
        """Begin to look up a name that is not cached; the next caller of `of` waits for the look-up."""
        self._begin(conversation_id, user_id)

    def former_members(self, conversation_id: str, user_ids: Iterable[str]) -> frozenset[str]:
        """Return the people without membership in the group or room; without an answer of LINE in time, a person counts as a member."""
        checks = {
            user_id: self.threads.submit(copy_context().run, self.profiles.is_member, conversation_id, user_id)
            for user_id in dict.fromkeys(user_ids)
        }
        deadline = Deadline.after(self.clock, self.waited_s)
        return frozenset(user_id for user_id, check in checks.items() if _result_of(check, deadline) is False)

    def _begin(self, conversation_id: str, user_id: str) -> "Future[str | None] | str | None":
        """Return the cached name, or the look-up under way."""
        key = conversation_id, user_id
        with self._lock:
            if key in self._names:
                return self._names[key]
            lookup = self._open.get(key) or self.threads.submit(copy_context().run, self._look_up, key)
            if not lookup.done():  # the end of a look-up waits for the lock
                self._open[key] = lookup
            return lookup

    def _look_up(self, key: tuple[str, str]) -> str | None:
        name = None
        try:
            name = self.profiles.display_name(*key)
        finally:
            with self._lock:
                self._names[key] = name
                self._open.pop(key, None)
        return name
