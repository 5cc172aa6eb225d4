"""Scenes of polls: members press buttons, at once, late, after the end, and take back what they asked."""

from itertools import pairwise

from shared.line.addressing import GroupPolicy
from shared.line.phrases import Phrase
from shared.line.postback_data import VotePress
from shared.locales.language_file import language_file
from shared.locales.placeholders import beginning
from shared.polls.wording import PollTexts
from shared.reminders.delivery import Reminding
from tests.simulation.bus import TICK_S
from tests.simulation.fixed_texts import in_every_language
from tests.simulation.people import MEMBERS, Order
from tests.simulation.scene import MINUTE_S, Scene
from tests.simulation.scheduler import Task

_PRESS_LATE = in_every_language(Phrase.POLL_PRESS_LATE)
_TOKEN_IS_DEAD_S = 70.0
_GAP_S = 20.0
_CLAIM_S = 40.0
"""How long a press that has claimed to tell keeps other presses waiting."""
_SOON_S = 5.0
_A_REQUEST_S = 0.5
"""An outage so short that the next request fails, and the one after it does not."""
_UNTIL_S = 300.0
"""When votes of a poll that ends by itself count no more."""
_TEXTS = language_file("en").table("polls", PollTexts)


def _claims_twice(scene: Scene, poll_id: str) -> tuple[Task, Task]:
    """Two presses claim to tell a meeting's standing, the newer after the claim of the older has ended: a second member has to wait."""
    scene.runs_to_end(_begins(scene, _votes(scene, poll_id, 0)))
    scene.sleeps(_GAP_S + 1)
    older = _begins(scene, _votes(scene, poll_id, 0, by=MEMBERS[1]))
    scene.runs_until(older, _claims(scene))
    scene.runs_until(older, "read turns/")
    scene.sleeps(_CLAIM_S + 1)
    newer = _begins(scene, _votes(scene, poll_id, 0))
    scene.runs_until(newer, _claims(scene))
    scene.runs_until(newer, "read turns/")
    return older, newer


def _claims(scene: Scene) -> str:
    return f"write polls/{scene.stage.people.conversation_id}/standings/"


def _ends(scene: Scene) -> None:
    """The time until which votes count comes, and a tick says so."""
    scene.sleeps(_UNTIL_S + TICK_S - scene.world.now_s % TICK_S)
    scene.ticks()
    scene.sleeps(MINUTE_S)


def _not_told_once(scene: Scene) -> list[str]:
    results = [text for text in scene.said if beginning(_TEXTS.closed) in text]
    return [] if len(results) == 1 else ["I1: the result of a poll was not told, or twice"]


def _scene() -> Scene:
    return Scene(group=True, has_polls=True)


def _scene_where_the_model_reads_along() -> Scene:
    return Scene(group=True, has_polls=True, reminding=Reminding.PUSH, group_policy=GroupPolicy.MODEL)


def _is_polled(scene: Scene, verb: str = "poll") -> str:
    """A member asks all for their choice, or who comes; return the poll's id."""
    scene.runs_to_end(scene.asks_for(verb))
    (poll,) = scene.world.objects.list(f"polls/{scene.stage.people.conversation_id}/p")
    return poll.name.rpartition("/")[2].removesuffix(".json")


def _votes(scene: Scene, poll_id: str, choice: int, *, by: str = MEMBERS[0]) -> Order:
    """A member presses; nothing is delivered yet."""
    data = VotePress(poll_id=poll_id, choice=choice).data
    return scene.stage.people.vote(data, at_s=scene.world.now_s, by=by)


def _begins(scene: Scene, order: Order) -> Task:
    return scene.pushes(scene.delivers_order(order))


def _too_soon(scene: Scene, *orders: Order) -> list[str]:
    """Return whether the standing was told twice within 20 s, by the answers to the presses."""
    tokens = {one.reply_token for one in orders}
    told_s = sorted(one.at_s for one in scene.world.truth.said if one.reply_token in tokens)
    is_soon = any(later - before < _GAP_S for before, later in pairwise(told_s))
    return ["I6: the standing of a poll was told twice within 20 s"] if is_soon else []


def presses_of_two_members() -> list[str]:
    """Two members press within a second: the first is told at once, the second once 20 s have passed."""
    with _scene().playing() as scene:
        poll_id = _is_polled(scene)
        first = _votes(scene, poll_id, 0)
        scene.runs_to_end(_begins(scene, first))
        scene.sleeps(1)
        second = _votes(scene, poll_id, 1, by=MEMBERS[1])
        scene.runs_to_end(_begins(scene, second))
        return [*_too_soon(scene, first, second), *scene.rests(calm=True)]


