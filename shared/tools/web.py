"""The web toolset: `web_search` asks a search engine, and the reply carries the links of the answer.

Which of Google's display requirements for grounded answers LINE can meet: docs/adr/20261122-search-suggestions.md.
"""

import re
from dataclasses import dataclass, field
from typing import Final, Protocol
from urllib.parse import quote

from shared import logs
from shared.agent.model import Json
from shared.agent.tools import NOT_NAMED, Cited, Tool, ToolFault, load_schema
from shared.agent.turn_context import TurnContext
from shared.clock import Deadline
from shared.conversation.provenance import WEB
from shared.errors import ModelBlockedError
from shared.line.graphemes import short_line
from shared.line.utf16 import without_lone_surrogates
from shared.metering import Metering, Purpose, Usage

SOURCES_SHOWN: Final = 5
MOST_SEARCHES: Final = 4
"""Searches of a turn; each is a request to the model that costs more than the turn's own."""
FOOTNOTE_LIMIT: Final = 3_000  # characters; with the words of an answer it fits LINE's five bubbles
_SEARCHES_SHOWN: Final = 3
_TITLE_LIMIT: Final = 80  # graphemes
_LINK: Final = re.compile(r"https?://[!-~]{1,990}")  # as long as a link that bubbles never cut
_RESULTS_PAGE: Final = "https://www.google.com/search?q="


@dataclass(frozen=True, slots=True, kw_only=True)
class WebSource:
    """A page that supports an answer.  `url` leads to it, perhaps through a redirect of the search engine."""

    title: str = field(repr=False)
    url: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class WebAnswer:
    """The answer of a search: `text`, in which [1] is the first of `sources`, and the queries that were searched for."""

    text: str = field(repr=False)
    sources: tuple[WebSource, ...] = ()
    searches: tuple[str, ...] = field(default=(), repr=False)
    usage: Usage = field(default_factory=Usage)


class WebSearch(Protocol):
    """A web search that answers in sentences."""

    @property
    def name(self) -> str:
        """The id of the model that searches, as records and logs name it."""
        ...

    def search(self, query: str, deadline: Deadline) -> WebAnswer:
        """Search once.  Without results: an answer that says so, without sources.

        Raises: ModelUnavailableError, where a later try may succeed; ModelBlockedError, where the query is not answered; ModelRefusedError.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class MeteredWebSearch:
    """A WebSearch whose requests are counted."""

    web: WebSearch
    metering: Metering = field(repr=False)

    @property
    def name(self) -> str:
        return self.web.name

    def search(self, query: str, deadline: Deadline) -> WebAnswer:
        with self.metering.request(Purpose.SEARCH, self.web.name) as made:
            answer = self.web.search(query, deadline)
            made.usage = answer.usage
        logs.info("web_searched", searches=len(answer.searches), sources=len(answer.sources))
        return answer


def web_tools(web: WebSearch) -> tuple[Tool, ...]:
    """Return `web_search`."""

    def search(arguments: Json, context: TurnContext) -> Cited | ToolFault:
        query = without_lone_surrogates(str(arguments["query"]))
        if context.is_tainted and context.untrusted_input.repeats_filed(query, context.said):
            return NOT_NAMED
        context.check_amendments()
        try:
            answer = web.search(query, context.deadline)
        except ModelBlockedError:
            return ToolFault(message="The search does not answer this.", may_retry=False)
        result = {
            "status": "success",
            "answer": answer.text,
            "sources": [{"number": number, "title": _title(one)} for number, one in _numbered_sources(answer)],
        }
        return Cited(result=result, footnote=footnote(answer))

    return (
        Tool(
            name="web_search",
            description=(
                "Search the web with Google, for what is recent or what you are not sure of: news, weather, opening hours, prices, facts. "
                "Do not use it for what people of this chat said. Keep the numbers of the sources, such as [1], in your reply; the links "
                "are added to it by this system, so write none. Without sources nothing was found: say so."
            ),
            parameters=load_schema("web_search.parameters"),
            response=load_schema("web_search.response"),
            run=search,
            is_reading=True,
            outside=WEB,
            most_calls=MOST_SEARCHES,
        ),
    )


def footnote(answer: WebAnswer) -> str:
    """Return the links of the answer: its sources, and Google's result pages of its searches; "" where there is neither.

    A title is one short line. No link is cut: what is too long, alone or after the others, is left out.
    """
    links = [(f"[{number}] {_title(one)}", one.url) for number, one in _numbered_sources(answer)]
    links += [
        (f"Google: {_line(one)}", f"{_RESULTS_PAGE}{quote(without_lone_surrogates(one), safe='')}")
        for one in answer.searches[:_SEARCHES_SHOWN]
    ]
    noted = ""
    for title, url in links:
        longer = f"{noted}\n{title}\n{url}".lstrip("\n")
        if _LINK.fullmatch(url) and len(longer) <= FOOTNOTE_LIMIT:
            noted = longer
    return noted


def _numbered_sources(answer: WebAnswer) -> list[tuple[int, WebSource]]:
    numbered = list(enumerate(answer.sources, start=1))[:SOURCES_SHOWN]
    return [(number, one) for number, one in numbered if _LINK.fullmatch(one.url)]


def _title(source: WebSource) -> str:
    return _line(source.title) or source.url.partition("//")[2].partition("/")[0]


def _line(text: str) -> str:
    """Return the text as one line of at most 80 graphemes."""
    return short_line(without_lone_surrogates(text), limit=_TITLE_LIMIT)
