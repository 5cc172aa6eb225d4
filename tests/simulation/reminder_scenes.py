"""Scenes of reminders: ticks, pushes, buttons, and what is kept for the next answer."""

from typing import Final

from shared.line.postback_data import ListedChoice, ListedReminderPress, ReminderChoice
from shared.reminders.delivery import Reminding
from shared.reminders.reminder import Reminder
from shared.storage.codec import decode
from shared.turns.deferral import LateReply
from tests.simulation.bus import TICK_S
from tests.simulation.mind import RECURRING, RULES
from tests.simulation.people import PERSON, Order
from tests.simulation.press_checks import PRESS_LATE
from tests.simulation.scene import Scene
from tests.simulation.scheduler import Task
from tests.simulation.wiring import TINY

_REMINDED_S: Final = 150.0
"""After so long the tick has come at which the first reminder of a scene is due."""

_MIDNIGHT_S: Final = 37_200.0
"""When the next day begins in Tokyo."""
_DAY_AND_AN_HOUR_S: Final = 25 * 3_600.0
_CLAIM_S: Final = 30.0
"""Longer than a claim lasts."""
_UNTIL_IT_IS_ARCHIVED: Final = 6  # messages
_NEARLY_DEAD_S: Final = 44.0
_DEAD_S: Final = 70.0
"""By then a token is surely dead."""
_NEAR_THE_FENCE_S: Final = 14.5


def _scene(*, reminding: Reminding = Reminding.PUSH, chats: int = 1) -> Scene:
    return Scene(reminding=reminding, chats=chats)


def _is_asked(scene: Scene) -> None:
    """A member asks to be reminded a minute or more later, twice; the second reminder does not recur."""
    for _ in range(2):
        scene.runs_to_end(scene.asks_for("remind"))


def _sleeps_until_due(scene: Scene) -> None:
    """The minute after the next three has begun."""
    scene.sleeps(_REMINDED_S + TICK_S - scene.world.now_s % TICK_S)


def _begins_tick(scene: Scene) -> Task:
    return scene.pushes(scene.stage.ticker.tick())


def reminder_that_is_due() -> list[str]:
    """Two reminders are asked for; ticks come."""
    with _scene().playing() as scene:
        _is_asked(scene)
        return scene.rests(calm=True)


def reminders_of_two_shards() -> list[str]:
    """Three chats are reminded, and the ticks of a minute share them by the hashes of their ids; some chats are in one shard."""
    with Scene(reminding=Reminding.PUSH, chats=3, tick_shards=2).playing() as scene:
        for chat in range(3):
            scene.runs_to_end(scene.pushes(scene.delivers(scene.says(verb="remind", chat=chat))))
        _sleeps_until_due(scene)
        for shard in (0, 1):
            scene.runs_to_end(scene.pushes(scene.stage.ticker.tick(shard=shard, shards=2), instance=shard))
        left = ["I1: the ticks of a minute left what was due"] if scene.stage.withdrawals.has_overdue(0.0) else []
        return [*left, *scene.rests()]


def tick_that_dies_before_its_push() -> list[str]:
    """The account has a quota. The worker of a tick dies after it counted a push, before it made it; the next tick goes on."""
    with _scene().playing() as scene:
        scene.stage.line.quota = 12
        _is_asked(scene)
        _sleeps_until_due(scene)
        tick = _begins_tick(scene)
        scene.runs_until(tick, "push")
        scene.dies(tick)
        return scene.rests()


def reminders_of_a_small_quota() -> list[str]:
    """The account has a quota of three messages, and one chat is reminded of two things."""
    with _scene().playing() as scene:
        scene.stage.line.quota = 3
        _is_asked(scene)
        return scene.rests()


def ticks_around_midnight() -> list[str]:
    """Two instances whose clocks are apart push a reminder each around midnight of the bot's zone; the first one dies over it."""
    with Scene(reminding=Reminding.PUSH, skews_s=(2.0, -2.0, 0.0, 0.0, 0.0, 0.0)).playing() as scene:
        scene.stage.line.quota = 12
        scene.sleeps(_MIDNIGHT_S - _REMINDED_S)
        _is_asked(scene)
        scene.sleeps(_MIDNIGHT_S - 1 - scene.world.now_s)
        ahead = scene.pushes(scene.stage.ticker.tick(), instance=0)
        scene.runs_until(ahead, "push")
        scene.dies(ahead)
        scene.runs_to_end(scene.pushes(scene.stage.ticker.tick(), instance=1))
        return scene.rests()


