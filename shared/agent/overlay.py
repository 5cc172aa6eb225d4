"""An overlay: a turn's view of what one feature stores, with the turn's own changes.

Nothing reaches the bucket before the turn is committed. Overlays serve a single attempt at a turn, so a turn that is thought again begins
with nothing staged. Tools of a round run in parallel: every method may be called from several threads, and `together` keeps the other
threads out of a change that reads first.
"""

import itertools
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar, Final, Generic, TypeVar

from shared.agent.receipts import Deed
from shared.conversation.amendments import Amendments
from shared.conversation.provenance import IsWithdrawn, Provenance
from shared.conversation.records import StagedWrite
from shared.conversation.store import Conversation
from shared.conversation.write_key import WriteKey, format_key
from shared.frozen import frozen

CHANGES_LIMIT: Final = 20
"""Things of a feature that a turn may change: the turn's outcome carries each thing whole."""

_T = TypeVar("_T")


class StagingFault(Exception):  # noqa: N818 - not an error of this service: the model reads it
    """A refusal that the model reads: a plain sentence, and whether other arguments may succeed."""

    def __init__(self, message: str, *, may_retry: bool = False) -> None:
        super().__init__(message)
        self.may_retry = may_retry


@frozen
class UndoEffect:
    """The effect of an undo: the paths of what is restored, and the paths of what is removed, because it was new."""

    restored: tuple[str, ...] = field(default=(), repr=False)
    removed: tuple[str, ...] = field(default=(), repr=False)

    def __add__(self, other: "UndoEffect") -> "UndoEffect":
        return UndoEffect(restored=self.restored + other.restored, removed=self.removed + other.removed)


@dataclass(frozen=True, slots=True)
class Step:
    """A staged change of one feature, and how an undo takes the change back."""

    effect: UndoEffect
    revert: Callable[[], None] = field(repr=False)


@dataclass(slots=True, kw_only=True)
class Attempt:
    """An attempt at a turn, towards the commit of number `sequence`; `steps` holds the staged changes of every feature, in their order.

    Things from withdrawn messages do not exist for the attempt: a withdrawal is about to remove the words. `is_undone`: the changes of an
    earlier turn were taken back. `members`: up to when each member took back everything, by the members' marks.
    """

    conversation: Conversation
    sequence: int
    now_ms: int
    is_withdrawn: IsWithdrawn = field(repr=False)
    lock: threading.RLock = field(repr=False)
    steps: list[Step] = field(default_factory=list, repr=False)
    is_undone: bool = False
    members: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def at(cls, conversation: Conversation, *, sequence: int, now_ms: int, amendments: Amendments) -> "Attempt":
        """Return an attempt with nothing staged; reads nothing."""
        return cls(
            conversation=conversation,
            sequence=sequence,
            now_ms=now_ms,
            is_withdrawn=amendments.is_withdrawn_from_entries,
            lock=threading.RLock(),
            members=amendments.members,
        )


