"""What a prompt rests on: whether it may still be sent to the model."""

from dataclasses import replace

import pytest

from shared.adapters.memory import FixedClock
from shared.conversation.amendment_records import Amendment
from shared.conversation.store import Conversation
from shared.errors import PromptAmendedError
from shared.turns.basis import Basis
from shared.turns.lease import open_turn
from tests.support.chats import basis_of, made_of


@pytest.fixture
def basis(chat: Conversation) -> Basis:
    """The basis of a prompt that holds message m1, read after message m0 was withdrawn."""
    chat.amendments.amend(Amendment(line_message_id="m0", timestamp_ms=1))
    lease = open_turn(chat, chat.turn.read())
    assert lease is not None
    return basis_of(lease, "m0", "m1")


def test_a_prompt_goes_to_the_model_while_all_in_it_stands(chat: Conversation, basis: Basis) -> None:
    chat.amendments.amend(Amendment(line_message_id="m9", timestamp_ms=1))

    basis.check()

    assert not basis.is_amended()


@pytest.mark.parametrize("text", [None, "newer words"])
def test_a_prompt_that_was_amended_goes_to_no_model(chat: Conversation, basis: Basis, text: str | None) -> None:
    chat.amendments.amend(Amendment(line_message_id="m1", timestamp_ms=1, text=text))

    assert basis.is_amended()
    with pytest.raises(PromptAmendedError, match="edited or withdrawn"):
        basis.check()


def test_a_prompt_of_a_lost_turn_goes_to_no_model(basis: Basis, clock: FixedClock) -> None:
    clock.move(17)

    with pytest.raises(PromptAmendedError, match="the turn was lost"):
        basis.check()


def test_the_look_of_the_reading_stands_for_the_one_before_the_model(chat: Conversation, basis: Basis) -> None:
    """The look that comes beside the request tells whether the answer can be used."""
    just_read = replace(basis, looked_s=chat.amendments.clock.monotonic_s())
    chat.amendments.amend(Amendment(line_message_id="m1", timestamp_ms=1, text="newer words"))

    end_check = just_read.begin_check()

    with pytest.raises(PromptAmendedError, match="edited or withdrawn"):
        end_check()


def test_a_look_that_is_as_old_as_a_fence_stands_for_nothing(
    chat: Conversation, basis: Basis, clock: FixedClock
) -> None:
    just_read = replace(basis, looked_s=clock.monotonic_s() - 17)
    chat.amendments.amend(Amendment(line_message_id="m1", timestamp_ms=1))

    with pytest.raises(PromptAmendedError, match="edited or withdrawn"):
        just_read.begin_check()


def test_what_shows_nothing_more_is_as_fresh_as_it_was(chat: Conversation, basis: Basis) -> None:
    just_read = replace(basis, looked_s=chat.amendments.clock.monotonic_s())

    assert just_read.with_more(made_of("m1")).looked_s == just_read.looked_s


def test_what_was_read_later_is_looked_at_before_the_model(chat: Conversation, basis: Basis) -> None:
    just_read = replace(basis, looked_s=chat.amendments.clock.monotonic_s())
    chat.amendments.amend(Amendment(line_message_id="m9", timestamp_ms=1))

    just_read.with_more(made_of("m1")).begin_check()()
    with pytest.raises(PromptAmendedError, match="edited or withdrawn"):
        just_read.with_more(made_of("m9")).begin_check()


def test_a_prompt_of_a_lost_turn_goes_to_no_model_although_it_was_just_read(basis: Basis, clock: FixedClock) -> None:
    clock.move(17)

    with pytest.raises(PromptAmendedError, match="the turn was lost"):
        replace(basis, looked_s=clock.monotonic_s()).begin_check()


def test_what_tools_have_shown_counts_beside_the_prompt(chat: Conversation, basis: Basis) -> None:
    chat.amendments.amend(Amendment(line_message_id="m9", timestamp_ms=1))

    assert not basis.with_more(made_of("m8")).is_amended()
    assert basis.with_more(made_of("m8", "m9")).is_amended()
    chat.amendments.amend(Amendment(line_message_id="m1", timestamp_ms=1))
    assert basis.with_more(made_of("m8")).is_amended()