def tick_that_dies_after_its_push() -> list[str]:
    """The worker of a tick dies after it pushed a reminder, before it noted that; the next tick goes on."""
    with _scene().playing() as scene:
        _is_asked(scene)
        _sleeps_until_due(scene)
        tick = _begins_tick(scene)
        scene.runs_until(tick, "write journal/")
        scene.dies(tick)
        return scene.rests()


def push_that_a_newer_occurrence_follows() -> list[str]:
    """The worker of a tick dies after it pushed a daily reminder, before it noted that; no tick comes for a day."""
    with _scene().playing() as scene:
        scene.runs_to_end(scene.asks_for("remind"))
        _sleeps_until_due(scene)
        tick = _begins_tick(scene)
        scene.runs_until(tick, "write journal/")
        scene.dies(tick)
        scene.sleeps(_DAY_AND_AN_HOUR_S)
        return scene.rests()


def reminder_that_is_reworded_after_its_push() -> list[str]:
    """The month's last push is made by a tick whose worker dies before it noted that. A member changes the text, and ticks go on."""
    with _scene().playing() as scene:
        scene.stage.line.quota = 1
        scene.runs_to_end(scene.asks_for("remind"))
        _sleeps_until_due(scene)
        tick = _begins_tick(scene)
        scene.runs_until(tick, "write journal/")
        scene.dies(tick)
        scene.sleeps(_CLAIM_S)
        scene.runs_to_end(scene.asks_for("reword"))
        scene.sleeps(TICK_S)
        scene.runs_to_end(_begins_tick(scene))
        scene.runs_to_end(scene.asks())
        return scene.rests()


def reminder_that_is_reworded_beside_its_push() -> list[str]:
    """A member changes the text. Before that is written, a tick pushes the reminder, the month's last push, and its worker dies."""
    with _scene().playing() as scene:
        scene.stage.line.quota = 1
        scene.runs_to_end(scene.asks_for("remind"))
        _sleeps_until_due(scene)
        worker = scene.asks_for("reword")
        scene.runs_until(worker, "write turns/", times=2)
        tick = _begins_tick(scene)
        scene.runs_until(tick, "write journal/")
        scene.dies(tick)
        scene.runs_to_end(worker)
        scene.sleeps(2 * TICK_S)
        scene.runs_to_end(_begins_tick(scene))
        scene.runs_to_end(scene.asks())
        return scene.rests()


def reminder_that_is_cancelled_and_set_again() -> list[str]:
    """A reminder is cancelled, and an undo of the next turn takes the cancellation back; then its tick comes."""
    with _scene().playing() as scene:
        for verb in ("remind", "cancel", "undo"):
            scene.runs_to_end(scene.asks_for(verb))
        is_open = any(decode(Reminder, body).is_open for body in _bodies_of_reminders(scene))
        violations = [] if is_open else ["I10: an undo set no reminder although its answer says so"]
        return [*scene.rests(calm=True), *violations]


def tick_that_dies_before_its_next_marker() -> list[str]:
    """The worker of a tick dies after it noted that a recurring reminder was said, before it made the marker of the next time."""
    with _scene().playing() as scene:
        _is_asked(scene)
        _sleeps_until_due(scene)
        tick = _begins_tick(scene)
        scene.runs_until(tick, "write due/")
        scene.dies(tick)
        return scene.rests()


def tick_that_sleeps_before_its_push() -> list[str]:
    """The worker of a tick has claimed a reminder and has looked. Then it sleeps, and the message that asked is withdrawn."""
    with _scene().playing() as scene:
        message = scene.says(verb="remind")
        scene.runs_to_end(scene.pushes(scene.delivers(message)))
        _sleeps_until_due(scene)
        tick = _begins_tick(scene)
        scene.runs_until(tick, "list amended/")
        scene.runs_until(tick, "waits")
        scene.sleeps_in(tick, seconds=TICK_S * 2)
        scene.takes_effect(scene.takes_back(message))
        return scene.rests()


