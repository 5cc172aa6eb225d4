from collections.abc import Mapping
from dataclasses import replace

import pytest

from shared.conversation.amendments import Amendments
from shared.conversation.provenance import Provenance, Source
from shared.conversation.records import StagedWrite
from shared.conversation.redaction.plan import Derived, RedactionPlan
from shared.conversation.snapshot_records import Recap
from tests.support.chats import answer, made_of, made_with

PLACE = "behind the third bookshelf"


def redaction_plan(redacted: Mapping[str, frozenset[str]] | None = None) -> RedactionPlan:
    """Return the plan of the withdrawal of message m1, of which these were redacted before."""
    return RedactionPlan(amendments=Amendments(withdrawn=frozenset({"m1"}), redacted=redacted or {}))


def said(own_id: str, *words: str, saw: str) -> Derived:
    """Return an answer whose prompt held one other thing."""
    return Derived(id=own_id, provenance=made_of(saw, since_ms=5), words=words)


def test_what_was_made_of_the_message_itself_goes_whatever_it_says() -> None:
    plan = redaction_plan()

    assert plan.compare([said("e1", "hello", saw="m1"), said("e2", "hello", saw="m2")])

    assert (plan.redacted_ids, plan.cleared_ids) == ({"e1"}, set())


def test_what_goes_without_words_that_nobody_compared_is_a_gap() -> None:
    plan = redaction_plan()
    gap, said_nothing_of_it = said("e1", saw="m1"), said("e2", PLACE, saw="m2")

    assert plan.has_gaps([gap, said_nothing_of_it])
    assert not plan.has_gaps([replace(gap, id=""), said("e1", PLACE, saw="m1"), said("e1", saw="m2")])


def test_what_was_compared_here_or_by_another_withdrawal_is_no_gap() -> None:
    gap, plan = said("e1", saw="m1"), redaction_plan()
    plan.compare([said("e1", PLACE, saw="m1")])

    assert not plan.has_gaps([gap])
    assert not redaction_plan({"e1": frozenset()}).has_gaps([gap])


def test_another_look_at_the_same_finds_nothing_more() -> None:
    plan = redaction_plan()
    answers = [said("e1", PLACE, saw="m1"), said("e2", f"still {PLACE}", saw="e1"), said("e3", "ok", saw="e2")]

    assert [plan.compare(answers), plan.compare(answers)] == [True, False]
    assert (plan.redacted_ids, plan.cleared_ids) == ({"e1", "e2"}, {"e3"})


def test_words_that_were_handed_on_go_however_far_and_in_any_order() -> None:
    plan = redaction_plan()

    plan.compare([said("e3", PLACE, saw="e2"), said("e2", f"it is {PLACE}", saw="e1"), said("e1", PLACE, saw="m1")])

    assert plan.redacted_ids == {"e1", "e2", "e3"}


def test_what_a_press_has_made_is_not_compared_with_the_answer_to_the_press() -> None:
    """The answer to a press has the id of the press."""
    plan = redaction_plan()
    made_by_press = Provenance.of_sources([Source(line_message_id="press-5", timestamp_ms=5)])

    plan.compare([said("press-5", PLACE, saw="m1"), Derived(id="e2", provenance=made_by_press, words=(PLACE,))])

    assert (plan.redacted_ids, plan.cleared_ids) == ({"press-5"}, set())


def test_the_same_words_from_elsewhere_stay() -> None:
    plan = redaction_plan()

    plan.compare([said("e1", PLACE, saw="m1"), said("e2", PLACE, saw="m2")])

    assert (plan.redacted_ids, plan.cleared_ids) == ({"e1"}, set())


def test_answers_whose_receipts_are_alike_repeat_nothing() -> None:
    gone = made_with(answer(1, "Noted.\n\n✓ Reminder: “flowers for Hana” (Fri 21 Nov, 13:41)"), "m1")
    other = made_with(answer(2, "Done!\n\n✓ Reminder: “new tyres” (Fri 21 Nov, 13:41)"), "e1")
    heir = made_with(answer(3, "Fine.\n\n✓ Filed: “Flowers for Hana” (ideas)"), "e1")
    plan = redaction_plan()

    plan.compare(Derived.of([gone, other, heir]))

    assert (plan.redacted_ids, plan.cleared_ids) == ({"e1", "e3"}, {"e2"})


def test_one_repeated_text_of_several_is_enough() -> None:
    plan = redaction_plan()

    plan.compare([said("e1", PLACE, saw="m1"), said("e2", "all right", PLACE, saw="e1")])

    assert plan.redacted_ids == {"e1", "e2"}


@pytest.mark.parametrize(
    ("text", "repeated", "goes"),
    [
        ("4711", "it is 4711", True),
        ("no 9", "number: no 9", True),
        ("no9", "number: no9", False),
        ("hunter", "it is Hunter", True),
        ("maybe", "maybe later", False),
        ("４７１１", "it is 4711", True),
        ("4711", "it is 4712", False),
    ],
)
def test_a_whole_message_that_is_shorter_than_a_run_counts_where_it_is_distinctive(
    text: str, repeated: str, *, goes: bool
) -> None:
    plan = redaction_plan()
    plan.add_words([text, "and something else that nothing repeats"])

    plan.compare([said("e1", "ok", saw="m1"), said("e2", repeated, saw="e1")])

    assert ("e2" in plan.redacted_ids) is goes


