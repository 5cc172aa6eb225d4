"""Suspects: parts of a prompt that may cause the provider's refusal, each with the id by which a culprit is marked."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import accumulate
from typing import Final, TypeVar

from shared.agent import transcript
from shared.agent.chat_lines import HISTORY_TOKENS
from shared.agent.media_parts import media_of
from shared.agent.token_estimate import estimated_tokens
from shared.conversation.history import History
from shared.conversation.member_mark import mark_id
from shared.conversation.records import MessageRecord, OutcomeRecord, by_time
from shared.conversation.refusals import Refusal
from shared.frozen import frozen

MOST_PROBES: Final = 24
"""Requests of one search: for one culprit among 92 suspects it takes 9 at most, and for each further one as many."""
_Suspect = TypeVar("_Suspect")


@frozen
class Suspect:
    """A part of a prompt: its words, or a message whose medium the prompt holds."""

    refusal: Refusal
    text: str = field(default="", repr=False)
    medium: MessageRecord | None = None


def suspects_around(history: History, asked: Sequence[MessageRecord], names: Mapping[str, str]) -> list[Suspect]:
    """Return the parts of a prompt around the messages to answer: messages, answers, recaps, rows of the index, display names."""
    spoken = list(_suspect_words(history, {one.line_message_id for one in asked}))
    sizes = accumulate(estimated_tokens(one.text) for one in reversed(spoken))
    shown = sum(size <= HISTORY_TOKENS for size in sizes)  # a prompt shows no more
    return [*spoken[len(spoken) - shown :], *_suspect_rows(history), *_suspect_names(history, names)]


def suspects_asked(history: History, asked: Sequence[MessageRecord]) -> list[Suspect]:
    """Return the messages to answer and their quotes as suspects."""
    quotable = history.quotable
    quoted = (quotable.quoted_by(one) for one in asked)
    records = (*asked, *(one for one in quoted if isinstance(one, MessageRecord | OutcomeRecord)))
    return list({one.refusal.id: one for one in map(_suspect_of, records)}.values())


def media_shown(history: History, shown: Sequence[MessageRecord]) -> list[Suspect]:
    """Return the media of these messages and of the messages quoted there."""
    quotable = history.quotable
    media = {one.line_message_id: one for message in shown for one in media_of(message, quotable)}
    return [Suspect(refusal=Refusal(id=own_id, words_ms=one.words_ms), medium=one) for own_id, one in media.items()]


def culprits_among(
    suspects: Sequence[_Suspect],
    is_refused: Callable[[Sequence[_Suspect]], bool],
    *,
    most_requests: int = MOST_PROBES,
) -> list[_Suspect]:
    """Return the suspects that cause the refusal of all suspects together, found by halving, within `most_requests`.

    Each search takes the smallest group seen to be refused: a single suspect, or a few suspects refused only together. Empty if all
    suspects together are not refused: the refusal was chance, or caused by the question. Culprits beyond the requests are left to the next
    search.
    For example, one culprit among eight suspects takes five or six requests.
    """
    remaining, culprits = list(suspects), list[_Suspect]()
    requests = 0

    def asks(group: Sequence[_Suspect]) -> bool:
        nonlocal requests
        if requests == most_requests:
            raise _UsedUpError
        requests += 1
        return is_refused(group)

    try:
        while remaining and asks(remaining):
            culprit_group = _smallest_refused(remaining, asks)
            culprits += culprit_group
            remaining = [one for one in remaining if one not in culprit_group]
    except _UsedUpError:
        pass
    return culprits


class _UsedUpError(Exception):
    """The search has no request left."""


def _smallest_refused(suspects: Sequence[_Suspect], asks: Callable[[Sequence[_Suspect]], bool]) -> Sequence[_Suspect]:
    """Return the smallest group seen to be refused, within suspects that are refused together."""
    refused = group = suspects
    while len(group) > 1:
        half = group[: len(group) // 2]
        if asks(half):
            refused = group = half
        else:
            group = group[len(half) :]
    return group if group is refused or asks(group) else refused


def _suspect_words(history: History, asked_ids: set[str]) -> Iterator[Suspect]:
    records: list[MessageRecord | OutcomeRecord] = [
        *(one for one in history.messages if one.line_message_id not in asked_ids),
        *history.answers,
    ]
    for recap in history.recaps:
        if recap.text:
            yield Suspect(refusal=Refusal(id=recap.id, words_ms=recap.timestamp_ms), text=recap.text)
    yield from (one for one in map(_suspect_of, sorted(records, key=by_time)) if one.refusal.id)


def _suspect_of(record: MessageRecord | OutcomeRecord) -> Suspect:
    if isinstance(record, MessageRecord):
        text = transcript.words(record.text, limit_tokens=transcript.MESSAGE_TOKENS)
        return Suspect(refusal=Refusal(id=record.line_message_id, words_ms=record.words_ms), text=text)
    text = "\n".join((record.text or "", *record.audit.filed_paths))
    return Suspect(refusal=Refusal(id=record.webhook_event_id, words_ms=record.timestamp_ms), text=text)


def _suspect_rows(history: History) -> Iterator[Suspect]:
    for row in history.shown_rows:
        refusal = Refusal(id=row.mark, words_ms=_newest_ms(history), sources=tuple(sorted(row.provenance.message_ids)))
        yield Suspect(refusal=refusal, text=row.text)


def _suspect_names(history: History, names: Mapping[str, str]) -> Iterator[Suspect]:
    for user_id, name in names.items():
        yield Suspect(refusal=Refusal(id=mark_id(user_id), words_ms=_newest_ms(history)), text=name)


def _newest_ms(history: History) -> int:
    """Return LINE's timestamp of the newest message, as the time of suspects without a time."""
    return max((one.timestamp_ms for one in history.messages), default=0)
