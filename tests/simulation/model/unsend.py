"""Withdraw: the amendment first, then every place that can hold the words, always, and once more one lease later."""

from collections.abc import Mapping
from dataclasses import replace

from tests.simulation.model.entries import clean_entries
from tests.simulation.model.reading import JOURNAL, OUTCOME, amended_name, message_name, read_amendments
from tests.simulation.model.records import Amendment, Amendments, Message, Outcome, Snapshot, Turn
from tests.simulation.model.speaking import take_words_out
from tests.simulation.model.world import SNAPSHOT, TURN, Run, Steps
from tests.simulation.product.times import SECOND_PASS_S


def unsend(run: Run, line_message_id: str, timestamp_s: float) -> Steps[None]:
    """No object holds the message's words, and whoever writes them later finds that they were taken back.  Repeated: does nothing new."""
    yield from amend(run, Amendment(line_message_id=line_message_id, timestamp_s=timestamp_s, text=None))
    run.world.withdrawn(line_message_id)
    yield from withdraw(run, line_message_id)
    for word, _ in run.world.words[line_message_id]:
        run.world.truth.forget(word)


def amend(run: Run, amendment: Amendment) -> Steps[None]:
    """The newest amendment stands, whatever the order; a withdrawal is final."""
    name = amended_name(amendment.line_message_id)
    while True:
        stored = yield from run.read(name, Amendment)
        if stored is not None and _stands(run, stored.value, amendment):
            return
        if (yield from run.write(name, amendment, stored.generation if stored else 0)) is not None:
            return


def withdraw(run: Run, line_message_id: str | None) -> Steps[None]:
    """What the amendments and the watermark say is withdrawn is in no object.  None: an erasure, so every message is looked at.

    The second pass is for writers that died, or were killed, between their write and their look: one lease later there are none left.
    """
    yield from _sweep(run, line_message_id)
    if run.guards.passes_twice:
        yield SECOND_PASS_S
        yield from _sweep(run, line_message_id)


def touch_turn(run: Run, cancelled: tuple[str, ...], amendments: Amendments) -> Steps[None]:
    """The holder's next swap is lost, and it finds what was cancelled; a committed outcome loses the words.  The swap is always made."""
    while True:
        stored = yield from run.read_turn()
        touched = _touched(run, stored.value, cancelled, amendments)
        if (yield from run.write(TURN, touched, stored.generation)) is not None:
            return


def rewrite_snapshot(run: Run, *, needed: bool = True) -> Steps[None]:
    """The snapshot is as the amendments want it.  It is rewritten in any case, so that a compaction under way loses its swap."""
    while True:
        stored = yield from run.read_snapshot()
        amendments = yield from read_amendments(run)
        value = cleaned(stored.value.messages, stored.value.outcomes, amendments)
        unchanged = (value.messages, value.outcomes) == (stored.value.messages, stored.value.outcomes)
        if unchanged and not needed:
            return
        value = replace(value, writer=run.world.number())
        if (yield from run.write(SNAPSHOT, value, stored.generation)) is not None:
            return


def cleaned(messages: Mapping[str, Message], outcomes: Mapping[str, Outcome], amendments: Amendments) -> Snapshot:
    """Return a snapshot of these without what was withdrawn, with what was edited."""
    return Snapshot(
        messages={
            one: amendments.overlaid(message) for one, message in messages.items() if not amendments.withdraw(message)
        },
        outcomes={
            one: outcome.without_words() if amendments.touch(outcome) else outcome for one, outcome in outcomes.items()
        },
    )


def _sweep(run: Run, line_message_id: str | None) -> Steps[None]:
    amendments = yield from read_amendments(run)
    if line_message_id is None:
        yield from _delete_erased(run, amendments)
    else:
        yield from run.delete(message_name(line_message_id))
    yield from touch_turn(run, () if line_message_id is None else (line_message_id,), amendments)
    yield from rewrite_snapshot(run, needed=run.guards.always_rewrites_snapshot)
    for name in (yield from run.names(JOURNAL)):
        if not name.endswith(OUTCOME):
            continue
        stored = yield from run.read(name, Outcome)
        if stored is not None and amendments.touch(stored.value):
            yield from take_words_out(run, name)
    yield from clean_entries(run, amendments)


def _delete_erased(run: Run, amendments: Amendments) -> Steps[None]:
    for name in (yield from run.names(JOURNAL)):
        if name.endswith(OUTCOME):
            continue
        stored = yield from run.read(name, Message)
        if stored is not None and amendments.withdraw(stored.value):
            yield from run.delete(name)


def _touched(run: Run, turn: Turn, cancelled: tuple[str, ...], amendments: Amendments) -> Turn:
    turn = replace(turn, writer=run.world.number())
    if turn.state == "thinking" and run.guards.adds_to_cancelled:
        return replace(
            turn,
            cancelled=tuple(sorted({*turn.cancelled, *cancelled})),
            erased_s=max(turn.erased_s, amendments.erased_s),
        )
    outcome = turn.outcome
    if outcome is not None and amendments.touch(outcome) and outcome.holds_words and run.guards.takes_text_out_of_turn:
        return replace(turn, outcome=outcome.without_words("withdrawn"))
    return turn


def _stands(run: Run, there: Amendment, new: Amendment) -> bool:
    if there.text is None:
        return run.guards.withdrawn_is_final or new.text is None
    return new.text is not None and there.timestamp_s >= new.timestamp_s and run.guards.newest_edit_wins
