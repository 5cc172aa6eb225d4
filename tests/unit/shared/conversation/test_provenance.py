from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.conversation.amendments import Amendments
from shared.conversation.provenance import LATEST_MS, Provenance, Source
from shared.conversation.records import provenance_of
from tests.support.chats import answer, made_of, message

IDS = st.frozensets(st.sampled_from([f"m{number}" for number in range(6)]), max_size=4)
TIMES = st.integers(0, 20)
AUTHORS = {"": ("m0", "m1"), "member-1": ("m2", "m3"), "member-2": ("m4", "press-5")}
PROVENANCES = st.builds(
    Provenance,
    messages=st.fixed_dictionaries(
        {}, optional={by: st.dictionaries(st.sampled_from(ids), TIMES, min_size=1) for by, ids in AUTHORS.items()}
    ),
    derived_ids=st.frozensets(st.sampled_from(["e1", "press-5", "recap-1"])),
    outside=st.frozensets(st.sampled_from(["web", "media", "mcp:tides"])),
    since_ms=TIMES | st.just(LATEST_MS),
    until_ms=TIMES | st.just(-1),
    entries_since_ms=TIMES | st.just(LATEST_MS),
)
AMENDMENTS = st.builds(
    Amendments,
    withdrawn=IDS,
    edited_ms=st.dictionaries(st.sampled_from(["m0", "m1", "m9"]), st.integers(1, 9)),
    erased_ms=st.integers(-1, 20),
    erased_entries_ms=st.integers(-1, 20),
)


@given(PROVENANCES, PROVENANCES, PROVENANCES)
def test_a_union_is_associative(first: Provenance, second: Provenance, third: Provenance) -> None:
    assert (first | second) | third == first | (second | third)


@given(PROVENANCES, PROVENANCES)
def test_a_union_is_commutative(first: Provenance, second: Provenance) -> None:
    assert first | second == second | first


@given(PROVENANCES)
def test_a_union_is_idempotent_and_the_empty_provenance_is_neutral(provenance: Provenance) -> None:
    assert provenance | provenance == provenance
    assert provenance | Provenance() == provenance


@given(PROVENANCES, PROVENANCES, AMENDMENTS)
def test_a_union_is_affected_exactly_where_a_part_is(
    first: Provenance, second: Provenance, amendments: Amendments
) -> None:
    is_part_affected = first.is_affected_by(amendments) or second.is_affected_by(amendments)

    assert (first | second).is_affected_by(amendments) is is_part_affected


@given(PROVENANCES, *[st.frozensets(st.sampled_from(["m0", "m2", "m9", "press-5", "e1", "e3", "recap-1"]))] * 2)
def test_what_is_withdrawn_is_named_as_a_message_and_what_is_redacted_as_an_answer_or_a_recap(
    provenance: Provenance, withdrawn: frozenset[str], redacted: frozenset[str]
) -> None:
    is_named = bool(provenance.message_ids & withdrawn or provenance.derived_ids & redacted)

    assert provenance.names_removed(withdrawn, redacted) is is_named


@given(PROVENANCES, st.frozensets(st.sampled_from(["m0", "m9", "press-5", "e1", "e3"])))
def test_a_press_is_left_out_without_its_answer_and_an_answer_without_its_press(
    provenance: Provenance, ids: frozenset[str]
) -> None:
    messages, derived = provenance.without_messages(ids), provenance.without_derived(ids)

    assert messages == replace(provenance, messages=messages.messages)
    assert messages.message_ids == provenance.message_ids - ids
    assert derived == replace(provenance, derived_ids=provenance.derived_ids - ids)


@given(PROVENANCES, IDS, TIMES)
def test_a_provenance_has_withdrawn_words_where_any_of_its_messages_has(
    provenance: Provenance, ids: frozenset[str], until_ms: int
) -> None:
    def is_withdrawn(own_id: str, words_ms: int) -> bool:
        return own_id in ids and words_ms <= until_ms

    assert provenance.has_withdrawn(is_withdrawn) is bool(provenance.withdrawn_ids(is_withdrawn))