def member_who_presses_again_to_come() -> list[str]:
    """Two members come to a meeting with one place, and the first presses once more: the second still waits."""
    with _scene().playing() as scene:
        poll_id = _is_polled(scene, "meet")
        for member in (MEMBERS[0], MEMBERS[1], MEMBERS[0]):
            scene.runs_to_end(_begins(scene, _votes(scene, poll_id, 0, by=member)))
            scene.sleeps(_GAP_S + 1)
        return scene.rests(calm=True)


def member_who_moves_up() -> list[str]:
    """The member with the only place of a meeting gives it up: the standing says that the other one has it."""
    with _scene().playing() as scene:
        poll_id = _is_polled(scene, "meet")
        for member, choice in ((MEMBERS[0], 0), (MEMBERS[1], 0), (MEMBERS[0], 1)):
            scene.runs_to_end(_begins(scene, _votes(scene, poll_id, choice, by=member)))
            scene.sleeps(_GAP_S + 1)
        return scene.rests(calm=True)


def member_who_moves_up_under_a_newer_claim() -> list[str]:
    """A press tells who waits for a place after its claim has ended and another press has claimed: that one says who moved up."""
    with _scene().playing() as scene:
        poll_id = _is_polled(scene, "meet")
        older, newer = _claims_twice(scene, poll_id)
        scene.runs_to_end(older)
        leaving = _begins(scene, _votes(scene, poll_id, 1))
        scene.runs_until(leaving, "sleep")
        scene.runs_to_end(newer)
        scene.runs_to_end(leaving)
        return scene.rests(calm=True)


def member_who_moves_up_before_the_telling_is_recorded() -> list[str]:
    """As before, and the newer press tells at once after the older: that one has not yet recorded who was told to wait."""
    with _scene().playing() as scene:
        poll_id = _is_polled(scene, "meet")
        older, newer = _claims_twice(scene, poll_id)
        scene.comes_to(older, _claims(scene))
        leaving = _begins(scene, _votes(scene, poll_id, 1))
        scene.runs_until(leaving, "sleep")
        scene.comes_to(newer, "waits for a while")
        scene.runs_to_end(older)
        scene.runs_to_end(newer)
        scene.runs_to_end(leaving)
        return scene.rests(calm=True)


def press_that_costs_a_place_late() -> list[str]:
    """A member gave the only place up and took it again, and the press between comes last: the chat is told who has the place now."""
    with _scene().playing() as scene:
        poll_id = _is_polled(scene, "meet")
        scene.runs_to_end(_begins(scene, _votes(scene, poll_id, 0)))
        scene.sleeps(_GAP_S + 1)
        late = _votes(scene, poll_id, 1)
        for member in (MEMBERS[1], MEMBERS[0]):
            scene.sleeps(1)
            scene.runs_to_end(_begins(scene, _votes(scene, poll_id, 0, by=member)))
            scene.sleeps(_GAP_S)
        scene.runs_to_end(_begins(scene, late))
        return scene.rests(calm=True)


def press_that_comes_late_between_presses_to_come() -> list[str]:
    """A member came three times, another before the third; a press to stay away, from before the second, comes last: the first stays."""
    with _scene().playing() as scene:
        poll_id = _is_polled(scene, "meet")
        scene.runs_to_end(_begins(scene, _votes(scene, poll_id, 0)))
        scene.sleeps(_GAP_S + 1)
        late = _votes(scene, poll_id, 1)
        for member in (MEMBERS[0], MEMBERS[1], MEMBERS[0]):
            scene.sleeps(1)
            scene.runs_to_end(_begins(scene, _votes(scene, poll_id, 0, by=member)))
            scene.sleeps(_GAP_S)
        scene.runs_to_end(_begins(scene, late))
        return scene.rests(calm=True)


def press_before_the_poll_is_written() -> list[str]:
    """The worker dies after it has shown a poll, and before it writes it; a press comes first, long after: it counts all the same."""
    with _scene().playing() as scene:
        asked = scene.delivers(scene.says(verb="poll"))
        worker = scene.pushes(asked)
        scene.runs_until(worker, "write polls/")
        scene.dies(worker)
        (card,) = (said for said in scene.world.truth.said if said.votes)
        order = scene.stage.people.vote(card.votes[0], at_s=scene.world.now_s, by=MEMBERS[1])
        scene.sleeps(MINUTE_S * 2)
        scene.runs_to_end(_begins(scene, order))
        return scene.rests()


