"""Scenes of changes that wait for a person's tap."""

from dataclasses import replace
from typing import Final

from shared.line.phrases import Phrase
from shared.line.postback_data import AnswerButton, AnswerPress, SparePress
from tests.simulation.calendars import commands, member_leaves
from tests.simulation.fixed_texts import in_every_language
from tests.simulation.people import Message
from tests.simulation.refused_presses import DECLINED
from tests.simulation.scene import Scene

_LINE_IS_QUICK: Final = 1  # a seed with which LINE has the picture ready
_LATE_S: Final = 610.0
_DELETED: Final = "✓ Deleted"
_CHANGED: Final = "✓ Changed"
_PUT_BACK: Final = "✓ Put back"
_ANOTHER_ADDRESS: Final = in_every_language(Phrase.CALENDAR_RENEWED)


def two_taps() -> list[str]:
    """An answer proposes a page, because its turn has looked at a picture. Two members press the button at once."""
    with _scene().playing() as scene:
        button = _proposes(scene)[1]
        one, other = scene.presses(button), scene.presses(button)
        scene.pushes(one)
        scene.pushes(other)
        return _with_pages(scene, scene.rests(), 1)


def late_tap() -> list[str]:
    """The same. The button is pressed eleven minutes later."""
    with _scene().playing() as scene:
        button = _proposes(scene)[1]
        scene.sleeps(_LATE_S)
        scene.runs_to_end(scene.pushes(scene.presses(button)))
        return _with_pages(scene, scene.rests(), 0)


def tap_after_the_unsend() -> list[str]:
    """The same. The message that asked is withdrawn, and then the button is pressed."""
    with _scene().playing() as scene:
        asked, button = _proposes(scene)
        scene.takes_effect(scene.takes_back(asked))
        scene.runs_to_end(scene.pushes(scene.presses(button)))
        return _with_pages(scene, scene.rests(), 0)


def tap_whose_worker_dies() -> list[str]:
    """The same. The worker dies after the page was made, before that is committed; the press is delivered again."""
    with _scene().playing() as scene:
        button = _proposes(scene)[1]
        press = scene.presses(button)
        request = scene.pushes(press)
        scene.runs_past(request, "Notion create page")
        scene.dies(request)
        return _with_pages(scene, scene.rests(), 1)


def tap_after_a_change() -> list[str]:
    """An answer proposes to undo the last change; a note is added by another tap, and then the first button is pressed."""
    with Scene(seed=_LINE_IS_QUICK, has_knowledge=True).playing() as scene:
        scene.runs_to_end(scene.asks_for("file"))
        scene.sleeps(1)
        undoes, notes = (_proposes(scene, verb)[1] for verb in ("undo", "note"))
        for button in (notes, undoes):
            scene.runs_to_end(scene.pushes(scene.presses(button)))
            scene.sleeps(1)
        violations = scene.rests()
        is_undone = any(_PUT_BACK in text for text in scene.said)
        return (
            [*violations, "I9: a tap took back a change that was made after the question"] if is_undone else violations
        )


def tap_of_a_replaced_question() -> list[str]:
    """An answer proposes to delete an entry; a newer one proposes a note to the same entry, and the older button is pressed."""
    with Scene(seed=_LINE_IS_QUICK, has_knowledge=True).playing() as scene:
        scene.runs_to_end(scene.asks_for("file"))
        scene.sleeps(1)
        deletes, _ = (_proposes(scene, verb)[1] for verb in ("delete", "note"))
        scene.runs_to_end(scene.pushes(scene.presses(deletes)))
        violations = scene.rests()
        is_deleted = any(_DELETED in text for text in scene.said)
        return (
            [*violations, "I9: a tap answered a question that a newer one had replaced"] if is_deleted else violations
        )


