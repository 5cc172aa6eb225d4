"""Scenes of commands: `/forget`, `/bye`, and the buttons that confirm them."""

from typing import Final

from shared.line.postback_data import ConfirmPress, SparePress, SuggestionPress
from tests.simulation.bus import Delivery
from tests.simulation.people import MEMBERS
from tests.simulation.scene import MINUTE_S, Scene
from tests.simulation.scheduler import Task
from tests.simulation.stage import SMALL_BOUNDS
from tests.support.buttons import confirmed_question_in

_TOKEN_IS_DEAD_S: Final = 66.0
_ORDERS: Final = 8
_THINKS_S: Final = 8.0
_LATER_S: Final = 0.1


def bye_that_comes_again_after_a_new_invitation() -> list[str]:
    """The bot leaves the group as it was told, is invited again, and the command is delivered once more."""
    with Scene(group=True).playing() as scene:
        order = scene.is_asked_about("bye")
        scene.runs_to_end(scene.pushes(scene.delivers_order(order)))
        scene.sleeps(MINUTE_S)
        scene.runs_to_end(scene.pushes(scene.bot_joins()))
        scene.sleeps(1)
        scene.runs_to_end(scene.pushes(scene.delivers_order(order)))
        return scene.rests()


def bye_that_is_slower_than_a_new_invitation() -> list[str]:
    """The goodbye is about to be said when the bot is removed by hand, and invited again; then it would leave."""
    with Scene(group=True).playing() as scene:
        worker = scene.pushes(scene.delivers_order(scene.is_asked_about("bye")))
        scene.runs_until(worker, "list journal/", times=4)
        scene.sleeps(1)
        scene.runs_to_end(scene.pushes(scene.bot_joins()))
        scene.runs_to_end(worker)
        return scene.rests()


def commands_before_questions_that_wait_with_them() -> list[str]:
    """A command, and then a question of another member, wait in one instance for a turn that thinks: the command is answered first.

    Either would come first by chance, so this is played with eight orders of calls.
    """
    return [violation for seed in range(_ORDERS) for violation in _command_before_a_question(seed)]


def _command_before_a_question(seed: int) -> list[str]:
    with Scene(seed=seed, seconds=_THINKS_S, group=True).playing() as scene:
        thinking = scene.asks(instance=0)
        scene.runs_until(thinking, "model")
        order = scene.commands("help")
        scene.runs_until(scene.pushes(scene.delivers_order(order), instance=1), "waits for a while")
        scene.sleeps(_LATER_S)
        asked = scene.says(by=MEMBERS[1])
        scene.runs_until(scene.pushes(scene.delivers(asked), instance=1), "waits for a while")
        found = scene.rests(calm=True)
        told_s = {one.reply_token: one.at_s for one in scene.world.truth.said}
        is_first = told_s[order.reply_token] < told_s[asked.reply_token]
        return found if is_first else [*found, "I6: a command waited for a question that came after it"]


def command_whose_older_delivery_is_late() -> list[str]:
    """LINE delivers a command again. The first delivery comes late, and gives up while the turn is held; a holder that speaks then dies."""
    with Scene().playing() as scene:
        holder, late = _held_for_a_command(scene)
        scene.runs_to_end(scene.pushes(late, instance=1))
        if scene.comes_to(holder, "reply"):
            scene.runs_past(holder, "reply")
            scene.dies(holder)
        return scene.rests()


def command_that_is_sent_while_its_older_delivery_gives_up() -> list[str]:
    """The same. Between the look at the turn and the record of the first delivery, the holder commits the text, sends it, and dies."""
    with Scene().playing() as scene:
        holder, late = _held_for_a_command(scene)
        giving_up = scene.pushes(late, instance=1)
        scene.runs_until(giving_up, "write journal/")
        scene.runs_past(holder, "reply")
        scene.dies(holder)
        scene.runs_to_end(giving_up)
        return scene.rests()


def _held_for_a_command(scene: Scene) -> tuple[Task, Delivery]:
    """LINE delivers a command twice; return the worker of the second delivery, about to commit, and the first one, whose token is dead."""
    order = scene.commands("help")
    late = scene.delivers_order(order)
    scene.sleeps(_TOKEN_IS_DEAD_S)
    holder = scene.pushes(scene.delivers_order(order), instance=0)
    scene.runs_until(holder, "write turns/", times=2)
    return holder, late


def forget_that_is_confirmed() -> list[str]:
    """A member asks for everything to be forgotten, and presses the button."""
    with Scene(has_knowledge=True).playing() as scene:
        scene.runs_to_end(scene.asks_for("file"))
        scene.sleeps(1)
        scene.runs_to_end(scene.pushes(scene.delivers_order(scene.commands("forget"))))
        scene.sleeps(1)
        scene.runs_to_end(scene.pushes(scene.confirms("confirm:event-2")))
        return scene.rests(calm=True)


def two_presses_at_once() -> list[str]:
    """Two members press the button of `/forget` in the same moment; each reads the chat before the other has erased it."""
    with Scene(group=True).playing() as scene:
        press = scene.is_asked_about("forget")
        other = scene.presses_again(press)
        later = scene.pushes(scene.delivers_order(other))
        scene.runs_until(later, "write journal/")
        scene.runs_to_end(scene.pushes(scene.delivers_order(press)))
        scene.runs_to_end(later)
        return scene.rests()


