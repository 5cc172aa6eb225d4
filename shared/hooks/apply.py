"""Record which notices an outcome showed, whichever worker ends the turn."""

from collections import defaultdict
from dataclasses import dataclass

from shared.conversation.records import OutcomeKind, OutcomeRecord, StagedWrite
from shared.conversation.store import Conversation
from shared.conversation.write_key import WriteKey
from shared.hooks.hook import NoticeState
from shared.hooks.store import HookStore
from shared.turns.basis import HeldLease


class HookWriter:
    """Applies what outcomes show of hooks; turns stage nothing of them."""

    def owns(self, path: str) -> bool:
        del path
        return False

    def begin(self, conversation: Conversation, outcome: OutcomeRecord) -> "HookWriting":
        return HookWriting(conversation, outcome)


@dataclass(frozen=True, slots=True)
class HookWriting:
    """The notices of one outcome."""

    conversation: Conversation
    outcome: OutcomeRecord

    def write(self, write: StagedWrite, *, key: WriteKey) -> None:
        """Do nothing: no write is this feature's."""

    def finish(self, lease: HeldLease) -> bool:
        """Record the notices in the outcome as said, unless the outcome certainly did not arrive."""
        if self.outcome.notices is None or self.outcome.kind is OutcomeKind.UNDELIVERED:
            return True
        ids_by_hook = defaultdict[str, set[str]](set)
        for name in self.outcome.notices.names:
            hook_id, _, notice_id = name.partition("/")
            ids_by_hook[hook_id].add(notice_id)
        for hook_id, notice_ids in ids_by_hook.items():
            if lease.is_over:
                return False
            mark_said(self.conversation, hook_id, frozenset(notice_ids))
        return True


def mark_said(conversation: Conversation, hook_id: str, notice_ids: frozenset[str]) -> None:
    """Record the notices of one hook as said.  Repeated, or for a revoked hook: changes nothing."""
    HookStore(conversation).update(hook_id, lambda hook: hook.with_states(notice_ids, NoticeState.SAID))
