"""What a turn knows of its chat, and what it has read and done so far."""

from dataclasses import replace
from typing import Final

import pytest

from shared.agent.overlay import Attempt, StagingFault
from shared.agent.receipts import Deed, DeedKind
from shared.agent.staged import Staged
from shared.agent.turn_context import TurnContext
from shared.conversation.amendment_records import Amendment
from shared.conversation.amendments import Amendments
from shared.conversation.provenance import MEDIA, NOTION, WEB, Provenance
from shared.conversation.recollection import Recollection
from shared.conversation.records import ProposedCall
from shared.conversation.store import Conversation
from shared.errors import PromptAmendedError
from shared.knowledge.staging import EntryOverlay
from shared.reminders.staging import ReminderOverlay
from tests.support.chats import answer, made_of, message
from tests.support.questions import question_about

PAGE: Final = Deed(kind=DeedKind.PAGE_CREATED, name="milk")


@pytest.fixture
def context(chat: Conversation) -> TurnContext:
    """The turn that answers m5, of whose chat it has read m1."""
    asked = (message(5, "delete the lunch note"),)
    return TurnContext(
        conversation=chat,
        prompt=made_of("m1", "m5", since_ms=5),
        to_answer=asked,
        earlier=(message(1, "lunch at noon"),),
        question=question_about(chat, *asked),
    )


@pytest.fixture
def unasked(chat: Conversation) -> TurnContext:
    """The turn of a tool that runs without a prompt."""
    return TurnContext(conversation=chat)


def attempt_in(conversation: Conversation) -> Attempt:
    return Attempt.at(conversation, sequence=1, now_ms=0, amendments=Amendments())


def staged_that_read(conversation: Conversation, *line_message_ids: str) -> Staged:
    entries = EntryOverlay(attempt_in(conversation))
    entries.mark_shown(made_of(*line_message_ids))
    return Staged((entries,))


def test_a_turn_is_overheard_where_its_question_is(context: TurnContext, unasked: TurnContext) -> None:
    overheard = replace(context, question=question_about(context.conversation, *context.to_answer, is_overheard=True))

    assert [one.is_overheard for one in (context, overheard, unasked)] == [False, True, False]


def test_deeds_outside_and_words_of_the_asked_messages_are_told(context: TurnContext) -> None:
    context.outside.add(PAGE)
    context = replace(context, staged=staged_that_read(context.conversation))

    assert context.deeds == (PAGE,)
    assert context.said == ("delete the lunch note",)
    assert context.asked_ids == ("m5",)


@pytest.mark.parametrize("source", [WEB, NOTION, MEDIA])
def test_what_deletes_needs_a_tap_after_any_reading_from_outside(context: TurnContext, source: str) -> None:
    before, confirmed = context.needs_tap, replace(context, confirmed=(ProposedCall(tool="delete_entry"),))

    context.untrusted_input.record_outside(source)

    assert [before, context.needs_tap, confirmed.needs_tap] == [False, True, False]


def test_retellings_are_those_of_the_prompt_and_of_what_was_looked_up(
    context: TurnContext, unasked: TurnContext
) -> None:
    assert [one.text for one in context.retellings] == ["noted"]

    context.recalled.add(Recollection.of([message(2, "tea"), answer(2, "tea it is")]))

    assert [one.text for one in context.retellings] == ["tea it is", "noted"]
    assert unasked.retellings == ()


def test_messages_that_were_looked_up_count_as_read(context: TurnContext, unasked: TurnContext) -> None:
    context.recalled.add(Recollection.of([message(0, "tea"), message(1, "older words")]))

    assert {one.line_message_id: one.text for one in context.read_earlier} == {"m0": "tea", "m1": "lunch at noon"}
    assert unasked.read_earlier == ()


def test_nothing_is_staged_once_the_turn_is_sealed(context: TurnContext) -> None:
    reminders = ReminderOverlay(attempt_in(context.conversation), zone="Asia/Tokyo")
    context = replace(context, staged=Staged((reminders,)))

    context.close_staging()

    with pytest.raises(StagingFault, match="The turn is over"):
        reminders.create(text="tea", at="2026-01-01T09:00", provenance=Provenance.of_sources(()), user_id=None)


def test_what_was_read_begins_with_the_oldest_of_the_prompt_and_of_what_was_looked_up(
    context: TurnContext, unasked: TurnContext
) -> None:
    assert oldest_read(context) == 5

    context.recalled.add(Recollection.of([message(9, "later")]))
    assert oldest_read(context) == 5

    context.recalled.add(Recollection.of([message(2, "tea")]))
    assert oldest_read(context) == 2
    assert unasked.provenance == Provenance()


def oldest_read(context: TurnContext) -> int:
    return context.provenance.since_ms


def test_sources_of_entries_and_of_what_was_looked_up_count_as_read(context: TurnContext) -> None:
    assert context.shown.ids == frozenset()

    context.recalled.add(Recollection.of([message(2, "tea")]))
    context = replace(context, staged=staged_that_read(context.conversation, "m3"))

    assert context.shown.ids == {"m2", "m3"}
    assert context.provenance.ids == {"m1", "m2", "m3", "m5"}


@pytest.mark.parametrize("withdrawn", ["m2", "m3", "m5"])
def test_a_withdrawal_of_anything_that_was_read_ends_the_attempt(context: TurnContext, withdrawn: str) -> None:
    context.recalled.add(Recollection.of([message(2, "tea")]))
    context = replace(context, staged=staged_that_read(context.conversation, "m3"))
    context.check_amendments()

    context.conversation.amendments.amend(Amendment(line_message_id=withdrawn, timestamp_ms=9))

    with pytest.raises(PromptAmendedError):
        context.check_amendments()
    with pytest.raises(PromptAmendedError):
        context.begin_check()()


def test_without_a_prompt_there_is_nothing_to_check(unasked: TurnContext) -> None:
    unasked.conversation.amendments.amend(Amendment(line_message_id="m1", timestamp_ms=9))

    unasked.check_amendments()
    unasked.begin_check()()
