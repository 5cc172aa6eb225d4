"""Traces: whether the bucket holds anything of a chat.  In a chat without traces nothing is forgotten, and nothing is written."""

from collections.abc import Callable

from shared import logs
from shared.access.admission import Access, AdmissionRecord, Admissions
from shared.access.arrival import FORGETTING_WAITS_S, wait_for_admission
from shared.access.unadmitted_chats import UnadmittedChats
from shared.conversation.store import Conversation
from shared.errors import UnreadableRecordError
from shared.frozen import frozen


@frozen
class Traces:
    """Looks for the stored objects of chats."""

    access: Access
    admissions: Admissions
    unadmitted: UnadmittedChats

    def has_none_of(self, conversation: Conversation) -> bool:
        """Whether nothing is stored of the chat, and none of its sent messages will be.

        True only if chats have to be admitted: events from before an admission are ignored, so a message on its way needs no amendment. A
        chat from a time of open access has a turn, a snapshot or a journal for as long as it has any other object, except for the edit of a
        message that never came. The caller's event may have overtaken the `/start` of the chat, so this waits for an admission.

        Raises: StorageUnavailableError.
        """
        if self.access is Access.OPEN or self._was_admitted(conversation):
            return False
        store, names, reads = conversation.objects.store, conversation.names, conversation.objects.reads
        listings = reads.map(store.list, (names.journal_prefix, names.amended_prefix))
        single = list(reads.map(store.read, (names.turn, names.snapshot)))
        return not any((*single, *listings)) and not self._is_admitted_soon(conversation)

    def _was_admitted(self, conversation: Conversation) -> bool:
        """Whether the chat has an admission, even a revoked or unreadable one."""
        return self._has(conversation, self.admissions.of)

    def _is_admitted_soon(self, conversation: Conversation) -> bool:
        return self._has(
            conversation,
            lambda own_id: wait_for_admission(self.admissions, self.unadmitted, own_id, FORGETTING_WAITS_S),
        )

    def _has(self, conversation: Conversation, admission_of: Callable[[str], AdmissionRecord | None]) -> bool:
        try:
            return admission_of(conversation.id) is not None
        except UnreadableRecordError as cause:  # in doubt, a withdrawal is carried out
            logs.error("record_unreadable", cause=cause)
            return True