def tap_of_what_another_tap_has_done() -> list[str]:
    """Two answers propose to put the same thing on a list. Both are pressed: the second has nothing to change, and is told so."""
    with Scene(seed=_LINE_IS_QUICK, has_knowledge=True, has_lists=True).playing() as scene:
        scene.stage.mood.names, scene.stage.mood.replies_beside = ("milk",), 1.0
        buttons = [_proposes(scene, "buy")[1] for _ in range(2)]
        for button in buttons:
            scene.runs_to_end(scene.pushes(scene.presses(button)))
            scene.sleeps(1)
        return scene.rests(calm=True)


def tap_beside_another_question() -> list[str]:
    """One answer proposes a note, and to erase messages. Somebody spares the messages, and then presses "Do it": the note is made."""
    with Scene(seed=_LINE_IS_QUICK, has_knowledge=True).playing() as scene:
        scene.runs_to_end(scene.asks_for("file"))
        scene.sleeps(1)
        scene.runs_to_end(scene.pushes(scene.delivers(scene.sends_image())))
        scene.sleeps(1)
        scene.asks_for_together("note", "forget")
        scene.sleeps(1)
        answered = scene.world.truth.said[-1].outcome
        if answered is None or not answered.offer.forgets or not answered.offer.proposes:
            raise AssertionError("the answer has not both questions")
        spares = SparePress(question_id=answered.webhook_event_id).data
        scene.runs_to_end(scene.pushes(scene.delivers_order(scene.stage.people.spare(spares, at_s=scene.world.now_s))))
        notes = AnswerPress(button=AnswerButton.CARRY_OUT, answer_id=answered.webhook_event_id).data
        scene.runs_to_end(scene.pushes(scene.presses(notes)))
        is_noted = any(text.startswith(_CHANGED) for text in scene.said)
        return [
            *([] if is_noted else ["I6: a tap was refused because of another question of its answer"]),
            *scene.rests(),
        ]


def tap_that_declines_after_a_member_has_left() -> list[str]:
    """An answer proposes to delete an entry; a member leaves, and the question is declined: the press is told both."""
    with Scene(seed=_LINE_IS_QUICK, has_knowledge=True, has_calendar=True).playing() as scene:
        for request in (commands(scene), scene.asks_for("file")):
            scene.runs_to_end(request)
            scene.sleeps(1)
        question = AnswerPress.read(_proposes(scene, "delete")[1])
        scene.runs_to_end(scene.pushes(member_leaves(scene)))
        scene.sleeps(1)
        declines = "" if question is None else replace(question, button=AnswerButton.DECLINE).data
        scene.runs_to_end(scene.pushes(scene.presses(declines)))
        rests = scene.rests(calm=True)
        told = scene.said[-1]
        is_told = all(any(text in told for text in texts) for texts in (DECLINED, _ANOTHER_ADDRESS))
        return rests if is_told else [*rests, "I6: a press that declined was not told so, with what waited"]


def tap_of_another_button() -> list[str]:
    """A forgery: what was carried out for one press is said to have come from the press of another button."""
    with _scene().playing() as scene:
        press = scene.stage.people.press(_proposes(scene)[1], at_s=scene.world.now_s)
        scene.runs_to_end(scene.pushes(scene.delivers(press)))
        press.presses = AnswerPress(button=AnswerButton.CARRY_OUT, answer_id="event-99").data
        return scene.rests()


def _scene() -> Scene:
    return Scene(seed=_LINE_IS_QUICK, has_notion=True)


def _proposes(scene: Scene, verb: str = "page") -> tuple[Message, str]:
    """A member sends a picture and asks for a change, of a page by default; return what was asked, and the button under the answer."""
    scene.runs_to_end(scene.pushes(scene.delivers(scene.sends_image())))
    scene.sleeps(1)
    asked = scene.says(verb=verb)
    scene.runs_to_end(scene.pushes(scene.delivers(asked)))
    scene.sleeps(1)
    button = scene.world.truth.said[-1].button
    if button is None:
        raise AssertionError("nothing was proposed")
    return asked, button


def _with_pages(scene: Scene, found: list[str], count: int) -> list[str]:
    made = sum(scene.stage.ports.notion.page_counts().values())
    return found if made == count else [*found, f"I9: {made} pages were made instead of {count}"]
