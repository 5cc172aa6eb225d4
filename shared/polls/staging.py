"""A turn's view of a chat's polls, with the turn's own writes (`shared/agent/overlay.py`)."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import Final, TypeAlias

from shared import logs
from shared.agent.overlay import Attempt, Overlay, StagingFault
from shared.agent.people import comparable_name
from shared.agent.receipts import Deed, DeedKind, Due
from shared.conversation.member_mark import mark_id
from shared.conversation.provenance import Provenance
from shared.conversation.write_key import WriteKey
from shared.errors import UnreadableRecordError
from shared.frozen import frozen
from shared.polls.poll import FOLDER, OPEN_LIMIT, Poll, Vote, VoterName, counted
from shared.polls.store import PollStore
from shared.polls.wording import members_waited
from shared.storage.codec import decode, encode

_WRITTEN: Final = "~"
"""Begins what the mark of a written name is made of: no id of LINE's begins so."""
_OF_POLLS: Final = (DeedKind.POLL_OPENED, DeedKind.POLL_CLOSED, DeedKind.POLL_REOPENED, DeedKind.POLL_REMOVED)
_OF_MEETINGS: Final = (
    DeedKind.MEETING_OPENED,
    DeedKind.MEETING_CLOSED,
    DeedKind.MEETING_REOPENED,
    DeedKind.MEETING_REMOVED,
)
_WITH_TIME: Final = frozenset(
    {
        DeedKind.POLL_OPENED,
        DeedKind.POLL_REOPENED,
        DeedKind.MEETING_OPENED,
        DeedKind.MEETING_REOPENED,
        DeedKind.MEETING_ON_AGAIN,
    }
)
"""What a receipt tells with a time: when the poll closes, or the meeting begins."""
_NAMED: Final = 5
"""Polls in a question for the meant one."""


@frozen
class CastVote:
    """A vote cast in a message, with the author's display name."""

    vote: Vote
    name: str = field(default="", repr=False)

    @property
    def written_name(self) -> str:
        """The name of an author whom LINE does not name, as written in the message; "" of a member."""
        return self.name if self.vote.member == mark_of_written(self.name) else ""


def mark_of_written(name: str) -> str:
    """Return the mark under which the votes of a written name count: of an author whom LINE does not name."""
    return mark_id(f"{_WRITTEN}{comparable_name(name)}")


PollThing: TypeAlias = Poll | CastVote
"""What a turn stages: a poll under its id, or a vote under the path of its object."""


