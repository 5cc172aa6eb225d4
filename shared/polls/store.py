"""The polls and votes of a chat as objects of the bucket."""

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from shared import logs
from shared.conversation.amendments import Amendments
from shared.conversation.provenance import Provenance
from shared.conversation.store import Conversation
from shared.conversation.thing_store import StagedThingStore
from shared.conversation.word_holder import Removal, WordHolder
from shared.errors import CorruptRecordError, UnreadableRecordError
from shared.line.ids import checked_id
from shared.polls.poll import FOLDER, LastStanding, Poll, Vote, VoterName
from shared.storage.codec import decode, encode
from shared.storage.compare_and_swap import update_by_swap
from shared.storage.object_store import ListedObject, StoredObject

_IDS: Final = re.compile(r"p[0-9a-f]{10}", re.ASCII)
_AFTER_POLLS: Final = "q"
"""Sorts after the objects of all polls, and before those of votes."""


class PollStore(StagedThingStore[Poll]):
    """Reads and writes a chat's polls and votes."""

    __slots__ = ()
    folder = FOLDER
    ids = _IDS
    noun = "a poll"

    def kind_of(self, thing_id: str) -> type[Poll]:  # noqa: ARG002 - every poll has the same class
        return Poll

    def list_objects(self) -> tuple[ListedObject, ...]:
        """Return the objects of all polls, also of removed ones; no votes."""
        objects = self.conversation.objects.store.list(self.prefix, before=f"{self.prefix}{_AFTER_POLLS}")
        return tuple(one for one in objects if self.ids.fullmatch(self.id_in(one.name)))

    def present(self) -> tuple[Poll, ...]:
        """Return every readable poll, without removed polls."""
        return tuple(poll for poll in self.read_all() if not poll.is_removed)

    def poll(self, poll_id: str) -> Poll | None:
        """Return the poll; None where there is no readable poll, or the poll was removed."""
        stored = self.find(poll_id)
        return None if stored is None or stored[0].is_removed else stored[0]

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
        """Return the display names of the voters, by mark, without unreadable names."""
        objects = self.conversation.objects
        bodies = objects.reads.map(objects.store.read, [f"{self.prefix}{vote.path}" for vote in votes])
        names = {vote.member: _name_in(body) for vote, body in zip(votes, bodies, strict=True)}
        return {member: name for member, name in names.items() if name}

    def delete_votes(self, votes: Iterable[Vote]) -> None:
        """Delete the votes, in parallel.  Repeated: does nothing."""
        deletions = self.conversation.objects.reads.map(self._delete_vote, tuple(votes))
        deque(deletions, maxlen=0)  # also raises their errors

    def delete_all_votes(self, poll_id: str) -> None:
        """Delete the votes and the last standing of a removed poll.  Repeated: does nothing."""
        self.delete_votes(self.votes(poll_id))
        self._delete(self._standing_name(poll_id))

    def last_standing(self, poll_id: str) -> tuple[LastStanding, int]:
        """Return the last told standing, with the generation; before any, an empty standing and 0."""
        stored = self.conversation.objects.store.read(self._standing_name(poll_id))
        return (_standing_in(stored.data), stored.generation) if stored is not None else (LastStanding(), 0)

    def swap_standing(self, poll_id: str, standing: LastStanding, *, generation: int) -> int | None:
        """Record the claim of a press to tell the standing, or the sending; return the new generation.

        None: another press has swapped the record since.
        """
        store, name = self.conversation.objects.store, self._standing_name(poll_id)
        return store.replace(name, encode(standing), generation=generation)

    def record_told(self, poll_id: str, sent: LastStanding) -> None:
        """Record a sent standing beside claims of other presses (`LastStanding.with_told`).  Without a record: the poll was removed.

        Raises: StorageUnavailableError. Repeated: changes nothing.
        """

        def told(stored: bytes | None) -> bytes | None:
            return encode(_standing_in(stored).with_told(sent)) if stored is not None else None

        name = self._standing_name(poll_id)
        update_by_swap(self.conversation.objects.store, name, told, what="a standing")

    def sources(self) -> Iterator[tuple[str, Provenance]]:
        """Yield the name and the provenance of each poll, without removed polls, and of each vote."""
        yield from super().sources()
        for vote_object, vote in self.vote_objects():
            yield vote_object.name, vote.provenance

    def _delete_vote(self, vote: Vote) -> None:
        self._delete(f"{self.prefix}{vote.path}", vote.generation)

    def _delete(self, name: str, generation: int = 0) -> None:
        """Delete the present generation of the object: a deletion with a late effect leaves later generations."""
        store = self.conversation.objects.store
        if not generation:
            stored = store.read(name)
            generation = stored.generation if stored is not None else 0
        if generation:
            store.delete(name, generation=generation)

    def _standing_name(self, poll_id: str) -> str:
        return f"{self.prefix}standings/{checked_id(poll_id)}.json"


def _standing_in(body: bytes) -> LastStanding:
    """Return the standing; an empty standing for a corrupt record, after logging."""
    try:
        return decode(LastStanding, body)
    except CorruptRecordError as cause:
        logs.error("record_unreadable", cause=cause)
        return LastStanding()


def _name_in(body: StoredObject | None) -> str:
    """Return the name in a vote's object; "" where the object is gone or cannot be read."""
    try:
        return decode(VoterName, body.data).name if body is not None else ""
    except UnreadableRecordError as cause:
        logs.error("record_unreadable", cause=cause)
        return ""


class PollWords(WordHolder):
    """The words in polls: a poll goes with any source message, and takes the votes along; a vote goes with the press."""

    def begin_removal(self, conversation: Conversation) -> Removal:
        """Delete what comes from withdrawn, erased or edited messages, and the votes of removed polls.

        Repeated: does nothing. Raises: StorageUnavailableError.
        """
        polls = PollStore(conversation)
        listing = polls.begin_listing()
        vote_listing = conversation.objects.reads.submit(polls.vote_objects)

        def remove(amendments: Amendments) -> None:
            removed_ids = polls.remove_withdrawn(amendments, listing())
            votes = tuple(vote for _, vote in vote_listing.result())
            polls.delete_votes(
                vote for vote in votes if is_vote_withdrawn(vote, amendments) or vote.poll_id in removed_ids
            )
            for poll_id in removed_ids:  # lists anew what was pressed until the poll was deleted
                polls.delete_all_votes(poll_id)
            if removed_ids:
                logs.info("polls_withdrawn", count=len(removed_ids))

        return remove


def is_vote_withdrawn(vote: Vote, amendments: Amendments) -> bool:
    """Whether the member took the vote back."""
    return vote.is_taken_back(amendments.is_withdrawn_from_entries, amendments.members)
