"""Chat memory that tools have shown the model in a turn, beyond the prompt; the outcome names it as seen."""

from threading import Lock

from shared.conversation.provenance import Provenance
from shared.conversation.recollection import Recollection


class Recalled:
    """The records shown so far; safe to share between threads."""

    def __init__(self) -> None:
        self._shown = Recollection()
        self._retold = Provenance()
        self._is_stretch = False
        self._lock = Lock()

    def add(self, shown: Recollection, *, is_stretch: bool = False) -> None:
        """Record a recollection before the model sees it.  `is_stretch`: the recollection is a whole stretch of time."""
        with self._lock:
            self._shown |= shown
            self._is_stretch = self._is_stretch or is_stretch

    def retell(self, provenance: Provenance) -> None:
        """Record the provenance of words before the model sees them, for example of an earlier call's arguments."""
        with self._lock:
            self._retold |= provenance

    @property
    def provenance(self) -> Provenance:
        """The provenance of all shown records and words."""
        with self._lock:
            return self._shown.provenance | self._retold

    @property
    def is_stretch(self) -> bool:
        """Whether a stretch of time was shown, whose summary needs a longer answer."""
        return self._is_stretch

    @property
    def shown(self) -> Recollection:
        """All records shown so far."""
        with self._lock:
            return self._shown
