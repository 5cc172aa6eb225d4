"""Chat memory as lines for the model: matches of a query, or a stretch of time, verbatim with name and local time.

The whole memory is searched by folded words and pairs of characters (`shared/search/ranking.py`). A shown line counts as read: the outcome
of the turn names its message. A member who joined a group later is shown nothing from before the joining.
"""

import zoneinfo
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from concurrent.futures import Future
from dataclasses import field, replace
from typing import Final

from cachetools import LRUCache

from shared.agent.chat_lines import ChatLines, local_time
from shared.agent.forgetting import MOST_PROPOSED
from shared.agent.people import People
from shared.agent.recall_request import (
    NothingToRecallError,
    RecalledLines,
    RecallRequest,
    Record,
    last_spoken_ms,
    records_by,
)
from shared.agent.result_budget import tokens_of
from shared.agent.turn_context import TurnContext
from shared.conversation.recollection import Recollection
from shared.conversation.records import MessageRecord
from shared.frozen import frozen
from shared.locked_cache import LockedCache
from shared.search.folding import fold
from shared.search.ranking import Passage, rank

SPAN_TOKENS: Final = 30_000
MATCH_TOKENS: Final = 5_500
LINE_TOKENS: Final = 700
_HEADER_TOKENS: Final = 200
_FOLDED_CHARACTERS: Final = 4 * 1024 * 1024
_SIMILAR: Final = 3


@frozen
class _Stretch:
    """The records of memory in a stretch of time, oldest first."""

    records: tuple[Record, ...] = field(repr=False)
    since_ms: int | None
    is_partial: bool