def message_that_is_withdrawn_before_the_claim() -> list[str]:
    """The message that asked is withdrawn; a tick comes before the withdrawal reached the reminder."""
    with _scene().playing() as scene:
        message = scene.says(verb="remind")
        scene.runs_to_end(scene.pushes(scene.delivers(message)))
        _sleeps_until_due(scene)
        unsend = scene.takes_back(message)
        scene.runs_until(unsend, "list journal/")
        scene.runs_to_end(_begins_tick(scene))
        scene.runs_to_end(unsend)
        return scene.rests()


def recurring_reminder_whose_message_is_withdrawn() -> list[str]:
    """A recurring reminder was said once; then the message that asked is withdrawn."""
    with _scene().playing() as scene:
        message = scene.says(verb="remind")
        scene.runs_to_end(scene.pushes(scene.delivers(message)))
        _sleeps_until_due(scene)
        scene.runs_to_end(_begins_tick(scene))
        scene.takes_effect(scene.takes_back(message))
        return scene.rests()


def reminder_of_the_last_day_of_a_month() -> list[str]:
    """A member asks on the 21st for a reminder on the last day of each month; the minute of its hour comes on the 21st, and ticks."""
    with _scene().playing() as scene:
        for _ in range(RECURRING * RULES.index("FREQ=MONTHLY;BYMONTHDAY=-1")):
            scene.runs_to_end(scene.pushes(scene.delivers(scene.says(addressed=False))))
        scene.runs_to_end(scene.pushes(scene.delivers(scene.says(verb="remind"))))
        _sleeps_until_due(scene)
        scene.runs_to_end(_begins_tick(scene))
        return scene.rests()


def reminder_without_quota() -> list[str]:
    """The month's pushes are spent when the reminders are due; the member writes twice more."""
    with _scene().playing() as scene:
        scene.stage.line.quota = 0
        _is_asked(scene)
        _sleeps_until_due(scene)
        scene.runs_to_end(_begins_tick(scene))
        for _ in range(2):
            scene.runs_to_end(scene.asks())
            scene.sleeps(2)
        return scene.rests()


def tick_that_dies_after_it_kept() -> list[str]:
    """The month's pushes are spent. The worker of a tick dies after it kept the reminder, before it told the turn."""
    with _scene().playing() as scene:
        scene.stage.line.quota = 0
        scene.runs_to_end(scene.asks_for("remind"))
        _sleeps_until_due(scene)
        tick = _begins_tick(scene)
        scene.runs_until(tick, "write turns/")
        scene.dies(tick)
        scene.sleeps(2 * TICK_S)
        scene.runs_to_end(_begins_tick(scene))
        return scene.rests()


def answer_that_is_refused_with_its_reminder() -> list[str]:
    """The month's pushes are spent. The token of the answer that says the reminder ends just before it is sent."""
    with Scene(reminding=Reminding.PUSH, late_reply=LateReply.DROP).playing() as scene:
        scene.stage.line.quota = 0
        scene.runs_to_end(scene.asks_for("remind"))
        _sleeps_until_due(scene)
        scene.runs_to_end(_begins_tick(scene))
        delivery = scene.delivers(scene.says())
        scene.sleeps(_NEARLY_DEAD_S)
        worker = scene.pushes(delivery)
        scene.runs_until(worker, "reply")
        scene.sleeps_in(worker, seconds=_NEAR_THE_FENCE_S)
        return scene.rests()


def quota_that_another_instance_spent() -> list[str]:
    """LINE told that there is quota; when the reminders are pushed there is none. The member writes once more."""
    with _scene().playing() as scene:
        scene.stage.line.quota = 1
        _is_asked(scene)
        _sleeps_until_due(scene)
        tick = _begins_tick(scene)
        scene.runs_past(tick, "quota")
        scene.stage.line.quota = 0
        scene.runs_to_end(tick)
        scene.runs_to_end(scene.asks())
        return scene.rests()


def answer_with_a_reminder_whose_worker_dies() -> list[str]:
    """An answer says a reminder that was kept. Its worker dies after it sent the answer, and another one takes over."""
    with _scene(reminding=Reminding.REPLY).playing() as scene:
        _is_asked(scene)
        _sleeps_until_due(scene)
        scene.runs_to_end(_begins_tick(scene))
        worker = scene.asks()
        scene.runs_past(worker, "reply")
        scene.dies(worker)
        scene.runs(seconds=60)
        scene.runs_to_end(scene.asks())
        return scene.rests()


