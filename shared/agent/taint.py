"""Taint: the words from outside the chat that a turn was shown, and the links of its reply.

The words of a website, a Notion page, a picture or a file may come from a stranger. If a prompt holds such words, read by the turn or by an
earlier turn, the turn carries out at once only additions to the chat's own store that the asker orders in own words (`grounding.py`);
everything else waits for a person's tap. A web search then may repeat filed words only if the person said the same words. A reply links
only to addresses from a function or a person. Therefore no outside text chooses a target or sends people's notes away.
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


class UntrustedInput:
    """The input of a turn in addition to the chat: outside words, filed words, and the links that a reply may repeat.

    A link is trusted if a function or a person gave it. Safe to share between threads.
    """

    def __init__(self) -> None:
        self._outside: list[OutsideWords] = []
        self._links: set[str] = set()
        self._addresses: set[str] = set()
        self._hosts: set[str] = set()
        self._written: set[str] = set()
        self._filed: list[str] = []
        self._of_pages = PageLinks()
        self._has_strangers_words = False
        self._titles: dict[str, str] = {}
        self._lock = Lock()

    @property
    def outside(self) -> tuple[OutsideWords, ...]:
        """The words of sources outside the chat."""
        with self._lock:
            return tuple(self._outside)

    @property
    def filed(self) -> str:
        """The shown words that repeat filed entries."""
        with self._lock:
            return "\n".join(self._filed)

    def record_outside(self, source: str, data: object = None) -> None:
        """Record shown words of a source outside the chat, as in `Provenance`; `data` None: the words are unknown, as in a picture."""
        text = None if data is None else "\n".join(_texts_in(data))
        with self._lock:
            self._outside.append(OutsideWords(sources=frozenset({source}), text=text, is_direct=True))

    def read_links_strictly(self) -> None:
        """Read every possible host name as a host: the prompt holds outside words that an earlier turn read."""
        self._has_strangers_words = True

    @property
    def titles(self) -> Mapping[str, str]:
        """The titles of the shown pages, by page id."""
        with self._lock:
            return dict(self._titles)

    def record_titles(self, titles: Mapping[str, str]) -> None:
        """Record titles by page id, for example of a Notion search; two searches add up."""
        with self._lock:
            self._titles |= titles

    def record(self, data: object, *, is_filed: bool = False, is_outside: bool = False) -> None:
        """Record the links of the prompt or of a function's result: the reply may repeat these links.

        `is_filed`: the data repeat filed words. `is_outside`: the words come from outside.
        """
        text = "\n".join(_texts_in(data))
        with self._lock:
            links = _links_of(text) - self._written
            if is_outside:
                self._of_pages.add(one for one in links_in(text) if one in links - self._links)
            else:
                self._of_pages.drop(links)
            self._links |= links
            self._addresses |= {address_of(one) for one in links if is_of_the_web(one)}
            self._hosts |= set(map(host_of, links))
            if is_filed:
                self._filed.append(text)

    def record_written(self, data: object) -> None:
        """Record data that the model wrote somewhere: reading the data back makes no link trusted."""
        with self._lock:
            self._written |= _links_of("\n".join(_texts_in(data))) - self._links

    def repeats_filed(self, query: str, own_texts: Iterable[str]) -> bool:
        """Whether the query repeats, beyond the person's own words, a long run or a number of filed words.

        For example, with the entry "door code 4711" filed, the query "4711" repeats it, unless the person said "4711".
        """
        own = fold(" ".join(own_texts))
        runs = Runs.of_any([fold(query)]).without(Runs.of_any([own]))
        numbers = {one for one in _NUMBER.findall(fold(query)) if one not in own}
        with self._lock:
            filed = [fold(one) for one in self._filed]
        return any(runs.shares(one) or any(number in one for number in numbers) for one in filed)

    def has_strange_links(self, data: object) -> bool:
        """Whether the data hold a link from neither a function nor a person."""
        return self.without_strange_links("\n".join(_texts_in(data)))[1] > 0

    def without_strange_links(self, text: str, *, instead: str = "") -> tuple[str, int]:
        """Return the text without links from neither a function nor a person, and their number; `instead` replaces each link.

        Scripts without spaces continue right after a link, so a space is put between a trusted link and the following text.
        """
        text = without_hidden_characters(text)
        narrow, parts = narrowed(text), list[str]()
        with self._lock:
            chosen = self._of_pages.chosen(links_in(text))
        place = strange = 0
        while (
            span := link_after(place, narrow, is_strict=self._has_strangers_words or bool(self._outside))
        ) is not None:
            start, end = span
            link = text[start:end]
            trusted = "" if link in chosen else self._trusted_in(link)
            parts += [text[place:start], trusted or instead]
            if trusted and trusted != link:
                parts.append(" ")
            place = start + len(trusted or _removed_of(link))
            strange += not trusted
        return "".join((*parts, text[place:])), strange

    def _trusted_in(self, link: str) -> str:
        """Return the link, or its trusted beginning before another script; "" for an untrusted link.

        A web link is trusted with either scheme and without a scheme; a host alone, without a scheme, is trusted with any link to the host:
        after `https://a.com/x` also `a.com/x` and `a.com`.
        """
        with self._lock:  # a late tool may still record links
            if link in self._links:
                return link
            if is_of_the_web(link) and address_of(link) in self._addresses:
                return link
            if has_no_scheme(link) and address_of(link).lower() in self._hosts:
                return link
            begins = (one for one in self._links if link.startswith(one) and not link[len(one)].isascii())
            return max(begins, key=len, default="")


def _removed_of(link: str) -> str:
    """Return the removed part of an untrusted link: following words in another script stay."""
    beginning = _ascii_beginning(link)
    return beginning if is_link(beginning) else link


def _links_of(text: str) -> set[str]:
    """Return the links of the text, and the ASCII beginning of each link."""
    return {one for link in links_in(text) for one in (link, _ascii_beginning(link)) if is_link(one)}


def _ascii_beginning(link: str) -> str:
    """Return the link up to the first non-ASCII character, which may begin a following word.

    For example, `_ascii_beginning("https://a.jp/1です")` is `https://a.jp/1`.
    """
    return "".join(takewhile(str.isascii, link)).rstrip(ENDS)


def _texts_in(data: object) -> Iterator[str]:
    """Yield every text and number of the data unescaped: in JSON, a link would run into the escape after it.

    For example, `{"url": "https://a.example", "count": 2}` yields `url`, `https://a.example`, `count` and `2`.
    """
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