@frozen
class ChatMemory:
    """Searches memory for turns; safe to share between threads.  Folded texts are cached, up to 4 Mi characters."""

    people: People
    time_zone: zoneinfo.ZoneInfo
    locale: str
    _folded: LockedCache[str, str] = field(
        default_factory=lambda: LockedCache(LRUCache(_FOLDED_CHARACTERS, getsizeof=len)), repr=False
    )

    def find(self, context: TurnContext, request: RecallRequest) -> RecalledLines:
        """Return the lines that match the queries, best first.

        Without queries: the newest lines of the stretch, oldest first. Without queries, name and times, the stretch begins where the asker
        spoke last.
        For example, `queries=("melon",)` returns the best matches for "melon", and `since_ms=0` returns the newest lines, up to 1,000.
        Raises: UnknownNameError, NothingToRecallError, StorageUnavailableError.
        """
        stretch = self._read(context, request)
        names = self._names(context, stretch.records)
        records = list(stretch.records)
        if request.who is not None:
            records = records_by(records, request.who, names, bot_names=self.people.bot_name.all)
        chosen = self._ranked(records, request.queries) if request.queries else records[::-1]
        limit_tokens = MATCH_TOKENS if request.queries else SPAN_TOKENS
        shown, lines = self._lines(chosen[: request.limit], names, limit_tokens=limit_tokens)
        context.recalled.add(Recollection.of(shown), is_stretch=not request.queries)
        return RecalledLines(
            lines=tuple(lines if request.queries else lines[::-1]),
            left_out=len(chosen) - len(shown),
            since=None if stretch.since_ms is None else local_time(stretch.since_ms, self.time_zone),
            is_partial=stretch.is_partial,
        )

    def own_messages(self, context: TurnContext, request: RecallRequest, *, is_quoted: bool = False) -> RecalledLines:
        """Propose to withdraw the asker's messages, in addition to earlier proposals, and return the lines, oldest first.

        With a query: the messages that hold the query literally, else the three most similar; in both cases also the request, if it holds
        the query. `is_quoted`: only messages quoted by the messages to answer.
        Raises: NothingToRecallError, StorageUnavailableError.
        """
        asked = context.to_answer
        quoted = {one.quoted_message_id for one in asked} if is_quoted else None
        own = [
            record
            for record in self._read(context, request, is_own=True).records
            if isinstance(record, MessageRecord)
            and record.user_id == asked[-1].user_id
            and (quoted is None or record.line_message_id in quoted)
        ]
        is_searched = bool(request.queries) and not is_quoted
        chosen = self._repeating(own, asked, request.queries) if is_searched else own
        proposed = chosen[-request.limit :]
        shown = self._proposed(context, proposed)
        return replace(shown, left_out=len(chosen) - len(shown.lines))

    def own_ids(self, context: TurnContext) -> frozenset[str] | None:
        """Return the ids of the asker's messages in memory; None in a 1:1 chat, where the asker wrote all messages.

        Raises: NothingToRecallError, StorageUnavailableError.
        """
        if context.conversation.is_one_on_one:
            return None
        asker = context.to_answer[-1].user_id
        records = (*self._read(context, RecallRequest(), is_own=True).records, *context.to_answer)
        own = (one for one in records if isinstance(one, MessageRecord) and one.user_id == asker)
        return frozenset(one.line_message_id for one in own)

    def propose(self, context: TurnContext, line_message_ids: AbstractSet[str]) -> RecalledLines:
        """Propose to withdraw the given messages, as far as the asker wrote them, in addition to earlier proposals.

        Raises: NothingToRecallError, StorageUnavailableError.
        """
        asker, before = context.to_answer[-1].user_id, context.forgetting.proposed
        proposed_ids = line_message_ids | {one.line_message_id for one in before}
        own = [
            record
            for record in (*self._read(context, RecallRequest(), is_own=True).records, *context.to_answer)
            if isinstance(record, MessageRecord) and record.user_id == asker and record.line_message_id in proposed_ids
        ]
        return self._proposed(context, own[-MOST_PROPOSED:])

    def _proposed(self, context: TurnContext, messages: Sequence[MessageRecord]) -> RecalledLines:
        shown, lines = self._lines(messages, self._names(context, messages), limit_tokens=MATCH_TOKENS)
        context.recalled.add(Recollection.of(shown))
        proposed_ids = context.forgetting.propose([record for record in shown if isinstance(record, MessageRecord)])
        proposed_lines = [
            line
            for record, line in zip(shown, lines, strict=True)
            if isinstance(record, MessageRecord) and record.line_message_id in proposed_ids
        ]
        return RecalledLines(lines=tuple(proposed_lines), left_out=len(messages) - len(proposed_lines))

    def _repeating(
        self, messages: Sequence[MessageRecord], asked: Sequence[MessageRecord], queries: Sequence[str]
    ) -> list[MessageRecord]:
        """Return the messages that hold a query literally, else the three most similar; then the requests that hold a query."""
        matches = rank([[Passage(folded=self._fold(one.text))] for one in messages], queries)
        places = {one.document for one in matches if one.is_literal} or {one.document for one in matches[:_SIMILAR]}
        folded_queries = [fold(one) for one in queries]
        requests = [one for one in asked if any(query in fold(one.text) for query in folded_queries)]
        return [*(messages[place] for place in sorted(places)), *(requests if places else ())]

    def _read(self, context: TurnContext, request: RecallRequest, *, is_own: bool = False) -> "_Stretch":
        """Return the records of the stretch, without the messages to answer; the archive is read after the history of the turn.

        `is_own`: the asker's messages are wanted, including messages from before the asker left and joined again.
        """
        question = context.question
        if question is None or question.history.is_isolated:
            raise NothingToRecallError
        joining = self._begin_reading_joining(context) if not is_own else None
        recent, asking = Recollection.of_history(question.history), request.asked or context.to_answer
        since_ms = request.since_ms
        is_open = not request.queries and request.who is None and since_ms is None and request.until_ms is None
        is_catching_up = is_open and not is_own
        if is_catching_up:
            since_ms = last_spoken_ms(recent, asking)
        archived = context.conversation.archive.read(since_ms=since_ms, until_ms=request.until_ms)
        remembered = Recollection.of_archive(archived) | recent
        if is_catching_up and since_ms is None:
            since_ms = last_spoken_ms(remembered, asking)
        joined_ms = joining.result() if joining is not None else None
        if joined_ms is not None:
            since_ms = joined_ms if since_ms is None else max(since_ms, joined_ms)
        asked = frozenset(context.asked_ids)
        records = (
            record
            for record in remembered.records
            if (since_ms is None or record.timestamp_ms >= since_ms)
            and (request.until_ms is None or record.timestamp_ms <= request.until_ms)
            and not (isinstance(record, MessageRecord) and record.line_message_id in asked)
            and _own_id(record) not in question.history.refused
        )
        return _Stretch(records=tuple(records), since_ms=since_ms, is_partial=archived.left_out)

    def _begin_reading_joining(self, context: TurnContext) -> Future[int | None] | None:
        """Begin to read when the last of the askers joined the group; None in a 1:1 chat."""
        if context.conversation.is_one_on_one:
            return None
        askers = frozenset(one.user_id for one in context.to_answer if one.user_id is not None)
        return context.conversation.objects.reads.submit(context.conversation.members.joined_ms, askers)

    def _names(self, context: TurnContext, records: Sequence[Record]) -> Mapping[str, str]:
        """Return the authors' names, computed with the prompt's authors, so that a name reads as in the prompt."""
        messages = (one for one in records if isinstance(one, MessageRecord))
        refused = context.question.history.refused if context.question is not None else frozenset()
        return self.people.of(context.conversation, (*messages, *context.earlier, *context.to_answer), refused=refused)

    def _ranked(self, records: Sequence[Record], queries: Sequence[str]) -> list[Record]:
        """Return the records that match a query, best first; of equal texts only the newest record."""
        by_words: dict[str, Record] = {}
        for record in reversed(records):
            by_words.setdefault(self._fold(record.text or ""), record)
        distinct = list(by_words.values())
        matches = rank([[Passage(folded=words)] for words in by_words], queries)
        return [distinct[record.document] for record in matches]

    def _fold(self, text: str) -> str:
        folded = self._folded.get(text)
        if folded is None:
            folded = fold(text)
            self._folded.put(text, folded)
        return folded

    def _lines(
        self, records: Sequence[Record], names: Mapping[str, str], *, limit_tokens: int
    ) -> tuple[list[Record], list[str]]:
        """Return the first records whose lines fit the limit, and the lines.  A single record is shown whole within the limit."""
        chat = ChatLines(time_zone=self.time_zone, locale=self.locale, names=names, quotable=None)
        shown: list[Record] = []
        lines: list[str] = []
        remaining_tokens = limit_tokens
        line_tokens = limit_tokens - _HEADER_TOKENS if len(records) == 1 else LINE_TOKENS
        for record in records:
            line = chat.line(record, limit_tokens=line_tokens)
            remaining_tokens -= tokens_of(line) + 1
            if remaining_tokens < 0:
                break
            shown.append(record)
            lines.append(line)
        return shown, lines


def _own_id(record: Record) -> str:
    return record.line_message_id if isinstance(record, MessageRecord) else record.webhook_event_id
