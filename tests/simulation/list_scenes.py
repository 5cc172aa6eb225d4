"""Scenes of what the members of a chat put on a list, tick and clear."""

from functools import partial
from typing import Final

from shared.knowledge.catalog import Row
from shared.knowledge.schema import DONE, LIST
from shared.knowledge.shared_lists import handle_of_list
from shared.line.phrases import Phrase
from shared.line.postback_data import ListChoice, ListPress
from tests.simulation.fixed_texts import in_every_language
from tests.simulation.listed import listed_rows, ticks
from tests.simulation.people import Order
from tests.simulation.press_checks import PRESS_LATE, answers_to
from tests.simulation.scene import MINUTE_S, Scene

_ITEMS: Final = 8
"""More than may wait for a turn in one instance."""
_BUBBLES: Final = 4
_LATE_TICKS: Final = 3
_TOKEN_IS_DEAD_S: Final = 66.0
_WAS_DONE: Final = in_every_language(Phrase.ENTRY_WAS_DONE)
_CLEARED_LATER_MS: Final = 10**15
"""The time of a card that shows everything that is ticked by the press."""


def item_that_is_put_there_twice() -> list[str]:
    """Two members ask for the same thing, one after the other: it stands on the list once."""
    with Scene(has_knowledge=True, has_lists=True).playing() as scene:
        scene.stage.mood.names, scene.stage.mood.replies_beside = ("milk",), 1.0
        for _ in range(2):
            scene.runs_to_end(scene.asks_for("buy"))
            scene.sleeps(1)
        return scene.rests(calm=True)


def list_that_is_cleared() -> list[str]:
    """Of two items one is ticked; a press clears, its worker dies before the press is recorded, and the next delivery ends it."""
    with Scene(has_knowledge=True, has_lists=True).playing() as scene:
        for _ in range(2):
            scene.runs_to_end(scene.asks_for("buy"))
            scene.sleeps(1)
        scene.runs_to_end(scene.pushes(scene.delivers_order(ticks(scene.world, scene.stage.people, _rows(scene)[0]))))
        scene.sleeps(1)
        order = _clears(scene)
        worker = scene.pushes(scene.delivers_order(order))
        scene.runs_until(worker, "write journal/")
        scene.dies(worker)
        scene.sleeps(MINUTE_S)
        scene.runs_to_end(scene.pushes(scene.delivers_order(order)))
        return [*_ticked_items(scene), *scene.rests()]


def item_that_is_ticked_and_cleared_in_a_turn() -> list[str]:
    """Two messages are answered together, of which one asks to tick the only item and the other to clear the list: the item goes."""
    with Scene(has_knowledge=True, has_lists=True).playing() as scene:
        scene.runs_to_end(scene.asks_for("buy"))
        scene.sleeps(1)
        scene.asks_for_together("tick", "clear")
        is_there = [*(["I10: a ticked item stands although a turn cleared it"] if _rows(scene) else [])]
        return [*is_there, *scene.rests(calm=True)]


def two_items_ticked_at_once(seed: int = 0) -> list[str]:
    """Two members press beside two items of one card at once: both are ticked; `seed` decides which of two calls comes first."""
    with Scene(seed=seed, has_knowledge=True, has_lists=True).playing() as scene:
        for _ in range(2):
            scene.runs_to_end(scene.asks_for("buy"))
            scene.sleeps(1)
        presses = [ticks(scene.world, scene.stage.people, row) for row in _rows(scene)]
        workers = [scene.pushes(scene.delivers_order(press)) for press in presses]
        for worker in workers:
            scene.runs_to_end(worker)
        is_open = len(presses) < 2 or any(row.status != DONE for row in _rows(scene))
        return [*(["I6: an item is open although a press ticked it"] if is_open else []), *scene.rests()]


