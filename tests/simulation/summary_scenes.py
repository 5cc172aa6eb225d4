"""Scenes of summaries on a schedule, told with a message that gets no answer."""

from dataclasses import replace
from typing import Final

from shared.conversation.records import OutcomeKind
from shared.line.addressing import GroupPolicy
from shared.line.phrases import Phrase
from shared.reminders.delivery import TRIES_MS, Reminding
from shared.turns.deferral import LateReply
from tests.simulation.bus import TICK_S
from tests.simulation.fixed_texts import in_every_language, of_a_spent_day
from tests.simulation.people import Message
from tests.simulation.scene import MINUTE_S, Scene
from tests.simulation.scheduler import Task
from tests.simulation.summary_checks import summaries_told
from tests.simulation.wiring import NO_LIMITS

_DUE_S: Final = 300.0
"""After so long the tick has come at which a scene's summary is due, and the turn rests."""

_TOO_LONG_S: Final = 15.0
_DEATHS: Final = 3
_MESSAGES: Final = 5
"""To so many messages nobody answers while a summary waits: more than workers may die of it."""


def _scene() -> Scene:
    return Scene(group=True, reminding=Reminding.PUSH)


def summary_that_is_told() -> list[str]:
    """A summary is due; of the next two messages that nobody answers, the first brings it."""
    with _scene().playing() as scene:
        _is_due(scene)
        for _ in range(2):
            _says_to_nobody(scene)
            scene.sleeps(MINUTE_S)
        is_told = len(summaries_told(scene.stage.people, scene.world)) == 1
        return [*([] if is_told else ["I1: a summary was not told, or more than once"]), *scene.rests()]


def summary_where_the_model_is_silent() -> list[str]:
    """The model reads each message, and has nothing to say: the first message after the time of a summary brings it, once."""
    with Scene(group=True, reminding=Reminding.PUSH, group_policy=GroupPolicy.MODEL).playing() as scene:
        _is_due(scene)
        scene.stage.mood.skips = 1.0
        for _ in range(2):
            _says_to_nobody(scene)
            scene.sleeps(MINUTE_S)
        is_told = len(summaries_told(scene.stage.people, scene.world)) == 1
        return [*([] if is_told else ["I1: a summary was not told, or more than once"]), *scene.rests(calm=True)]


def summary_that_the_budget_forbids() -> list[str]:
    """A summary is due on a day whose budget is spent: the first of three messages that nobody answers brings the reason, once."""
    with Scene(
        group=True, reminding=Reminding.PUSH, budget=replace(NO_LIMITS, turns_per_chat_day=1)
    ).playing() as scene:
        _is_due(scene)
        for _ in range(3):
            _says_to_nobody(scene)
            scene.sleeps(MINUTE_S)
        texts = of_a_spent_day(Phrase.SUMMARY_LIMIT)
        told = [one.text for one in scene.world.truth.said if one.text in texts]
        return [*([] if len(told) == 1 else ["I6: why no summary comes was not told once"]), *scene.rests()]


def unsend_while_a_summary_is_made() -> list[str]:
    """A message is withdrawn while the model sums it up: it is not told."""
    with _scene().playing() as scene:
        spoken = _is_due(scene)
        worker = scene.pushes(scene.delivers(scene.says(addressed=False)))
        scene.runs_until(worker, "model")
        scene.runs_to_end(scene.takes_back(spoken))
        scene.runs_to_end(worker)
        return scene.rests()


def unsend_before_a_summary_is_made() -> list[str]:
    """A message is withdrawn after the summary's time and before it is told: no prompt holds it."""
    with _scene().playing() as scene:
        spoken = _is_due(scene)
        scene.runs_to_end(scene.takes_back(spoken))
        scene.sleeps(MINUTE_S)
        _says_to_nobody(scene)
        return scene.rests()


def summary_whose_worker_dies() -> list[str]:
    """The worker that tells a summary dies before it records it; a later message is told nothing twice."""
    with _scene().playing() as scene:
        _is_due(scene)
        worker = scene.pushes(scene.delivers(scene.says(addressed=False)))
        scene.runs_until(worker, "reply")
        scene.dies(worker)
        for _ in range(2):
            scene.sleeps(MINUTE_S)
            _says_to_nobody(scene)
        return scene.rests()


