"""Apply a committed outcome's staged writes to polls, and to the votes cast in messages."""

from dataclasses import dataclass

from shared.conversation.records import OutcomeRecord, StagedWrite
from shared.conversation.store import Conversation
from shared.conversation.write_key import WriteKey
from shared.polls.poll import FOLDER, Vote, VoterName
from shared.polls.store import PollStore
from shared.storage.codec import decode
from shared.turns.basis import HeldLease


class PollWriter:
    """Applies staged writes of polls and votes."""

    def owns(self, path: str) -> bool:
        return path.startswith(f"{FOLDER}/")

    def begin(self, conversation: Conversation, outcome: OutcomeRecord) -> "PollWriting":
        del outcome
        return PollWriting(PollStore(conversation))


@dataclass(frozen=True, slots=True)
class PollWriting:
    """An outcome's writes to polls and votes."""

    store: PollStore

    def write(self, write: StagedWrite, *, key: WriteKey) -> None:
        """Make the write, unless the poll has this key or a larger key; a vote is created or deleted, and never changes."""
        own_id = write.path.removeprefix(f"{FOLDER}/")
        vote = Vote.at(own_id)
        if vote is None:
            self._write_poll(own_id, write.text, key)
        elif write.text is None:
            self.store.delete_votes([vote])
        else:
            self.store.record(vote, name=decode(VoterName, write.text.encode()).name)

    def finish(self, lease: HeldLease) -> bool:
        return not lease.is_over

    def _write_poll(self, poll_id: str, text: str | None, key: WriteKey) -> None:
        """Write the poll; the votes of a removed poll go.  Repeated: removes the rest."""
        after = self.store.apply(poll_id, text, key=key)
        if after is not None and after.is_removed and after.revision == key:
            self.store.delete_all_votes(poll_id)
