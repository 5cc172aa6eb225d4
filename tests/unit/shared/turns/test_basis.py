"""The listing of a chat as the first look at a prompt."""

import pytest

from shared.adapters.memory import FixedClock, MemoryObjectStore
from shared.conversation.amendments import Amendments
from shared.conversation.provenance import Provenance
from shared.conversation.records import Amendment
from shared.conversation.store import Conversation
from shared.errors import PromptAmendedError
from shared.turns.basis import Basis, FirstLook
from tests.support.chats import conversations_on
from tests.support.inline import InlineExecutor

PROMPT = Provenance(ids=frozenset({"m1"}))


class Held:
    """A lease that lasts."""

    is_over = False


@pytest.fixture
def chat(clock: FixedClock) -> Conversation:
    return conversations_on(MemoryObjectStore(), InlineExecutor(), clock).of("U" + "1" * 32)


def basis(chat: Conversation, *, age_s: float = 0.1, read: Provenance = PROMPT) -> Basis:
    """Return the basis of a prompt whose chat was listed so long ago, before its message was withdrawn."""
    listed_s = chat.amendments.clock.monotonic_s() - age_s
    chat.amendments.amend(Amendment(line_message_id="m1", timestamp_ms=1))
    return Basis(
        conversation=chat, lease=Held(), prompt=PROMPT, before=Amendments(), first_look=FirstLook(listed_s, read)
    )


def test_the_listing_serves_as_the_first_look_only(chat: Conversation) -> None:
    made = basis(chat)

    made.check()

    with pytest.raises(PromptAmendedError, match="edited or withdrawn"):
        made.check()


def test_a_listing_older_than_a_fence_is_no_look(chat: Conversation) -> None:
    with pytest.raises(PromptAmendedError, match="edited or withdrawn"):
        basis(chat, age_s=chat.amendments.look_s).check()


def test_a_prompt_that_holds_more_than_was_listed_is_looked_at(chat: Conversation) -> None:
    with pytest.raises(PromptAmendedError, match="edited or withdrawn"):
        basis(chat).with_ids(frozenset({"m2"})).check()


def test_a_prompt_without_a_listing_is_looked_at(chat: Conversation) -> None:
    with pytest.raises(PromptAmendedError, match="edited or withdrawn"):
        basis(chat, read=Provenance()).check()