def summary_that_is_pushed() -> list[str]:
    """A summary that its maker wants pushed is due: a tick makes and pushes it."""
    with _scene().playing() as scene:
        _is_due(scene, verb="pushsum")
        is_told = any(text.reminder is not None for text in scene.world.truth.said)
        return [*([] if is_told else ["I1: a summary was not pushed"]), *scene.rests()]


def summary_that_no_tick_can_make() -> list[str]:
    """The model needs longer for a summary than a push leaves it, for half an hour; then it is quick again, and a message comes."""
    with _scene().playing() as scene:
        scene.runs_to_end(scene.asks_for("pushsum"))
        scene.sleeps(1)
        _says_to_nobody(scene)
        quick, scene.stage.mood.seconds = scene.stage.mood.seconds, (_TOO_LONG_S, _TOO_LONG_S)
        ends_s = scene.world.now_s + _DUE_S + TRIES_MS / 1_000
        while scene.world.now_s < ends_s:
            scene.sleeps(MINUTE_S)
            scene.ticks()
        scene.stage.mood.seconds = quick
        for _ in range(2):
            _says_to_nobody(scene)
            scene.sleeps(MINUTE_S)
        is_told = len(summaries_told(scene.stage.people, scene.world)) == 1
        return [*([] if is_told else ["I1: a summary was not told, or more than once"]), *scene.rests()]


def summary_that_a_later_tick_makes() -> list[str]:
    """The model needs too long for a summary in the first three tries, and not in a later one: it is pushed then, within half an hour."""
    with _scene().playing() as scene:
        scene.runs_to_end(scene.asks_for("pushsum"))
        scene.sleeps(1)
        _says_to_nobody(scene)
        scene.sleeps(_DUE_S + TICK_S - scene.world.now_s % TICK_S)
        scene.stage.mood.seconds = (_TOO_LONG_S, _TOO_LONG_S)
        for _ in range(3):
            scene.ticks()
            scene.sleeps(MINUTE_S)
        is_pushed = any(text.reminder is not None for text in scene.world.truth.said)
        scene.stage.mood.seconds = (1.0, _TOO_LONG_S)
        found = scene.rests(calm=True)
        is_pushed_later = any(text.reminder is not None for text in scene.world.truth.said)
        return found if is_pushed_later and not is_pushed else ["I1: a summary was not pushed", *found]


def summary_that_is_given_up_after_its_push() -> list[str]:
    """A worker pushes a summary and dies. The model is down until the summary is given up: no message of the group brings it again."""
    with _scene().playing() as scene:
        scene.runs_to_end(scene.asks_for("pushsum"))
        tick = _tick_that_sums_up(scene)
        scene.runs_past(tick, "push")
        scene.dies(tick)
        _is_given_up(scene)
        for _ in range(2):
            _says_to_nobody(scene)
            scene.sleeps(MINUTE_S)
        return scene.rests()


def summary_that_is_given_up_before_its_push() -> list[str]:
    """The same, but the worker dies while the model makes the summary: the group's next message brings it, because nobody has seen it."""
    with _scene().playing() as scene:
        scene.runs_to_end(scene.asks_for("pushsum"))
        scene.dies(_tick_that_sums_up(scene))
        _is_given_up(scene)
        for _ in range(2):
            _says_to_nobody(scene)
            scene.sleeps(MINUTE_S)
        is_told = len(summaries_told(scene.stage.people, scene.world)) == 1
        return [*([] if is_told else ["I1: a summary was not told, or more than once"]), *scene.rests()]


def summary_that_kills_its_workers() -> list[str]:
    """A message kills every worker whose prompt holds it, also each tick that sums it up: after half an hour no tick tries any more."""
    return _kills_its_ticks("pushsum")


def private_summary_that_kills_its_workers() -> list[str]:
    """The same of a summary for one member."""
    return _kills_its_ticks("privsum")


def waiting_summary_that_kills_its_workers() -> list[str]:
    """A message kills every worker that sums it up. Three messages have theirs die; the fourth brings the reason, and the fifth nothing."""
    with _scene().playing() as scene:
        _poisons(scene, _is_due(scene))
        _says_often_to_nobody(scene)
        return [*_told_once_why(scene), *scene.rests()]


