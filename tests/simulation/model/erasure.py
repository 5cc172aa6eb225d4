"""Erase: the watermark first (the largest wins), then the same procedure as for an unsend, over everything that is older."""

from tests.simulation.model.edits import drop_erased_edit
from tests.simulation.model.reading import AMENDED
from tests.simulation.model.records import Amendment, Watermark
from tests.simulation.model.unsend import withdraw
from tests.simulation.model.world import ERASED, Run, Steps


def erase(run: Run, timestamp_s: float) -> Steps[None]:
    """Nothing up to this timestamp is in any object; what came later stays.  Repeated, or older than another erasure: does nothing new."""
    while True:
        stored = yield from run.read(ERASED, Watermark)
        if stored is not None and stored.value.timestamp_s >= timestamp_s and run.guards.largest_watermark_wins:
            break
        watermark = Watermark(timestamp_s=timestamp_s)
        if (yield from run.write(ERASED, watermark, stored.generation if stored else 0)) is not None:
            break
    for name, written_s in run.world.timestamps_s.items():
        if written_s <= timestamp_s:
            run.world.withdrawn(name)
    yield from _erase_edits(run, timestamp_s)
    yield from withdraw(run, None)
    _forget(run, timestamp_s)


def _erase_edits(run: Run, timestamp_s: float) -> Steps[None]:
    for name in (yield from run.names(AMENDED)):
        stored = yield from run.read(name, Amendment)
        if stored is not None and stored.value.timestamp_s <= timestamp_s and run.guards.erases_edits:
            yield from drop_erased_edit(run, stored.value.line_message_id, timestamp_s)


def _forget(run: Run, timestamp_s: float) -> None:
    for texts in run.world.words.values():
        for word, at_s in texts:
            if at_s <= timestamp_s:
                run.world.truth.forget(word)
