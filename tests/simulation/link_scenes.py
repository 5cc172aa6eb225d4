"""Scenes of links: a page gives orders, and a link is taken back while the model thinks."""

from tests.simulation.scene import LONG_SLEEP_S, Scene


def page_that_gives_orders() -> list[str]:
    """A member files something, then has a page read; the model obeys the page, which wants a deletion and another page."""
    with Scene(has_knowledge=True, has_links=True).playing() as scene:
        scene.runs_to_end(scene.asks_for("file"))
        scene.sleeps(1)
        scene.runs_to_end(scene.asks_for("read"))
        is_read = bool(scene.world.truth.page_requests)
        return [*([] if is_read else ["I6: no page was read"]), *scene.rests(calm=True)]


def deletion_beside_a_page() -> list[str]:
    """One turn answers a member who has an entry deleted and one who has a page read; the page wants another deletion."""
    with Scene(has_knowledge=True, has_links=True).playing() as scene:
        for _ in range(3):
            scene.runs_to_end(scene.asks_for("file"))
            scene.sleeps(1)
        scene.asks_for_together("delete", "read")
        is_deleted = any("✓ Deleted" in text for text in scene.said)
        return [*([] if is_deleted else ["I6: a deletion was not made beside a page"]), *scene.rests(calm=True)]


def link_that_is_taken_back_while_the_model_thinks() -> list[str]:
    """The worker sleeps while the model answers.  Meanwhile the withdrawal takes effect; then the tool would ask for the page."""
    with Scene(has_knowledge=True, has_links=True).playing() as scene:
        message = scene.says(verb="read")
        worker = scene.pushes(scene.delivers(message))
        scene.runs_until(worker, "model")
        scene.runs_past(worker, "list amended/")
        scene.sleeps_in(worker, seconds=LONG_SLEEP_S)
        scene.takes_effect(scene.takes_back(message))
        scene.runs_to_end(worker)
        return scene.rests()
