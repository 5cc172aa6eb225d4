"""The last look before an answer is sent: whether its words were withdrawn, and whether the chat wants silence.

The look is begun along with the commit, so that a person waits for one round trip and not for two. It counts for a second: a commit that
takes longer is followed by another look.
"""

from concurrent.futures import Future
from dataclasses import field
from typing import Final

from shared.clock import Clock
from shared.conversation.amendment_log import EndLook
from shared.conversation.records import OutcomeRecord
from shared.conversation.silences import SilenceKind, SilencesRecord
from shared.conversation.store import Conversation
from shared.frozen import frozen

COUNTS_S: Final = 1.0
"""How long before the end of the commit a look may have begun; a withdrawal stored later than that may find the answer on its way."""


@frozen
class LastLook:
    """A look at a chat under an outcome.

    `end_look` ends the reading of the amendments; `silences` is None for an outcome that answers no message.
    Example: a look begun at 12:00:00.0 counts for a commit that ends at 12:00:00.9, and not for one that ends at 12:00:01.1.
    """

    clock: Clock = field(repr=False)
    begun_s: float
    end_look: EndLook = field(repr=False)
    silences: Future[SilencesRecord] | None = field(repr=False)

    @classmethod
    def begin(cls, conversation: Conversation, outcome: OutcomeRecord, *, clock: Clock) -> "LastLook":
        """Begin to read the amendments, and the silences if the outcome answers a message."""
        reads = conversation.objects.reads
        return cls(
            clock=clock,
            begun_s=clock.monotonic_s(),
            end_look=conversation.amendments.begin_look(),
            silences=reads.submit(conversation.silences.read) if outcome.answered_ids else None,
        )

    @property
    def is_recent(self) -> bool:
        """Whether the look began less than COUNTS_S ago."""
        return self.clock.monotonic_s() - self.begun_s < COUNTS_S

    def silence(self) -> SilenceKind | None:
        """Return whether the chat is paused, or handed over to a person; None: neither.  Raises: StorageUnavailableError."""
        switch = self.silences.result().now(self.clock.now_ms()) if self.silences is not None else None
        return switch.kind if switch is not None else None
