from dataclasses import replace

import pytest

from shared.conversation.provenance import Provenance, Source
from shared.conversation.records import OutcomeKind, OutcomeRecord
from shared.conversation.redaction.source_handover import NAMES_LIMIT, hand_over_sources, without_redacted
from shared.conversation.snapshot_records import Recap, SnapshotRecord
from tests.support.chats import answer, made_of, made_with, message

PLACE = "behind the third bookshelf"


def seeing(number: int, text: str, *saw: str) -> OutcomeRecord:
    """Return answer `e{number}`, whose prompt held what is named."""
    return made_with(answer(number, text), *saw)


def test_an_answer_that_repeats_one_that_goes_names_its_sources() -> None:
    record = SnapshotRecord(outcomes=(seeing(1, f"it is {PLACE}", "m0"), seeing(2, f"as I said, {PLACE}", "e1", "m2")))

    kept = hand_over_sources(record, {"e2"}).outcomes[1]

    assert set(kept.provenance.ids) == {"m0", "m1", "m2"}
    assert kept.provenance.since_ms == 1


@pytest.mark.parametrize(("first", "second"), [(3, 7), (7, 3)])
def test_what_takes_over_sources_may_repeat_entries_that_were_shown_before_it(first: int, second: int) -> None:
    gone = made_with(seeing(1, f"it is {PLACE}", "m0"), entries_since_ms=first)
    heir = made_with(seeing(2, f"as I said, {PLACE}", "e1"), entries_since_ms=second)

    kept = hand_over_sources(SnapshotRecord(outcomes=(gone, heir)), {"e2"}).outcomes[1]

    assert kept.provenance.entries_since_ms == 3


def test_an_answer_that_rephrases_the_answer_to_a_press_still_names_the_press() -> None:
    """The answer to a press has the id of the press."""
    press = Provenance.of_sources([Source(line_message_id="e1", timestamp_ms=1, by="member-1")])
    gone = replace(answer(1, f"it is {PLACE}"), provenance=press)
    heir = replace(answer(2, "where you said"), provenance=replace(press, derived_ids=frozenset({"e1"})))
    record = SnapshotRecord(messages=(replace(message(1), line_message_id="e1"),), outcomes=(gone, heir))

    kept = hand_over_sources(record, {"e2"}).outcomes[1]

    assert kept.provenance == press


def test_an_answer_keeps_the_name_of_one_that_goes_after_the_answer_to_a_press() -> None:
    press = replace(message(1), line_message_id="e1")
    record = SnapshotRecord(messages=(press, message(2)), outcomes=(seeing(2, "noted", "e1"), seeing(3, "fine", "e2")))

    kept = hand_over_sources(record, {"e3"}).outcomes[1]

    assert kept.provenance.derived_ids == {
        "e2"
    }  # nobody knows by now what the answer e1 said; the press e1 is another thing


def test_an_answer_that_rephrases_one_that_goes_forgets_it() -> None:
    record = SnapshotRecord(
        messages=(message(0, "where is it?"), message(1, PLACE)),
        outcomes=(seeing(1, f"it is {PLACE}", "m0"), seeing(2, "where you said", "e1", "m2")),
    )

    kept = hand_over_sources(record, {"e2"}).outcomes[1]

    assert kept.provenance.ids == {"m2"}


def test_an_answer_keeps_the_name_of_one_that_goes_after_a_message_that_it_may_repeat() -> None:
    record = SnapshotRecord(
        messages=(message(0, "where is it?"),), outcomes=(seeing(1, "noted", "m0"), seeing(2, "pin 4711", "e1", "m2"))
    )

    kept = hand_over_sources(record, {"e2"}).outcomes[1]

    assert kept.provenance.ids == {"e1", "m2"}  # nobody knows by now what m1 said; the archived answer names it


