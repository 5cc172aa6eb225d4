"""The chat's memory as lines for the model: what was said about something, or in a stretch of time, verbatim with name and local time.

Everything that memory has is searched, by folded words and pairs of characters (`shared/search/ranking.py`). What is shown counts as read:
the outcome of the turn names it. A member who joined a group later is shown nothing from before.
"""

import threading
import zoneinfo
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import Final

from cachetools import LRUCache

from shared.agent.chat_lines import ChatLines, local_time
from shared.agent.forgetting import MOST_PROPOSED
from shared.agent.people import People
from shared.agent.recall_request import (
    NothingToRecallError,
    RecalledLines,
    Record,
    Wanted,
    last_spoken_ms,
    said_by,
)
from shared.agent.result_budget import tokens_of
from shared.agent.turn_context import TurnContext
from shared.conversation.recollection import Recollection
from shared.conversation.records import MessageRecord
from shared.search.folding import fold
from shared.search.ranking import Passage, rank

SPAN_TOKENS: Final = 30_000
FOUND_TOKENS: Final = 5_500
LINE_TOKENS: Final = 700
_FOLDED_CHARACTERS: Final = 4 * 1024 * 1024
_SIMILAR: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stretch:
    """What memory has of a stretch of time, oldest first."""

    records: tuple[Record, ...] = field(repr=False)
    since_ms: int | None
    is_partial: bool


