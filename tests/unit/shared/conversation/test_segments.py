"""What a withdrawal, an edit or an erasure leaves of a segment of the archive."""

from dataclasses import replace

import pytest

from shared.conversation.amendments import Amendments
from shared.conversation.segments import archived_answer, archived_message, cleaned_segment
from shared.conversation.snapshot_records import Recap, Segment
from tests.support.chats import answer, made_of, message

WITHDRAWN = Amendments(withdrawn=frozenset({"m1"}))
EDITED = Amendments(edits={"m1": "tea"}, edited_ms={"m1": 9})


def recap(number: int, *covers: int) -> Recap:
    return Recap(
        id=f"recap-{number}",
        text=f"recap {number}",
        timestamp_ms=max(covers),
        summed_up_ids=tuple(f"m{one}" for one in covers),
        provenance=made_of(*tuple(f"m{one}" for one in covers), since_ms=min(covers), until_ms=max(covers)),
    )


SEGMENT = Segment(
    messages=tuple(archived_message(message(number)) for number in (1, 2, 3)),
    answers=tuple(archived_answer(one) for one in (answer(1), answer(2, saw=(1,)), answer(3))),
    recaps=(recap(1, 1, 2), recap(2, 3)),
)


def texts_of(segment: Segment) -> tuple[dict[str, str | None], dict[str, str | None], dict[str, str | None]]:
    return (
        {one.line_message_id: one.text for one in segment.messages},
        {one.webhook_event_id: one.text for one in segment.answers},
        {one.id: one.text for one in segment.recaps},
    )


@pytest.mark.parametrize(
    ("amendments", "messages", "answers", "recaps"),
    [
        (
            Amendments(),
            {"m1": "hi", "m2": "hi", "m3": "hi"},
            {"e1": "hello", "e2": "hello", "e3": "hello"},
            {"recap-1": "recap 1", "recap-2": "recap 2"},
        ),
        (
            WITHDRAWN,
            {"m2": "hi", "m3": "hi"},
            {"e1": None, "e2": None, "e3": "hello"},
            {"recap-1": "", "recap-2": "recap 2"},
        ),
        (
            EDITED,
            {"m1": "tea", "m2": "hi", "m3": "hi"},
            {"e1": "hello", "e2": "hello", "e3": "hello"},
            {"recap-1": "", "recap-2": "recap 2"},
        ),
        (Amendments(erased_ms=2), {"m3": "hi"}, {"e3": "hello"}, {"recap-2": "recap 2"}),
        (
            Amendments(erased_ms=1),
            {"m2": "hi", "m3": "hi"},
            {"e2": None, "e3": "hello"},
            {"recap-1": "", "recap-2": "recap 2"},
        ),
    ],
)
def test_of_a_segment_what_names_nothing_that_went_stays(
    amendments: Amendments, messages: object, answers: object, recaps: object
) -> None:
    cleaned = cleaned_segment(SEGMENT, amendments)

    assert texts_of(cleaned) == (messages, answers, recaps)
    assert cleaned_segment(cleaned, amendments) == cleaned


def test_an_answer_that_lost_its_words_stays_for_those_that_name_it() -> None:
    silent = replace(SEGMENT, answers=(archived_answer(answer(1, None)),))

    assert cleaned_segment(silent, WITHDRAWN).answers == silent.answers