def test_an_answer_that_repeats_a_short_message_of_one_that_goes_names_it() -> None:
    record = SnapshotRecord(
        messages=(message(1, "pin 4711"), message(2, "yes")),
        outcomes=(seeing(1, "noted: pin 4711", "m2"), seeing(2, "pin 4711, yes?", "e1"), seeing(3, "yes?", "e1")),
    )

    kept = hand_over_sources(record, {"e2", "e3"}).outcomes

    assert [set(one.provenance.ids) for one in kept[1:]] == [{"m1", "m2"}, {"m3"}]


def test_words_that_were_handed_on_through_several_that_go_keep_their_first_source() -> None:
    chain = (
        seeing(1, f"it is {PLACE}", "m0"),
        seeing(2, f"as I said, {PLACE}", "e1"),
        seeing(3, f"still {PLACE}", "e2"),
        seeing(4, f"yes, {PLACE}", "e3"),
    )

    kept = hand_over_sources(SnapshotRecord(outcomes=chain), {"e4"}).outcomes[3]

    assert "m0" in kept.provenance.ids


def test_a_recap_takes_over_from_an_answer_and_an_answer_from_a_recap() -> None:
    recap = Recap(
        id="recap-1",
        text=f"it is {PLACE}",
        timestamp_ms=1,
        summed_up_ids=("m1",),
        provenance=made_of("m1", since_ms=1, until_ms=1),
    )
    newer = made_with(replace(recap, id="recap-2", summed_up_ids=("m5",)), "e1")
    record = SnapshotRecord(
        outcomes=(seeing(1, f"it is {PLACE}", "m0"), seeing(3, f"yes, {PLACE}", "recap-1")), recaps=(recap, newer)
    )

    changed = hand_over_sources(record, {"e3", "recap-2"})

    assert changed.outcomes[1].provenance.ids == {"m1", "m3"}
    assert set(changed.recaps[1].provenance.ids) == {"m0", "m1", "m5"}


def test_what_would_have_to_name_too_much_loses_its_words() -> None:
    many = tuple(f"m{number}" for number in range(NAMES_LIMIT + 1))
    record = SnapshotRecord(outcomes=(seeing(1, f"it is {PLACE}", *many), seeing(2, f"yes, {PLACE}", "e1")))

    assert not hand_over_sources(record, {"e2"}).outcomes[1].holds_words


def test_what_names_as_much_as_is_kept_keeps_its_words() -> None:
    many = tuple(f"m{number}" for number in range(NAMES_LIMIT))
    recap = Recap(
        id="recap-1",
        text="hi",
        timestamp_ms=1,
        summed_up_ids=("m1",),
        provenance=made_of("m1", *many, since_ms=1, until_ms=1),
    )
    record = SnapshotRecord(outcomes=(seeing(2, f"yes, {PLACE}", *many),), recaps=(recap,))

    assert hand_over_sources(record, {"e2", "recap-1"}) == record


def test_an_answer_whose_own_prompt_held_more_keeps_its_words() -> None:
    many = tuple(f"m{number}" for number in range(NAMES_LIMIT + 1))
    record = SnapshotRecord(outcomes=(seeing(1, "hi", "m0"), seeing(2, f"yes, {PLACE}", *many)))

    assert hand_over_sources(record, {"e2"}) == record


def test_a_recap_that_would_have_to_name_too_much_goes() -> None:
    many = tuple(f"m{number}" for number in range(NAMES_LIMIT + 1))
    recap = Recap(
        id="recap-1",
        text=PLACE,
        timestamp_ms=1,
        summed_up_ids=("m1",),
        provenance=made_of("m1", "e1", since_ms=1, until_ms=1),
    )
    record = SnapshotRecord(outcomes=(seeing(1, f"it is {PLACE}", *many),), recaps=(recap,))

    assert hand_over_sources(record, {"recap-1"}).recaps == ()


