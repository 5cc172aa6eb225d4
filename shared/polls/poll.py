"""A poll as a record, and a vote as an object with everything that counts in the name.

    polls/{conversation_id}/{poll_id}.json                                        the question, the options, the closing time
    polls/{conversation_id}/votes/{poll_id}/{sent}.{choice}p.{member}.{id}.json   a press, or (m) a message; created once
    polls/{conversation_id}/standings/{poll_id}.json                              the votes told last, and the time

Every vote is an object of its own, because Cloud Storage takes one write of an object a second: a thousand presses in a minute would not
fit into one object (docs/adr/20261126-a-vote-is-an-object.md). A count is a listing, and reads no body.
"""

import datetime as dt
import hashlib
import re
import zoneinfo
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

from shared.conversation.member_mark import MARK_PREFIX
from shared.conversation.provenance import IsWithdrawn, Provenance, Source
from shared.frozen import frozen
from shared.storage.codec import VERSION
from shared.unknown_fields import Extensible

FOLDER: Final = "polls"
OPEN_LIMIT: Final = 20
"""Open polls of a chat."""
OPTIONS_LIMIT: Final = 10
QUESTION_LIMIT: Final = 100
"""Graphemes of a question."""
OPTION_LIMIT: Final = 40
PLACE_LIMIT: Final = 40
CAPACITY_LIMIT: Final = 500
NAME_LIMIT: Final = 20
"""Graphemes of a name that a person writes whom LINE does not name."""
DELIVERED_WITHIN_MS: Final = 15 * 24 * 60 * 60_000
"""How late a press may be delivered: Pub/Sub keeps it for 7 days, and a dead letter for 7 more; LINE is taken to resend it for a day."""
_VOTE: Final = re.compile(r"([0-9]{15})\.([0-9])([mp])\.([0-9a-f]{32})\.([0-9A-Za-z_-]{1,64})\.json", re.ASCII)


@frozen
class Poll(Extensible):
    """A question with options, one for each member; or a meeting, with the first option for taking part.

    `closes_ms`: votes sent before count; None: until a member closes the poll. `zone`: the zone of the shown times. `closing_id`: the
    reminder with the result; empty: none. `locale`: the asking person's language. A poll without options was removed.
    `starts_ms`, `place` and `capacity` belong to a meeting: None, "" and 0 (no limit) of a poll. Members beyond the capacity wait.
    `reminder_id`: the reminder before a meeting; empty: none. `is_called_off`: the meeting does not take place.
    """

    version: int = VERSION
    id: str
    question: str = field(default="", repr=False)
    options: tuple[str, ...] = field(default=(), repr=False)
    closes_ms: int | None = None
    zone: str = "UTC"
    closing_id: str = ""
    locale: str = ""
    starts_ms: int | None = None
    place: str = field(default="", repr=False)
    capacity: int = 0
    reminder_id: str = ""
    is_called_off: bool = False
    provenance: Provenance = field(default_factory=Provenance)
    created: tuple[int, int] = (0, 0)
    revision: tuple[int, int] = (0, 0)

    @property
    def is_removed(self) -> bool:
        return not self.options

    @property
    def is_meeting(self) -> bool:
        return self.starts_ms is not None

    def is_closed(self, at_ms: int) -> bool:
        """Whether a vote sent at the time no longer counts, by LINE's timestamp."""
        return self.closes_ms is not None and at_ms >= self.closes_ms

    def is_ahead(self, at_ms: int) -> bool:
        """Whether the poll is a meeting that begins later, its answers open or closed, and was not called off."""
        return self.starts_ms is not None and at_ms < self.starts_ms and not self.is_called_off

    def votes_in_time(self, votes: "Iterable[Vote]") -> "tuple[Vote, ...]":
        """Return the votes sent before the poll was closed.

        A turn closes a poll at one time and writes the poll seconds later; a press in between finds the poll open, and leaves a vote.
        """
        return tuple(vote for vote in votes if not self.is_closed(vote.sent_ms))

    def removed(self, *, revision: tuple[int, int]) -> "Poll":
        """Return the poll without words."""
        return Poll(id=self.id, created=self.created, revision=revision)

    def local(self, at_ms: int) -> dt.datetime:
        """Return the time in the poll's zone."""
        return dt.datetime.fromtimestamp(at_ms / 1_000, zoneinfo.ZoneInfo(self.zone)).replace(tzinfo=None)


