"""Scenes of the turn: leases and takeovers, routes and receipts."""

from typing import Final

from shared.access.budgets import Limits
from shared.turns.deferral import LateReply
from shared.turns.waiting_room import PLACES
from tests.simulation.mind import REQUEST_TOKENS
from tests.simulation.people import MEMBERS
from tests.simulation.scene import JOURNAL, MINUTE_S, Scene

_CALLS_OF_A_SLOW_THOUGHT: Final = 2
"""The first is given up, so that it leaves time for another one."""
_INSTANCES: Final = 6
_TWO_READ: Final = {"messages_read": 2}
_MIDNIGHT_S: Final = 37_200.0
"""When the next day begins in Tokyo."""


def outcome_that_outlived_its_messages() -> list[str]:
    """The worker dies after it sent the answer. When the message is redelivered, it is too old to be answered."""
    with Scene().playing() as scene:
        worker = scene.asks()
        scene.runs_until(worker, f"write {JOURNAL}event-1.outcome")
        scene.dies(worker)
        scene.sleeps(1_300)
        return scene.rests()


def holder_that_sleeps_before_it_speaks() -> list[str]:
    """The answer is committed, and its holder has looked at the amendments. Then the holder sleeps, and the message is withdrawn."""
    with Scene(seed=1).playing() as scene:  # the commit ends before the look
        scene.sleeps(20)  # so that the second pass comes while the token lives
        message = scene.says()
        worker = scene.pushes(scene.delivers(message))
        scene.runs_until(worker, "write turns/", times=2)
        scene.runs_past(worker, "list amended/")
        scene.sleeps_in(worker, seconds=45)
        scene.takes_effect(scene.takes_back(message))
        return scene.rests()


def neighbour_withdrawn_after_the_answer() -> list[str]:
    """The worker dies after it sent the answer. A message of its prompt is withdrawn; a takeover comes before the turn is changed."""
    with Scene(group=True).playing() as scene:
        neighbour = scene.says(addressed=False)
        scene.runs_to_end(scene.pushes(scene.delivers(neighbour)))
        delivery = scene.delivers(scene.says())
        worker = scene.pushes(delivery)
        scene.runs_until(worker, "write journal/C22222222222222222222222222222222/event-2.outcome")
        scene.dies(worker)
        scene.runs_until(scene.takes_back(neighbour), "list amended/")
        scene.runs_to_end(scene.pushes(delivery))
        return scene.rests()


def commit_over_another_holder() -> list[str]:
    """One instance's clock is a minute ahead, so a live holder loses its turn. Its commit must not overwrite the new holder's."""
    with Scene(skews_s=(0.0, MINUTE_S, *(0.0,) * (_INSTANCES - 2)), clocks_hold=False).playing() as scene:
        delivery = scene.delivers(scene.says())
        first = scene.pushes(delivery, instance=0)
        scene.runs_until(first, "write turns/", times=2)
        second = scene.pushes(delivery, instance=1)
        scene.runs_until(second, "model")
        scene.runs_to_end(first)
        return scene.rests()


def dead_token_beside_a_refreshed_one() -> list[str]:
    """The newest token expires before the call reaches LINE. An older message was redelivered, so its token is still valid."""
    with Scene(seconds=26.0, late_reply=LateReply.DROP).playing() as scene:
        older = scene.says()
        scene.runs_until(scene.pushes(scene.delivers(older)), "list journal/")
        scene.sleeps(1)
        delivery = scene.delivers(scene.says())
        scene.sleeps(18)
        worker = scene.pushes(delivery)
        scene.runs_until(worker, "reply")
        scene.delivers(older)
        scene.sleeps(13)
        scene.runs_to_end(worker)
        silent = [] if scene.said else ["I6: nobody got an answer although a token was alive"]
        return scene.rests() + silent


def commit_that_is_told_it_lost() -> list[str]:
    """The commit wins its swap, and the bucket reports that it lost. A worker that waits for the lease to end finds the token expired."""
    with Scene(late_reply=LateReply.PUSH).playing() as scene:
        delivery = scene.delivers(scene.says())
        scene.sleeps(40)
        worker = scene.pushes(delivery)
        scene.runs_until(worker, "write turns/", times=2)
        scene.world.weather.lost_answers = 1.0
        scene.runs_past(worker, "write turns/")
        scene.world.weather.lost_answers = 0.0
        return scene.rests(calm=True)


def worker_that_dies_after_it_spoke() -> list[str]:
    """The worker dies after it sent the answer. The takeover finds the token spent."""
    with Scene().playing() as scene:
        worker = scene.asks()
        scene.runs_until(worker, f"write {JOURNAL}event-1.outcome")
        scene.dies(worker)
        return scene.rests()


