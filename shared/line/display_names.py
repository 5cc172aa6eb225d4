"""What the people in a chat are called before the model: display names, made harmless, and never an id.

Names are hostile input: people choose them, and the model reads them between brackets.  Source: LINE, "Get profile", "Get group chat
member profile": a name may be missing where a person has not consented or has left.
"""

import threading
import unicodedata
from collections.abc import Collection, Iterable, Mapping
from concurrent.futures import Executor
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import Final, Protocol

import regex
from cachetools import TLRUCache

from shared.line.ids import mask_ids

LONGEST_NAME: Final = 20  # graphemes
KEPT_S: Final = 600.0
MISSING_KEPT_S: Final = 60.0
_NAMES_KEPT: Final = 4_096
_LONGEST_GRAPHEME: Final = 12  # code points; a family of four has seven
_JOINER: Final = "\u200d"  # holds families together
_GRAPHEME: Final = regex.compile(r"\X")
_REMOVED: Final = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp", "Ps", "Pe"})
_BRACKETS: Final = frozenset("<>|＜＞｜")
_BLANK_LETTERS: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0")


class Profiles(Protocol):
    """The names that LINE knows people by."""

    def display_name(self, conversation_id: str, user_id: str) -> str | None:
        """Return the name that the person has in this 1:1 chat, group or room, as they wrote it.

        None: LINE gives none, or did not answer; which is logged. Repeated: asks again.
        """
        ...


def sanitised(name: str) -> str | None:
    """Return a name without brackets, line breaks, control and bidi characters, of at most 20 graphemes; None where nothing is left."""
    spaced = " ".join(mask_ids(name).split())
    kept = "".join(one for one in spaced if one not in _BRACKETS | _BLANK_LETTERS and _is_shown(one))
    graphemes = (one for one in _GRAPHEME.findall(" ".join(kept.split())) if len(one) <= _LONGEST_GRAPHEME)
    shown = "".join(list(graphemes)[:LONGEST_NAME]).strip(f" {_JOINER}")
    return shown or None


def someone(user_id: str) -> str:
    """Return what a person without a name is called, such as `someone …a1b2`, so that two of them stay apart."""
    return f"someone …{user_id[-4:]}"


def distinct_names(names: Mapping[str, str | None], *, taken: Collection[str] = ()) -> Mapping[str, str]:
    """Return a name for every user id; those that two people share, or that are `taken` (the bot's), get the end of the id behind them."""
    shown = {user_id: sanitised(name or "") for user_id, name in names.items()}
    seen = [_folded(name) for name in (*taken, *filter(None, shown.values()))]
    return {
        user_id: someone(user_id)
        if name is None
        else name
        if seen.count(_folded(name)) == 1
        else f"{name} …{user_id[-4:]}"
        for user_id, name in shown.items()
    }


def _is_shown(character: str) -> bool:
    return character == _JOINER or unicodedata.category(character) not in _REMOVED


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()


def _kept_until(_: tuple[str, str], name: str | None, now_s: float) -> float:
    return now_s + (MISSING_KEPT_S if name is None else KEPT_S)


def _cache() -> TLRUCache[tuple[str, str], str | None]:
    return TLRUCache(_NAMES_KEPT, ttu=_kept_until)


@dataclass(frozen=True, slots=True, kw_only=True)
class DisplayNames:
    """Looks up what people are called, all at once, and remembers it for ten minutes; safe to share between threads."""

    profiles: Profiles
    threads: Executor = field(repr=False)
    _kept: TLRUCache[tuple[str, str], str | None] = field(default_factory=_cache, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def of(
        self, conversation_id: str, user_ids: Iterable[str], *, bot_names: Collection[str] = ()
    ) -> Mapping[str, str]:
        """Return a name that can be shown to the model for every one of the people."""
        asked = tuple(dict.fromkeys(user_ids))
        with self._lock:
            known = {one: self._kept[conversation_id, one] for one in asked if (conversation_id, one) in self._kept}
        missing = [one for one in asked if one not in known]
        found = [
            self.threads.submit(copy_context().run, self.profiles.display_name, conversation_id, one) for one in missing
        ]
        for user_id, answer in zip(missing, found, strict=True):
            known[user_id] = answer.result()
            with self._lock:
                self._kept[conversation_id, user_id] = known[user_id]
        return distinct_names({one: known[one] for one in asked}, taken=bot_names)
