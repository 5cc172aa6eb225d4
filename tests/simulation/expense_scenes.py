"""Scenes of what the members of a chat pay for each other."""

from shared.expenses.expense import FOLDER
from tests.simulation.people import PERSON
from tests.simulation.scene import Scene


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


def _open_expenses(scene: Scene) -> int:
    return len(scene.world.objects.list(f"{FOLDER}/{PERSON}/"))