@dataclass(frozen=True, kw_only=True)
class Vote:
    """A member's choice: the number of an option, from 0; `id` belongs to the press, or to the message if the vote `is_said`.

    `member` is the member's mark, `sent_ms` LINE's timestamp. `generation`: of the object, if the vote was listed, else 0.
    """

    poll_id: str
    sent_ms: int
    choice: int
    member: str
    id: str
    is_said: bool = False
    generation: int = field(default=0, compare=False)

    @cached_property
    def order(self) -> str:
        """The vote's place among all votes of the poll: later votes sort after earlier votes."""
        return f"{self.sent_ms:015d}.{self.id}"

    @property
    def path(self) -> str:
        """The name of the object below the chat's folder."""
        member = self.member.removeprefix(MARK_PREFIX)
        return f"votes/{self.poll_id}/{self.sent_ms:015d}.{self.choice}{'m' if self.is_said else 'p'}.{member}.{self.id}.json"

    @classmethod
    def at(cls, path: str) -> "Vote | None":
        """Return the vote of an object below the chat's folder; None for any other object."""
        folder, _, own = path.partition("/")
        poll_id, _, name = own.partition("/")
        match = _VOTE.fullmatch(name)
        if folder != "votes" or match is None:
            return None
        return cls(
            poll_id=poll_id,
            sent_ms=int(match[1]),
            choice=int(match[2]),
            is_said=match[3] == "m",
            member=f"{MARK_PREFIX}{match[4]}",
            id=match[5],
        )

    @property
    def provenance(self) -> Provenance:
        """The press or message behind the vote: the vote goes by `/forget me`, and by an unsend of the message."""
        return Provenance.of_sources([Source(line_message_id=self.id, timestamp_ms=self.sent_ms, by=self.member)])

    def is_taken_back(self, is_withdrawn: IsWithdrawn, members: Mapping[str, int]) -> bool:
        """Whether the member took the vote back: by an unsend of its message, or by `/forget me`, as in `Amendments.members`."""
        return self.sent_ms <= members.get(self.member, -1) or is_withdrawn(self.id, self.sent_ms)


@frozen
class VoterName(Extensible):
    """The body of a vote's object: the member's display name at the time of the vote."""

    version: int = VERSION
    name: str = field(default="", repr=False)


@frozen
class LastStanding(Extensible):
    """The last standing told to the chat: `votes` is the digest of the votes, `newest` the order of the latest.

    `waiting` are the members told to wait for a place, by mark, and `turn` the number of the chat's turn that told so.

    `by` is the telling press. Before the standing `is_sent`, `at_ms` is the time of the claim; afterwards, of the sending.
    """

    version: int = VERSION
    by: str = ""
    at_ms: int = 0
    newest: str = ""
    votes: str = ""
    waiting: tuple[str, ...] = ()
    turn: int = 0
    is_sent: bool = False

    def with_told(self, sent: "LastStanding") -> "LastStanding":
        """Return the record after the standing `sent` was told: a claim of another press stays, and knows who was told to wait.

        For example, Ann's claim ends while she waits for the chat's turn, and Ben claims; then Ann's press tells that Cho waits. When Ben's
        press tells that Cho has a place, that is news.
        """
        newest = max(self, sent, key=lambda standing: standing.turn)
        is_own_claim = self.by == sent.by and not self.is_sent
        return replace(sent if is_own_claim else self, waiting=newest.waiting, turn=newest.turn)


def counted(votes: Iterable[Vote]) -> tuple[Vote, ...]:
    """Return the newest vote of each member, in the order of the members' last changes of choice.

    For example, Ann chose 0 at 1 s and again at 9 s, and Ben chose 0 at 5 s: Ann comes before Ben.
    """
    newest: dict[str, Vote] = {}
    since: dict[str, str] = {}
    for vote in sorted(votes, key=lambda vote: vote.order):
        if _is_change(newest.get(vote.member), vote):
            since[vote.member] = vote.order
        newest[vote.member] = vote
    return tuple(sorted(newest.values(), key=lambda vote: since[vote.member]))


