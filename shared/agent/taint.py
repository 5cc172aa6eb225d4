"""Taint: what a turn has read from outside, and what it may do afterwards.

The words of a website, a Notion page, a picture or a file may come from a stranger. Once a turn has read some, these calls wait for the
person's tap: deletions of entries and of own facts, updates that take words away, writes to Notion, and reminders that are set, changed or
cancelled. A web search then
may repeat of what is filed only what the person says. If only Notion was read, a page that the person names is written at once, because no
page can be changed without a search for it. A reply links only to what a function returned or a person wrote. So no outside text chooses a
target, and none sends people's notes away.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from itertools import takewhile
from threading import Lock
from typing import Final

from shared.agent.links import (
    ENDS,
    address_of,
    has_no_scheme,
    host_of,
    is_link,
    is_of_the_web,
    link_after,
    links_in,
    narrowed,
    without_hidden_characters,
)
from shared.agent.page_links import PageLinks
from shared.search.folding import fold
from shared.search.literal_runs import Runs

_NUMBER: Final = re.compile(r"\d{4,}")
_NAMED_AT_LEAST: Final = 2  # characters; a shorter name stands in other words by chance
_WORD: Final = re.compile(r"[^\W_]{2,}")
_ASCII_WORD: Final = re.compile(r"[0-9a-z]{2,}")  # 「ToDoに追加」: a script without spaces goes on right after it
# A name that begins and ends inside no ASCII word
_WHOLE: Final = r"(?:(?<![0-9a-z])|(?![0-9a-z])){}(?:(?<![0-9a-z])|(?![0-9a-z]))"

_PART: Final = re.compile(r"[^\W_]+")
# Words that stand in almost any request, so that they alone name nothing
_COMMON: Final = frozenset(
    _PART.findall(
        "a add all an and any are as at be but by can could for from has have he her here him his how i if in is it its me my "
        "new no not of on or our out please put she so some that the their them there they this to up us was we what when where which who "
        "will with would write yes you your "
        "ある あれ いつ いる から ください この これ した して する その それ って です ない なに ので まで ます 追加 更新 今日 "
        "一下 什麼 我的 新增 這個"
    )
)


class Readings:
    """What the model has been shown in a turn, beside the chat; safe to share between threads."""

    def __init__(self) -> None:
        self._outside: dict[str, str] = {}
        self._links: set[str] = set()
        self._addresses: set[str] = set()
        self._hosts: set[str] = set()
        self._written: set[str] = set()
        self._kept: list[str] = []
        self._of_pages = PageLinks()
        self._lock = Lock()

    @property
    def is_tainted(self) -> bool:
        """Whether it was shown anything from outside."""
        return bool(self._outside)

    @property
    def outside(self) -> frozenset[str]:
        """The sources outside the chat of which it was shown anything, as in `Provenance`."""
        with self._lock:
            return frozenset(self._outside.values())

    def mark_outside(self, source: str, *, shown_by: str = "") -> None:
        """Something from a source outside the chat was shown, as the results of a tool of this name, or in the prompt."""
        with self._lock:
            self._outside[shown_by or source] = source

    def is_tainted_beside(self, tools: AbstractSet[str]) -> bool:
        """Whether it was shown anything from outside that these tools did not return."""
        return not self._outside.keys() <= tools

    def note(self, data: object, *, is_kept: bool = False, is_outside: bool = False) -> None:
        """Remember the links of a function's result or of the prompt: the reply may repeat them.

        `is_kept`: it repeats what is filed. `is_outside`: its words come from outside.
        """
        text = "\n".join(_texts_in(data))
        with self._lock:
            given = _known_by(text) - self._written
            if is_outside:
                self._of_pages.note(one for one in links_in(text) if one in given - self._links)
            else:
                self._of_pages.drop(given)
            self._links |= given
            self._addresses |= {address_of(one) for one in given if is_of_the_web(one)}
            self._hosts |= set(map(host_of, given))
            if is_kept:
                self._kept.append(text)

    def mark_written(self, data: object) -> None:
        """The model had this written somewhere: a link of it that nobody gave before is not given by reading it there."""
        with self._lock:
            self._written |= _known_by("\n".join(_texts_in(data))) - self._links

    def repeats_kept(self, query: str, said: Iterable[str]) -> bool:
        """Whether the query repeats, beyond the person's own words, a long run or a number of what is filed."""
        own = fold(" ".join(said))
        runs = Runs.of_any([fold(query)]).without(Runs.of_any([own]))
        numbers = {one for one in _NUMBER.findall(fold(query)) if one not in own}
        with self._lock:
            kept = [fold(one) for one in self._kept]
        return any(runs.shares(one) or any(number in one for number in numbers) for one in kept)

    def has_strange_links(self, data: object) -> bool:
        """Whether the data hold a link that neither a function nor a person gave."""
        return self.without_strange_links("\n".join(_texts_in(data)))[1] > 0

    def without_strange_links(self, text: str, *, instead: str = "") -> tuple[str, int]:
        """Return the text without links that neither a function nor a person gave, and their number; `instead` stands in their places.

        Scripts without spaces go on right after a link: a space is put between a link that was given and what follows it.
        """
        text = without_hidden_characters(text)
        narrow, parts = narrowed(text), list[str]()
        with self._lock:
            chosen = self._of_pages.chosen(links_in(text))
        place = strange = 0
        while (found := link_after(place, narrow, is_strict=bool(self._outside))) is not None:
            start, end = found
            link = text[start:end]
            given = "" if link in chosen else self._given_in(link)
            parts += [text[place:start], given or instead]
            if given and given != link:
                parts.append(" ")
            place = start + len(given or _removed_of(link))
            strange += not given
        return "".join((*parts, text[place:])), strange

    def _given_in(self, link: str) -> str:
        """Return the link, or as much of it as was given and is followed by another script; "" if it was not given.

        A link of the web is given with either of its schemes and without one, and the host alone, without a scheme, with any link to it:
        after `https://a.com/x` also `a.com/x` and `a.com`.
        """
        with self._lock:  # a tool that took too long may be noting more
            if link in self._links:
                return link
            if is_of_the_web(link) and address_of(link) in self._addresses:
                return link
            if has_no_scheme(link) and address_of(link).lower() in self._hosts:
                return link
            begins = (one for one in self._links if link.startswith(one) and not link[len(one)].isascii())
            return max(begins, key=len, default="")


