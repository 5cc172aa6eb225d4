"""Media: what is kept of them, and what an erasure removes."""

import io
import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TypeVar

import pytest

from shared.adapters.memory import FixedClock, MemoryMedia, MemoryObjectStore
from shared.adapters.memory.line_people import HeldContent
from shared.clock import Deadline
from shared.conversation.amendment_records import Amendment
from shared.conversation.amendments import Amendments
from shared.conversation.media import Media, MediaBytes, MediumLabel, media_labels
from shared.conversation.member_mark import mark_id
from shared.conversation.records import MessageRecord
from shared.conversation.store import Conversation
from shared.line.media_content import ArrivingContent, Unfetched
from tests.support.chats import conversations_on, message
from tests.support.inline import InlineExecutor

Kept = TypeVar("Kept")
JPEG = HeldContent(data=b"\xff\xd8 a red bicycle", content_type="image/jpeg")


class InterruptedMedia(MemoryMedia):
    """LINE's store, beside which something else happens."""

    meanwhile: Callable[[], object] = staticmethod(lambda: None)

    def fetch(
        self, line_message_id: str, keep: Callable[[ArrivingContent], Kept], *, at_most_bytes: int = 9_999
    ) -> Kept | Unfetched:
        found = super().fetch(line_message_id, keep, at_most_bytes=at_most_bytes)
        self.meanwhile()
        return found


def image(number: int) -> MessageRecord:
    return replace(message(number, "[image]"), type="image")


@pytest.fixture
def source() -> InterruptedMedia:
    media = InterruptedMedia()
    media.contents |= {f"m{number}": JPEG for number in (4, 5, 6)}
    return media


@pytest.fixture
def media(source: InterruptedMedia, clock: FixedClock) -> Media:
    return Media(source=source, threads=InlineExecutor(), clock=clock)


def keep(media: Media, chat: Conversation, clock: FixedClock, *numbers: int) -> None:
    for number in numbers:
        media.fetch(chat, image(number), Deadline.after(clock, 1))


def kept(store: MemoryObjectStore) -> list[str]:
    return [one.name.rpartition("/")[2] for one in store.list("media/")]


def test_only_a_message_that_shows_something_is_fetched(
    media: Media, chat: Conversation, source: InterruptedMedia
) -> None:
    assert media.begin_fetch(chat, message(4)) == {}
    assert source.asked == 0
    assert [*media.begin_fetch(chat, image(4))] == ["m4"]
    assert source.asked == 1


def test_a_kept_medium_is_not_fetched_again(
    media: Media, chat: Conversation, clock: FixedClock, source: InterruptedMedia
) -> None:
    keep(media, chat, clock, 4, 4)

    assert source.asked == 1
    assert media.bytes_of(chat, "m4") == JPEG.data


def test_a_message_without_a_medium_has_no_bytes(media: Media, chat: Conversation) -> None:
    assert media.bytes_of(chat, "m9") is None
    assert media.label(chat, "m9") is None


def test_a_medium_that_arrives_after_the_deadline_is_not_kept(
    media: Media, chat: Conversation, clock: FixedClock, store: MemoryObjectStore
) -> None:
    deadline = Deadline.after(clock, 1)
    clock.move(1)

    assert media.fetch(chat, image(4), deadline) == "unavailable"
    assert store.list("media/") == ()


@pytest.mark.parametrize("withdrawn_by", ["unsend", "erasure"])
def test_a_medium_that_is_withdrawn_while_it_is_fetched_is_not_kept(
    media: Media,
    chat: Conversation,
    clock: FixedClock,
    source: InterruptedMedia,
    store: MemoryObjectStore,
    withdrawn_by: str,
) -> None:
    def withdraw() -> None:
        if withdrawn_by == "unsend":
            chat.amendments.amend(Amendment(line_message_id="m4", timestamp_ms=9))
        else:
            chat.amendments.erase(4)

    source.meanwhile = withdraw

    assert media.fetch(chat, image(4), Deadline.after(clock, 1)) == "gone"
    assert kept(store) == []


@pytest.mark.parametrize(
    ("amendments", "left"),
    [
        (Amendments(), ["m4", "m5", "m6"]),
        (Amendments(withdrawn=frozenset({"m5"})), ["m4", "m6"]),
        (Amendments(erased_ms=5), ["m6"]),
    ],
)
def test_media_are_removed_with_their_messages(
    media: Media,
    chat: Conversation,
    clock: FixedClock,
    store: MemoryObjectStore,
    amendments: Amendments,
    left: list[str],
) -> None:
    keep(media, chat, clock, 4, 5, 6)

    MediaBytes().remove_withdrawn(chat, amendments)

    assert kept(store) == [name for one in left for name in (one, f"{one}.json")]


