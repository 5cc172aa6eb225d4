from dataclasses import replace

import pytest

from shared.conversation.amendment_records import EditedWords
from shared.conversation.amendments import Amendments, Plan
from tests.support.chats import answer, message

ANNA, BERT = "U" + "a" * 32, "U" + "b" * 32
LOOKED = Amendments(
    withdrawn=frozenset({"m1", "m2"}),
    redacted={"e1": frozenset({"e2"})},
    edits={"m3": "newer"},
    edited_ms={"m3": 3},
    members={ANNA: 5},
    erased_ms=5,
    erased_entries_ms=4,
)


@pytest.mark.parametrize(
    "now",
    [
        Amendments(withdrawn=frozenset({"m3"})),
        Amendments(redacted={"e2": frozenset()}),
        Amendments(redacted={"e1": frozenset()}),
        Amendments(edits={"m3": "newest"}),
        Amendments(edited_ms={"m3": 4}),
        Amendments(members={ANNA: 6}),
        Amendments(erased_ms=6),
        Amendments(erased_entries_ms=5),
    ],
)
def test_a_look_adds_what_another_one_did_not_find(now: Amendments) -> None:
    assert now.adds_to(LOOKED)
    assert not LOOKED.adds_to(LOOKED)
    assert not replace(LOOKED, withdrawn=frozenset({"m1"}), edits={}, edited_ms={}).adds_to(LOOKED)


def plan(redacted: str, cleared: str) -> Plan:
    return Plan(redacted_ids=frozenset(redacted), cleared_ids=frozenset(cleared))


@pytest.mark.parametrize(
    ("part", "is_named"),
    [
        (plan("ab", "cd"), True),
        (plan("a", "c"), True),
        (plan("", "abcd"), True),  # what was cleared once and is redacted goes
        (plan("abc", ""), False),
        (plan("", "e"), False),
    ],
)
def test_a_plan_that_names_nothing_new_is_part_of_another(part: Plan, *, is_named: bool) -> None:
    whole = plan("ab", "cd")

    assert (part <= whole) is is_named
    assert part <= part | whole
    assert ((part | whole) == whole) is is_named


def test_an_edit_up_to_an_erasure_is_dead() -> None:
    amendments = Amendments(
        edited_ms={"m1": 4, "m2": 5}, edits={"m1": "a", "m2": "b"}, erased_ms=4, erased_entries_ms=4
    )

    assert amendments.without_dead_edits() == replace(amendments, edited_ms={"m2": 5}, edits={"m2": "b"})


def test_an_edit_up_to_a_reset_has_no_words_but_goes_on_replacing_what_entries_hold() -> None:
    reset = Amendments(edited_ms={"m1": 4}, edits={"m1": "a"}, erased_ms=4).without_dead_edits()

    assert reset == Amendments(edited_ms={"m1": 4}, erased_ms=4)
    assert [reset.is_withdrawn_from_entries("m1", words_ms) for words_ms in (3, 4)] == [True, False]
    assert not reset.unread_edits_of([message(1, timestamp_ms=2)])
    assert reset.with_words({"m1": EditedWords(timestamp_ms=4)}) == reset


def test_a_message_is_withdrawn_by_its_id_or_by_its_timestamp() -> None:
    assert Amendments(withdrawn=frozenset({"m1"})).is_withdrawn(message(1))
    assert [Amendments(erased_ms=number).is_withdrawn(message(5)) for number in (4, 5)] == [False, True]


@pytest.mark.parametrize(
    ("line_message_id", "words_ms", "expected"),
    [("m1", 99, True), ("m2", 6, True), ("m2", 7, False), ("m3", 4, True), ("m3", 5, False)],
)
def test_an_entry_may_hold_the_newest_words_that_stand(line_message_id: str, words_ms: int, *, expected: bool) -> None:
    amendments = Amendments(withdrawn=frozenset({"m1"}), edited_ms={"m2": 7}, erased_ms=9, erased_entries_ms=4)

    assert amendments.is_withdrawn_from_entries(line_message_id, words_ms) is expected


def test_an_answer_is_without_its_words_where_they_have_to_go() -> None:
    amendments = Amendments(withdrawn=frozenset({"m1"}))

    assert amendments.redact(answer(1, "hello")) == answer(1, None)
    assert amendments.redact(answer(2, "hello")) == answer(2, "hello")
    for wordless in (answer(1, None), answer(2, None)):
        assert amendments.redact(wordless) is wordless


def test_an_edit_is_shown_with_the_time_of_its_words() -> None:
    amendments = Amendments(edits={"m1": "newer"}, edited_ms={"m1": 9})

    shown = amendments.overlay(message(1))

    assert (shown.text, shown.edited_ms) == ("newer", 9)
    assert amendments.overlay(message(2)) == message(2)


def test_an_older_edit_does_not_replace_the_words_of_a_newer_one() -> None:
    edited = replace(message(1), text="newest", edited_ms=12)

    assert Amendments(edits={"m1": "newer"}, edited_ms={"m1": 9}).overlay(edited) == edited
