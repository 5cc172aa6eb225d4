"""The amendments of chats as known to an instance, so a look reads only the events written since the last look."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Final

from cachetools import LRUCache

from shared.clock import Clock
from shared.conversation.amendment_events import AmendmentKind
from shared.conversation.amendments import Amendments
from shared.errors import StorageUnavailableError
from shared.frozen import frozen
from shared.locked_cache import LockedCache
from shared.storage.object_names import AmendedName, ObjectNames
from shared.storage.object_store import ListedObject

_DAY_S: Final = 86_400.0
_SLOW_WRITES: Final = 4  # of one event
_IDS_CACHED: Final = 200_000  # about 30 MB
_CHARACTERS_OF_ID: Final = 100  # an id takes about as many bytes


@frozen
class AmendmentTimes:
    """How long events are listed one by one.

    `reach_s`: a listing begins this long before the last listing, far more than clocks differ; a write that took half of it is repeated.
    `seen_s`: an instance without a look for this long reads everything again. `folded_after_s`: older events are folded; longer than the
    other two together, so no event is folded before a warm instance has listed it. `retention_s`: older events leave the fold.
    """

    reach_s: float = 600.0
    seen_s: float = 1_800.0
    folded_after_s: float = 3_600.0
    retention_s: float = 30 * _DAY_S  # as long as the bucket keeps events (infra/terraform/history.tf)

    def next_since_ms(self, listed_ms: int) -> int:
        """Return the time from which the listing after `listed_ms` lists.

        For example, after a listing at 12:00 the next listing begins at 11:50.
        """
        return listed_ms - round(self.reach_s * 1_000)

    def append(self, create: Callable[[int], object], *, clock: Clock) -> None:
        """Create an event under the present time, so every listing that begins from here on finds the event.

        `create` writes the event as of the given milliseconds. A slow write is repeated under a new time: a listing may have looked past
        the first time.  Raises: StorageUnavailableError, if every write was slow; any error of `create`.
        """
        for _ in range(_SLOW_WRITES):
            written_ms, began_s = clock.now_ms(), clock.monotonic_s()
            create(written_ms)
            if clock.monotonic_s() - began_s <= self.reach_s / 2:
                return
        raise StorageUnavailableError("every write of the amendment took too long")


@frozen
class AmendmentView:
    """A chat's amendments as known since the listing at `listed_ms` and, by the monotonic clock, `listed_s`.

    `names`: the listed events that the next listing may find again. `ids`: the approximate number of ids in the view. `is_fold_due`: some
    events are so old that a second pass would have folded them.
    """

    amendments: Amendments
    names: frozenset[str]
    ids: int = 1
    is_fold_due: bool = False
    listed_ms: int
    listed_s: float

    def age_s(self, *, now_ms: int, now_s: float) -> float:
        """Return how long ago the listing began; a monotonic clock may stand still while the machine sleeps."""
        return max(now_s - self.listed_s, (now_ms - self.listed_ms) / 1_000)


def _ids_in(amendments: Amendments) -> int:
    """Return the approximate number of ids; a hundred characters of words count as one."""
    groups = (*amendments.together.values(), *amendments.redacted.values())
    plans = sum(len(plan.redacted_ids) + len(plan.cleared_ids) for plan in amendments.plans.values())
    words = sum(map(len, amendments.edits.values())) // _CHARACTERS_OF_ID
    single = len(amendments.withdrawn) + len(amendments.edited_ms) + len(amendments.members) + len(amendments.redacted)
    return 1 + single + sum(map(len, groups)) + plans + words


def _views() -> LockedCache[str, AmendmentView]:
    return LockedCache(LRUCache(_IDS_CACHED, getsizeof=attrgetter("ids")))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AmendmentViews:
    """Each chat's amendments as known to the instance; safe to share between threads."""

    times: AmendmentTimes = field(default_factory=AmendmentTimes)
    _views: LockedCache[str, AmendmentView] = field(default_factory=_views, repr=False)

    def of(self, conversation_id: str, *, now_ms: int, now_s: float) -> AmendmentView | None:
        """Return the view of a chat; None: no view, or so old that everything has to be read again, or the clock went back."""
        view = self._views.get(conversation_id)
        is_usable = (
            view is not None and view.age_s(now_ms=now_ms, now_s=now_s) < self.times.seen_s and now_ms >= view.listed_ms
        )
        return view if is_usable else None

    def cache(self, names: ObjectNames, listing: "AmendedListing", amendments: Amendments) -> None:
        """Cache the chat's amendments, from the listing and the view before."""
        seen_before = listing.view.names if listing.view is not None else frozenset()
        next_since = names.amended_since(self.times.next_since_ms(listing.listed_ms))
        seen_names = seen_before.union(one.name for one in listing.events)
        names_again = frozenset(name for name in seen_names if name >= next_since)
        if listing.view is not None and listing.view.amendments is amendments:
            ids = listing.view.ids - len(listing.view.names)
        else:
            ids = _ids_in(amendments)
        view = AmendmentView(
            amendments=amendments,
            names=names_again,
            ids=ids + len(names_again),
            is_fold_due=listing.is_fold_due,
            listed_ms=listing.listed_ms,
            listed_s=listing.listed_s,
        )
        self._views.put(names.conversation_id, view)

    def begin_fold(self, conversation_id: str) -> bool:
        """Return whether a fold is due in the chat and not yet begun by a thread of the instance."""
        return self._views.update(
            conversation_id,
            lambda view: replace(view, is_fold_due=False) if view is not None and view.is_fold_due else None,
        )


@frozen
class AmendedListing:
    """The events of one listing, and the instance's `view` before; None: everything was listed.

    `fold` is the object with older events; None where none is stored, or where the view already covers it. `is_fold_due`: some listed
    events are old enough to be folded.
    """

    view: AmendmentView | None
    events: Mapping[ListedObject, AmendedName] = field(repr=False)
    fold: ListedObject | None
    is_fold_due: bool = False
    listed_ms: int
    listed_s: float

    @property
    def amended_ids(self) -> frozenset[str]:
        """The messages and members with an amendment, by names alone; a fold may hold more."""
        amendments = self.view.amendments if self.view is not None else Amendments()
        listed_ids = (name.id for name in self.events.values() if name.kind != AmendmentKind.PLAN)
        return amendments.withdrawn.union(amendments.edited_ms, amendments.members, listed_ids)

    @property
    def erased_ms(self) -> int:
        """Up to when everything is erased, by names alone."""
        viewed_ms = self.view.amendments.erased_ms if self.view is not None else -1
        kinds = {AmendmentKind.ERASURE, AmendmentKind.RESET}
        return max(
            [viewed_ms, *(int(name.id) for name in self.events.values() if name.kind in kinds and name.id.isdecimal())]
        )