class PollOverlay(Overlay[PollThing]):
    """A turn's view of the chat's polls, by id, and of the votes cast in messages, by path; a removed poll does not exist."""

    path_prefix = f"{FOLDER}/"
    noun = "polls"

    def __init__(self, attempt: Attempt) -> None:
        super().__init__(attempt)
        self._store = PollStore(attempt.conversation)
        self._stored: dict[str, Poll] | None = None
        self._cast: dict[str, CastVote | None] = {}
        self._messages_at_closing: dict[str, int] = {}

    def polls(self) -> tuple[Poll, ...]:
        """Return the polls for the model to read, the newest last; two round trips in a turn."""
        with self._lock:
            things: dict[str, PollThing | None] = {**self._load_all(), **self._staged}
            polls = (one for one in things.values() if isinstance(one, Poll))
            shown = tuple(sorted(polls, key=self._place_of))
            self.mark_shown(Provenance.union(one.provenance for one in shown))
            return shown

    def open(self) -> tuple[Poll, ...]:
        """Return the polls with votes still counting."""
        return tuple(one for one in self.polls() if not one.is_closed(self.attempt.now_ms))

    def find(self, poll_id: str | None) -> Poll:
        """Return the open poll of the id, or the only open poll.  Raises: StagingFault."""
        return _meant(self.open(), poll_id, none="There is no such open poll", several="Several are open")

    def find_ahead(self, poll_id: str | None) -> Poll:
        """Return the meeting of the id that is ahead, or the only such meeting.  Raises: StagingFault."""
        ahead = [one for one in self.polls() if one.is_ahead(self.attempt.now_ms)]
        return _meant(ahead, poll_id, none="There is no such meeting ahead", several="Several meetings are ahead")

    def new_id(self) -> str:
        """Return an id made by no other commit of the chat, for example `p0123456789`."""
        made_of = f"{self.conversation.id}/{self.attempt.sequence}/{len(self._staged)}/{self.attempt.now_ms}"
        return f"p{hashlib.sha256(made_of.encode()).hexdigest()[:10]}"

    def add(self, poll: Poll) -> None:
        """Stage a new poll.  Raises: StagingFault."""
        with self._lock:
            if len(self.open()) >= OPEN_LIMIT:
                raise StagingFault(f"This chat has {OPEN_LIMIT} open polls; close some first.")
            self.stage({poll.id: poll})

    def set_cost(self, poll_id: str, messages: int) -> None:
        """Set the cost of telling the poll's result, in messages of the account's quota, for the receipts."""
        with self._lock:
            self._messages_at_closing[poll_id] = messages

    def cast(self, cast: CastVote) -> None:
        """Stage a vote, in place of another one of the same message.  Raises: StagingFault."""
        own = cast.vote
        with self._lock:
            others = [vote for vote in self.said_in(own.poll_id) if (vote.member, vote.id) == (own.member, own.id)]
            self.stage({**dict.fromkeys((vote.path for vote in others), None), own.path: cast})

    def said_in(self, poll_id: str) -> tuple[Vote, ...]:
        """Return the turn's own votes in a poll."""
        cast = (thing.vote for thing in self._staged.values() if isinstance(thing, CastVote))
        return tuple(vote for vote in cast if vote.poll_id == poll_id)

    def counted(self, poll: Poll) -> tuple[Vote, ...]:
        """Return each member's newest vote in a poll, with the turn's own votes; a round trip."""
        return counted(self.votes_in_time(poll))

    def votes_in_time(self, poll: Poll) -> tuple[Vote, ...]:
        """Return all votes in a poll, also superseded ones, with the turn's own votes; a round trip."""
        is_withdrawn, members = self.attempt.is_withdrawn, self.attempt.members
        stored = (vote for vote in self._store.votes(poll.id) if not vote.is_taken_back(is_withdrawn, members))
        return poll.votes_in_time((*stored, *self.said_in(poll.id)))

    def waited(self, poll: Poll, votes: Sequence[Vote]) -> tuple[str, ...]:
        """Return the marks of the members who were told to wait for a place; `votes`: all votes in time."""
        return members_waited(self._store, poll, votes)

    def names_of(self, votes: Sequence[Vote]) -> Mapping[str, str]:
        """Return the voters' names, by mark; a round trip."""
        staged = {thing.vote: thing.name for thing in self._staged.values() if isinstance(thing, CastVote)}
        stored = self._store.names_of([vote for vote in votes if vote not in staged])
        return {**stored, **{vote.member: staged[vote] for vote in votes if vote in staged}}

    @property
    def deeds(self) -> tuple[Deed, ...]:
        """The effects of the staged writes, compared with the bucket."""
        with self._lock:
            changes = [(self.load(own_id), thing) for own_id, thing in self._changed.items()]
            deeds = (self._deed(before, after) for before, after in changes)
            return tuple(deed for deed in deeds if deed is not None)

    def load(self, thing_id: str) -> PollThing | None:
        vote = Vote.at(thing_id)
        return self._load_all().get(thing_id) if vote is None else self._load_vote(thing_id, vote)

    def text_of(self, thing_id: str, thing: PollThing, *, key: WriteKey) -> str:
        if isinstance(thing, CastVote):
            return encode(VoterName(name=thing.name)).decode()
        stored = self._load_all().get(thing_id)
        return encode(replace(thing, created=key if stored is None else stored.created, revision=key)).decode()

    def read_text(self, thing_id: str, text: str) -> PollThing:
        vote = Vote.at(thing_id)
        if vote is None:
            return decode(Poll, text.encode())
        return CastVote(vote=vote, name=decode(VoterName, text.encode()).name)

    def provenance_of(self, thing: PollThing) -> Provenance:
        return thing.vote.provenance if isinstance(thing, CastVote) else thing.provenance

    def key_of(self, thing: PollThing) -> WriteKey:
        return (0, 0) if isinstance(thing, CastVote) else thing.revision

    def name_of(self, thing: PollThing) -> str:
        return self._chosen(thing.vote) if isinstance(thing, CastVote) else thing.question

    def _deed(self, before: PollThing | None, after: PollThing | None) -> Deed | None:
        thing = after or before
        if isinstance(thing, CastVote):
            kind = DeedKind.VOTED if after is not None else DeedKind.VOTE_REMOVED
            details = filter(None, (self._question_of(thing.vote), thing.written_name))
            return Deed(kind=kind, name=self._chosen(thing.vote), details=tuple(details))
        if not isinstance(thing, Poll):
            return None
        kind = _kind_of_deed(before, after, now_ms=self.attempt.now_ms)
        return Deed(kind=kind, name=thing.question, due=self._due(thing) if kind in _WITH_TIME else None)

    def _due(self, poll: Poll) -> Due | None:
        at_ms = poll.starts_ms or poll.closes_ms
        if at_ms is None:
            return None
        this_year = poll.local(self.attempt.now_ms).year
        return Due(at=poll.local(at_ms), this_year=this_year, messages=self._messages_at_closing.get(poll.id, 1))

    def _chosen(self, vote: Vote) -> str:
        poll = self.current(vote.poll_id)
        options = poll.options if isinstance(poll, Poll) else ()
        return options[vote.choice] if vote.choice < len(options) else "?"

    def _question_of(self, vote: Vote) -> str:
        poll = self.current(vote.poll_id)
        return poll.question if isinstance(poll, Poll) else "?"

    def _place_of(self, poll: Poll) -> WriteKey:
        """Return the place of a poll by age: the turn's own polls come last, as they were opened."""
        return (self.attempt.sequence, 0) if poll.created == (0, 0) else poll.created

    def _load_vote(self, path: str, vote: Vote) -> CastVote | None:
        if path not in self._cast:
            stored = self.conversation.objects.store.read(f"{self._store.prefix}{path}")
            try:
                name = decode(VoterName, stored.data).name if stored is not None else ""
            except UnreadableRecordError as cause:
                logs.error("record_unreadable", cause=cause)
                name = ""
            self._cast[path] = None if stored is None else CastVote(vote=vote, name=name)
        return self._cast[path]

    def _load_all(self) -> dict[str, Poll]:
        """Return the polls of the bucket, without removed polls and polls of withdrawn messages."""
        if self._stored is None:
            is_withdrawn = self.attempt.is_withdrawn
            polls = self._store.present()
            self._stored = {one.id: one for one in polls if not one.provenance.has_withdrawn(is_withdrawn)}
        return self._stored


