"""What the readers of the panels share: each shows what lies below some prefixes of the bucket, and tells of every write there."""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final

from simulator.line.listeners import Listeners
from simulator.panels.bucket_reader import BucketReader

_WRITES: Final = frozenset({"insert", "delete"})


class BucketView:
    """Reads below `places`, the prefixes of a bucket that a subclass names.  Lives in one event loop."""

    places: ClassVar[tuple[str, ...]]

    def __init__(self, bucket: BucketReader) -> None:
        self._bucket = bucket
        self._listeners = Listeners()

    def listen(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call the listener after every write there.  Returns: a function that removes it."""
        return self._listeners.add(listener)

    def record_storage_call(self, _name: str, fields: Mapping[str, Any]) -> None:
        """Notice a write there among the requests that the storage stand-in reports."""
        if fields["operation"] in _WRITES and str(fields["name"]).startswith(self.places):
            self._listeners.notify()
