"""What memory has of a chat, as one value."""

from dataclasses import replace

import pytest

from shared.conversation.archive import ArchivedSpan
from shared.conversation.provenance import LATEST_MS
from shared.conversation.recollection import Recollection
from shared.conversation.records import Audit, OutcomeKind
from shared.conversation.segments import archived_answer
from shared.conversation.snapshot_records import ArchivedAnswer
from tests.support.chats import answer, message


def archived(number: int, text: str | None = "hello", *, model_name: str | None = "model") -> ArchivedAnswer:
    return archived_answer(replace(answer(number, text), audit=Audit(model_name=model_name)))


def test_of_messages_those_are_remembered_that_somebody_said_and_can_take_back() -> None:
    press, nameless = replace(message(1), presses="d1"), replace(message(2), line_message_id="")

    found = Recollection.of_archive(ArchivedSpan(messages=(press, nameless, message(3))))

    assert [one.line_message_id for one in found.messages] == ["m3"]


@pytest.mark.parametrize("kind", OutcomeKind)
def test_of_answers_those_are_remembered_that_the_model_wrote_and_people_were_shown(kind: OutcomeKind) -> None:
    answers = (archived(1, None), archived(2, model_name=None), archived(3))

    found = Recollection.of_archive(ArchivedSpan(answers=tuple(replace(one, kind=kind) for one in answers)))

    shown = ["e3"] if kind in {OutcomeKind.REPLIED, OutcomeKind.UNKNOWN} else []
    assert [one.webhook_event_id for one in found.answers] == shown


def test_a_recollection_begins_with_the_oldest_of_it() -> None:
    assert Recollection().provenance.since_ms == LATEST_MS
    assert Recollection.of((message(5), answer(2), message(3))).provenance.since_ms == 2