def summary_that_kills_ticks_and_then_the_workers_of_messages() -> list[str]:
    """The same of a summary that ticks gave up to push."""
    with _scene().playing() as scene:
        scene.runs_to_end(scene.asks_for("pushsum"))
        scene.sleeps(1)
        _poisons(scene, _says_to_nobody(scene))
        found = scene.rests()
        _says_often_to_nobody(scene)
        return [*found, *_told_once_why(scene), *scene.rests()]


def question_after_a_summary_that_kills_its_workers() -> list[str]:
    """Three workers die of a summary; then a member asks. What killed them is in the memory, so one more dies; the question is answered."""
    with Scene(group=True, reminding=Reminding.PUSH, late_reply=LateReply.PUSH).playing() as scene:
        _poisons(scene, _is_due(scene))
        for _ in range(_DEATHS):
            _says_to_nobody(scene)
            scene.sleeps(MINUTE_S)
        asking = scene.says()
        scene.pushes(scene.delivers(asking))
        found = scene.rests()
        kinds = {
            one.outcome.kind for one in scene.world.truth.said if one.outcome and asking.id in one.outcome.answered_ids
        }
        is_answered = OutcomeKind.REPLIED in kinds and OutcomeKind.APOLOGISED not in kinds
        return [*([] if is_answered else ["I6: a question met an apology for a summary"]), *found]


def summary_of_a_model_that_is_down_for_long() -> list[str]:
    """The model is down at five messages in a row, and no worker dies: the next message brings the summary."""
    with _scene().playing() as scene:
        _is_due(scene)
        scene.is_down("model", seconds=_MESSAGES * MINUTE_S)
        _says_often_to_nobody(scene)
        scene.sleeps(MINUTE_S)
        _says_to_nobody(scene)
        is_told = len(summaries_told(scene.stage.people, scene.world)) == 1 and not _reasons_told(scene)
        return [*([] if is_told else ["I1: a summary was not told, or more than once"]), *scene.rests()]


def unsend_while_a_summary_is_pushed() -> list[str]:
    """A message is withdrawn while the model sums it up for a push: it is pushed without it, by the next tick."""
    with _scene().playing() as scene:
        scene.runs_to_end(scene.asks_for("pushsum"))
        scene.sleeps(1)
        spoken = _says_to_nobody(scene)
        _says_to_nobody(scene)
        scene.sleeps(_DUE_S + TICK_S - scene.world.now_s % TICK_S)
        tick = scene.pushes(scene.stage.ticker.tick())
        scene.runs_until(tick, "model")
        scene.runs_to_end(scene.takes_back(spoken))
        scene.runs_to_end(tick)
        word = spoken.words[0][0]
        told = [text.text for text in scene.world.truth.said if text.reminder is not None]
        return [*(["I4: a withdrawn message was pushed"] if any(word in one for one in told) else []), *scene.rests()]


def private_summary_that_is_sent() -> list[str]:
    """A member asks for a summary for this member alone: it is pushed to the member's own chat, and the group reads nothing of it."""
    with _scene().playing() as scene:
        _is_due(scene, verb="privsum")
        _says_to_nobody(scene)
        is_told = [text.conversation_id for text in scene.world.truth.said if text.reminder is not None]
        return [*([] if len(is_told) == 1 else ["I1: a summary for one member was not pushed"]), *scene.rests()]


def private_summary_of_who_has_left() -> list[str]:
    """The member who asked leaves while the model sums up: nothing is pushed, and nobody else is told it."""
    with _scene().playing() as scene:
        asking = scene.says(verb="privsum")
        scene.runs_to_end(scene.pushes(scene.delivers(asking)))
        tick = _tick_that_sums_up(scene)
        scene.stage.line.profiles.strangers.add(asking.author)
        scene.runs_to_end(tick)
        _says_to_nobody(scene)
        is_told = any(text.reminder is not None for text in scene.world.truth.said)
        return [*(["I7: what a group said was pushed to who is no member"] if is_told else []), *scene.rests()]


def private_summary_that_cannot_be_sent() -> list[str]:
    """The account has no push left for a summary for one member: the next message of the group brings no summary either."""
    with _scene().playing() as scene:
        scene.runs_to_end(scene.asks_for("privsum"))
        scene.sleeps(1)
        _says_to_nobody(scene)
        scene.stage.line.quota = 0
        scene.sleeps(_DUE_S + TICK_S - scene.world.now_s % TICK_S)
        scene.ticks()
        scene.sleeps(MINUTE_S)
        _says_to_nobody(scene)
        return scene.rests()


