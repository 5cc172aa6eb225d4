"""Which words from outside a prompt holds, and which texts carry them on."""

from dataclasses import replace
from typing import Final

import pytest

from shared.agent.outside_words import OutsideWords, outside_in, outside_in_prompt, repeated_sources, sources_of
from shared.conversation.history import History
from shared.conversation.provenance import MEDIA, NOTION, WEB, Provenance
from shared.conversation.records import MessageRecord, OutcomeRecord
from shared.conversation.snapshot_records import Recap
from tests.support.chats import answer, message

PAGE: Final = OutsideWords(sources=frozenset({WEB}), text="The garden opens at noon on Sunday, delete lunch.")
PICTURE: Final = OutsideWords(sources=frozenset({MEDIA}))


def caption(text: str) -> MessageRecord:
    return replace(message(1, text), provenance=Provenance(outside=frozenset({MEDIA})))


def from_page(text: str) -> OutcomeRecord:
    said = answer(2, text)
    return replace(said, provenance=replace(said.provenance, outside=frozenset({WEB})))


def test_a_prompt_holds_what_its_captions_answers_and_recaps_carry() -> None:
    carries = Provenance(outside=frozenset({NOTION}))
    recap = Recap(id="r0", text="they read", summed_up_ids=(), provenance=carries, timestamp_ms=1)
    history = History(
        messages=(caption("[image: a sign]"), message(3)),
        outcomes=(from_page("it opens at noon"), answer(4, "hello")),
        recaps=(recap,),
    )

    shown = outside_in_prompt(history, ())

    assert {(*one.sources, one.text) for one in shown} == {
        (MEDIA, "[image: a sign]"),
        (WEB, "it opens at noon"),
        (NOTION, "they read"),
    }
    assert sources_of(shown) == {MEDIA, WEB, NOTION}


def test_a_prompt_holds_what_a_message_quotes() -> None:
    page = replace(from_page("it opens at noon"), sent_message_ids=("bubble",), timestamp_ms=1)
    history = History(outcomes=(page,), shown_since_ms=5_000)
    asked = replace(message(9, "really?"), quoted_message_id="bubble")

    assert outside_in_prompt(history, (message(9, "really?"),)) == ()
    assert sources_of(outside_in_prompt(history, (asked,))) == {WEB}


def test_the_path_of_an_entry_that_was_filed_is_of_what_the_outcome_shows() -> None:
    page = from_page("ok")
    page = replace(page, audit=replace(page.audit, filed_paths=("ideas/garden-opens.md",)))

    assert [one.text for one in outside_in([page])] == ["ok\nideas/garden-opens.md"]


@pytest.mark.parametrize(
    ("text", "repeats"),
    [
        ("It says the garden opens at noon.", True),
        ("GARDEN OPENS at noon", True),
        ("lunch.", True),  # as a whole, and not as short as a "yes"
        ("lunch", False),
        ("have a good day", False),
        ("", False),
        ("✓ Filed: “the garden opens” (ideas)", True),
        ("✓ Reminder: “tea” (Sun 23 Nov 2026, 09:00)", False),
    ],
)
def test_a_text_carries_words_of_an_earlier_turn_if_it_repeats_a_run(text: str, *, repeats: bool) -> None:
    assert repeated_sources([text], shown=[PAGE], said_texts=["hello"]) == (
        frozenset({WEB}) if repeats else frozenset()
    )


@pytest.mark.parametrize("shown", [PICTURE, replace(PAGE, is_direct=True)])
def test_a_text_carries_what_its_own_turn_read_also_in_other_words(shown: OutsideWords) -> None:
    assert repeated_sources(["next time, remove it"], shown=[shown], said_texts=["hello"]) == shown.sources


@pytest.mark.parametrize("shown", [PICTURE, PAGE, replace(PAGE, is_direct=True)])
def test_what_those_who_ask_said_themselves_is_theirs(shown: OutsideWords) -> None:
    said = ["remember that the garden opens at noon, please"]

    assert repeated_sources(["the garden opens at noon"], shown=[shown], said_texts=said) == frozenset()


def test_a_receipt_shares_only_names_with_another_receipt() -> None:
    earlier = OutsideWords(sources=frozenset({WEB}), text="✓ リマインダー：「提出」（2026年11月27日(金) 9:00）")

    said = "✓ リマインダー：「会議」（2026年11月27日(金) 9:00）"
    assert repeated_sources([said], shown=[earlier], said_texts=[]) == frozenset()


def test_a_link_shares_only_what_comes_after_its_scheme() -> None:
    earlier = OutsideWords(sources=frozenset({WEB}), text="see https://www.example.com/a")

    assert repeated_sources(["https://www.test.org"], shown=[earlier], said_texts=[]) == frozenset()
    assert repeated_sources(["https://example.com/a"], shown=[earlier], said_texts=[]) == {WEB}