def reminder_whose_holder_dies() -> list[str]:
    """The worker that made a reminder dies before it made the marker; the takeover makes it."""
    with _scene().playing() as scene:
        worker = scene.asks_for("remind")
        scene.runs_past(worker, "write reminders/")
        scene.dies(worker)
        return scene.rests()


def two_ticks_at_once() -> list[str]:
    """Two ticks come together."""
    with _scene().playing() as scene:
        _is_asked(scene)
        _sleeps_until_due(scene)
        ticks = [_begins_tick(scene), _begins_tick(scene)]
        scene.runs_until(ticks[0], "push")
        scene.runs_to_end(ticks[1])
        scene.runs_to_end(ticks[0])
        return scene.rests()


def _is_pushed(scene: Scene) -> None:
    """Two reminders are asked for and pushed."""
    _is_asked(scene)
    _sleeps_until_due(scene)
    scene.runs_to_end(_begins_tick(scene))


def _begins_press(scene: Scene, order: Order) -> Task:
    return scene.pushes(scene.delivers_order(order))


def two_presses_of_a_reminder() -> list[str]:
    """Two members press buttons of one reminder at once; the first press is delivered twice."""
    with _scene().playing() as scene:
        _is_pushed(scene)
        first, second = scene.chooses(ReminderChoice.LATER), scene.chooses(ReminderChoice.DONE)
        workers = [_begins_press(scene, first), _begins_press(scene, second)]
        scene.runs_until(workers[0], "write reminders/")
        scene.runs_to_end(workers[1])
        scene.runs_to_end(workers[0])
        scene.runs_to_end(_begins_press(scene, first))
        return scene.rests()


def second_press_of_a_reminder() -> list[str]:
    """A reminder's button is pressed, and a second later again: the second press changes nothing, and is told so."""
    with _scene().playing() as scene:
        _is_asked(scene)
        for _ in range(1 + round(_REMINDED_S / TICK_S)):
            scene.sleeps(TICK_S)
            scene.runs_to_end(_begins_tick(scene))
        scene.runs_to_end(_begins_press(scene, scene.chooses(ReminderChoice.DONE)))
        scene.sleeps(1)
        scene.runs_to_end(_begins_press(scene, scene.chooses(ReminderChoice.DONE)))
        return scene.rests(calm=True)


def listed_reminder_that_is_cancelled() -> list[str]:
    """A press beside a listed reminder cancels it; its worker dies before it is recorded, and the next one ends it."""
    with _scene().playing() as scene:
        scene.runs_to_end(scene.asks_for("remind"))
        (stored,) = (decode(Reminder, body) for body in _bodies_of_reminders(scene))
        press = ListedReminderPress(choice=ListedChoice.CANCEL, reminder_id=stored.id, next_ms=stored.next_ms)
        order = scene.stage.people.press_listed(press.data, at_s=scene.world.now_s)
        worker = _begins_press(scene, order)
        scene.runs_until(worker, "write journal/")
        scene.dies(worker)
        scene.sleeps(_CLAIM_S)
        scene.runs_to_end(_begins_press(scene, order))
        is_open = [body for body in _bodies_of_reminders(scene) if decode(Reminder, body).is_open]
        left = ["I10: a reminder is open although a press was told that it is cancelled"] if is_open else []
        return [*left, *scene.rests()]


def listed_reminder_whose_press_is_late() -> list[str]:
    """A press that cancels a listed reminder comes late, while the model thinks: the reminder stays, and the next answer says so, once."""
    with _scene().playing() as scene:
        scene.runs_to_end(scene.asks_for("remind"))
        (stored,) = _open_reminders(scene)
        press = ListedReminderPress(choice=ListedChoice.CANCEL, reminder_id=stored.id, next_ms=stored.next_ms)
        late = scene.delivers_order(scene.stage.people.press_listed(press.data, at_s=scene.world.now_s))
        scene.sleeps(_DEAD_S)
        asking = scene.asks()
        scene.runs_until(asking, "model")
        scene.runs_to_end(scene.pushes(late))
        scene.runs_to_end(asking)
        for _ in range(2):
            scene.sleeps(1)
            scene.runs_to_end(scene.asks())
        told = sum(said.text.count(text) for said in scene.world.truth.said for text in PRESS_LATE)
        violations = [] if told == 1 else [f"I6: a press whose token died was told of {told} times"]
        if [one.id for one in _open_reminders(scene)] != [stored.id]:
            violations.append("I10: a reminder is gone although its press came too late")
        return [*violations, *scene.rests()]