def items_ticked_in_a_row() -> list[str]:
    """A member asks something, and while the model thinks, presses beside each of eight items, one a second.

    All are ticked, each press is told of once, and a turn tells of all that wait behind it.
    """
    with Scene(seconds=8.0, has_knowledge=True, has_lists=True).playing() as scene:
        for _ in range(_ITEMS):
            scene.runs_to_end(scene.asks_for("buy"))
            scene.sleeps(1)
        presses = list[Order]()

        def press(row: Row) -> None:
            presses.append(ticks(scene.world, scene.stage.people, row))
            scene.pushes(scene.delivers_order(presses[-1]), instance=0)

        scene.asks(instance=0)
        for number, row in enumerate(_rows(scene), start=1):
            scene.world.scheduler.at(scene.world.now_s + number, partial(press, row))
        found = scene.rests()
        story = scene.stage.stories()[0]
        tokens = {one.reply_token for one in presses}
        bubbles = [said.text for said in scene.world.truth.said if said.reply_token in tokens]
        if any(row.status != DONE for row in _rows(scene)):
            found.append("I6: an item is open although a press ticked it")
        if any(answers_to(story, one) != 1 for one in presses):
            found.append("I6: a press beside an item was not answered once")
        if any(text in _WAS_DONE for text in bubbles):
            found.append("I6: a press was told that its item had been done before")
        if len(bubbles) > _BUBBLES:
            found.append(f"I6: {len(presses)} presses in a row were answered by {len(bubbles)} bubbles")
        return found


def ticks_whose_tokens_die() -> list[str]:
    """A member asks something. Three presses come late while the model thinks, one of them beside an item that was ticked since.

    The other two are told of, once together, below the next answer.
    """
    with Scene(has_knowledge=True, has_lists=True).playing() as scene:
        for _ in range(_LATE_TICKS):
            scene.runs_to_end(scene.asks_for("buy"))
            scene.sleeps(1)
        orders = [ticks(scene.world, scene.stage.people, row) for row in _rows(scene)]
        orders.append(ticks(scene.world, scene.stage.people, _rows(scene)[0]))
        late = [scene.delivers_order(order) for order in orders[1:]]
        scene.runs_to_end(scene.pushes(scene.delivers_order(orders[0])))
        scene.sleeps(_TOKEN_IS_DEAD_S)
        asking = scene.asks()
        scene.runs_until(asking, "model")
        for delivery in late:
            scene.runs_to_end(scene.pushes(delivery))
        scene.runs_to_end(asking)
        for _ in range(2):
            scene.sleeps(1)
            scene.runs_to_end(scene.asks())
        outcomes = (said.outcome for said in scene.world.truth.said if any(text in said.text for text in PRESS_LATE))
        told = [outcome for outcome in outcomes if outcome is not None]
        expected = {order.id for order in orders[1:-1]}
        is_told = len(told) == 1 and set(told[0].answers) == expected
        once = is_told and sum((told[0].text or "").count(text) for text in PRESS_LATE) == 1
        return [*([] if once else ["I6: presses whose tokens died were not told of, or not once"]), *scene.rests()]


def item_that_is_put_back_before_a_clear() -> list[str]:
    """A press that clears waits for the turn of a message that puts the ticked item back: the item stays."""
    with Scene(has_knowledge=True, has_lists=True).playing() as scene:
        scene.stage.mood.names, scene.stage.mood.replies_beside = ("milk",), 1.0
        scene.runs_to_end(scene.asks_for("buy"))
        scene.sleeps(1)
        scene.runs_to_end(scene.pushes(scene.delivers_order(ticks(scene.world, scene.stage.people, _rows(scene)[0]))))
        scene.sleeps(1)
        order = _clears(scene)
        scene.runs_behind(order, scene.says(verb="buy"))
        is_lost = [row.status for row in _rows(scene)] != ["pending"]
        return [*(["I9: an item that was put back was cleared"] if is_lost else []), *scene.rests()]


def _clears(scene: Scene) -> Order:
    handle = handle_of_list(_rows(scene)[0].shown[LIST])
    press = ListPress(choice=ListChoice.CLEAR, handle=handle, number=_CLEARED_LATER_MS - 1)
    return scene.stage.people.press_listed(press.data, at_s=scene.world.now_s)


def _rows(scene: Scene) -> tuple[Row, ...]:
    return listed_rows(scene.world, scene.stage.people)


def _ticked_items(scene: Scene) -> list[str]:
    """Return what is wrong after a clear: only the open item is there."""
    is_wrong = [row.status for row in _rows(scene)] != ["pending"]
    return ["I10: a ticked item stands although a press was told that it was cleared"] if is_wrong else []