def _is_change(before: Vote | None, vote: Vote) -> bool:
    """Whether the member had chosen another option before, or none."""
    return before is None or before.choice != vote.choice


def superseded(votes: Iterable[Vote], *, now_ms: int) -> tuple[Vote, ...]:
    """Return the votes without effect on any count, whatever comes late: old votes, but the first and the newest of a member's last choice.

    For example, Ann chose 0 three times, and Ben chose 0 before her third press. If her press for 1, from before her second, comes late,
    she counts from the second, so it has to stay. Once nothing so old can be delivered, her first and third press say the same as all.
    """
    old = sorted((vote for vote in votes if _is_settled(vote, now_ms)), key=lambda vote: vote.order)
    runs: dict[str, list[Vote]] = {}
    for vote in old:
        run = runs.setdefault(vote.member, [])
        if run and run[-1].choice != vote.choice:
            run.clear()
        run.append(vote)
    needed = {vote for run in runs.values() for vote in (run[0], run[-1])}
    return tuple(vote for vote in old if vote not in needed)


def _is_settled(vote: Vote, now_ms: int) -> bool:
    """Whether no vote of the same time, or of an earlier time, can be delivered any more."""
    return now_ms - vote.sent_ms > DELIVERED_WITHIN_MS


def digest_of(votes: Sequence[Vote]) -> str:
    """Return the digest of counted votes: another after every counted press."""
    return hashlib.sha256(" ".join(sorted(one.id for one in votes)).encode()).hexdigest()[:16]


def standing_told(votes: Sequence[Vote], *, by: str, at_ms: int) -> LastStanding:
    """Return the record of a standing with the votes, claimed by the press `by`."""
    newest = max((vote.order for vote in votes), default="")
    return LastStanding(by=by, at_ms=at_ms, newest=newest, votes=digest_of(counted(votes)))


def waiting_in(poll: Poll, votes: Iterable[Vote]) -> tuple[Vote, ...]:
    """Return the votes beyond the capacity, of counted votes, the next in the queue first.

    For example, with a capacity of 2, Ann, Ben and Cho take part in turn: Cho waits, and takes Ann's place after Ann has left.
    """
    taking_part = tuple(vote for vote in votes if vote.choice == 0)
    return taking_part[poll.capacity :] if poll.capacity else ()


def queued_since(poll: Poll, votes: Iterable[Vote], newest: str) -> tuple[str, ...]:
    """Return the marks of the members who said that they come after the vote of the order `newest`, while all places were taken.

    The card below the answer told each to wait, which is recorded nowhere; the telling of a press is. For example, with a capacity of 1,
    Ann has a place, Ben writes that he comes, and Ann leaves: Ben was told to wait, and has a place.
    """
    choices: dict[str, int] = {}
    queued: dict[str, None] = {}
    for vote in sorted(votes, key=lambda vote: vote.order):
        taken = sum(choice == 0 for member, choice in choices.items() if member != vote.member)
        is_joining = vote.choice == 0 and choices.get(vote.member) != 0
        if is_joining and vote.is_said and vote.order > newest and taken >= poll.capacity > 0:
            queued[vote.member] = None
        choices[vote.member] = vote.choice
    return tuple(queued)


def members_waiting(poll: Poll, votes: Iterable[Vote]) -> tuple[str, ...]:
    """Return the marks of the members waiting for a place, the next first."""
    return tuple(vote.member for vote in waiting_in(poll, votes))


def closed(poll: Poll, *, at_ms: int) -> Poll:
    """Return the poll as closed at the time."""
    return replace(poll, closes_ms=at_ms, closing_id="")


def called_off(meeting: Poll, *, at_ms: int) -> Poll:
    """Return the meeting as called off at the time; answers that were closed before stay closed since then."""
    closes_ms = min(at_ms, meeting.closes_ms if meeting.closes_ms is not None else at_ms)
    return replace(meeting, closes_ms=closes_ms, closing_id="", reminder_id="", is_called_off=True)
