"""The polls and votes of a chat as objects of the bucket."""

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from shared import logs
from shared.conversation.amendments import Amendments
from shared.conversation.provenance import Provenance
from shared.conversation.store import Conversation
from shared.errors import CorruptRecordError, StorageUnavailableError, UnreadableRecordError
from shared.line.ids import checked_id
from shared.polls.poll import FOLDER, LastStanding, Poll, Vote, VoterName
from shared.storage.codec import decode, decode_readable, encode
from shared.storage.compare_and_swap import SWAP_ATTEMPTS, update_by_swap
from shared.storage.object_store import ListedObject, StoredObject

_ID: Final = re.compile(r"p[0-9a-f]{10}\.json", re.ASCII)
_AFTER_POLLS: Final = "q"
"""Sorts after the objects of all polls, and before those of votes."""


@dataclass(frozen=True, slots=True)
class PollStore:
    """Reads and writes a chat's polls.  Every method raises StorageUnavailableError when the bucket does not answer in time."""

    conversation: Conversation

    @property
    def prefix(self) -> str:
        """The folder of the chat, for example `polls/C…/`."""
        return f"{FOLDER}/{self.conversation.id}/"

    def name_of(self, poll_id: str) -> str:
        """Return the name of a poll's object, for example `polls/C…/p0123456789.json`."""
        return f"{self.prefix}{checked_id(poll_id)}.json"

    def list_objects(self) -> tuple[ListedObject, ...]:
        """Return the objects of all polls, also of removed ones; no votes."""
        prefix = self.prefix
        objects = self.conversation.objects.store.list(prefix, before=f"{prefix}{_AFTER_POLLS}")
        return tuple(one for one in objects if _ID.fullmatch(one.name.removeprefix(prefix)))

    def read_all(self) -> tuple[Poll, ...]:
        """Return every readable poll, also removed ones, in two round trips."""
        return tuple(decode_readable(Poll, self.conversation.objects.read_all(self.list_objects())))

    def find(self, poll_id: str) -> Poll | None:
        """Return the poll; None where there is no readable poll, or it was removed."""
        stored = self.conversation.objects.store.read(self.name_of(poll_id))
        try:
            poll = decode(Poll, stored.data) if stored is not None else None
        except CorruptRecordError as cause:
            logs.error("record_unreadable", cause=cause)
            return None
        return None if poll is None or poll.is_removed else poll

    def update(self, poll_id: str, change: Callable[[Poll | None], Poll | None]) -> None:
        """Change a poll by compare-and-swap, as `update_by_swap` does; an unreadable poll stays unchanged."""

        def changed(data: bytes | None) -> bytes | None:
            updated = change(decode(Poll, data) if data is not None else None)
            return None if updated is None else encode(updated)

        try:
            update_by_swap(self.conversation.objects.store, self.name_of(poll_id), changed, what="a poll")
        except CorruptRecordError as cause:
            logs.error("record_unreadable", cause=cause)

    def record(self, vote: Vote, *, name: str) -> None:
        """Create the vote's object.  The caller reads the amendments next.  Repeated: changes nothing."""
        self.conversation.objects.store.create(f"{self.prefix}{vote.path}", encode(VoterName(name=name)))

    def votes(self, poll_id: str) -> tuple[Vote, ...]:
        """Return all votes of a poll, also superseded ones, in one round trip."""
        return tuple(vote for _, vote in self.vote_objects(poll_id))

    def vote_objects(self, poll_id: str = "") -> tuple[tuple[ListedObject, Vote], ...]:
        """Return the objects of a poll's votes, or of the votes of all polls."""
        prefix = f"{self.prefix}votes/" + (f"{checked_id(poll_id)}/" if poll_id else "")
        objects = self.conversation.objects.store.list(prefix)
        votes = ((one, Vote.at(one.name.removeprefix(self.prefix))) for one in objects)
        return tuple((one, replace(vote, generation=one.generation)) for one, vote in votes if vote is not None)

    def names_of(self, votes: Sequence[Vote]) -> Mapping[str, str]:
        """Return the display names of the members who cast the votes, by mark; a name that cannot be read is left out."""
        objects = self.conversation.objects
        bodies = objects.reads.map(objects.store.read, [f"{self.prefix}{vote.path}" for vote in votes])
        names = {vote.member: _name_in(body) for vote, body in zip(votes, bodies, strict=True)}
        return {member: name for member, name in names.items() if name}

    def delete_votes(self, votes: Iterable[Vote]) -> None:
        """Delete the votes, in parallel.  Repeated: does nothing."""
        deletions = self.conversation.objects.reads.map(self._delete_vote, tuple(votes))
        deque(deletions, maxlen=0)  # also raises their errors

    def delete_all_votes(self, poll_id: str) -> None:
        """Delete everything that was voted and told of a removed poll.  Repeated: does nothing."""
        self.delete_votes(self.votes(poll_id))
        self._delete(self._standing_name(poll_id))

    def last_standing(self, poll_id: str) -> tuple[LastStanding, int]:
        """Return the standing that was told last, with the generation; before any, an empty one and 0."""
        stored = self.conversation.objects.store.read(self._standing_name(poll_id))
        if stored is None:
            return LastStanding(), 0
        try:
            return decode(LastStanding, stored.data), stored.generation
        except CorruptRecordError as cause:
            logs.error("record_unreadable", cause=cause)
            return LastStanding(), stored.generation

    def swap_standing(self, poll_id: str, standing: LastStanding, *, generation: int) -> int | None:
        """Record that a press tells the standing, or has told it; return the new generation, or None where another press was first."""
        store, name = self.conversation.objects.store, self._standing_name(poll_id)
        return store.replace(name, encode(standing), generation=generation)

    def sources(self) -> Iterator[tuple[str, Provenance]]:
        """Yield the name and the provenance of each poll that was not removed, and of each vote."""
        for poll in self.read_all():
            if not poll.is_removed:
                yield self.name_of(poll.id), poll.provenance
        for vote_object, vote in self.vote_objects():
            yield vote_object.name, vote.provenance

    def _delete_vote(self, vote: Vote) -> None:
        self._delete(f"{self.prefix}{vote.path}", vote.generation)

    def _delete(self, name: str, generation: int = 0) -> None:
        """Delete the object as it is: a deletion that takes effect late leaves what was written since."""
        store = self.conversation.objects.store
        if not generation:
            stored = store.read(name)
            generation = stored.generation if stored is not None else 0
        if generation:
            store.delete(name, generation=generation)

    def _standing_name(self, poll_id: str) -> str:
        return f"{self.prefix}standings/{checked_id(poll_id)}.json"