class Overlay(ABC, Generic[_T]):
    """A turn's view of one feature's things, by id: what is stored, and what the turn has staged.  None: there is no such thing.

    `path_prefix` begins the paths of the feature's staged writes, for example `reminders/`. `noun` names the things to the model.
    """

    path_prefix: ClassVar[str] = ""
    noun: ClassVar[str]

    def __init__(self, attempt: Attempt) -> None:
        self.attempt = attempt
        self._lock = attempt.lock
        # Replaced as a whole, because other threads go through it without the lock.
        self._staged: Mapping[str, _T | None] = {}
        self._before: dict[str, _T | None] = {}
        self._restored: Mapping[str, _T | None] = {}
        self._keys: dict[str, WriteKey] = {}
        self._is_closed = False
        self._shown = Provenance()

    @contextmanager
    def together(self) -> Iterator[None]:
        """Keep other threads from changing anything inside the block."""
        with self._lock:
            yield

    @property
    def conversation(self) -> Conversation:
        """The chat of the things."""
        return self.attempt.conversation

    @property
    def provenance(self) -> Provenance:
        """The provenance of all things shown to the model or staged: an unsend of such a message affects the turn."""
        with self._lock:
            staged = [thing for thing in (*self._staged.values(), *self._before.values()) if thing is not None]
            return Provenance.union((self._shown, *map(self.provenance_of, staged))) if staged else self._shown

    def mark_shown(self, provenance: Provenance) -> None:
        """Remember the provenance of something shown to the model."""
        with self._lock:
            self._shown |= provenance

    def revision_of(self, thing_id: str) -> str:
        """Return the key of the last write; after `changes`, the key of the staged write; "" where there is no such thing.

        For example, after a turn has added a note, a tap in the next turn finds the entry at the revision returned here.
        """
        with self._lock:
            thing = self.current(thing_id)
            return "" if thing is None else format_key(self._keys.get(thing_id, self.key_of(thing)))

    def current(self, thing_id: str) -> _T | None:
        """Return the thing as the turn sees it."""
        return self._staged[thing_id] if thing_id in self._staged else self.load(thing_id)

    def stage(self, changes: Mapping[str, _T | None]) -> None:
        """Apply the changes for the rest of the turn; None deletes.  A single step for an undo.  Raises: StagingFault."""
        with self._lock:
            self.check_limits(changes)
            before = {thing_id: self.current(thing_id) for thing_id in changes}
            for thing_id, thing in before.items():
                self._before.setdefault(thing_id, thing)
            self.attempt.steps.append(Step(self._effect_of(before), self.revert_to(before)))
            self._stage(changes)

    def _stage(self, changes: Mapping[str, _T | None]) -> None:
        self._staged = {**self._staged, **changes}

    def revert_to(self, before: Mapping[str, _T | None]) -> Callable[[], None]:
        """Return what takes the next step back, to the things as they are now."""
        return lambda: self._stage(before)

    def changes(self, *, first_number: int) -> tuple[StagedWrite, ...]:
        """Return the staged writes and accept no more: first what is created or changed, then the deletions.

        The first write has the number `first_number` in the outcome.
        """
        with self._lock:
            self._is_closed = True
            writes: list[StagedWrite] = []
            for thing_id, thing in sorted(self._changed.items(), key=lambda item: item[1] is None):
                key = self._keys[thing_id] = (self.attempt.sequence, first_number + len(writes))
                writes.append(self._write_of(thing_id, thing, key))
            return tuple(writes)

    @property
    def before(self) -> tuple[tuple[StagedWrite, Provenance], ...]:
        """What the turn changes, as it was before, each with the provenance before and after; what an undo restores is left out."""
        with self._lock:
            return tuple(
                (self._write_of(thing_id, thing), self._sources_of(_existing(thing, current)))
                for thing_id, thing in self._before.items()
                if thing != (current := self.current(thing_id))
            )

    def show_before(self, before: Mapping[str, _T | None]) -> tuple[str, ...]:
        """Return the names of what `restore` would change, each once; the provenance of the things counts as shown.

        A thing has the name that the restoration leaves: after a rename, the older name alone.
        """
        with self._lock:
            pairs = [_existing(self.current(thing_id), thing) for thing_id, thing in before.items()]
            self._shown |= self._sources_of(itertools.chain.from_iterable(pairs))
            return tuple(dict.fromkeys(self.name_of(things[-1]) for things in pairs if things))

    def _sources_of(self, things: Iterable[_T]) -> Provenance:
        return Provenance.union(self.provenance_of(thing) for thing in things)

    def prepare_restoration(self, before: Mapping[str, _T | None]) -> Callable[[], UndoEffect]:
        """Return what stages the things as they were `before` an earlier turn, in no step.  Raises: StagingFault, with nothing staged."""
        with self._lock:
            restored = {thing_id: self.as_restored(thing_id, thing) for thing_id, thing in before.items()}
            self.check_limits(restored)
            return partial(self._restore, restored)

    def _restore(self, restored: Mapping[str, _T | None]) -> UndoEffect:
        with self._lock:
            self.show_before(restored)
            self._stage(restored)
            self._restored = restored
            return self._effect_of(restored)

    def _effect_of(self, before: Mapping[str, _T | None]) -> UndoEffect:
        paths = {f"{self.path_prefix}{thing_id}": thing for thing_id, thing in before.items()}
        return UndoEffect(
            restored=tuple(path for path, thing in paths.items() if thing is not None),
            removed=tuple(path for path, thing in paths.items() if thing is None),
        )

    def _write_of(self, thing_id: str, thing: _T | None, key: WriteKey | None = None) -> StagedWrite:
        text = None if thing is None else self.text_of(thing_id, thing, key=key or self.key_of(thing))
        return StagedWrite(path=f"{self.path_prefix}{thing_id}", text=text)

    @property
    def filed_paths(self) -> tuple[str, ...]:
        """The paths of what the turn filed or moved; for features that file by a path."""
        return ()

    @property
    def filed_confidence(self) -> float | None:
        """The confidence of the turn's last classification; for features that classify."""
        return None

    def owns(self, path: str) -> bool:
        """Whether the path of a staged write is of this feature."""
        return path.startswith(self.path_prefix)

    @property
    def _changed(self) -> dict[str, _T | None]:
        """The staged things that differ from the stored things."""
        return {thing_id: thing for thing_id, thing in self._staged.items() if thing != self.load(thing_id)}

    @property
    @abstractmethod
    def deeds(self) -> tuple[Deed, ...]:
        """The effects of the staged writes, compared with the bucket: for example, a filed entry, or a moved one."""

    @abstractmethod
    def load(self, thing_id: str) -> _T | None:
        """Return the thing as stored, from memory after the first call; None also for a thing of withdrawn words."""

    @abstractmethod
    def text_of(self, thing_id: str, thing: _T, *, key: WriteKey) -> str:
        """Return the whole object of the thing, with the key of its write."""

    @abstractmethod
    def read_text(self, thing_id: str, text: str) -> _T:
        """Return the thing in an object's text.  Raises: PermanentError."""

    @abstractmethod
    def provenance_of(self, thing: _T) -> Provenance:
        """Return where the thing's words come from."""

    @abstractmethod
    def key_of(self, thing: _T) -> WriteKey:
        """Return the key of the thing's last write."""

    @abstractmethod
    def name_of(self, thing: _T) -> str:
        """Return the name by which people know the thing."""

    def as_restored(self, thing_id: str, before: _T | None) -> _T | None:  # noqa: ARG002 - for features whose things go on meanwhile
        """Return what an undo stages for a thing that was `before` an earlier turn.  Raises: StagingFault, where it is too late."""
        return before

    def check_limits(self, changes: Mapping[str, _T | None]) -> None:
        """Raises: StagingFault, if the turn is over, or changes too much."""
        if self._is_closed:
            raise StagingFault("The turn is over.")
        if len({*self._staged, *changes}) > CHANGES_LIMIT:
            raise StagingFault(
                f"One turn can change at most {CHANGES_LIMIT} {self.noun}; do the rest after the next message."
            )


def _existing(*things: _T | None) -> tuple[_T, ...]:
    return tuple(thing for thing in things if thing is not None)
