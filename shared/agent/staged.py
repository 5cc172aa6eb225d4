"""Everything that an attempt at a turn stages, over all features: one list of writes, one receipt, one undo."""

import itertools
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias, TypeVar

from shared.agent.overlay import Attempt, Overlay, StagingFault, Step, UndoEffect
from shared.agent.receipts import Deed
from shared.conversation.provenance import Provenance
from shared.conversation.records import StagedWrite
from shared.conversation.undo import UndoRecord, undo_write
from shared.errors import PermanentError

AnyOverlay: TypeAlias = Overlay[Any]
BeginOverlay: TypeAlias = Callable[[Attempt], AnyOverlay]
"""Begins a feature's overlay for an attempt; reads nothing."""

_O = TypeVar("_O", bound=AnyOverlay)


class Staged:
    """The overlays of an attempt at a turn, one a feature; without overlays, the turn changes nothing of the chat."""

    def __init__(self, overlays: Sequence[AnyOverlay] = (), *, attempt: Attempt | None = None) -> None:
        self.overlays = tuple(overlays)
        self._attempt = overlays[0].attempt if overlays else attempt
        self._lock = self._attempt.lock if self._attempt is not None else threading.RLock()
        self._shown = Provenance()
        self._undo_record: UndoRecord | None = None

    @classmethod
    def begin(cls, attempt: Attempt, features: Sequence[BeginOverlay]) -> "Staged":
        """Return the attempt with an overlay of each feature and nothing staged; reads nothing."""
        return cls([begin_overlay(attempt) for begin_overlay in features])

    def dropped(self) -> "Staged":
        """Return the attempt with nothing staged: for example, of a turn that ends with an apology."""
        return Staged(attempt=self._attempt)

    def of(self, kind: type[_O]) -> _O:
        """Return the overlay of this class: `staged.of(EntryOverlay)`.  Raises: TypeError, where the deployment lacks the feature."""
        overlay = self.find(kind)
        if overlay is None:
            raise TypeError(f"the turn stages no {kind.__name__}")
        return overlay

    def find(self, kind: type[_O]) -> _O | None:
        """Return the overlay of this class; None where the deployment lacks the feature."""
        return next((overlay for overlay in self.overlays if isinstance(overlay, kind)), None)

    @contextmanager
    def together(self) -> Iterator[None]:
        """Keep other threads from changing anything inside the block."""
        with self._lock:
            yield

    @contextmanager
    def as_one_step(self) -> Iterator[None]:
        """Make what the block stages one step, whatever feature it is of: an undo takes all of it back, and so does an error of the block.

        For example, a poll and the reminder at its closing time. Other threads change nothing meanwhile.
        """
        with self._lock:
            steps = self._attempt.steps if self._attempt is not None else []
            first = len(steps)
            try:
                yield
            except BaseException:
                while len(steps) > first:
                    steps.pop().revert()
                raise
            _merge(steps, first)

    @property
    def deeds(self) -> tuple[Deed, ...]:
        """The effects of the staged writes of every feature, compared with the bucket."""
        return tuple(itertools.chain.from_iterable(overlay.deeds for overlay in self.overlays))

    @property
    def provenance(self) -> Provenance:
        """The provenance of everything stored that the model was shown, and of everything staged."""
        with self._lock:
            return Provenance.union((self._shown, *(overlay.provenance for overlay in self.overlays)))

    def mark_shown(self, provenance: Provenance) -> None:
        """Remember the provenance of something shown to the model."""
        with self._lock:
            self._shown |= provenance

    @property
    def filed_paths(self) -> tuple[str, ...]:
        """The paths of what the turn filed or moved."""
        return tuple(itertools.chain.from_iterable(overlay.filed_paths for overlay in self.overlays))

    @property
    def filed_confidence(self) -> float | None:
        """The confidence of the turn's last classification; None where the turn filed nothing."""
        return next(
            (confidence for overlay in self.overlays if (confidence := overlay.filed_confidence) is not None), None
        )

    def changes(self, *, acted_outside: bool = False) -> tuple[StagedWrite, ...]:
        """Return the staged writes of every feature and accept no more; last comes the undo record, where anything changes.

        `acted_outside`: the turn also wrote to another service, or may have, which no undo takes back.
        """
        with self._lock:
            writes: list[StagedWrite] = []
            for overlay in self.overlays:
                writes += overlay.changes(first_number=len(writes))
            if self._attempt is not None and (writes or acted_outside):
                before = [change for overlay in self.overlays for change in overlay.before]
                provenance = Provenance.union(one for _, one in before)
                key = (self._attempt.sequence, len(writes))
                writes.append(undo_write((write for write, _ in before), provenance, key=key, is_partial=acted_outside))
            return tuple(writes)

    @property
    def has_changed(self) -> bool:
        """Whether the turn has changed something itself, so that `undo` leaves earlier turns alone."""
        return self._attempt is not None and bool(self._attempt.steps or self._attempt.is_undone)

    def show_undo(self) -> tuple[str, ...]:
        """Return the names of what `undo` would change of an earlier turn; none where `undo` takes back a step of this turn.

        Raises: StagingFault, where there is nothing to undo.
        """
        with self._lock:
            if self.has_changed:
                return ()
            before = self._before_last_turn()
            return tuple(itertools.chain.from_iterable(one.show_before(things) for one, things in before.items()))

    @property
    def last_undo(self) -> UndoRecord:
        """The undo record of the earlier turn that did something last; a single read in a turn."""
        with self._lock:
            return self._read_undo()

    def undo(self) -> UndoEffect:
        """Take back the last step of this turn, or else the changes of the last turn, whatever feature they are of.

        For example, after a turn that cancelled a reminder, the reminder is set again.
        Raises: StagingFault, where there is nothing to undo: only a single turn can be undone.
        """
        with self._lock:
            if self._attempt is not None and self._attempt.steps:
                step = self._attempt.steps.pop()
                step.revert()
                return step.effect
            if self._attempt is None or self._attempt.is_undone:
                raise StagingFault("There is nothing to undo.")
            restorations = [one.prepare_restoration(things) for one, things in self._before_last_turn().items()]
            self._attempt.is_undone = True
            return sum((restore() for restore in restorations), start=UndoEffect())

    def _before_last_turn(self) -> dict[AnyOverlay, dict[str, Any]]:
        """Return the things as they were before the last turn with changes, by overlay.  Raises: StagingFault, where there are none.

        There are none either where a message behind any of them was withdrawn since, or where the deployment lacks their feature.
        """
        record, attempt = self._read_undo(), self._attempt
        before: dict[AnyOverlay, dict[str, Any]] = {}
        try:
            if attempt is not None and not record.provenance.has_withdrawn(attempt.is_withdrawn):
                for write in record.before:
                    overlay, thing_id = self._owner_of(write.path)
                    thing = overlay.read_text(thing_id, write.text) if write.text is not None else None
                    before.setdefault(overlay, {})[thing_id] = thing
        except (PermanentError, LookupError):
            before = {}
        if not before:
            raise StagingFault("There is nothing to undo.")
        return before

    def _owner_of(self, path: str) -> tuple[AnyOverlay, str]:
        """Return the overlay of a staged write, and the id of the thing.  Raises: LookupError."""
        for overlay in self.overlays:
            if overlay.owns(path):
                return overlay, path.removeprefix(overlay.path_prefix)
        raise LookupError("a feature that this deployment lacks")

    def _read_undo(self) -> UndoRecord:
        """Return the bucket's undo record; a single read in a turn."""
        if self._undo_record is None:
            self._undo_record = UndoRecord.stored(self._attempt.conversation) if self._attempt else UndoRecord()
        return self._undo_record


def _merge(steps: list[Step], first: int) -> None:
    """Make the steps from `first` on a single one, which is taken back from its last part to its first."""
    parts = steps[first:]

    def revert() -> None:
        for part in reversed(parts):
            part.revert()

    if len(parts) > 1:
        steps[first:] = [Step(sum((part.effect for part in parts), start=UndoEffect()), revert)]
