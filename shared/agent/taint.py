"""Taint: what a turn was shown beside the chat, and which links its reply may hold.

The words of a website, a Notion page, a picture or a file may come from a stranger. A turn whose prompt holds such words, read by itself or
by an earlier turn, carries out at once only what adds to the chat's own store and stands in the asker's own words (`grounding.py`); all
else waits for a person's tap. A web search then may repeat of what is filed only what the person says. A reply links only to what a
function returned or a person wrote. So no outside text chooses a target, and none sends people's notes away.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
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
from shared.agent.outside_words import OutsideWords
from shared.agent.page_links import PageLinks
from shared.search.folding import fold
from shared.search.literal_runs import Runs

_NUMBER: Final = re.compile(r"\d{4,}")


class Readings:
    """What the model has been shown in a turn, beside the chat; safe to share between threads."""

    def __init__(self) -> None:
        self._outside: list[OutsideWords] = []
        self._links: set[str] = set()
        self._addresses: set[str] = set()
        self._hosts: set[str] = set()
        self._written: set[str] = set()
        self._kept: list[str] = []
        self._of_pages = PageLinks()
        self._has_strangers_words = False
        self._titles: dict[str, str] = {}
        self._lock = Lock()

    @property
    def outside(self) -> tuple[OutsideWords, ...]:
        """The words of sources outside the chat that it was shown."""
        with self._lock:
            return tuple(self._outside)

    @property
    def kept(self) -> str:
        """What it was shown that repeats what is filed."""
        with self._lock:
            return "\n".join(self._kept)

    def mark_outside(self, source: str, data: object = None) -> None:
        """Words of a source outside the chat, as in `Provenance`, were shown: `data`, or None where they are not known."""
        text = None if data is None else "\n".join(_texts_in(data))
        with self._lock:
            self._outside.append(OutsideWords(sources=frozenset({source}), text=text, is_direct=True))

    def read_links_strictly(self) -> None:
        """The prompt holds words from outside that an earlier turn has read: every name that may be a host is read as one."""
        self._has_strangers_words = True

    @property
    def titles(self) -> Mapping[str, str]:
        """The titles of the pages that it was shown, by their ids."""
        with self._lock:
            return dict(self._titles)

    def mark_titles(self, titles: Mapping[str, str]) -> None:
        """Pages of these ids and titles were found, for example by a search of Notion; of two searches the pages of both."""
        with self._lock:
            self._titles |= titles

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
        while (
            found := link_after(place, narrow, is_strict=self._has_strangers_words or bool(self._outside))
        ) is not None:
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