def press_that_declines_after_the_first_press_was_folded() -> list[str]:
    """Two members press the buttons of `/forget`. Before the one who declines is heard, the chat is erased, and the first press folded."""
    with Scene(group=True).playing() as scene:
        press = scene.is_asked_about("forget")
        question_id = confirmed_question_in(press.presses) or ""
        declining = scene.stage.people.spare(SparePress(question_id=question_id).data, at_s=scene.world.now_s + 0.01)
        worker = scene.pushes(scene.delivers_order(declining))
        scene.runs_until(worker, "write journal/")
        scene.runs_to_end(scene.pushes(scene.delivers_order(press)))
        for _ in range(3):
            scene.sleeps(1)
            scene.runs_to_end(scene.asks())
        is_folded = not any("-press" in one.name for one in scene.world.objects.list("journal/"))
        scene.runs_to_end(worker)
        return [*([] if is_folded else ["the first press was not folded"]), *scene.rests()]


def press_that_confirms_what_was_declined_long_before() -> list[str]:
    """A member declines `/forget`. Within ten minutes, after more answers than memory holds, another member presses the other button."""
    with Scene(group=True, bounds=SMALL_BOUNDS).playing() as scene:
        press = scene.is_asked_about("forget")
        question_id = confirmed_question_in(press.presses) or ""
        declining = scene.stage.people.spare(SparePress(question_id=question_id).data, at_s=scene.world.now_s)
        scene.runs_to_end(scene.pushes(scene.delivers_order(declining)))
        _answers_many(scene)
        scene.runs_to_end(scene.pushes(scene.delivers_order(scene.presses_again(press))))
        return scene.rests()


def press_that_many_answers_precede() -> list[str]:
    """A member is asked about `/forget`, and presses the button after more answers than memory holds."""
    with Scene(bounds=SMALL_BOUNDS).playing() as scene:
        press = scene.is_asked_about("forget")
        _answers_many(scene)
        scene.runs_to_end(scene.pushes(scene.delivers_order(press)))
        return scene.rests(calm=True)


def _answers_many(scene: Scene) -> None:
    """The bot answers more often than memory holds outcomes, each of which is folded."""
    for _ in range(2 * SMALL_BOUNDS["outcomes_kept"]):
        scene.sleeps(3)
        scene.runs_to_end(scene.asks())
    scene.sleeps(1)


def list_of_notes_outlives_a_withdrawal() -> list[str]:
    """A member has the notes listed, and takes back the message behind one of them: the recorded list repeats its words."""
    with Scene(has_knowledge=True).playing() as scene:
        filed = scene.says(verb="file")
        scene.runs_to_end(scene.pushes(scene.delivers(filed)))
        scene.sleeps(1)
        scene.runs_to_end(scene.pushes(scene.delivers_order(scene.commands("notes"))))
        scene.runs_to_end(scene.pushes(scene.delivers_order(scene.commands("digest"))))
        scene.sleeps(1)
        scene.runs_to_end(scene.takes_back(filed))
        return scene.rests(calm=True)


def suggestion_of_an_answer_that_is_taken_back() -> list[str]:
    """An answer suggests to say its question's word once more; the question is withdrawn, then a member presses the suggestion."""
    with Scene(group=True).playing() as scene:
        asked = scene.says()
        scene.runs_to_end(scene.pushes(scene.delivers(asked)))
        scene.sleeps(1)
        scene.runs_to_end(scene.takes_back(asked))
        press = scene.stage.people.suggested(
            SuggestionPress(answer_id="event-1", number=0).data, at_s=scene.world.now_s
        )
        scene.runs_to_end(scene.pushes(scene.stage.command(scene.stage.people, press)))
        return scene.rests(calm=True)


def suggestion_that_is_pressed() -> list[str]:
    """A member presses the suggestion of an answer: it is thought about as a question."""
    with Scene(group=True).playing() as scene:
        scene.runs_to_end(scene.asks())
        scene.sleeps(1)
        scene.runs_to_end(scene.pushes(scene.presses(SuggestionPress(answer_id="event-1", number=0).data)))
        return scene.rests(calm=True)


def language_that_is_chosen_before_a_turn() -> list[str]:
    """A member chooses the chat's language, from which a turn follows: the choice stays."""
    with Scene().playing() as scene:
        scene.runs_to_end(scene.pushes(scene.delivers_order(scene.commands("language th"))))
        scene.sleeps(1)
        scene.runs_to_end(scene.asks())
        stored = [scene.world.objects.read(one.name) for one in scene.world.objects.list("turns/")]
        is_chosen = any(one is not None and b'"locale":"th"' in one.data.replace(b" ", b"") for one in stored)
        return [*([] if is_chosen else ["I12: the language that a member chose is forgotten"]), *scene.rests()]


def second_press_of_a_question() -> list[str]:
    """The button of `/forget` is pressed, and a minute later again: the second press changes nothing, and is told so."""
    with Scene().playing() as scene:
        press = scene.is_asked_about("forget")
        scene.runs_to_end(scene.pushes(scene.delivers_order(press)))
        scene.sleeps(60)
        scene.runs_to_end(scene.pushes(scene.delivers_order(scene.presses_again(press))))
        return scene.rests(calm=True)


def press_after_the_unsend_of_its_command() -> list[str]:
    """A member gives a command and withdraws it; then another member presses the button."""
    with Scene(group=True).playing() as scene:
        asking = scene.commands("forget")
        scene.runs_to_end(scene.pushes(scene.delivers_order(asking)))
        scene.sleeps(1)
        scene.takes_effect(scene.takes_back_command(asking))
        scene.sleeps(1)
        scene.runs_to_end(scene.pushes(scene.confirms(ConfirmPress(question_id=asking.id).data)))
        return scene.rests()