def press_of_a_poll_that_is_gone_before_its_turn_has_ended() -> list[str]:
    """The worker dies after it has written a poll, and before the turn says so; an edit removes the poll: a press is told so, once."""
    with _scene().playing() as scene:
        asked = scene.says(verb="poll")
        worker = scene.pushes(scene.delivers(asked))
        scene.runs_until(worker, "write polls/")
        scene.runs_until(worker, "write turns/")
        scene.dies(worker)
        scene.runs_to_end(scene.edits(asked))
        (card,) = (said for said in scene.world.truth.said if said.votes)
        scene.sleeps(MINUTE_S)
        order = scene.stage.people.vote(card.votes[0], at_s=scene.world.now_s, by=MEMBERS[1])
        scene.runs_to_end(_begins(scene, order))
        is_told = any(one.reply_token == order.reply_token for one in scene.world.truth.said)
        return [*([] if is_told else ["I6: a press of a poll that is gone met silence"]), *scene.rests()]


def press_whose_worker_dies_after_its_claim() -> list[str]:
    """The worker of a press dies once the press has claimed to tell; delivered again, it tells at once."""
    with _scene().playing() as scene:
        poll_id = _is_polled(scene)
        order = _votes(scene, poll_id, 0)
        worker = _begins(scene, order)
        scene.runs_until(worker, "reply")
        scene.dies(worker)
        scene.sleeps(MINUTE_S / 2)
        begun_s = scene.world.now_s
        scene.runs_to_end(_begins(scene, order))
        is_late = scene.world.now_s - begun_s > _SOON_S
        return [*(["I6: a press waited for its own claim"] if is_late else []), *scene.rests()]


def press_beside_a_newer_press() -> list[str]:
    """Two presses wait for the 20 s to pass: only the newer one tells, and what it tells holds both."""
    with _scene().playing() as scene:
        poll_id = _is_polled(scene)
        scene.runs_to_end(_begins(scene, _votes(scene, poll_id, 0)))
        scene.sleeps(1)
        older = _votes(scene, poll_id, 1)
        waiting = _begins(scene, older)
        scene.runs_until(waiting, "sleep")
        scene.sleeps(1)
        newer = _votes(scene, poll_id, 1, by=MEMBERS[1])
        telling = _begins(scene, newer)
        scene.runs_until(telling, "sleep")
        scene.sleeps(_GAP_S)
        scene.runs_to_end(waiting)
        scene.runs_to_end(telling)
        is_silent = not any(one.reply_token == older.reply_token for one in scene.world.truth.said)
        return [*([] if is_silent else ["I6: a press told what a newer press tells"]), *scene.rests(calm=True)]


def press_whose_worker_dies() -> list[str]:
    """The worker dies after it claimed to tell; the press comes again, and tells."""
    with _scene().playing() as scene:
        poll_id = _is_polled(scene)
        order = _votes(scene, poll_id, 0)
        worker = _begins(scene, order)
        scene.runs_until(worker, "write turns/")
        scene.dies(worker)
        scene.sleeps(60)
        scene.runs_to_end(_begins(scene, order))
        is_told = any(one.reply_token == order.reply_token for one in scene.world.truth.said)
        return [*([] if is_told else ["I6: nobody told a press whose worker had died"]), *scene.rests()]


def press_that_comes_late() -> list[str]:
    """A press is delivered after a newer press of another member was told; it counts, and tells for itself."""
    with _scene().playing() as scene:
        poll_id = _is_polled(scene)
        late = _votes(scene, poll_id, 0)
        scene.sleeps(1)
        scene.runs_to_end(_begins(scene, _votes(scene, poll_id, 1, by=MEMBERS[1])))
        scene.sleeps(5)
        scene.runs_to_end(_begins(scene, late))
        return scene.rests(calm=True)


def press_whose_token_dies_behind_an_answer() -> list[str]:
    """A press comes late, while the model thinks: its vote counts, and the next answer says so once."""
    with _scene().playing() as scene:
        delivery = scene.delivers_order(_votes(scene, _is_polled(scene), 0))
        scene.sleeps(_TOKEN_IS_DEAD_S)
        asking = scene.asks()
        scene.runs_until(asking, "model")
        scene.runs_to_end(scene.pushes(delivery))
        scene.runs_to_end(asking)
        return _not_told_of_once(scene)


