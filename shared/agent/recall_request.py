"""Requests to the chat's memory and their results: stretches of time, names of members, lines."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from shared.conversation.recollection import Recollection
from shared.conversation.records import MessageRecord, OutcomeRecord
from shared.line.lookalikes import skeleton

SPAN_MESSAGES: Final = 1_000
_VISIT_MS: Final = 2 * 60_000
"""Messages that people wrote this shortly before they ask what they missed do not count as their last ones."""
_YOU: Final = "you"
_NAMES_TOLD: Final = 20

Record: TypeAlias = MessageRecord | OutcomeRecord


class UnknownNameError(Exception):
    """No member, or more than one, has this name; `known` are the members' names."""

    def __init__(self, known: Sequence[str]) -> None:
        super().__init__("no name of one member")
        self.known = tuple(known[:_NAMES_TOLD])


class NothingToRecallError(Exception):
    """The turn may not look anything up, because its prompt is isolated to what is asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What of memory is wanted: between two timestamps of LINE's, by the member of this display name, at most `limit` lines.

    `asked` are the messages that ask for it; none: all that the turn answers.
    """

    queries: tuple[str, ...] = field(default=(), repr=False)
    who: str | None = field(default=None, repr=False)
    since_ms: int | None = None
    until_ms: int | None = None
    limit: int = SPAN_MESSAGES
    asked: tuple[MessageRecord, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecalledLines:
    """Lines as a prompt shows them.  `left_out`: how many more there are.  `since`: the local time at which the search began.

    `is_partial`: some of the archive was not searched, because it is too large, or a part of it could not be read.
    """

    lines: tuple[str, ...] = field(repr=False)
    left_out: int = 0
    since: str | None = None
    is_partial: bool = False


def last_spoken_ms(remembered: Recollection, asked: Sequence[MessageRecord]) -> int | None:
    """Return when the person who asks spoke last before that; None if memory has no earlier message of theirs.

    If several people ask, it is the time of the one who has been silent longest; None if memory has nothing of one of them.
    """
    newest = {one.user_id: one for one in asked}
    spoken = [_spoken_before_ms(remembered, one) for one in newest.values()]
    known = [at_ms for at_ms in spoken if at_ms is not None]
    return min(known, default=None) if len(known) == len(spoken) else None


def _spoken_before_ms(remembered: Recollection, asked: MessageRecord) -> int | None:
    own, at_ms = asked.user_id, asked.timestamp_ms
    spoken = (one for one in remembered.messages if one.user_id == own and own is not None)
    return max((one.timestamp_ms for one in spoken if one.timestamp_ms < at_ms - _VISIT_MS), default=None)


def said_by(records: Sequence[Record], who: str, names: Mapping[str, str], *, bot_names: Sequence[str]) -> list[Record]:
    """Return what this member, or the bot, said.  Raises: UnknownNameError."""
    wanted = skeleton(who)
    if wanted in {skeleton(one) for one in (_YOU, *bot_names)}:
        return [one for one in records if isinstance(one, OutcomeRecord)]
    exact = [user_id for user_id, name in names.items() if skeleton(name) == wanted]
    found = exact or [user_id for user_id, name in names.items() if wanted and wanted in skeleton(name)]
    if len(found) != 1:
        raise UnknownNameError(sorted({names[one] for one in found} or set(names.values())))
    return [one for one in records if isinstance(one, MessageRecord) and one.user_id == found[0]]
