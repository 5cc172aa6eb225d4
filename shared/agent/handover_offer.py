"""Whether a turn offers to call a person; nobody is called before the person's tap."""

from threading import Event


class HandoverOffer:
    """The offer of a turn's model to call a person; safe to share between threads."""

    def __init__(self) -> None:
        self._offered = Event()

    def make(self) -> None:
        """Offer to call a person.  Repeated: changes nothing."""
        self._offered.set()

    @property
    def is_made(self) -> bool:
        """Whether a person is offered."""
        return self._offered.is_set()