def press_whose_token_is_dead() -> list[str]:
    """A press comes late to a chat whose turn is free: its vote counts, and the next answer says so once."""
    with _scene().playing() as scene:
        delivery = scene.delivers_order(_votes(scene, _is_polled(scene), 0))
        scene.sleeps(_TOKEN_IS_DEAD_S)
        scene.runs_to_end(scene.pushes(delivery))
        return _not_told_of_once(scene)


def late_press_that_a_newer_one_tells() -> list[str]:
    """A press comes late, behind an answer, and another member presses: the standing tells both, and no answer says more."""
    with _scene().playing() as scene:
        poll_id = _is_polled(scene)
        delivery = scene.delivers_order(_votes(scene, poll_id, 0))
        scene.sleeps(_TOKEN_IS_DEAD_S)
        asking = scene.asks()
        scene.runs_until(asking, "model")
        late = scene.pushes(delivery)
        scene.runs_until(late, "read turns/")
        newer = _begins(scene, _votes(scene, poll_id, 1, by=MEMBERS[1]))
        scene.runs_until(newer, "list polls/", times=2)
        for request in (late, asking, newer):
            scene.runs_to_end(request)
        scene.runs_to_end(scene.asks())
        told = any(late in text for text in scene.said for late in _PRESS_LATE)
        found = ["I6: a press was told of that a newer press had told"] if told else []
        return [*found, *scene.rests()]


def _not_told_of_once(scene: Scene) -> list[str]:
    for _ in range(2):
        scene.sleeps(1)
        scene.runs_to_end(scene.asks())
    told = sum(text.count(late) for text in scene.said for late in _PRESS_LATE)
    found = [] if told == 1 else ["I6: a press of a poll, whose token died, was not told of, or not once"]
    return [*found, *scene.rests()]


def press_after_the_end() -> list[str]:
    """A member presses a button of a poll that was closed."""
    with _scene().playing() as scene:
        poll_id = _is_polled(scene)
        scene.runs_to_end(_begins(scene, _votes(scene, poll_id, 0)))
        scene.sleeps(1)
        scene.runs_to_end(scene.asks_for("endpoll"))
        scene.sleeps(1)
        order = _votes(scene, poll_id, 1, by=MEMBERS[1])
        scene.runs_to_end(_begins(scene, order))
        return scene.rests(calm=True)


def press_while_the_poll_is_closed() -> list[str]:
    """A turn has closed a poll and not written it yet when a member presses: the vote does not count, and the member is told."""
    with _scene().playing() as scene:
        poll_id = _is_polled(scene)
        scene.runs_to_end(_begins(scene, _votes(scene, poll_id, 0)))
        scene.sleeps(_GAP_S + 1)
        closing = scene.pushes(scene.delivers(scene.says(verb="endpoll")))
        scene.runs_until(closing, "write polls/")
        order = _votes(scene, poll_id, 1, by=MEMBERS[1])
        pressing = _begins(scene, order)
        scene.runs_until(pressing, "waits for a while")
        scene.runs_to_end(closing)
        scene.runs_to_end(pressing)
        is_told = any(one.reply_token == order.reply_token for one in scene.world.truth.said)
        return [*([] if is_told else ["I6: the press that tells the standing of a poll met silence"]), *scene.rests()]


def press_that_leaves_telling_to_a_press_after_the_end() -> list[str]:
    """A press waits for the 20 s to pass and leaves the telling to a newer press, which came after the poll's end: that one tells both."""
    with _scene().playing() as scene:
        poll_id = _is_polled(scene)
        scene.runs_to_end(_begins(scene, _votes(scene, poll_id, 0)))
        scene.sleeps(1)
        older = _begins(scene, _votes(scene, poll_id, 0, by=MEMBERS[1]))
        scene.runs_until(older, "sleep")
        closing = scene.pushes(scene.delivers(scene.says(verb="endpoll")))
        scene.runs_until(closing, "write polls/")
        newer = _begins(scene, _votes(scene, poll_id, 1))
        scene.runs_until(newer, "sleep")
        scene.sleeps(_GAP_S)
        scene.runs_to_end(older)
        scene.runs_to_end(closing)
        scene.runs_to_end(newer)
        return scene.rests(calm=True)