def _name_in(body: StoredObject | None) -> str:
    """Return the name in a vote's object; "" where the object is gone or cannot be read."""
    try:
        return decode(VoterName, body.data).name if body is not None else ""
    except UnreadableRecordError as cause:
        logs.error("record_unreadable", cause=cause)
        return ""


class PollWords:
    """The words in polls; a WordHolder: a poll goes with any message behind it and takes its votes along, a vote goes with its press."""

    def remove_withdrawn(self, conversation: Conversation, amendments: Amendments) -> None:
        """Delete what comes from withdrawn, erased or edited messages, and the votes of polls that are gone.

        Repeated: does nothing. Raises: StorageUnavailableError.
        """
        polls, objects = PollStore(conversation), conversation.objects
        poll_objects = polls.list_objects()
        removed_ids = set()
        for poll_object, body in zip(poll_objects, objects.read_all(poll_objects), strict=True):
            if body is None or _is_affected(body, amendments):
                _delete(conversation, poll_object.name, amendments)
                removed_ids.add(poll_object.name.removeprefix(polls.prefix).removesuffix(".json"))
        votes = tuple(vote for _, vote in polls.vote_objects())
        polls.delete_votes(vote for vote in votes if is_vote_withdrawn(vote, amendments) or vote.poll_id in removed_ids)
        for poll_id in removed_ids:
            polls.delete_all_votes(poll_id)
        if removed_ids:
            logs.info("polls_withdrawn", count=len(removed_ids))


def is_vote_withdrawn(vote: Vote, amendments: Amendments) -> bool:
    """Whether the member took the vote back: by an unsend of its message, or with everything else of the member."""
    is_forgotten = vote.sent_ms <= amendments.members.get(vote.member, -1)
    return is_forgotten or amendments.is_withdrawn_from_entries(vote.id, vote.sent_ms)


def _delete(conversation: Conversation, name: str, amendments: Amendments) -> None:
    store = conversation.objects.store
    for _ in range(SWAP_ATTEMPTS):
        stored = store.read(name)
        if stored is None or not _is_affected(stored.data, amendments):
            return
        if store.delete(name, generation=stored.generation):
            return
    raise StorageUnavailableError("others kept changing a poll")


def _is_affected(body: bytes, amendments: Amendments) -> bool:
    """Whether the poll must be deleted; an unreadable poll, if it names a withdrawn message, or if anything was erased."""
    try:
        return bool(decode(Poll, body).provenance.withdrawn_ids(amendments.is_withdrawn_from_entries))
    except UnreadableRecordError as cause:
        logs.error("record_unreadable", cause=cause)
        amended_ids = (*amendments.withdrawn, *amendments.edits)
        return amendments.erased_entries_ms >= 0 or any(f'"{one}"'.encode() in body for one in amended_ids)
