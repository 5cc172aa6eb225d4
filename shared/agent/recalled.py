"""What tools have shown the model of the chat's memory in a turn, beyond the prompt; the outcome names it as seen."""

from threading import Lock

from shared.conversation.provenance import Provenance
from shared.conversation.recollection import Recollection


class Recalled:
    """What the model was shown so far; safe to share between threads."""

    def __init__(self) -> None:
        self._shown = Recollection()
        self._retold = Provenance()
        self._is_stretch = False
        self._lock = Lock()

    def add(self, shown: Recollection, *, is_stretch: bool = False) -> None:
        """Note what the model will be shown; called before it is.  `is_stretch`: this is all of a stretch of time."""
        with self._lock:
            self._shown |= shown
            self._is_stretch = self._is_stretch or is_stretch

    def retell(self, provenance: Provenance) -> None:
        """Note the provenance of what the model will be told, such as the arguments of an earlier call; called before it is."""
        with self._lock:
            self._retold |= provenance

    @property
    def provenance(self) -> Provenance:
        """Whose words it was shown or told."""
        with self._lock:
            return self._shown.provenance | self._retold

    @property
    def is_stretch(self) -> bool:
        """Whether it was shown a stretch of time, which takes a longer answer to sum up."""
        return self._is_stretch

    @property
    def shown(self) -> Recollection:
        """All that it was shown."""
        with self._lock:
            return self._shown
