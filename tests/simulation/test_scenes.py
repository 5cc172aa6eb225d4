"""The behaviour that the protocol guarantees, one scene for each statement."""

import pytest

from shared.conversation.records import OutcomeKind
from shared.conversation.snapshot import MemoryLimits
from shared.line.phrases import Phrase, phrase
from shared.turns.deferral import LateReply
from tests.simulation.amendment_scenes import worker_that_dies_before_a_late_tick
from tests.simulation.entry_scenes import reply_beside_a_write_that_fails
from tests.simulation.forgetting_scenes import proposes_to_take_back
from tests.simulation.mind import Manner
from tests.simulation.mutations import MUTATIONS
from tests.simulation.people import GROUP, PERSON, Message
from tests.simulation.scene import Scene
from tests.simulation.tap_scenes import tap_whose_worker_dies
from tests.simulation.times import ANSWERABLE_S, DEFER_S, SKEW_S, TOKEN_S
from tests.simulation.wiring import TINY
from tests.simulation.withdrawal_scenes import unsend_of_what_left_memory, unsend_that_dies_before_a_compaction

BUTTON = "late:event-1"
_FEW_ANSWERS = 4
_ALL_FOLDED = MemoryLimits(journalled=0, verbatim=2, summed_up=2, recaps_at_once=1, recaps=2, sources=4)
_MANY_ANSWERS = 21  # one more than the snapshot keeps in any case
_LINE_IS_QUICK = 1  # a seed with which LINE has the picture ready


def defers(scene: Scene, *, late_answer_is_ready: bool = True) -> Message:
    """The model is slow, so "still thinking" is said; its answer is stored, or its worker dies first."""
    question = scene.says()
    delivery = scene.delivers(question)
    scene.sleeps(20)
    thinker = scene.pushes(delivery)
    if late_answer_is_ready:
        scene.runs_to_end(thinker)
    else:
        scene.runs_past(thinker, "write journal/U11111111111111111111111111111111/event-1.outcome")
        scene.dies(thinker)
        scene.stage.mood.seconds = (2.0, 2.0)
    return question


def presses(scene: Scene) -> None:
    scene.runs_to_end(scene.pushes(scene.presses(BUTTON)))


def answers(scene: Scene) -> list[str]:
    return [one.text for one in scene.world.truth.said if not one.button]


def test_an_unsend_beside_the_commit_leaves_no_words_of_an_answer_on_its_way() -> None:
    with Scene().playing() as scene:
        message = scene.says()
        worker = scene.pushes(scene.delivers(message))
        scene.runs_until(worker, "write turns/", times=2)
        scene.runs_past(worker, "list amended/")  # the last look is over, and the commit is not

        scene.runs_until(scene.takes_back(message), "list amended/")  # only its event is stored
        scene.runs_to_end(worker)

        assert len(answers(scene)) == 1
        recorded = scene.world.objects.read("journal/U11111111111111111111111111111111/event-1.outcome.json")
        assert recorded is not None
        assert "word0a" not in recorded.data.decode()
        assert scene.rests(calm=True) == []


def test_a_press_shows_the_stored_answer_without_a_model_call() -> None:
    with Scene(seconds=26.0).playing() as scene:
        defers(scene)
        model_calls = scene.world.truth.model_calls

        presses(scene)

        assert scene.rests(calm=True) == []
    assert len(answers(scene)) == 1
    assert scene.world.truth.model_calls == model_calls


def test_a_press_asks_the_model_if_no_answer_is_stored() -> None:
    with Scene(seconds=26.0).playing() as scene:
        defers(scene, late_answer_is_ready=False)

        presses(scene)

        assert scene.rests(calm=True) == []
    assert len(answers(scene)) == 1


@pytest.mark.parametrize("is_ready", [True, False])
def test_two_concurrent_presses_show_one_answer(is_ready: bool) -> None:
    with Scene(seconds=26.0).playing() as scene:
        defers(scene, late_answer_is_ready=is_ready)

        for _ in range(2):
            scene.pushes(scene.presses(BUTTON))

        assert scene.rests() == []
    assert len(answers(scene)) == 1