def test_what_says_the_same_but_never_saw_it_keeps_its_own_sources() -> None:
    recap = Recap(
        id="recap-1",
        text=f"it is {PLACE}",
        timestamp_ms=1,
        summed_up_ids=("m8",),
        provenance=made_of("m8", since_ms=1, until_ms=1),
    )
    alike = seeing(2, f"it is {PLACE}", "m2")
    record = SnapshotRecord(outcomes=(seeing(1, f"it is {PLACE}", "m0"), alike), recaps=(recap,))

    changed = hand_over_sources(record, {"e2", "recap-1"})

    assert changed.outcomes[1] == alike
    assert changed.recaps == (recap,)


def test_nothing_changes_where_nothing_goes() -> None:
    recap = Recap(
        id="recap-1",
        text=f"it is {PLACE}",
        timestamp_ms=1,
        summed_up_ids=("m8",),
        provenance=made_of("m8", since_ms=1, until_ms=1),
    )
    record = SnapshotRecord(
        outcomes=(seeing(1, f"it is {PLACE}", "m0"), seeing(2, f"yes, {PLACE}", "e1", "recap-1")), recaps=(recap,)
    )

    assert hand_over_sources(record, {"e1", "e2", "recap-1"}) == record


def test_what_names_something_whose_words_are_gone_takes_over_its_sources() -> None:
    record = SnapshotRecord(outcomes=(seeing(1, "", "m0"), seeing(2, "where you said", "e1", "m2")))

    kept = hand_over_sources(record, {"e2"}).outcomes[1]

    assert set(kept.provenance.ids) == {"m0", "m1", "m2"}


def test_what_lost_its_words_takes_over_and_what_never_said_anything_does_not() -> None:
    lost = replace(seeing(2, "", "e1"), text=None)
    silent = replace(seeing(3, "", "e1"), text=None, kind=OutcomeKind.SKIPPED)
    said = (message(0, "where is it?"), message(1, PLACE))
    record = SnapshotRecord(messages=said, outcomes=(seeing(1, f"it is {PLACE}", "m0"), lost, silent))

    kept = hand_over_sources(record, {"e2", "e3"}).outcomes

    assert [set(one.provenance.ids) for one in kept[1:]] == [{"m0", "m1", "m2"}, {"m3"}]


def test_a_recap_that_goes_stays_beside_the_prompts_for_what_may_repeat_it() -> None:
    recap = Recap(
        id="recap-1",
        text=f"it is {PLACE}",
        timestamp_ms=1,
        summed_up_ids=("m1",),
        provenance=made_of("m1", since_ms=1, until_ms=1),
    )
    silent = replace(recap, id="recap-2", text="")
    naming = seeing(3, "where you said", "recap-2")

    clean = without_redacted(
        SnapshotRecord(recaps=(recap, silent), outcomes=(naming,)), lambda record: "m1" in record.provenance.ids
    )

    assert clean == SnapshotRecord(passed_recaps=(replace(recap, text=""),), outcomes=(naming,))


def test_a_recap_that_would_have_to_name_too_much_stays_beside_the_prompts_without_words() -> None:
    many = tuple(f"m{number}" for number in range(NAMES_LIMIT + 1))
    shown = Recap(
        id="recap-2",
        text=PLACE,
        timestamp_ms=1,
        summed_up_ids=("m2",),
        provenance=made_of("m2", "e1", since_ms=1, until_ms=1),
    )
    passed = made_with(replace(shown, id="recap-1", passed_ms=1, summed_up_ids=("m1",)))
    modest = replace(passed, id="recap-0", provenance=made_of("m1"))
    gone = seeing(1, f"it is {PLACE}", *many)

    changed = hand_over_sources(
        SnapshotRecord(outcomes=(gone,), recaps=(shown,), passed_recaps=(modest, passed)),
        {"recap-0", "recap-1", "recap-2"},
    )

    assert changed.passed_recaps == (modest, replace(passed, text=""), replace(shown, text=""))