def undo_of_a_press_that_cancelled() -> list[str]:
    """A press beside a listed reminder cancels the reminder, and an undo sets it again; then its tick comes."""
    with _scene().playing() as scene:
        scene.runs_to_end(scene.asks_for("remind"))
        (stored,) = _open_reminders(scene)
        press = ListedReminderPress(choice=ListedChoice.CANCEL, reminder_id=stored.id, next_ms=stored.next_ms)
        order = scene.stage.people.press_listed(press.data, at_s=scene.world.now_s)
        scene.runs_to_end(_begins_press(scene, order))
        scene.runs_to_end(scene.asks_for("undo"))
        is_open = [one.id for one in _open_reminders(scene)] == [stored.id]
        violations = [] if is_open else ["I10: an undo set no reminder that a press had cancelled"]
        return [*violations, *scene.rests(calm=True)]


def undo_of_a_postponement() -> list[str]:
    """A press postpones a reminder to the next day, and an undo cancels the reminder that the press made."""
    with _scene().playing() as scene:
        scene.runs_to_end(scene.asks_for("file"))
        _is_pushed(scene)
        before = _open_reminders(scene)
        scene.runs_to_end(_begins_press(scene, scene.chooses(ReminderChoice.TOMORROW)))
        scene.runs_to_end(scene.asks_for("undo"))
        is_undone = {one.id for one in _open_reminders(scene)} <= {one.id for one in before}
        violations = [] if is_undone else ["I10: an undo left the reminder that a press had made"]
        return [*violations, *scene.rests()]


def _open_reminders(scene: Scene) -> list[Reminder]:
    return [reminder for body in _bodies_of_reminders(scene) if (reminder := decode(Reminder, body)).is_open]


def listed_reminder_that_is_reworded_before_the_press() -> list[str]:
    """A press puts a reminder off, and waits for the turn that changes its text; the reminder then has the new text, an hour later."""
    with _scene().playing() as scene:
        scene.runs_to_end(scene.asks())  # of the first four words, only the first recurs
        scene.runs_to_end(scene.asks_for("remind"))
        (stored,) = (decode(Reminder, body) for body in _bodies_of_reminders(scene))
        press = ListedReminderPress(choice=ListedChoice.HOUR_LATER, reminder_id=stored.id, next_ms=stored.next_ms)
        order = scene.stage.people.press_listed(press.data, at_s=scene.world.now_s)
        message = scene.says(verb="reword")
        scene.runs_behind(order, message)
        (after,) = (decode(Reminder, body) for body in _bodies_of_reminders(scene))
        if after.next_ms <= stored.next_ms:
            raise AssertionError(f"the press did not move the reminder: {scene.said}")
        is_reworded = message.words[0][0] in after.text
        return [*([] if is_reworded else ["I6: a press took the new words out of a reminder"]), *scene.rests()]


def _bodies_of_reminders(scene: Scene) -> list[bytes]:
    objects = scene.world.objects
    stored = (objects.read(listed.name) for listed in objects.list("reminders/"))
    return [found.data for found in stored if found is not None]


def press_whose_worker_dies() -> list[str]:
    """The worker of a press dies after it noted the press, before it made the reminder that says it once more."""
    with _scene().playing() as scene:
        _is_pushed(scene)
        worker = _begins_press(scene, scene.chooses(ReminderChoice.LATER))
        scene.runs_past(worker, "write reminders/")
        scene.dies(worker)
        return scene.rests()