def _removed_of(link: str) -> str:
    """Return what goes of a link that nobody gave: without the words of another script that follow it."""
    beginning = _ascii_beginning(link)
    return beginning if is_link(beginning) else link


def _known_by(text: str) -> set[str]:
    """Return the links of the text, and as much of each as is ASCII."""
    return {one for link in links_in(text) for one in (link, _ascii_beginning(link)) if is_link(one)}


def _ascii_beginning(link: str) -> str:
    """Return the link up to the first character of another script, which may be a word after it."""
    return "".join(takewhile(str.isascii, link)).rstrip(ENDS)


def _texts_in(data: object) -> Iterator[str]:
    """Yield every text and number of the data as it is: as JSON, a link would run into what escapes the character after it."""
    match data:
        case Mapping():
            for name, value in data.items():
                yield str(name)
                yield from _texts_in(value)
        case list() | tuple():
            for value in data:
                yield from _texts_in(value)
        case _:
            yield str(data)


def is_named(name: str, said: Iterable[str]) -> bool:
    """Whether the person's own words name this: the whole name, or words of at least two characters that are more than half of it.

    The whole name, and a word of ASCII letters, do not count inside a longer word of ASCII letters. One common word of a longer name, which
    stands in most messages, names nothing, and a name of nothing but such words is never named.
    """
    heard, whole = fold(" ".join(said)), fold(name).strip()
    heard_words = frozenset(_ASCII_WORD.findall(heard))
    words = _WORD.findall(whole)
    parts = _PART.findall(whole)
    if parts and _COMMON.issuperset(parts):
        return False
    if len(whole) >= _NAMED_AT_LEAST and re.search(_WHOLE.format(re.escape(whole)), heard) is not None:
        return True
    named = [one for one in words if one in heard_words or (not one.isascii() and one in heard)]
    return 2 * _bytes_of(named) > _bytes_of(words)


def _bytes_of(words: Iterable[str]) -> int:
    """Return how long words are together, those of scripts in which a character says more counting more."""
    return sum(len(one.encode()) for one in words)