def poll_that_is_closed() -> list[str]:
    """A poll is asked for and closed."""
    with _scene().playing() as scene:
        scene.runs_to_end(scene.asks_for("poll"))
        scene.sleeps(1)
        scene.runs_to_end(scene.asks_for("endpoll"))
        chat = scene.stage.people.conversation_id
        is_there = bool(scene.world.objects.list(f"polls/{chat}/p"))
        return [*([] if is_there else ["I10: a poll that was told is missing"]), *scene.rests(calm=True)]


def poll_that_ends_at_its_time() -> list[str]:
    """Votes count until a time; after it, of two messages that nobody answers, the first brings the result, once."""
    with Scene(group=True, has_polls=True, reminding=Reminding.PUSH).playing() as scene:
        poll_id = _is_polled(scene, "pollby")
        scene.runs_to_end(_begins(scene, _votes(scene, poll_id, 0)))
        _ends(scene)
        for _ in range(2):
            scene.runs_to_end(scene.pushes(scene.delivers(scene.says(addressed=False))))
            scene.sleeps(MINUTE_S)
        return [*_not_told_once(scene), *scene.rests()]


def polls_that_end_at_the_same_time() -> list[str]:
    """Votes of two polls count until the same time; after it, the first message that nobody answers brings both results, once."""
    with Scene(group=True, has_polls=True, reminding=Reminding.PUSH).playing() as scene:
        for _ in range(2):
            scene.runs_to_end(scene.asks_for("pollby"))
            scene.sleeps(_SOON_S)
        _ends(scene)
        for _ in range(2):
            scene.runs_to_end(scene.pushes(scene.delivers(scene.says(addressed=False))))
            scene.sleeps(MINUTE_S)
        return [*_not_told_once(scene), *scene.rests(calm=True)]


def result_of_a_poll_while_the_bucket_fails() -> list[str]:
    """One request to the bucket fails when a message would bring the result of a poll: the next message brings it."""
    with Scene(group=True, has_polls=True, reminding=Reminding.PUSH).playing() as scene:
        _is_polled(scene, "pollby")
        _ends(scene)
        worker = scene.pushes(scene.delivers(scene.says(addressed=False)))
        scene.runs_until(worker, "write turns/")
        scene.is_down("bucket", seconds=_A_REQUEST_S)
        scene.runs_to_end(worker)
        scene.sleeps(MINUTE_S)
        scene.runs_to_end(scene.pushes(scene.delivers(scene.says(addressed=False))))
        return [*_not_told_once(scene), *scene.rests()]


def poll_that_the_model_opens_in_silence() -> list[str]:
    """A member asks for a poll. The model opens it, and has nothing to say."""
    with _scene().playing() as scene:
        scene.stage.mood.skips = 1.0
        scene.runs_to_end(scene.asks_for("poll"))
        return scene.rests(calm=True)


def result_of_a_poll_where_the_model_is_silent() -> list[str]:
    """The model reads each message, and has nothing to say: the first message after the end of the poll brings the result, once."""
    with _scene_where_the_model_reads_along().playing() as scene:
        _is_polled(scene, "pollby")
        _ends(scene)
        scene.stage.mood.skips = 1.0
        for _ in range(2):
            scene.runs_to_end(scene.pushes(scene.delivers(scene.says(addressed=False))))
            scene.sleeps(MINUTE_S)
        return [*_not_told_once(scene), *scene.rests(calm=True)]


def result_of_a_poll_after_an_interjection() -> list[str]:
    """The model interjects about a message after the end of the poll: another one, a few seconds later, brings the result."""
    with _scene_where_the_model_reads_along().playing() as scene:
        _is_polled(scene, "pollby")
        _ends(scene)
        for _ in range(2):
            scene.runs_to_end(scene.pushes(scene.delivers(scene.says(addressed=False))))
            scene.sleeps(_SOON_S)
        return [*_not_told_once(scene), *scene.rests(calm=True)]


def reminder_of_a_poll_that_a_model_cancels() -> list[str]:
    """A model cancels the reminder with the result of a poll, by the id that the prompt shows: the result is told all the same."""
    with Scene(group=True, has_polls=True, reminding=Reminding.PUSH).playing() as scene:
        _is_polled(scene, "pollby")
        scene.sleeps(1)
        scene.runs_to_end(scene.asks_for("cancel"))
        if not scene.world.truth.cancelled_by_id:
            raise AssertionError("the order named no id")
        _ends(scene)
        scene.runs_to_end(scene.pushes(scene.delivers(scene.says(addressed=False))))
        return [*_not_told_once(scene), *scene.rests()]


