"""Requests to the chat's memory and their results: stretches of time, names of members, lines."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Final, TypeAlias

from shared.conversation.recollection import Recollection
from shared.conversation.records import MessageRecord, OutcomeRecord
from shared.frozen import frozen
from shared.line.lookalikes import skeleton

SPAN_MESSAGES: Final = 1_000
_VISIT_MS: Final = 2 * 60_000
"""Messages from the two minutes before the question do not count as the asker's last ones."""
_YOU: Final = "you"
_MOST_NAMES: Final = 20

Record: TypeAlias = MessageRecord | OutcomeRecord


class UnknownNameError(Exception):
    """No member, or more than one, has this name; `member_names` are the members' names."""

    def __init__(self, member_names: Sequence[str]) -> None:
        super().__init__("no name of one member")
        self.member_names = tuple(member_names[:_MOST_NAMES])


class NothingToRecallError(Exception):
    """The turn may not search memory, because its prompt is isolated to the messages to answer."""


@frozen
class RecallRequest:
    """A request to memory: records between two LINE timestamps, by the member of this display name, at most `limit` lines.

    `asked`: the messages that make the request; empty: all messages that the turn answers.
    For example, `RecallRequest(queries=("melon",), limit=20)`.
    """

    queries: tuple[str, ...] = field(default=(), repr=False)
    who: str | None = field(default=None, repr=False)
    since_ms: int | None = None
    until_ms: int | None = None
    limit: int = SPAN_MESSAGES
    asked: tuple[MessageRecord, ...] = field(default=(), repr=False)


@frozen
class RecalledLines:
    """Lines as a prompt shows them.  `left_out`: the number of further lines.  `since`: the local time at which the search began.

    `is_partial`: a part of the archive was not searched, because the archive is too large or the part was unreadable.
    """

    lines: tuple[str, ...] = field(repr=False)
    left_out: int = 0
    since: str | None = None
    is_partial: bool = False


def last_spoken_ms(remembered: Recollection, asked: Sequence[MessageRecord]) -> int | None:
    """Return when the asker last spoke before the question; None if memory holds no earlier message of the asker.

    With several askers, the time of the asker who has been silent longest; None if memory holds nothing of one asker.
    """
    newest = {one.user_id: one for one in asked}
    spoken = [_spoken_before_ms(remembered, one) for one in newest.values()]
    times_ms = [at_ms for at_ms in spoken if at_ms is not None]
    return min(times_ms, default=None) if len(times_ms) == len(spoken) else None


def _spoken_before_ms(remembered: Recollection, asked: MessageRecord) -> int | None:
    own, at_ms = asked.user_id, asked.timestamp_ms
    spoken = (one for one in remembered.messages if one.user_id == own and own is not None)
    return max((one.timestamp_ms for one in spoken if one.timestamp_ms < at_ms - _VISIT_MS), default=None)


def records_by(
    records: Sequence[Record], who: str, names: Mapping[str, str], *, bot_names: Sequence[str]
) -> list[Record]:
    """Return the records of this member, or of the bot, for example of "you".  Raises: UnknownNameError."""
    folded_name = skeleton(who)
    if folded_name in {skeleton(one) for one in (_YOU, *bot_names)}:
        return [one for one in records if isinstance(one, OutcomeRecord)]
    exact = [user_id for user_id, name in names.items() if skeleton(name) == folded_name]
    user_ids = exact or [user_id for user_id, name in names.items() if folded_name and folded_name in skeleton(name)]
    if len(user_ids) != 1:
        raise UnknownNameError(sorted({names[one] for one in user_ids} or set(names.values())))
    return [one for one in records if isinstance(one, MessageRecord) and one.user_id == user_ids[0]]
