"""Callbacks for every change of an object."""

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(slots=True)
class Listeners:
    """The callbacks, in the order of addition."""

    _callbacks: list[Callable[[], None]] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self._callbacks)

    def add(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call the callback after every change.  Returns: a function to remove the callback."""
        self._callbacks.append(callback)
        return lambda: self._callbacks.remove(callback)

    def notify(self) -> None:
        """Call every callback."""
        for callback in tuple(self._callbacks):
            callback()
