"""The names of a chat's members as the model reads them: sanitised display names, never ids.

Names are hostile input: people choose them, and the model reads them between brackets.  Source: LINE, "Get profile", "Get group chat
member profile": a name is missing for a person who has not consented or has left.
"""

import threading
import unicodedata
from collections.abc import Collection, Iterable, Mapping
from concurrent.futures import Executor
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import Final, Protocol

from cachetools import TLRUCache

from shared.line.graphemes import graphemes
from shared.line.ids import mask_ids

LONGEST_NAME: Final = 20  # graphemes
KEPT_S: Final = 600.0
MISSING_KEPT_S: Final = 60.0
_NAMES_KEPT: Final = 4_096
_LONGEST_GRAPHEME: Final = 12  # code points; an emoji of a family of four has seven
_JOINER: Final = "\u200d"  # joins the emojis of a family
_REMOVED: Final = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp", "Ps", "Pe"})
_BRACKETS: Final = frozenset("<>|＜＞｜")
_BLANK_LETTERS: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0")


class Profiles(Protocol):
    """The display names that LINE keeps."""

    def display_name(self, conversation_id: str, user_id: str) -> str | None:
        """Return the person's display name in this 1:1 chat, group or room, unchanged.

        None: LINE gives no name, or did not answer; the latter is logged. Repeated: asks again.
        """
        ...

    def is_member(self, conversation_id: str, user_id: str) -> bool | None:
        """Whether the person is in this group or room; None: LINE did not answer, which is logged."""
        ...


def sanitised(name: str) -> str | None:
    """Return the name without brackets, line breaks, control and bidi characters, cut to 20 graphemes; None if nothing is left."""
    # Mask once more: brackets may have split an id.
    visible = _visible(mask_ids(_visible(mask_ids(name))))
    readable = [grapheme for grapheme in graphemes(visible) if len(grapheme) <= _LONGEST_GRAPHEME]
    shown = "".join(readable[:LONGEST_NAME]).strip(f" {_JOINER}")
    return shown or None


def someone(user_id: str) -> str:
    """Return the placeholder for a missing name, such as `someone …a1b2`, so that two persons without names stay distinct."""
    return f"someone …{user_id[-4:]}"


def distinct_names(names: Mapping[str, str | None], *, taken: Collection[str] = ()) -> Mapping[str, str]:
    """Return a name for every user id.  A name that two people share, or that is `taken` (the bot's), is followed by the id's end."""
    shown = {user_id: sanitised(name or "") for user_id, name in names.items()}
    seen = [_fold(name) for name in (*taken, *filter(None, shown.values()))]
    return {
        user_id: someone(user_id)
        if name is None
        else name
        if seen.count(_fold(name)) == 1
        else f"{name} …{user_id[-4:]}"
        for user_id, name in shown.items()
    }


def _visible(name: str) -> str:
    spaced = " ".join(name.split())
    shown = (one for one in spaced if one not in _BRACKETS | _BLANK_LETTERS and _is_shown(one))
    return " ".join("".join(shown).split())


def _is_shown(character: str) -> bool:
    return character == _JOINER or unicodedata.category(character) not in _REMOVED


def _fold(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()


def _expiry_s(_: tuple[str, str], name: str | None, now_s: float) -> float:
    return now_s + (MISSING_KEPT_S if name is None else KEPT_S)


def _new_cache() -> TLRUCache[tuple[str, str], str | None]:
    return TLRUCache(_NAMES_KEPT, ttu=_expiry_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class DisplayNames:
    """Looks up names in parallel and caches them for ten minutes; safe to share between threads."""

    profiles: Profiles
    threads: Executor = field(repr=False)
    _names: TLRUCache[tuple[str, str], str | None] = field(default_factory=_new_cache, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def of(
        self, conversation_id: str, user_ids: Iterable[str], *, bot_names: Collection[str] = ()
    ) -> Mapping[str, str]:
        """Return the name that the model reads, for each user id."""
        asked = tuple(dict.fromkeys(user_ids))
        with self._lock:
            known = {
                user_id: self._names[conversation_id, user_id]
                for user_id in asked
                if (conversation_id, user_id) in self._names
            }
        missing = [user_id for user_id in asked if user_id not in known]
        found = [
            self.threads.submit(copy_context().run, self.profiles.display_name, conversation_id, user_id)
            for user_id in missing
        ]
        for user_id, answer in zip(missing, found, strict=True):
            known[user_id] = answer.result()
            with self._lock:
                self._names[conversation_id, user_id] = known[user_id]
        return distinct_names({user_id: known[user_id] for user_id in asked}, taken=bot_names)
