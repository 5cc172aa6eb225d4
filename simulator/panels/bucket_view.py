"""The common part of the panels' readers: each shows the objects below some prefixes of the bucket, and reports every write there."""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final

from simulator.line.listeners import Listeners
from simulator.panels.bucket_reader import BucketReader

_WRITES: Final = frozenset({"insert", "delete"})


class BucketView:
    """Reads below `places`, a subclass's prefixes of a bucket.  Lives in one event loop."""

    places: ClassVar[tuple[str, ...]]

    def __init__(self, bucket: BucketReader) -> None:
        self._bucket = bucket
        self._listeners = Listeners()

    def listen(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call the listener after every write there.  Returns: a function to remove the listener."""
        return self._listeners.add(listener)

    def record_storage_call(self, _name: str, fields: Mapping[str, Any]) -> None:
        """Notice a write there among the storage stand-in's requests."""
        if fields["operation"] in _WRITES and str(fields["name"]).startswith(self.places):
            self._listeners.notify()