def worker_that_dies_before_it_speaks() -> list[str]:
    """The worker dies before it sends the answer. The takeover finds the token expired."""
    with Scene().playing() as scene:
        worker = scene.asks()
        scene.runs_until(worker, "reply")
        scene.dies(worker)
        scene.sleeps(MINUTE_S)
        return scene.rests()


def deferral_of_a_deferral() -> list[str]:
    """The first worker dies, so a press asks the model again. That is deferred, too, its worker dies, and the second button is pressed."""
    with Scene(seconds=26.0).playing() as scene:
        question = scene.delivers(scene.says())
        scene.sleeps(20)
        thinker = scene.pushes(question)
        scene.runs_past(thinker, f"write {JOURNAL}event-1.outcome")
        scene.dies(thinker)
        press = scene.presses("late:event-1")
        scene.sleeps(20)
        second = scene.pushes(press)
        scene.runs_past(second, f"write {JOURNAL}event-2.outcome")
        scene.dies(second)
        scene.runs_to_end(scene.pushes(scene.presses("late:event-2")))
        return scene.rests(calm=True)


def renewal_that_loses_to_an_unsend() -> list[str]:
    """Opening the turn was slow. Its first renewal loses the swap to an unsend of another message."""
    with Scene(seconds=26.0).playing() as scene:
        worker = scene.asks()
        scene.runs_until(worker, "write turns/")
        scene.sleeps(2)
        scene.runs_until(worker, "model")
        scene.runs_until(worker, "write turns/")
        scene.runs_to_end(scene.takes_back(scene.says()))
        return [*scene.rests(calm=True), *_repeated_model_calls(scene)]


def delivery_beside_a_slow_thinker() -> list[str]:
    """The model takes longer than a lease, and two deliveries of the message are handled at once."""
    with Scene(seconds=26.0).playing() as scene:
        delivery = scene.delivers(scene.says())
        scene.pushes(delivery)
        scene.pushes(delivery)
        return [*scene.rests(calm=True), *_repeated_model_calls(scene)]


def two_who_finish() -> list[str]:
    """One instance's clock is a minute ahead: it takes over a commit, and spends the token just before the slow holder does."""
    with Scene(skews_s=(0.0, MINUTE_S, *(0.0,) * (_INSTANCES - 2)), clocks_hold=False).playing() as scene:
        delivery = scene.delivers(scene.says())
        scene.runs_until(scene.pushes(delivery, instance=2), "list journal/")
        slow = scene.asks(instance=0)
        scene.runs_until(slow, "reply")
        hasty = scene.pushes(delivery, instance=1)
        scene.runs_until(hasty, f"write {JOURNAL}event-2.outcome")
        scene.runs_to_end(slow)
        return scene.rests()


def answer_whose_receipt_is_lost(*, asleep_s: float = 0.0) -> list[str]:
    """The answer arrives, and LINE's response is lost. The worker repeats the call, at once or when the token may have expired."""
    with Scene(seed=0, seconds=26.0, late_reply=LateReply.PUSH).playing() as scene:
        delivery = scene.delivers(scene.says())
        scene.sleeps(5)
        worker = scene.pushes(delivery)
        scene.runs_until(worker, "model")
        scene.world.weather.lossiness = 1.0
        scene.runs_until(worker, "reply")
        scene.world.weather.lossiness = 0.0
        scene.runs_until(worker, "sleep")
        scene.sleeps(asleep_s)
        scene.runs_to_end(worker)
        return scene.rests()


def late_answer_whose_receipt_is_lost() -> list[str]:
    """The answer arrives, and LINE's response is lost. The worker sleeps before it repeats the call."""
    return answer_whose_receipt_is_lost(asleep_s=15)


def push_of_a_dead_worker() -> list[str]:
    """The worker dies after it pushed the answer. The takeover pushes it again."""
    with Scene(seconds=26.0, late_reply=LateReply.PUSH).playing() as scene:
        delivery = scene.delivers(scene.says())
        scene.sleeps(2 * MINUTE_S)
        worker = scene.pushes(delivery)
        scene.runs_until(worker, f"write {JOURNAL}event-1.outcome")
        scene.dies(worker)
        return scene.rests()


def push_after_twenty_minutes() -> list[str]:
    """The message is nearly twenty minutes old when the model is asked, and older when the answer is ready."""
    with Scene(seconds=26.0, late_reply=LateReply.PUSH).playing() as scene:
        delivery = scene.delivers(scene.says())
        scene.sleeps(1_190)
        scene.runs_to_end(scene.pushes(delivery))
        return scene.rests()


def question_from_long_ago() -> list[str]:
    """LINE delivers a message so late that its sender expects no answer."""
    with Scene().playing() as scene:
        scene.world.weather.backlog_s = 1_400
        message = scene.says()
        scene.sleeps(1_400)
        scene.runs_to_end(scene.pushes(scene.delivers(message)))
        return scene.rests()