def test_a_late_answer_without_a_button_is_undelivered_and_goes_with_its_question() -> None:
    with Scene(seconds=27.0).playing() as scene:
        question = scene.says()
        delivery = scene.delivers(question)
        scene.sleeps(28)
        thinker = scene.pushes(delivery)
        scene.runs_until(thinker, "reply")  # "still thinking", whose token dies meanwhile
        scene.sleeps_in(thinker, seconds=12)
        scene.runs_to_end(thinker)

        late = scene.world.truth.recorded[PERSON]["event-1-late"]
        assert (late.kind, scene.said) == (OutcomeKind.UNDELIVERED, [])
        assert late.text is not None
        assert "word0a" in late.text
        scene.takes_effect(scene.takes_back(question))
        assert scene.rests() == []


def test_a_press_after_the_answer_is_told_that_it_is_above() -> None:
    with Scene(seconds=26.0).playing() as scene:
        defers(scene)

        presses(scene)
        presses(scene)

        assert scene.rests() == []
    assert answers(scene)[1:] == [phrase(Phrase.ANSWER_SHOWN, locale="en", bot_name="")]


def test_a_press_of_a_withdrawn_question_is_told_that_it_is_void() -> None:
    with Scene(seconds=26.0).playing() as scene:
        question = defers(scene)

        scene.runs_to_end(scene.takes_back(question))
        presses(scene)

        assert scene.rests() == []
    assert answers(scene) == [phrase(Phrase.PRESS_VOID, locale="ja", bot_name="")]


def test_a_press_after_a_neighbours_unsend_shows_an_answer_without_its_words() -> None:
    with Scene(seconds=26.0, group=True).playing() as scene:
        neighbour = scene.says(addressed=False)
        scene.runs_to_end(scene.pushes(scene.delivers(neighbour)))
        question = scene.delivers(scene.says())
        scene.sleeps(20)
        scene.runs_to_end(scene.pushes(question))
        scene.runs_to_end(scene.takes_back(neighbour))

        scene.runs_to_end(scene.pushes(scene.presses("late:event-2")))

        assert scene.rests() == []
    assert "word0a" not in " ".join(answers(scene))


def test_still_thinking_is_sent_before_the_token_expires() -> None:
    with Scene(seconds=26.0).playing() as scene:
        defers(scene)

    assert DEFER_S <= scene.world.truth.said[0].at_s < TOKEN_S


def test_an_edit_delivered_before_its_message_is_answered() -> None:
    with Scene(group=True).playing() as scene:
        message = scene.says()
        scene.sleeps(1)

        scene.runs_to_end(scene.edits(message))
        scene.runs_to_end(scene.pushes(scene.delivers(message)))

        assert scene.rests(calm=True) == []
    assert len(scene.said) == 1
    assert "word0b" in scene.said[0]


def test_an_edit_during_the_model_call_is_answered() -> None:
    with Scene(group=True).playing() as scene:
        message = scene.says()
        thinker = scene.pushes(scene.delivers(message))
        scene.runs_until(thinker, "model")
        scene.sleeps(0.5)

        scene.runs_to_end(scene.edits(message))

        assert scene.rests(calm=True) == []
    assert len(scene.said) == 1
    assert "word0b" in scene.said[0]


def test_an_edit_does_not_restore_a_withdrawn_message() -> None:
    with Scene(group=True).playing() as scene:
        message = scene.says()
        scene.sleeps(1)

        scene.runs_to_end(scene.takes_back(message))
        scene.runs_to_end(scene.edits(message))
        scene.runs_to_end(scene.pushes(scene.delivers(message)))

        assert scene.rests() == []
    assert scene.said == []


def test_a_redelivered_reset_keeps_later_messages() -> None:
    with Scene().playing() as scene:
        scene.runs_to_end(scene.asks())
        scene.sleeps(1)
        reset = scene.commands("reset")
        scene.runs_to_end(scene.pushes(scene.delivers_order(reset)))
        scene.sleeps(1)
        scene.runs_to_end(scene.asks())

        scene.runs_to_end(scene.pushes(scene.delivers_order(reset)))

        assert scene.rests() == []
    assert "word2a" in scene.said[-1]
    assert "word0a" not in scene.said[-1]


def test_a_withdrawal_during_the_model_call_leaves_the_other_answer() -> None:
    with Scene().playing() as scene:
        scene.runs_until(scene.asks(), "list journal/")
        withdrawn = scene.says()
        thinker = scene.pushes(scene.delivers(withdrawn))
        scene.runs_until(thinker, "model")

        scene.takes_back(withdrawn)

        assert scene.rests(calm=True) == []
    assert len(scene.said) == 1
    assert "word0a" in scene.said[0]