def _folded_cache() -> LRUCache[str, str]:
    return LRUCache(_FOLDED_CHARACTERS, getsizeof=len)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatMemory:
    """Looks things up for turns; safe to share between threads.  Folded texts are kept, as many as fit."""

    people: People
    time_zone: zoneinfo.ZoneInfo
    locale: str
    _folded: LRUCache[str, str] = field(default_factory=_folded_cache, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def find(self, context: TurnContext, wanted: Wanted) -> RecalledLines:
        """Return the lines that answer the queries, best first.

        Without queries: the newest lines of the stretch, oldest first. Without queries, name and times: what was said since the person who
        asks spoke last.
        Raises: UnknownNameError, NothingToRecallError, StorageUnavailableError.
        """
        found = self._read(context, wanted)
        names = self._names(context, found.records)
        records = list(found.records)
        if wanted.who is not None:
            records = said_by(records, wanted.who, names, bot_names=self.people.bot_name.all)
        chosen = self._ranked(records, wanted.queries) if wanted.queries else records[::-1]
        limit_tokens = FOUND_TOKENS if wanted.queries else SPAN_TOKENS
        shown, lines = self._lines(chosen[: wanted.limit], names, limit_tokens=limit_tokens)
        context.recalled.add(Recollection.of(shown), is_stretch=not wanted.queries)
        return RecalledLines(
            lines=tuple(lines if wanted.queries else lines[::-1]),
            left_out=len(chosen) - len(shown),
            since=None if found.since_ms is None else local_time(found.since_ms, self.time_zone),
            is_partial=found.is_partial,
        )

    def own_messages(self, context: TurnContext, wanted: Wanted, *, is_quoted: bool = False) -> RecalledLines:
        """Propose to withdraw messages of the person who asks, beside what was proposed already, and return them as lines, oldest first.

        With a query: the messages that hold it literally, else the few that are most like it; with them the request itself, if it holds the
        query. `is_quoted`: the messages that the messages to answer quote.
        Raises: NothingToRecallError, StorageUnavailableError.
        """
        asked = context.to_answer
        quoted = {one.quoted_message_id for one in asked} if is_quoted else None
        own = [
            one
            for one in self._read(context, wanted, is_own=True).records
            if isinstance(one, MessageRecord)
            and one.user_id == asked[-1].user_id
            and (quoted is None or one.line_message_id in quoted)
        ]
        is_searched = bool(wanted.queries) and not is_quoted
        chosen = self._repeating(own, asked, wanted.queries) if is_searched else own
        proposed = chosen[-wanted.limit :]
        shown = self._proposed(context, proposed)
        return replace(shown, left_out=len(chosen) - len(shown.lines))

    def own_ids(self, context: TurnContext) -> frozenset[str] | None:
        """Return the messages of the person who asks that memory has; None: a 1:1 chat, where all messages are theirs.

        Raises: NothingToRecallError, StorageUnavailableError.
        """
        if context.conversation.is_one_on_one:
            return None
        asker = context.to_answer[-1].user_id
        said = (*self._read(context, Wanted(), is_own=True).records, *context.to_answer)
        own = (one for one in said if isinstance(one, MessageRecord) and one.user_id == asker)
        return frozenset(one.line_message_id for one in own)

    def propose(self, context: TurnContext, line_message_ids: AbstractSet[str]) -> RecalledLines:
        """Propose to withdraw those of these messages that the person who asks wrote, beside what was proposed already.

        Raises: NothingToRecallError, StorageUnavailableError.
        """
        asker, before = context.to_answer[-1].user_id, context.forgetting.proposed
        wanted = line_message_ids | {one.line_message_id for one in before}
        own = [
            one
            for one in (*self._read(context, Wanted(), is_own=True).records, *context.to_answer)
            if isinstance(one, MessageRecord) and one.user_id == asker and one.line_message_id in wanted
        ]
        return self._proposed(context, own[-MOST_PROPOSED:])

    def _proposed(self, context: TurnContext, messages: Sequence[MessageRecord]) -> RecalledLines:
        shown, lines = self._lines(messages, self._names(context, messages), limit_tokens=FOUND_TOKENS)
        context.recalled.add(Recollection.of(shown))
        known = context.forgetting.propose([one for one in shown if isinstance(one, MessageRecord)])
        told = [
            line
            for one, line in zip(shown, lines, strict=True)
            if isinstance(one, MessageRecord) and one.line_message_id in known
        ]
        return RecalledLines(lines=tuple(told), left_out=len(messages) - len(told))

    def _repeating(
        self, messages: Sequence[MessageRecord], asked: Sequence[MessageRecord], queries: Sequence[str]
    ) -> list[MessageRecord]:
        """Return the messages that hold a query literally, or else the few that are most like one, with requests that hold it."""
        found = rank([[Passage(folded=self._fold(one.text))] for one in messages], queries)
        places = {one.document for one in found if one.is_literal} or {one.document for one in found[:_SIMILAR]}
        wanted = [fold(one) for one in queries]
        requests = [one for one in asked if any(query in fold(one.text) for query in wanted)]
        return [*(messages[place] for place in sorted(places)), *(requests if places else ())]

    def _read(self, context: TurnContext, wanted: Wanted, *, is_own: bool = False) -> "_Stretch":
        """Return all of the stretch but the messages that the turn answers; the archive is read after the history of the turn.

        `is_own`: only the messages of the person who asks are wanted, also those from before they left and joined again.
        """
        question = context.question
        if question is None or question.history.is_isolated:
            raise NothingToRecallError
        joining = self._begin_reading_joining(context) if not is_own else None
        recent, asking = Recollection.of_history(question.history), wanted.asked or context.to_answer
        since_ms = wanted.since_ms
        is_open = not wanted.queries and wanted.who is None and since_ms is None and wanted.until_ms is None
        is_catching_up = is_open and not is_own
        if is_catching_up:
            since_ms = last_spoken_ms(recent, asking)
        archived = context.conversation.archive.read(since_ms=since_ms, until_ms=wanted.until_ms)
        remembered = Recollection.of_archive(archived) | recent
        if is_catching_up and since_ms is None:
            since_ms = last_spoken_ms(remembered, asking)
        joined_ms = joining.result() if joining is not None else None
        if joined_ms is not None:
            since_ms = joined_ms if since_ms is None else max(since_ms, joined_ms)
        asked = frozenset(context.asked_ids)
        records = (
            one
            for one in remembered.records
            if (since_ms is None or one.timestamp_ms >= since_ms)
            and (wanted.until_ms is None or one.timestamp_ms <= wanted.until_ms)
            and not (isinstance(one, MessageRecord) and one.line_message_id in asked)
            and _own_id(one) not in question.history.refused
        )
        return _Stretch(records=tuple(records), since_ms=since_ms, is_partial=archived.left_out)

    def _begin_reading_joining(self, context: TurnContext) -> Future[int | None] | None:
        """Begin to read when the last of the people who ask joined the group; None: it is a 1:1 chat."""
        if context.conversation.is_one_on_one:
            return None
        askers = frozenset(one.user_id for one in context.to_answer if one.user_id is not None)
        return context.conversation.objects.reads.submit(context.conversation.members.joined_ms, askers)

    def _names(self, context: TurnContext, records: Sequence[Record]) -> Mapping[str, str]:
        """Return the names of the authors of these records and of the prompt's, so that the prompt's names stay as they are there."""
        messages = (one for one in records if isinstance(one, MessageRecord))
        refused = context.question.history.refused if context.question is not None else frozenset()
        return self.people.of(context.conversation, (*messages, *context.earlier, *context.to_answer), refused=refused)

    def _ranked(self, records: Sequence[Record], queries: Sequence[str]) -> list[Record]:
        """Return the records that answer a query, best first, and without repetitions: of equal texts only the newest."""
        by_words: dict[str, Record] = {}
        for one in reversed(records):
            by_words.setdefault(self._fold(one.text or ""), one)
        distinct = list(by_words.values())
        found = rank([[Passage(folded=words)] for words in by_words], queries)
        return [distinct[one.document] for one in found]

    def _fold(self, text: str) -> str:
        with self._lock:
            kept = self._folded.get(text)
        if kept is None:
            kept = fold(text)
            if len(kept) <= _FOLDED_CHARACTERS:
                with self._lock:
                    self._folded[text] = kept
        return kept

    def _lines(
        self, records: Sequence[Record], names: Mapping[str, str], *, limit_tokens: int
    ) -> tuple[list[Record], list[str]]:
        """Return as many of the records as the limit allows, and their lines."""
        chat = ChatLines(time_zone=self.time_zone, locale=self.locale, names=names, quotable=None)
        shown: list[Record] = []
        lines: list[str] = []
        left = limit_tokens
        for one in records:
            line = chat.said(one, limit_tokens=LINE_TOKENS)
            left -= tokens_of(line) + 1
            if left < 0:
                break
            shown.append(one)
            lines.append(line)
        return shown, lines


def _own_id(record: Record) -> str:
    return record.line_message_id if isinstance(record, MessageRecord) else record.webhook_event_id