def press_of_a_reminder_that_is_taken_back() -> list[str]:
    """A press puts a reminder off, and has made the later one when the message that asked is withdrawn: the press is told so."""
    with _scene().playing() as scene:
        message = scene.says(verb="remind")
        scene.runs_to_end(scene.pushes(scene.delivers(message)))
        _sleeps_until_due(scene)
        scene.runs_to_end(_begins_tick(scene))
        order = scene.chooses(ReminderChoice.TOMORROW)
        worker = _begins_press(scene, order)
        scene.runs_until(worker, "read turns/")
        scene.runs_to_end(scene.takes_back(message))
        scene.runs_to_end(worker)
        is_told = any(one.reply_token == order.reply_token for one in scene.world.truth.said)
        return [*([] if is_told else ["I6: a press of a reminder that is gone met silence"]), *scene.rests()]


def unsend_during_a_press() -> list[str]:
    """The worker of a press has looked. Then it sleeps, the message that asked is withdrawn, and the second pass comes first."""
    with _scene().playing() as scene:
        message = scene.says(verb="remind")
        scene.runs_to_end(scene.pushes(scene.delivers(message)))
        _sleeps_until_due(scene)
        scene.runs_to_end(_begins_tick(scene))
        worker = _begins_press(scene, scene.chooses(ReminderChoice.TOMORROW))
        scene.runs_past(worker, "list amended/")
        scene.runs_until(worker, "write reminders/")
        scene.sleeps_in(worker, seconds=TICK_S * 3)
        scene.takes_effect(scene.takes_back(message))
        return scene.rests()


def reminder_that_is_cancelled_by_its_id() -> list[str]:
    """Of two reminders the later one is cancelled by the id that the prompt shows."""
    with _scene().playing() as scene:
        _is_asked(scene)
        later = sorted(_open_reminders(scene), key=lambda reminder: (reminder.next_ms, reminder.id))[1]
        scene.runs_to_end(scene.asks())  # so that the number of the order selects the second id
        scene.runs_to_end(scene.asks_for("cancel"))
        if (PERSON, later.id) not in scene.world.truth.cancelled_by_id:
            raise AssertionError("the order named another id")
        return scene.rests(calm=True)


def prompt_beside_the_withdrawal_of_a_reminder() -> list[str]:
    """The message of a reminder is withdrawn. Before that reached the reminder, somebody asks; the answer repeats the prompt."""
    with _scene().playing() as scene:
        message = scene.says(verb="remind")
        scene.runs_to_end(scene.pushes(scene.delivers(message)))
        unsend = scene.takes_back(message)
        scene.runs_until(unsend, "list journal/")
        scene.runs_to_end(scene.asks())
        shown = ["I4: a prompt showed a reminder of a withdrawn message"] if "word0a" in scene.said[-1] else []
        scene.runs_to_end(unsend)
        return [*shown, *scene.rests()]


def answer_that_repeats_what_only_a_reminder_shows() -> list[str]:
    """The message of a reminder has left the prompts. An answer repeats the reminder from the prompt, and the message is withdrawn."""
    with Scene(reminding=Reminding.PUSH, limits=TINY).playing() as scene:
        message = scene.says(verb="remind")
        scene.runs_to_end(scene.pushes(scene.delivers(message)))
        scene.stage.mood.manner = "says nothing"
        for _ in range(_UNTIL_IT_IS_ARCHIVED):
            scene.sleeps(5)
            scene.runs_to_end(scene.asks())
        scene.stage.mood.manner = "repeats"
        scene.runs_to_end(scene.asks())
        if "word0a" not in scene.said[-1]:
            raise AssertionError("the prompt does not show the reminder")
        scene.takes_effect(scene.takes_back(message))
        return scene.rests()


def reminder_after_a_turn_that_found_none() -> list[str]:
    """A turn finds no reminder, so the next ones list none; then one is asked for."""
    with _scene().playing() as scene:
        for _ in range(2):
            scene.runs_to_end(scene.asks())
        scene.runs_to_end(scene.asks_for("remind"))
        return scene.rests(calm=True)


def reminder_that_is_written_after_a_listing() -> list[str]:
    """A turn is committed. A second message reads turn and reminders; then the first turn writes its reminder and is recorded."""
    with _scene().playing() as scene:
        first = scene.pushes(scene.delivers(scene.says(verb="remind")), instance=0)
        scene.runs_until(first, "write reminders/")
        second = scene.asks(instance=1)
        scene.runs_past(second, "list reminders/")
        scene.runs_past(first, "write journal/")
        scene.runs_to_end(second)
        scene.runs_to_end(first)
        return scene.rests()
