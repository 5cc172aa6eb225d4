"""What tools have shown the model of the chat's memory in a turn: the prompt does not hold it, and the outcome names it."""

from threading import Lock

from shared.conversation.recollection import Recollection


class Recalled:
    """What the model was shown so far; safe to share between threads."""

    def __init__(self) -> None:
        self._shown = Recollection()
        self._lock = Lock()

    def add(self, shown: Recollection) -> None:
        """The model is shown this as well; called before it is."""
        with self._lock:
            self._shown |= shown

    @property
    def shown(self) -> Recollection:
        """All that it was shown."""
        with self._lock:
            return self._shown
