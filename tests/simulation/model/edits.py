"""Edit: the amendment first, then the message's own text wherever it is kept.  Answers that were given keep their words."""

from tests.simulation.model.reading import amended_name, read_amendments
from tests.simulation.model.records import Amendment
from tests.simulation.model.unsend import amend, rewrite_snapshot, touch_turn
from tests.simulation.model.worker import bring_up_to_date
from tests.simulation.model.world import Run, Steps


def edit(run: Run, line_message_id: str, timestamp_s: float, text: str) -> Steps[None]:
    """Readers see the newest text, and no prompt that starts later holds an older one.  Repeated, reordered, too late: changes nothing."""
    yield from amend(run, Amendment(line_message_id=line_message_id, timestamp_s=timestamp_s, text=text))
    amendments = yield from read_amendments(run)
    if timestamp_s <= amendments.erased_s and run.guards.erases_edits:
        yield from drop_erased_edit(run, line_message_id, amendments.erased_s)
        return
    yield from bring_up_to_date(run, line_message_id)
    yield from touch_turn(run, (line_message_id,), amendments)
    yield from rewrite_snapshot(run)
    _superseded(run, line_message_id, timestamp_s)


def drop_erased_edit(run: Run, line_message_id: str, erased_s: float) -> Steps[None]:
    """An edit from before the watermark is no more; its message is withdrawn."""
    name = amended_name(line_message_id)
    while True:
        stored = yield from run.read(name, Amendment)
        if stored is None or stored.value.text is None or stored.value.timestamp_s > erased_s:
            return
        emptied = Amendment(line_message_id=line_message_id, timestamp_s=stored.value.timestamp_s, text=None)
        if (yield from run.write(name, emptied, stored.generation)) is not None:
            return


def _superseded(run: Run, line_message_id: str, timestamp_s: float) -> None:
    """Take down which texts nobody should see any more."""
    truth = run.world.truth
    truth.edited_s[line_message_id] = max(timestamp_s, truth.edited_s.get(line_message_id, timestamp_s))
    for word, at_s in run.world.words[line_message_id]:
        if at_s < timestamp_s:
            truth.superseded.setdefault(word, run.world.now_s)