@given(PROVENANCES, PROVENANCES, AMENDMENTS, AMENDMENTS)
def test_a_union_is_affected_since_a_look_exactly_where_a_part_is(
    first: Provenance, second: Provenance, before: Amendments, now: Amendments
) -> None:
    is_part_affected = first.is_affected_since(before, now) or second.is_affected_since(before, now)

    assert (first | second).is_affected_since(before, now) is is_part_affected


@given(AMENDMENTS)
def test_the_empty_provenance_is_affected_by_no_amendment(amendments: Amendments) -> None:
    assert not Provenance().is_affected_by(amendments)


@given(AMENDMENTS, AMENDMENTS)
def test_the_empty_provenance_is_affected_since_by_erased_entries_only(before: Amendments, now: Amendments) -> None:
    are_entries_erased = now.erased_entries_ms > before.erased_entries_ms

    assert Provenance().is_affected_since(before, now) is are_entries_erased


@given(PROVENANCES, AMENDMENTS)
def test_the_same_amendments_twice_affect_nothing(provenance: Provenance, amendments: Amendments) -> None:
    assert not provenance.is_affected_since(amendments, amendments)


@given(st.lists(st.integers(0, 9), max_size=5))
def test_the_provenance_of_messages_is_the_union_of_theirs(numbers: list[int]) -> None:
    union = Provenance()
    for number in numbers:
        union |= provenance_of([message(number)])

    assert provenance_of(message(number) for number in numbers) == union


def test_messages_can_be_left_out_by_their_ids() -> None:
    provenance = provenance_of([message(1), message(2)])

    assert provenance.without_messages(frozenset({"m1", "m9"})) == replace(
        provenance, messages=provenance_of([message(2)]).messages
    )


@pytest.mark.parametrize(
    ("now", "is_affected"),
    [
        (Amendments(withdrawn=frozenset({"m1"})), True),
        (Amendments(withdrawn=frozenset({"m9"})), False),
        (Amendments(edits={"m1": "new"}, edited_ms={"m1": 9}), True),
        (Amendments(edits={"m2": "same"}, edited_ms={"m2": 5}), False),
        (Amendments(edits={"m9": "new"}, edited_ms={"m9": 9}), False),
        (Amendments(erased_ms=3), True),
        (Amendments(erased_ms=2), False),
    ],
)
def test_a_prompt_is_affected_by_amendments_of_its_own_messages_only(now: Amendments, *, is_affected: bool) -> None:
    before = Amendments(edits={"m2": "same"}, edited_ms={"m2": 5})
    prompt = made_of("m1", "m2", since_ms=3)

    assert prompt.is_affected_since(before, now) is is_affected


def test_amendments_from_before_the_first_look_do_not_affect_a_prompt() -> None:
    known = Amendments(withdrawn=frozenset({"m1"}), edits={"m2": "x"}, edited_ms={"m2": 4}, erased_ms=5)

    assert not made_of("m1", "m2", since_ms=3).is_affected_since(known, known)


@pytest.mark.parametrize(
    ("before_ms", "now_ms", "is_affected"), [(5, 5, False), (5, 6, True), (6, 5, False), (None, 5, True)]
)
def test_an_edit_counts_if_it_is_newer_than_that_of_the_first_look_whether_its_words_were_read_or_not(
    before_ms: int | None, now_ms: int, *, is_affected: bool
) -> None:
    before = Amendments(edited_ms={} if before_ms is None else {"m1": before_ms})
    later = Amendments(edits={"m1": "newer words"}, edited_ms={"m1": now_ms})

    assert made_of("m1").is_affected_since(before, later) is is_affected
    assert not made_of("m2").is_affected_since(before, later)


def test_an_outcome_is_affected_by_messages_it_covers_or_saw() -> None:
    outcome = answer(5, saw=(3, 4)).provenance

    assert [outcome.is_affected_by(Amendments(withdrawn=frozenset({f"m{number}"}))) for number in (2, 3, 5)] == [
        False,
        True,
        True,
    ]
    assert [outcome.is_affected_by(Amendments(erased_ms=number)) for number in (2, 3)] == [False, True]