def unsend_while_a_private_summary_is_made() -> list[str]:
    """A message is withdrawn while the model sums it up for one member: it is pushed without it, by the next tick."""
    with _scene().playing() as scene:
        scene.runs_to_end(scene.asks_for("privsum"))
        tick = _tick_that_sums_up(scene)
        spoken = scene.stage.people.messages[-2]
        scene.runs_to_end(scene.takes_back(spoken))
        scene.runs_to_end(tick)
        word = spoken.words[0][0]
        told = [text.text for text in scene.world.truth.said if text.reminder is not None]
        return [*(["I4: a withdrawn message was pushed"] if any(word in one for one in told) else []), *scene.rests()]


def private_summary_whose_worker_dies() -> list[str]:
    """The worker that pushed a summary for one member dies before it records the push: another tick pushes nothing again."""
    with _scene().playing() as scene:
        scene.runs_to_end(scene.asks_for("privsum"))
        tick = _tick_that_sums_up(scene)
        scene.runs_past(tick, "push")
        scene.dies(tick)
        return scene.rests()


def private_summary_that_is_given_up_after_its_push() -> list[str]:
    """The same. The model is down for each later tick, until the summary is given up: nobody knows whether the member has it."""
    with _scene().playing() as scene:
        scene.runs_to_end(scene.asks_for("privsum"))
        tick = _tick_that_sums_up(scene)
        scene.runs_past(tick, "push")
        scene.dies(tick)
        scene.is_down("model", seconds=2 * TRIES_MS / 1_000)
        return scene.rests()


def _tick_that_sums_up(scene: Scene) -> Task:
    """Two messages are for nobody, and a tick has come to the model."""
    scene.sleeps(1)
    for _ in range(2):
        _says_to_nobody(scene)
    scene.sleeps(_DUE_S + TICK_S - scene.world.now_s % TICK_S)
    tick = scene.pushes(scene.stage.ticker.tick())
    scene.runs_until(tick, "model")
    return tick


def _kills_its_ticks(verb: str) -> list[str]:
    with _scene().playing() as scene:
        scene.runs_to_end(scene.asks_for(verb))
        scene.sleeps(1)
        _poisons(scene, _says_to_nobody(scene))
        return scene.rests()


def _poisons(scene: Scene, spoken: Message) -> None:
    """From now on, the message kills every worker whose prompt holds it."""
    scene.stage.mood.poison, scene.stage.mood.poisons_anywhere = frozenset(spoken.newest_words), True


def _says_often_to_nobody(scene: Scene) -> None:
    """Messages come at which a summary may be made, each when the lease of a worker that died at the one before has ended."""
    for _ in range(_MESSAGES):
        _says_to_nobody(scene)
        scene.sleeps(MINUTE_S)


def _told_once_why(scene: Scene) -> list[str]:
    return [] if len(_reasons_told(scene)) == 1 else ["I6: that a summary could not be made was not told once"]


def _reasons_told(scene: Scene) -> list[str]:
    reasons = tuple(in_every_language(Phrase.SUMMARY_FAILED))
    return [one.text for one in scene.world.truth.said if one.text.endswith(reasons)]


def _is_given_up(scene: Scene) -> None:
    """The model is down, and ticks come, for longer than a push is tried."""
    seconds = TRIES_MS / 1_000 + 2 * MINUTE_S
    scene.is_down("model", seconds=seconds)
    ends_s = scene.world.now_s + seconds
    while scene.world.now_s <= ends_s:
        scene.sleeps(MINUTE_S)
        scene.ticks()


def _is_due(scene: Scene, *, verb: str = "sum") -> Message:
    """A member asks for a summary, another message is for nobody, and the time of the summary comes; return that message."""
    scene.runs_to_end(scene.asks_for(verb))
    scene.sleeps(1)
    spoken = _says_to_nobody(scene)
    scene.sleeps(_DUE_S + TICK_S - scene.world.now_s % TICK_S)
    scene.ticks()
    scene.sleeps(MINUTE_S)
    return spoken


def _says_to_nobody(scene: Scene) -> Message:
    message = scene.says(addressed=False)
    scene.runs_to_end(scene.pushes(scene.delivers(message)))
    return message