def _meant(polls: Sequence[Poll], poll_id: str | None, *, none: str, several: str) -> Poll:
    """Return the poll of the id, or the only one.  Raises: StagingFault."""
    meant = [one for one in polls if poll_id in {None, one.id}]
    if not meant:
        raise StagingFault(f"{none}; list the polls first.", may_retry=poll_id is not None)
    if len(meant) > 1:
        named = ", ".join(f"{one.id} ({one.question})" for one in meant[-_NAMED:])
        raise StagingFault(
            f"{several}: {named}. Give the id of the one that is meant; ask which, if the words do not say.",
            may_retry=True,
        )
    return meant[0]


def _kind_of_deed(before: PollThing | None, after: PollThing | None, *, now_ms: int) -> DeedKind:
    """Return what became of a poll or meeting; None stands for one that did not exist, or does not exist any more."""
    was, becomes = (one if isinstance(one, Poll) else None for one in (before, after))
    is_meeting = any(one is not None and one.is_meeting for one in (was, becomes))
    opened, ended, reopened, removed = _OF_MEETINGS if is_meeting else _OF_POLLS
    if becomes is None:
        return removed
    if becomes.is_called_off:
        return DeedKind.MEETING_CALLED_OFF
    if was is None:
        return opened
    if was.is_called_off:
        return DeedKind.MEETING_ON_AGAIN
    return ended if becomes.is_closed(now_ms) else reopened
