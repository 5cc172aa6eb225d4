"""What a turn offers to change about the translation between members; nothing is changed before a person's tap."""

from threading import Lock

from shared.conversation.records import OfferedTranslation


class TranslationOffer:
    """The offer of a turn's model; safe to share between threads."""

    def __init__(self) -> None:
        self._offered: OfferedTranslation | None = None
        self._lock = Lock()

    def make(self, offered: OfferedTranslation) -> bool:
        """Offer the change; return False where another change is offered already.  Repeated: changes nothing."""
        with self._lock:
            self._offered = self._offered or offered
            return self._offered == offered

    @property
    def offered(self) -> OfferedTranslation | None:
        """The change that is offered; None: none."""
        with self._lock:
            return self._offered