def test_a_takeover_detects_that_the_dead_worker_replied() -> None:
    with Scene().playing() as scene:
        worker = scene.asks()
        scene.runs_past(worker, "reply")

        scene.dies(worker)

        assert scene.rests() == []
    assert len(scene.said) == 1


def test_a_message_that_kills_its_workers_gets_an_apology() -> None:
    with Scene(late_reply=LateReply.PUSH).playing() as scene:
        scene.stage.mood.poison = frozenset({"word0a"})

        scene.asks()

        assert scene.rests() == []
    assert len(scene.said) == 1
    assert "word0a" not in scene.said[0]


def test_a_question_that_memory_forgot_and_that_comes_again_is_refused_whatever_it_counts() -> None:
    bounds = {"outcomes_read": 1, "outcomes_kept": 1, "newest_outcomes_kept": 1}
    with Scene(group=True, bounds=bounds).playing() as scene:
        command = scene.commands("forget")
        scene.runs_to_end(scene.pushes(scene.delivers_order(command)))
        for _ in range(6):
            scene.sleeps(1)
            scene.runs_to_end(scene.asks())
        scene.sleeps(ANSWERABLE_S + SKEW_S)  # the turn has forgotten it, too
        for _ in range(3):
            scene.sleeps(1)
            scene.runs_to_end(scene.asks())

        scene.runs_to_end(scene.pushes(scene.delivers_order(command)))

        assert scene.rests() == []
        recorded = scene.world.truth.recorded[scene.stage.people.conversation_id][command.id]
    assert recorded.kind is OutcomeKind.UNDELIVERED
    assert len(scene.said) == 1 + 6 + 3


def test_a_question_that_comes_again_after_many_answers_is_not_asked_again() -> None:
    with Scene(group=True).playing() as scene:
        command = scene.commands("forget")
        scene.runs_to_end(scene.pushes(scene.delivers_order(command)))
        for _ in range(_MANY_ANSWERS):
            scene.sleeps(10)
            scene.runs_to_end(scene.asks())

        scene.runs_to_end(scene.pushes(scene.delivers_order(command)))

        assert scene.rests() == []
        recorded = scene.world.truth.recorded[scene.stage.people.conversation_id][command.id]
    assert recorded.kind is OutcomeKind.REPLIED


def test_an_answer_that_names_one_which_a_compaction_cleaned_before_the_plan_goes_uncompared() -> None:
    with Scene(manner="says nothing", limits=_ALL_FOLDED).playing() as scene:
        first = scene.says()
        scene.runs_until(scene.pushes(scene.delivers(first)), "list journal/")
        for _ in range(
            _FEW_ANSWERS
        ):  # the first answer is to two messages, so a prompt may show it without the first of them
            scene.sleeps(1)
            question = scene.says()
            scene.runs_to_end(scene.pushes(scene.delivers(question)))
        withdrawal = scene.takes_back(first)
        scene.runs_until(withdrawal, "list journal/")

        scene.runs_to_end(scene.pushes(scene.delivers(question)))  # journalled again, so folded

        assert scene.rests() == []
        chat = scene.stage.people.conversation_id
        outcomes = scene.world.truth.recorded[chat].values()
    assert any(one.text is None and first.id not in one.provenance.ids for one in outcomes)
    assert scene.world.truth.uncompared


@pytest.mark.parametrize("manner", ["says nothing", "paraphrases"])
def test_what_names_an_answer_to_a_message_that_a_compaction_dropped_may_lose_its_words(manner: Manner) -> None:
    assert unsend_that_dies_before_a_compaction(manner) == []


def test_what_names_an_answer_to_a_message_that_left_memory_may_lose_its_words() -> None:
    assert unsend_of_what_left_memory() == []


def test_a_change_is_carried_out_once_although_its_worker_dies() -> None:
    assert tap_whose_worker_dies() == []