def meeting_that_is_reminded_of() -> list[str]:
    """A member asks who comes, and to be reminded before."""
    with Scene(group=True, has_polls=True, reminding=Reminding.PUSH).playing() as scene:
        _is_polled(scene, "meetsoon")
        return scene.rests(calm=True)


def meeting_that_is_called_off() -> list[str]:
    """A member asks who comes, and to be reminded before; another one calls it off."""
    with Scene(group=True, has_polls=True, reminding=Reminding.PUSH).playing() as scene:
        _is_polled(scene, "meetsoon")
        scene.sleeps(1)
        scene.runs_to_end(scene.asks_for("calloff"))
        return scene.rests(calm=True)


def meeting_whose_reminder_is_cancelled_at_once() -> list[str]:
    """A member asks who comes, and to be reminded before; another one cancels the reminder before the answer: one turn does both."""
    with Scene(group=True, has_polls=True, reminding=Reminding.PUSH).playing() as scene:
        asking = scene.asks_for("meetsoon")
        scene.runs_until(asking, "list journal/")
        scene.runs_to_end(scene.asks_for("cancel"))
        scene.runs_to_end(asking)
        if scene.world.truth.reminders:
            raise AssertionError("the reminder was written before it was cancelled")
        return scene.rests(calm=True)


def poll_that_is_taken_back_after_its_end() -> list[str]:
    """The question is taken back after the end of the poll, before any message brings the result."""
    with Scene(group=True, has_polls=True, reminding=Reminding.PUSH).playing() as scene:
        asked = scene.says(verb="pollby")
        scene.runs_to_end(scene.pushes(scene.delivers(asked)))
        _ends(scene)
        scene.runs_to_end(scene.takes_back(asked))
        scene.runs_to_end(scene.pushes(scene.delivers(scene.says(addressed=False))))
        return scene.rests()


def poll_that_is_taken_back() -> list[str]:
    """Who asked takes the question back after another member has voted."""
    with _scene().playing() as scene:
        asked = scene.says(verb="poll")
        scene.runs_to_end(scene.pushes(scene.delivers(asked)))
        (poll,) = scene.world.objects.list(f"polls/{scene.stage.people.conversation_id}/p")
        poll_id = poll.name.rpartition("/")[2].removesuffix(".json")
        scene.runs_to_end(_begins(scene, _votes(scene, poll_id, 0, by=MEMBERS[1])))
        scene.sleeps(1)
        scene.runs_to_end(scene.takes_back(asked))
        return scene.rests()


def press_while_the_poll_is_taken_back() -> list[str]:
    """The question is taken back while a press is about to be written: no vote is left."""
    with _scene().playing() as scene:
        asked = scene.says(verb="poll")
        scene.runs_to_end(scene.pushes(scene.delivers(asked)))
        (poll,) = scene.world.objects.list(f"polls/{scene.stage.people.conversation_id}/p")
        poll_id = poll.name.rpartition("/")[2].removesuffix(".json")
        worker = _begins(scene, _votes(scene, poll_id, 0, by=MEMBERS[1]))
        scene.runs_until(worker, "write polls/")
        scene.runs_to_end(scene.takes_back(asked))
        scene.runs_to_end(worker)
        return scene.rests()


def votes_of_a_member_who_is_forgotten() -> list[str]:
    """A member votes and has everything of that member forgotten; the votes of others stay."""
    with _scene().playing() as scene:
        poll_id = _is_polled(scene)
        for member in MEMBERS:
            scene.runs_to_end(_begins(scene, _votes(scene, poll_id, 0, by=member)))
            scene.sleeps(_GAP_S + 1)
        order = scene.stage.people.order("forget me", at_s=scene.world.now_s, by=MEMBERS[0])
        scene.runs_to_end(_begins(scene, order))
        left = scene.world.objects.list(f"polls/{scene.stage.people.conversation_id}/votes/")
        is_gone = len(left) <= 1
        return [*([] if is_gone else ["I4: a vote is left of a member who was forgotten"]), *scene.rests()]


def poll_that_is_undone_in_its_own_turn() -> list[str]:
    """A member asks for a poll whose result is pushed, and another one has the change undone, before a turn has begun."""
    with Scene(group=True, has_polls=True, reminding=Reminding.PUSH).playing() as scene:
        workers = [scene.asks_for("pollpush"), scene.asks_for("undo")]
        for worker in workers:
            scene.runs_past(worker, "write journal/")
        for worker in workers:
            scene.runs_to_end(worker)
        _ends(scene)
        return scene.rests()
