"""The web toolset: `web_search` asks a search engine, and the reply carries the links of the answer.

Google's display requirements for grounded answers, as far as LINE can meet them: docs/adr/20261122-search-suggestions.md.
"""

import re
from dataclasses import field
from typing import Final, Protocol
from urllib.parse import quote

from shared import logs
from shared.agent.model import Json
from shared.agent.tools import NOT_NAMED, Cited, Tool, ToolFault, load_schema
from shared.agent.turn_context import TurnContext
from shared.clock import Deadline
from shared.conversation.provenance import WEB
from shared.errors import ModelBlockedError
from shared.frozen import frozen
from shared.line.graphemes import short_line
from shared.line.utf16 import without_lone_surrogates
from shared.metering import Metering, Purpose, Usage

SOURCES_SHOWN: Final = 5
MOST_SEARCHES: Final = 4
"""Searches of a turn; each costs more than the turn's own request to the model."""
FOOTNOTE_LIMIT: Final = 3_000  # characters; with the words of an answer it fits LINE's five bubbles
_SEARCHES_SHOWN: Final = 3
_TITLE_LIMIT: Final = 80  # graphemes
_LINK: Final = re.compile(r"https?://[!-~]{1,990}")  # as long as a link that bubbles never cut
_MARK: Final = re.compile(r"(?P<gap> ?)\[(?P<number>\d{1,3})\]")
_RESULTS_PAGE: Final = "https://www.google.com/search?q="


@frozen
class WebSource:
    """A page that supports an answer.  `url` leads there, perhaps through a redirect of the search engine."""

    title: str = field(repr=False)
    url: str = field(repr=False)


@frozen
class WebAnswer:
    """The answer of a search: `text`, with [1] for the first of `sources`, and `searches`, the queries sent to the search engine.

    For example: text "Rain until noon [1].", the source "tenki.jp" and the search "Osaka weather".
    """

    text: str = field(repr=False)
    sources: tuple[WebSource, ...] = ()
    searches: tuple[str, ...] = field(default=(), repr=False)
    usage: Usage = field(default_factory=Usage)


class WebSearch(Protocol):
    """A web search that answers in sentences."""

    @property
    def name(self) -> str:
        """The id of the model that searches, for records and logs."""
        ...

    def search(self, query: str, deadline: Deadline) -> WebAnswer:
        """Search once.  Without results, the answer says so and has no sources.

        Raises: ModelUnavailableError, if a later try may succeed; ModelBlockedError, if the query is not answered; ModelRefusedError.
        """
        ...


@frozen
class MeteredWebSearch:
    """A WebSearch with metered requests."""

    web: WebSearch
    metering: Metering = field(repr=False)

    @property
    def name(self) -> str:
        return self.web.name

    def search(self, query: str, deadline: Deadline) -> WebAnswer:
        with self.metering.request(Purpose.SEARCH, self.web.name) as request:
            answer = self.web.search(query, deadline)
            request.usage = answer.usage
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
        behind = context.attachments.number_sources(min(len(answer.sources), SOURCES_SHOWN))
        sources = _numbered_sources(answer, behind)
        result = {
            "status": "success",
            "answer": _renumbered(answer, behind, shown=frozenset(number for number, _ in sources)),
            "sources": [{"number": number, "title": _title(source)} for number, source in sources],
        }
        return Cited(result=result, footnote=footnote(answer, behind))

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


def footnote(answer: WebAnswer, behind: int = 0) -> str:
    """Return the links of the answer: the sources, numbered behind those of earlier searches, and Google's result pages; "" without either.

    For example:

        [1] tenki.jp
        https://tenki.jp/forecast/
        Google: Osaka weather
        https://www.google.com/search?q=Osaka%20weather

    A title is a single short line. No link is cut: a link that is too long, alone or after the others, is left out.
    """
    links = [(f"[{number}] {_title(source)}", source.url) for number, source in _numbered_sources(answer, behind)]
    links += [
        (f"Google: {_line(query)}", f"{_RESULTS_PAGE}{quote(without_lone_surrogates(query), safe='')}")
        for query in answer.searches[:_SEARCHES_SHOWN]
    ]
    text = ""
    for title, url in links:
        longer = f"{text}\n{title}\n{url}".lstrip("\n")
        if _LINK.fullmatch(url) and len(longer) <= FOOTNOTE_LIMIT:
            text = longer
    return text


def _numbered_sources(answer: WebAnswer, behind: int) -> list[tuple[int, WebSource]]:
    numbered = enumerate(answer.sources[:SOURCES_SHOWN], start=behind + 1)
    return [(number, source) for number, source in numbered if _LINK.fullmatch(source.url)]


def _renumbered(answer: WebAnswer, behind: int, *, shown: frozenset[int]) -> str:
    """Return the text with the numbers of the turn, without those of sources that people are not shown.

    For example, "Rain [1], then sun [7]." behind two sources, of which people are shown five more: "Rain [3], then sun."
    """

    def renumbered(mark: re.Match[str]) -> str:
        number = int(mark["number"])
        if not 1 <= number <= len(answer.sources):
            return mark[0]
        return f"{mark['gap']}[{number + behind}]" if number + behind in shown else ""

    return _MARK.sub(renumbered, answer.text)


def _title(source: WebSource) -> str:
    return _line(source.title) or source.url.partition("//")[2].partition("/")[0]


def _line(text: str) -> str:
    """Return the text as a single line of at most 80 graphemes."""
    return short_line(without_lone_surrogates(text), limit=_TITLE_LIMIT)