def test_a_part_of_a_message_counts_from_a_run_on() -> None:
    plan = redaction_plan()
    plan.add_words([f"the safe stands {PLACE}"])

    plan.compare([said("e1", "ok", saw="m1"), said("e2", "the third bookshelf", saw="e1"), said("e3", "a", saw="e1")])

    assert plan.redacted_ids == {"e1", "e2"}


def test_what_is_found_to_repeat_after_all_is_no_longer_kept() -> None:
    plan = redaction_plan()
    plan.compare([said("e1", "ok", saw="m1"), said("e2", PLACE, saw="e1"), said("e3", "sure", saw="e1")])
    assert plan.cleared_ids == {"e2", "e3"}

    assert plan.compare([said("e2", PLACE, saw="e1"), said("e4", PLACE, saw="m1")])

    assert (plan.redacted_ids, plan.cleared_ids) == ({"e1", "e2", "e4"}, {"e3"})


def test_what_is_handed_on_is_followed_and_the_rest_is_left_to_the_next_look() -> None:
    plan = redaction_plan()
    known = [said("e1", "ok", saw="m1"), said("e2", PLACE, saw="e1"), said("e3", f"{PLACE}!", saw="e4")]
    assert plan.compare(known)

    assert plan.compare_further([*known, said("e4", PLACE, saw="m1")])
    assert (plan.redacted_ids, plan.cleared_ids) == ({"e1", "e3", "e4"}, {"e2"})
    assert not plan.compare_further(known)

    assert plan.compare(known)
    assert (plan.redacted_ids, plan.cleared_ids) == ({"e1", "e2", "e3", "e4"}, set())


def test_what_lost_its_words_for_another_reason_takes_all_that_saw_it() -> None:
    plan = redaction_plan()

    plan.compare([said("e1", saw="m1"), said("e2", "anything", saw="e1"), said("e3", saw="e1")])

    assert (plan.redacted_ids, plan.cleared_ids) == ({"e1", "e2"}, {"e3"})


@pytest.mark.parametrize("step", [1, -1])
def test_an_answer_that_stands_in_two_places_names_what_either_names_and_has_the_words_of_either(step: int) -> None:
    plan = redaction_plan()
    copies = [said("e1", PLACE, saw="m1"), said("e1", saw="m2"), said("e2", PLACE, saw="e1"), said("e2", saw="m2")]

    plan.compare(copies[::step])

    assert (plan.redacted_ids, plan.cleared_ids) == ({"e1", "e2"}, set())


def test_what_lost_its_words_to_this_withdrawal_was_compared_with_what_saw_it() -> None:
    plan = redaction_plan(redacted={"e1": frozenset({"e2"})})

    plan.compare([said("e1", saw="m1"), said("e2", "anything", saw="e1")])

    assert (plan.redacted_ids, plan.cleared_ids) == ({"e1"}, {"e2"})


def test_what_went_without_words_that_others_had_compared_still_takes_what_they_did_not_compare() -> None:
    compared = {"e1": frozenset({"e2"})}
    plan = redaction_plan(redacted=compared)
    gone = said("e1", saw="m1")
    plan.compare([gone])

    plan.merge(Amendments(redacted=compared))
    plan.compare([gone, said("e2", "anything", saw="e1"), said("e3", "anything else", saw="e1")])

    assert (plan.redacted_ids, plan.cleared_ids) == ({"e1", "e3"}, {"e2"})


def test_a_recap_from_before_recaps_had_ids_is_not_named() -> None:
    plan = redaction_plan()

    assert not plan.compare([said("", PLACE, saw="m1")])

    assert (plan.redacted_ids, plan.cleared_ids) == (set(), set())


@pytest.mark.parametrize(
    ("own_id", "text", "saw", "is_redacted"),
    [
        ("e5", "hello", "m1", True),
        ("e5", PLACE, "e1", True),
        ("e5", "hello", "e1", False),
        ("e5", PLACE, "m2", False),
        ("e0", "hello", "m2", True),
        ("e5", "hello", "e3", True),
    ],
)
def test_a_committed_answer_is_redacted_as_a_recorded_one_is(
    own_id: str, text: str, saw: str, *, is_redacted: bool
) -> None:
    plan = redaction_plan(redacted={"e0": frozenset()})
    plan.compare([said("e1", PLACE, saw="m1"), replace(said("e3", "", saw="m1"), words=())])

    committed = made_with(replace(answer(5, text), webhook_event_id=own_id), saw)

    assert plan.redacts(committed) is is_redacted


def test_answers_with_all_that_they_wrote_and_recaps_may_be_repeated() -> None:
    outcome = replace(answer(2, "noted", saw=(1,)), writes=(StagedWrite(path="safe", text=PLACE),))
    recap = Recap(
        id="recap-1",
        text="they met",
        timestamp_ms=0,
        summed_up_ids=("m0",),
        provenance=made_of("m0", "e0", since_ms=0, until_ms=0),
    )

    first, second = Derived.of([outcome], [recap])

    assert (first.id, first.provenance, set(first.words)) == ("e2", outcome.provenance, {"safe", PLACE, "noted"})
    assert (second.id, second.provenance, second.words) == ("recap-1", recap.provenance, ("they met",))