@pytest.mark.parametrize("label", [None, b"half"], ids=["no label", "unreadable label"])
@pytest.mark.parametrize(("erased_ms", "is_left"), [(-1, True), (0, False), (9, False)])
def test_a_medium_without_a_readable_label_is_removed_by_any_erasure_and_by_nothing_else(
    chat: Conversation, store: MemoryObjectStore, label: bytes | None, erased_ms: int, *, is_left: bool
) -> None:
    store.create(chat.names.medium("m4"), JPEG.data)
    if label is not None:
        store.create(chat.names.medium_label("m4"), label)

    MediaBytes().remove_withdrawn(chat, Amendments(erased_ms=erased_ms, withdrawn=frozenset({"m5"})))

    assert bool(kept(store)) is is_left


def test_a_medium_that_was_kept_without_a_look_goes_with_the_next_delivery(
    media: Media, chat: Conversation, clock: FixedClock, store: MemoryObjectStore
) -> None:
    keep(media, chat, clock, 4)  # by a worker whose look failed
    chat.amendments.amend(Amendment(line_message_id="m4", timestamp_ms=9))

    assert media.fetch(chat, image(4), Deadline.after(clock, 1)) == "gone"

    assert kept(store) == []


@pytest.mark.parametrize(
    ("text", "content_type", "kept_as"),
    [
        ("[file: report.pdf, 12 kB]", "application/octet-stream", "application/pdf"),
        ("[file: notes.txt]", "application/octet-stream", "text/plain"),
        ("[file: report.pdf, 12 kB]", "image/png", "image/png"),
        ("[file: //[a].pdf, 12 kB]", "application/octet-stream", "application/pdf"),
        ("[file: memo: v2#1.PDF]", "application/octet-stream", "application/pdf"),
        ("[file: archive.zip]", "application/octet-stream", None),
        ("[file: report.pdf.gz]", "application/octet-stream", None),
        ("[file: data:text/plain,a]", "application/octet-stream", None),
        ("[file: no ending]", "application/octet-stream", None),
        ("report.pdf", "application/octet-stream", None),
    ],
)
def test_a_file_is_kept_as_the_type_that_line_or_its_name_tells(
    media: Media,
    chat: Conversation,
    clock: FixedClock,
    source: InterruptedMedia,
    store: MemoryObjectStore,
    text: str,
    content_type: str,
    kept_as: str | None,
) -> None:
    source.contents["m4"] = HeldContent(data=b"%PDF", content_type=content_type)

    found = media.fetch(chat, replace(message(4, text), type="file"), Deadline.after(clock, 1))

    if kept_as is None:
        assert (found, kept(store)) == ("unreadable", [])
    else:
        assert found == media.label(chat, "m4")
        assert found == MediumLabel(timestamp_ms=4, content_type=kept_as, size_bytes=4)


def test_what_line_has_no_bytes_of_is_not_kept(
    media: Media, chat: Conversation, clock: FixedClock, store: MemoryObjectStore
) -> None:
    assert media.fetch(chat, image(9), Deadline.after(clock, 1)) == "gone"
    assert kept(store) == []


def test_labels_tell_when_a_medium_was_sent_and_by_whom(
    media: Media, chat: Conversation, clock: FixedClock, store: MemoryObjectStore
) -> None:
    assert media_labels(chat) == {}
    for number, user_id in ((4, "Uanna"), (5, None)):
        media.fetch(chat, replace(image(number), user_id=user_id), Deadline.after(clock, 1))
    store.create(chat.names.medium_label("m7"), b"{")

    told = {own_id: label and (label.timestamp_ms, label.by) for own_id, label in media_labels(chat).items()}

    assert told == {"m4": (4, mark_id("Uanna")), "m5": (5, None), "m7": None}


class RefusingStore(MemoryObjectStore):
    """A bucket that refuses to write an object again before it has read any of the bytes."""

    def create_from(self, name: str, pieces: Iterable[bytes]) -> bool:
        return self.read(name) is None and super().create_from(name, pieces)


def test_a_medium_whose_worker_died_before_its_label_gets_one(media: Media, clock: FixedClock) -> None:
    chat = conversations_on(RefusingStore(), InlineExecutor(), clock).of("U" + "1" * 32)
    chat.objects.store.create(chat.names.medium("m4"), JPEG.data)

    keep(media, chat, clock, 4)

    label = media.label(chat, "m4")
    assert label is not None
    assert label.size_bytes == len(JPEG.data)


def test_what_came_of_a_fetch_is_logged(
    media: Media, chat: Conversation, clock: FixedClock, lines: io.StringIO
) -> None:
    keep(media, chat, clock, 4, 9)

    logged = [json.loads(one) for one in lines.getvalue().splitlines()]
    assert [(one["message"], one.get("size_bytes"), one.get("reason")) for one in logged] == [
        ("medium_kept", len(JPEG.data), None),
        ("medium_not_fetched", None, "gone"),
    ]