@pytest.mark.parametrize(
    ("members", "is_affected"),
    [
        ({}, False),
        ({"member-1": 2}, False),
        ({"member-1": 3}, True),
        ({"member-2": 9}, False),
        ({"member-2": 9, "member-1": 9}, True),
    ],
)
def test_a_record_is_affected_once_an_author_took_back_everything_up_to_its_message(
    members: dict[str, int], *, is_affected: bool
) -> None:
    record = Provenance(messages={"member-1": {"m1": 3, "m2": 12}, "": {"m3": 1}})

    assert record.is_affected_by(Amendments(members=members)) is is_affected
    assert record.is_redacted_by(Amendments(members=members), "e1") is is_affected


@pytest.mark.parametrize(("before", "expected"), [(-1, True), (9, True), (10, False)])
def test_an_erasure_of_entries_affects_a_prompt_that_begins_later(before: int, *, expected: bool) -> None:
    erased = Amendments(erased_ms=10, erased_entries_ms=10)
    prompt = Provenance(since_ms=20)

    assert prompt.is_affected_since(Amendments(erased_entries_ms=before), erased) is expected


@pytest.mark.parametrize(
    ("own_id", "amendments", "is_redacted"),
    [
        ("e1", Amendments(withdrawn=frozenset({"m1"})), True),
        ("e1", Amendments(withdrawn=frozenset({"m9"})), False),
        ("e1", Amendments(redacted={"e1": frozenset()}), True),
        ("e1", Amendments(redacted={"e0": frozenset()}), True),
        ("e1", Amendments(redacted={"e0": frozenset({"e1", "e2"})}), False),
        ("e1", Amendments(redacted={"e9": frozenset()}), False),
        ("e1", Amendments(redacted={"e0": frozenset({"e1"}), "recap-1": frozenset()}), True),
        ("e1", Amendments(redacted={"e0": frozenset({"e1"}), "e9": frozenset()}), False),
        ("e1", Amendments(), False),
    ],
)
def test_words_are_lost_with_what_they_were_made_of_unless_they_were_compared(
    own_id: str, amendments: Amendments, *, is_redacted: bool
) -> None:
    provenance = made_of("m1", "e0", "recap-1", since_ms=3)

    assert provenance.is_redacted_by(amendments, own_id) is is_redacted


@pytest.mark.parametrize(
    ("now", "is_affected"),
    [
        (Amendments(redacted={"e1": frozenset()}), True),
        (Amendments(redacted={"e9": frozenset()}), False),
        (Amendments(redacted={"e2": frozenset({"e3"})}), False),
        (Amendments(redacted={"e1": frozenset()}, withdrawn=frozenset({"m9"})), True),
    ],
)
def test_a_prompt_is_affected_by_answers_that_lost_their_words_since(now: Amendments, *, is_affected: bool) -> None:
    prompt = made_of("m1", "e1", "e2", since_ms=3)

    assert prompt.is_affected_since(Amendments(redacted={"e2": frozenset()}), now) is is_affected


def test_a_union_names_each_message_once_with_its_oldest_words_and_its_author() -> None:
    new = Provenance(messages={"": {"m1": 9, "m2": 3}})
    old = Provenance(messages={"member-a": {"m1": 4}, "member-b": {"m2": 7}})

    assert (new | old).messages == (old | new).messages == {"member-a": {"m1": 4}, "member-b": {"m2": 3}}


def test_a_union_names_a_message_of_one_time_under_its_author() -> None:
    unknown, known = Provenance(messages={"": {"m1": 4}}), Provenance(messages={"member-a": {"m1": 4}})

    assert (unknown | known).messages == (known | unknown).messages == {"member-a": {"m1": 4}}


def test_a_provenance_may_be_that_of_some_people_alone() -> None:
    both = Provenance(messages={"member-a": {"m1": 1}, "member-b": {"m2": 2}}, derived_ids=frozenset({"e1"}))

    assert both.by_authors({"member-a"}) == Provenance(messages={"member-a": {"m1": 1}}, derived_ids=frozenset({"e1"}))


def test_what_a_press_has_made_outlives_the_answer_to_the_press() -> None:
    """The answer to a press has the id of the press: a settlement names the press, and its answer quotes an expense that is taken back."""
    made_by_press = Provenance.of_sources([Source(line_message_id="event-23", timestamp_ms=9)])
    amendments = Amendments(redacted={"event-23": frozenset()})

    assert not made_by_press.is_redacted_by(amendments, "event-6")
    assert replace(made_by_press, derived_ids=frozenset({"event-23"})).is_redacted_by(amendments, "event-6")