def answer_while_line_is_down() -> list[str]:
    """LINE is down when the answer is to be sent, for half a minute; the token lives longer."""
    with Scene().playing() as scene:
        scene.is_down("line", seconds=30)
        scene.asks()
        return scene.rests()


def unsend_while_line_is_down() -> list[str]:
    """LINE is down when the answer is to be sent. The message is withdrawn, and that is handled, before LINE is back."""
    with Scene().playing() as scene:
        scene.sleeps(20)  # so that the second pass comes while the token lives
        scene.is_down("line", seconds=48)
        message = scene.says()
        scene.runs_until(scene.pushes(scene.delivers(message)), "reply, LINE is down")
        scene.takes_effect(scene.takes_back(message))
        return scene.rests()


def question_while_the_model_is_down() -> list[str]:
    """The model is down for longer than the token lives; who asked is told so."""
    with Scene().playing() as scene:
        scene.is_down("model", seconds=120)
        scene.asks()
        return scene.rests()


def question_while_the_bucket_is_down() -> list[str]:
    """The bucket is down for some seconds; the message is delivered again while its token lives."""
    with Scene().playing() as scene:
        scene.is_down("bucket", seconds=15)
        scene.asks()
        return scene.rests()


def question_that_spends_the_rest_of_a_budget() -> list[str]:
    """The first request of a turn costs all that its chat may spend; a tool that it calls would ask a model as well."""
    with Scene(has_knowledge=True, budget=Limits(tokens_per_chat_day=REQUEST_TOKENS)).playing() as scene:
        scene.asks_for("file")
        return scene.rests(calm=True)


def question_whose_charge_fails() -> list[str]:
    """The request of a turn costs all that its chat may spend. The bucket is down while the turn is committed; another question follows."""
    with Scene(budget=Limits(tokens_per_chat_day=REQUEST_TOKENS)).playing() as scene:
        worker = scene.asks(instance=0)
        scene.runs_past(worker, "model")
        scene.world.weather.outage_s = (scene.world.now_s, scene.world.now_s + MINUTE_S)
        scene.runs_to_end(worker)
        scene.sleeps(MINUTE_S)
        scene.runs_to_end(scene.asks(instance=0))
        return scene.rests()


def questions_around_midnight() -> list[str]:
    """Two instances whose clocks are apart answer in turns around midnight of the bot's zone."""
    budget = Limits(turns_per_chat_day=2)
    with Scene(budget=budget, skews_s=(2.0, -2.0, *(0.0,) * (_INSTANCES - 2))).playing() as scene:
        scene.sleeps(_MIDNIGHT_S - 4)
        for number in range(6):
            scene.runs_to_end(scene.asks(instance=number % 2))
        return scene.rests()


def _repeated_model_calls(scene: Scene) -> list[str]:
    is_wasted = scene.world.truth.model_calls > _CALLS_OF_A_SLOW_THOUGHT
    return ["I6: a thought was lost although nothing had failed"] if is_wasted else []


def message_whose_place_goes_to_one_that_another_instance_answers() -> list[str]:
    """A delivery waits while another instance answers its message. It gets the place of an older message, which that turn has not read."""
    with Scene(group=True, seconds=8.0).playing() as scene:
        older = scene.says(by=MEMBERS[0])
        scene.sleeps(0.1)
        newer = scene.delivers(scene.says(by=MEMBERS[1]))
        answering = scene.pushes(newer, instance=1)
        scene.runs_until(answering, "model")
        scene.pushes(newer, instance=0)
        for _ in range(PLACES - 1):
            scene.runs(seconds=0.1)
            scene.pushes(scene.delivers_order(scene.commands("help")), instance=0)
        scene.pushes(scene.delivers(older), instance=0)
        return scene.rests(calm=True)


def messages_that_are_more_than_a_turn_reads() -> list[str]:
    """The model thinks about a question of another member. More messages wait than its next turn reads, and most have lost their places."""
    with Scene(group=True, seconds=3.0, late_reply=LateReply.DROP, bounds=_TWO_READ).playing() as scene:
        asking, writing = MEMBERS
        scene.asks(instance=1, by=asking)
        scene.runs(seconds=1)
        waiting = []
        for _ in range(2 * PLACES + 1):  # so that the newest of them takes over two
            waiting.append(scene.says(by=writing))
            scene.pushes(scene.delivers(waiting[-1]), instance=0)
            scene.runs(seconds=0.2)
        found = scene.rests(calm=True)
        told = " ".join(scene.said)
        silent = [message.id for message in waiting if message.words[0][0] not in told]
        return found + [
            f"I6: {line_message_id} waited in vain, because a turn reads less" for line_message_id in silent
        ]
