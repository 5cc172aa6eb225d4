"""Scenes of what the members of a chat pay for each other."""

from typing import Final

from shared.expenses.expense import FOLDER
from tests.simulation.people import PERSON, Order
from tests.simulation.press_checks import PRESS_LATE
from tests.simulation.scene import MINUTE_S, Scene
from tests.simulation.wiring import LEAST

_TOKEN_IS_DEAD_S: Final = 66.0


def expense_that_is_noted() -> list[str]:
    """A member pays for others."""
    with Scene(has_expenses=True).playing() as scene:
        scene.runs_to_end(scene.asks_for("pay"))
        return scene.rests(calm=True)


def expense_of_a_worker_that_dies() -> list[str]:
    """The worker dies when the amount is committed and not yet written; the redelivery writes it, once."""
    with Scene(has_expenses=True).playing() as scene:
        message = scene.says(verb="pay")
        delivery = scene.delivers(message)
        worker = scene.pushes(delivery)
        scene.runs_until(worker, "write expenses/")
        scene.dies(worker)
        scene.sleeps(60)
        scene.runs_to_end(scene.pushes(scene.delivers(message)))
        return scene.rests()


def expense_that_is_taken_back() -> list[str]:
    """A member pays for others and takes the message back; a settlement in between does not keep the amount."""
    with Scene(has_expenses=True).playing() as scene:
        paid = scene.says(verb="pay")
        scene.runs_to_end(scene.pushes(scene.delivers(paid)))
        scene.sleeps(1)
        scene.runs_to_end(scene.asks_for("settle"))
        scene.sleeps(1)
        scene.runs_to_end(scene.takes_back(paid))
        return scene.rests()


def expenses_that_are_settled_again() -> list[str]:
    """Members settle up, pay again, and settle up again: the second settlement closes only what was paid in between."""
    with Scene(has_expenses=True).playing() as scene:
        for verb in ("pay", "settle", "pay", "settle"):
            scene.runs_to_end(scene.asks_for(verb))
            scene.sleeps(1)
        return scene.rests(calm=True)


def expense_that_is_corrected_late() -> list[str]:
    """The worker that corrects an amount sleeps before its write; the next turn removes the expense, and the late write changes nothing."""
    with Scene(has_expenses=True).playing() as scene:
        scene.runs_to_end(scene.asks_for("pay"))
        scene.sleeps(1)
        worker = scene.asks_for("correct")
        scene.runs_until(worker, "write expenses/")
        scene.sleeps(60)
        scene.runs_to_end(scene.asks_for("unpay"))
        scene.runs_to_end(worker)
        return scene.rests()


def expense_of_a_receipt() -> list[str]:
    """A member asks to split the receipt in a picture: the bot asks with a button, and two presses book the expense once."""
    with Scene(has_expenses=True).playing() as scene:
        picture = scene.sends_image()
        scene.runs_to_end(scene.pushes(scene.delivers(picture)))
        scene.sleeps(1)
        scene.runs_to_end(scene.pushes(scene.delivers(scene.says(verb="pay", quotes=picture.id))))
        before = _open_expenses(scene)
        buttons = [said.button for said in scene.world.truth.said if said.button is not None]
        for button in buttons[-1:] * 2:
            scene.sleeps(1)
            scene.runs_to_end(scene.pushes(scene.presses(button)))
        after = _open_expenses(scene)
        found = ["I11: an expense of a picture was booked without a tap"] if before else []
        found += [] if after == 1 else ["I2: the taps did not book the expense once"]
        return [*found, *scene.rests()]


def balance_that_is_settled_by_presses() -> list[str]:
    """Two members press "Settle up" below a balance; the worker of the first dies before the press is recorded, the next one ends it."""
    with Scene(has_expenses=True).playing() as scene:
        order = _settles(scene)
        worker = scene.pushes(scene.delivers_order(order))
        scene.runs_until(worker, "write journal/")
        scene.dies(worker)
        scene.sleeps(MINUTE_S)
        scene.runs_to_end(scene.pushes(scene.delivers_order(order)))
        again = scene.stage.people.settle(order.presses, at_s=scene.world.now_s)
        scene.runs_to_end(scene.pushes(scene.delivers_order(again)))
        found = [] if _settlements(scene) == 1 else ["I10: what a press was told to have settled is open"]
        return [*found, *scene.rests()]


def press_that_settles_whose_token_dies() -> list[str]:
    """A press of "Settle up" comes late, while the model thinks: nothing is settled, and the next answer says so."""
    with Scene(has_expenses=True).playing() as scene:
        delivery = scene.delivers_order(_settles(scene))
        scene.sleeps(_TOKEN_IS_DEAD_S)
        asking = scene.asks()
        scene.runs_until(asking, "model")
        scene.runs_to_end(scene.pushes(delivery))
        scene.runs_to_end(asking)
        for _ in range(2):
            scene.sleeps(1)
            scene.runs_to_end(scene.asks())
        told = sum(any(late in text for late in PRESS_LATE) for text in scene.said)
        is_right = told == 1 and not _settlements(scene)
        found = [] if is_right else ["I6: a press that settles, whose token died, was not told of, or not once"]
        return [*found, *scene.rests()]


def expense_before_a_press_that_settles() -> list[str]:
    """A press of "Settle up" waits for the turn of a message that pays for others: nothing is settled, and the card is shown anew."""
    with Scene(has_expenses=True).playing() as scene:
        scene.stage.mood.replies_beside = 1.0
        order = _settles(scene)
        scene.runs_behind(order, scene.says(verb="pay"))
        found = [] if _settlements(scene) == 0 else ["I9: a press settled an expense that its presser had not seen"]
        return [*scene.rests(), *found]


def balance_after_a_settlement_that_is_taken_back() -> list[str]:
    """An expense is settled by a press; two messages behind another press file a new one and ask who owes what; then the first is unsent.

    The answer to the two has nothing of the unsent message but the people who shared it, as the receipt of the settlement names them.
    """
    with Scene(group=True, has_expenses=True, manner="paraphrases", limits=LEAST).playing() as scene:
        order = _settles(scene)
        paid = scene.stage.people.messages[0]
        scene.runs_to_end(scene.pushes(scene.delivers(scene.says(addressed=False))))
        scene.sleeps(1)
        scene.runs_to_end(scene.pushes(scene.delivers_order(order)))
        scene.sleeps(1)
        again = scene.stage.people.settle(order.presses, at_s=scene.world.now_s)
        pressing = scene.pushes(scene.delivers_order(again))
        scene.runs_until(pressing, "write journal/")
        waiting = []
        for verb in ("pay", "owe"):
            waiting.append(scene.asks_for(verb))
            scene.runs_until(waiting[-1], "waits for a while")
        for worker in (pressing, *reversed(waiting)):
            scene.runs_to_end(worker)
        scene.sleeps(1)
        scene.takes_effect(scene.takes_back(paid))
        return scene.rests()


def _settles(scene: Scene) -> Order:
    """A member pays for others, asks who owes what, and presses "Settle up"; nothing is delivered yet."""
    for verb in ("pay", "owe"):
        scene.runs_to_end(scene.asks_for(verb))
        scene.sleeps(1)
    (button,) = scene.world.truth.said[-1].settles
    return scene.stage.people.settle(button, at_s=scene.world.now_s)


def _settlements(scene: Scene) -> int:
    names = (one.name.rpartition("/")[2] for one in scene.world.objects.list(f"{FOLDER}/{PERSON}/"))
    return sum(name.startswith("s") for name in names)


def _open_expenses(scene: Scene) -> int:
    return len(scene.world.objects.list(f"{FOLDER}/{PERSON}/"))
