"""Quoted media beyond memory: which are looked for, and as what they are shown."""

from dataclasses import replace
from typing import Any

import pytest

from shared.adapters.memory import FixedClock, MemoryMedia
from shared.adapters.memory.line_people import HeldContent
from shared.clock import Deadline
from shared.conversation.history import History
from shared.conversation.media import UNKNOWN_MS, Media
from shared.conversation.person_messages import PersonMessages
from shared.conversation.quoted_media import QuotedMedia
from shared.conversation.records import MessageRecord
from shared.conversation.store import Conversation
from tests.support.chats import answer, message, reader
from tests.support.inline import InlineExecutor

ANNA = "U" + "a" * 32
QUOTING = replace(message(9), quoted_message_id="m4")


@pytest.fixture
def source() -> MemoryMedia:
    return MemoryMedia()


@pytest.fixture
def media(source: MemoryMedia, clock: FixedClock) -> Media:
    return Media(source=source, threads=InlineExecutor(), clock=clock)


def found(media: Media, chat: Conversation) -> History:
    """Return the chat's history with what the message quotes."""
    deadline = Deadline.after(media.clock, 40)
    return QuotedMedia(media=media).find(chat, reader().read_newest(chat), [QUOTING], deadline)


@pytest.mark.parametrize(
    ("content_type", "kind"),
    [("image/png", "image"), ("audio/mp4", "audio"), ("video/mp4", "video"), ("application/pdf", "file")],
)
def test_a_medium_is_shown_as_what_it_is_by_nobody_and_asks_for_nothing(
    media: Media, source: MemoryMedia, chat: Conversation, content_type: str, kind: str
) -> None:
    source.contents["m4"] = HeldContent(data=b"bytes", content_type=content_type)

    assert found(media, chat).quoted == (
        MessageRecord(
            line_message_id="m4",
            webhook_event_id="m4",
            timestamp_ms=UNKNOWN_MS,
            type=kind,
            addressed=False,
            text=f"[{kind}]",
        ),
    )


@pytest.mark.parametrize("before", ["an erasure", "a member who took back everything"])
def test_of_a_chat_in_which_much_was_taken_back_only_what_is_known_to_be_newer_is_shown(
    media: Media, source: MemoryMedia, chat: Conversation, clock: FixedClock, before: str
) -> None:
    source.contents["m4"] = HeldContent(data=b"bytes", content_type="image/png")
    if before == "an erasure":
        chat.amendments.erase(3)
    else:
        chat.amendments.forget_member(ANNA, until_ms=3)
    assert found(media, chat).quoted == ()
    assert source.asked == 0

    media.fetch(chat, replace(message(4), type="image"), Deadline.after(clock, 1))

    [quoted] = found(media, chat).quoted
    assert quoted.timestamp_ms == 4


def test_a_medium_whose_sender_may_take_back_everything_while_it_is_fetched_is_neither_shown_nor_kept(
    media: Media, source: MemoryMedia, chat: Conversation, monkeypatch: pytest.MonkeyPatch
) -> None:
    source.contents["m4"] = HeldContent(data=b"bytes", content_type="image/png")
    fetch = source.fetch

    def fetch_meanwhile(*args: Any, **named: Any) -> Any:  # noqa: ANN401 - as the source has them
        chat.amendments.forget_member(ANNA, until_ms=8)
        assert not PersonMessages.stored_in(chat, ANNA, until_ms=8).ids
        return fetch(*args, **named)

    monkeypatch.setattr(source, "fetch", fetch_meanwhile)

    assert found(media, chat).quoted == ()
    assert not list(chat.objects.store.list(chat.names.media_prefix))


def test_where_nothing_is_found_the_history_stays_as_it_is(media: Media, chat: Conversation) -> None:
    assert found(media, chat) == reader().read_newest(chat)


def test_a_bubble_of_the_bot_without_stored_words_is_not_looked_for(
    media: Media, source: MemoryMedia, chat: Conversation
) -> None:
    source.contents["m4"] = HeldContent(data=b"bytes", content_type="image/png")
    chat.journal.record_outcome(replace(answer(3, None), sent_message_ids=("m4",)))

    assert found(media, chat).quoted == ()