@pytest.mark.parametrize(
    ("about", "times"),
    [("write amended/", 1), ("write due/", 1), ("write amended/", 3), ("write archive/", 1)],
)
def test_what_is_taken_back_together_goes_from_the_archive_wherever_the_worker_dies(about: str, times: int) -> None:
    with Scene(group=True, limits=TINY).playing() as scene:
        said = [scene.says(addressed=False) for _ in range(4)]
        for message in said:
            scene.runs_to_end(scene.pushes(scene.delivers(message)))
        said.append(scene.says())
        scene.runs_to_end(scene.pushes(scene.delivers(said[-1])))
        assert scene.world.objects.list("archive/")
        scene.sleeps(1)
        command = scene.commands("forget me")
        own = [one for one in said if one.event["source"] == command.event["source"]]
        for message in own:
            message.unsent = True
            message.amended_s.append(command.at_s)
        worker = scene.pushes(scene.delivers_order(command))
        scene.runs_until(worker, about, times=times)

        scene.dies(worker)

        assert scene.rests() == []
    assert len(own) > 1


def test_an_edit_between_the_listing_and_the_opening_of_a_turn_is_answered() -> None:
    with Scene(group=True).playing() as scene:
        question = scene.says()
        scene.sleeps(1)
        worker = scene.pushes(scene.delivers(question))
        scene.runs_until(worker, "write turns/")

        scene.runs_to_end(scene.edits(question))

        assert scene.rests(calm=True) == []
    newest, oldest = question.newest_words[0], question.words[0][0]
    assert newest in scene.said[-1]
    assert all(oldest not in text for text in scene.said)


@pytest.mark.parametrize("is_asker", [True, False])
def test_forget_me_takes_a_quoted_picture_that_is_delivered_only_later(is_asker: bool) -> None:
    with Scene(seed=_LINE_IS_QUICK, group=True).playing() as scene:
        picture = scene.sends_image()
        late = scene.delivers(picture)
        scene.sleeps(1)
        other = scene.says(addressed=False)  # members take turns
        asked = scene.says(quotes=picture.id)
        forgotten = asked.author if is_asker else other.author
        for message in (asked, other):
            scene.runs_to_end(scene.pushes(scene.delivers(message)))
        order = scene.stage.people.order("forget me", at_s=scene.world.now_s, by=forgotten)
        scene.takes_effect(scene.pushes(scene.delivers_order(order)))

        scene.runs_to_end(scene.pushes(late))

        assert asked.author != other.author
        assert any(picture.newest_words[0] in said for said in scene.said)
        assert scene.rests() == []
    assert scene.world.objects.read(f"journal/{GROUP}/{picture.id}.json") is None


def test_a_press_of_its_asker_takes_back_what_the_bot_proposed() -> None:
    with Scene(group=True).playing() as scene:
        asker, _ = proposes_to_take_back(scene)

        scene.takes_effect(scene.pushes(scene.delivers_order(scene.takes_back_as_proposed(by=asker))))

        assert scene.rests(calm=True) == []
    assert [one.is_withdrawn for one in scene.stage.people.messages] == [True, False, False]
    assert {"word0a", "gloss0a"} <= scene.world.truth.forgotten.keys()


def test_a_proposal_goes_with_a_message_that_it_lists_although_its_model_was_never_shown_the_list() -> None:
    with Scene(seconds=8.0, limits=_ALL_FOLDED).playing() as scene:
        listed = scene.says()
        scene.runs_to_end(scene.pushes(scene.delivers(listed)))
        for _ in range(_FEW_ANSWERS):
            scene.sleeps(1)
            scene.runs_to_end(scene.asks())
        asking = scene.asks_for("forget")
        scene.sleeps_after(asking, "list archive/", seconds=13)  # the model is told after 10 s, and thinks for 8 s more
        scene.runs_to_end(asking)
        proposal = scene.world.truth.said[-1]

        scene.takes_effect(scene.takes_back(listed))

        assert scene.rests() == []
    assert proposal.outcome is not None
    assert listed.id in proposal.outcome.offer.forgets
    assert listed.id not in scene.world.truth.thoughts[proposal.text.partition(" ")[0]].shown


def test_a_second_pass_that_comes_two_minutes_late_is_a_second_pass() -> None:
    assert worker_that_dies_before_a_late_tick() == []
    with MUTATIONS["passes_twice"].active():
        assert worker_that_dies_before_a_late_tick()


def test_a_write_beside_a_reply_is_applied_by_a_takeover_although_the_bucket_was_down() -> None:
    assert reply_beside_a_write_that_fails() == []
    with MUTATIONS["applies_staged_writes"].active():
        assert reply_beside_a_write_that_fails()
