from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pytest

from shared.adapters.memory import FixedClock, MemoryObjectStore
from shared.clock import Deadline
from shared.conversation.amendment_records import Amendment
from shared.conversation.captions import AT_ONCE, CaptionWriter
from shared.conversation.records import MessageRecord
from shared.conversation.snapshot_records import SnapshotRecord
from shared.conversation.store import Conversation
from shared.conversation.withdrawal import Withdrawal
from shared.errors import ModelUnavailableError
from shared.storage.object_store import StoredObject
from tests.support.chats import conversations_on, everything_in, message, reader
from tests.support.inline import InlineExecutor
from tests.support.recaps import IN_TIME


@dataclass
class KnownCaptions:
    """Says the captions that it was given, by message id; a Captioner."""

    captions: dict[str, str] = field(default_factory=dict)
    is_down: bool = False
    asked: list[str] = field(default_factory=list)
    meanwhile: Callable[[], object] = lambda: None

    def caption(self, conversation: Conversation, message: MessageRecord) -> str | None:
        assert conversation.id.startswith("U")
        self.asked.append(message.line_message_id)
        self.meanwhile()
        if self.is_down:
            raise ModelUnavailableError("503")
        return self.captions.get(message.line_message_id)


class RewritingStore(MemoryObjectStore):
    """Another worker rewrites the snapshot after it was read."""

    rewrites = False

    def read(self, name: str) -> StoredObject | None:
        stored = super().read(name)
        if self.rewrites and stored is not None and name.startswith("snapshots/"):
            super().replace(name, stored.data, generation=stored.generation)
        return stored


@pytest.fixture
def captioner() -> KnownCaptions:
    return KnownCaptions(captions={"m1": "a red bicycle", "m2": "a cat"})


@pytest.fixture
def writer(clock: FixedClock, captioner: KnownCaptions) -> CaptionWriter:
    return CaptionWriter(captioner=captioner, clock=clock)


def fold_images(chat: Conversation, *numbers: int) -> None:
    """The snapshot holds images, beside what it held before, and a text."""
    seen = chat.snapshot.read()
    images = tuple(replace(message(number, "[image]"), type="image") for number in numbers)
    folded = (*seen.record.messages, *images, message(90, "hi"))
    assert chat.snapshot.swap(seen, SnapshotRecord(messages=folded))


def texts(chat: Conversation) -> dict[str, str]:
    messages = reader().read_newest(chat).messages
    return {one.line_message_id: one.text for one in messages if one.type == "image"}


def test_an_image_gets_its_caption_once(chat: Conversation, writer: CaptionWriter, captioner: KnownCaptions) -> None:
    fold_images(chat, 1, 2, 3)

    writer.write(chat, IN_TIME)
    writer.write(chat, IN_TIME)

    assert texts(chat) == {"m1": "[image: a red bicycle]", "m2": "[image: a cat]", "m3": "[image]"}
    assert sorted(captioner.asked) == ["m1", "m2", "m3"]


@pytest.mark.parametrize(("kind", "source"), [("image", "media"), ("audio", "media"), ("file", "file")])
def test_a_caption_came_from_its_medium_and_from_outside(
    chat: Conversation, writer: CaptionWriter, kind: str, source: str
) -> None:
    fold_images(chat)
    seen = chat.snapshot.read()
    medium = replace(message(1, f"[{kind}]"), type=kind)
    assert chat.snapshot.swap(seen, replace(seen.record, messages=(medium,)))

    writer.write(chat, IN_TIME)

    (captioned,) = chat.snapshot.read().record.messages
    assert captioned.provenance is not None
    assert (captioned.provenance.ids, captioned.provenance.outside) == (frozenset({"m1"}), frozenset({source}))


def test_captions_are_written_a_few_at_a_time_newest_first(
    chat: Conversation, writer: CaptionWriter, captioner: KnownCaptions
) -> None:
    fold_images(chat, *range(1, 9))

    writer.write(chat, IN_TIME)
    assert sorted(captioner.asked) == ["m6", "m7", "m8"]
    assert len(captioner.asked) == AT_ONCE

    writer.write(chat, IN_TIME)
    assert sorted(captioner.asked[AT_ONCE:]) == ["m3", "m4", "m5"]


def test_a_snapshot_without_media_is_not_written(
    chat: Conversation, writer: CaptionWriter, store: MemoryObjectStore
) -> None:
    fold_images(chat)
    before = store.list("")

    writer.write(chat, IN_TIME)

    assert store.list("") == before


def test_no_caption_is_begun_where_another_worker_has_rewritten_the_snapshot(
    clock: FixedClock, captioner: KnownCaptions
) -> None:
    store = RewritingStore()
    chat = conversations_on(store, InlineExecutor(), clock).of("U" + "1" * 32)
    fold_images(chat, 1)
    store.rewrites = True

    CaptionWriter(captioner=captioner, clock=clock).write(chat, IN_TIME)

    assert captioner.asked == []
    assert texts(chat) == {"m1": "[image]"}


def test_a_caption_that_failed_is_tried_again_later(
    chat: Conversation, writer: CaptionWriter, captioner: KnownCaptions
) -> None:
    fold_images(chat, 1)
    captioner.is_down = True
    writer.write(chat, IN_TIME)
    assert texts(chat) == {"m1": "[image]"}

    captioner.is_down = False
    writer.write(chat, IN_TIME)

    assert texts(chat) == {"m1": "[image: a red bicycle]"}


def test_a_caption_that_crashed_its_worker_is_not_tried_again(
    chat: Conversation, writer: CaptionWriter, captioner: KnownCaptions
) -> None:
    def crash() -> None:
        raise KeyboardInterrupt

    fold_images(chat, 1)
    captioner.meanwhile = crash
    with pytest.raises(KeyboardInterrupt):
        writer.write(chat, IN_TIME)
    captioner.meanwhile = lambda: None

    writer.write(chat, IN_TIME)

    assert captioner.asked == ["m1"]


def test_an_image_that_is_unsent_meanwhile_leaves_no_caption(
    chat: Conversation,
    writer: CaptionWriter,
    captioner: KnownCaptions,
    withdrawal: Withdrawal,
    store: MemoryObjectStore,
) -> None:
    fold_images(chat, 1)
    captioner.meanwhile = lambda: withdrawal.withdraw(chat, "m1", timestamp_ms=9)

    writer.write(chat, IN_TIME)

    assert "bicycle" not in everything_in(store)


def test_a_caption_written_after_an_unsend_that_found_none_is_removed(
    chat: Conversation, writer: CaptionWriter, captioner: KnownCaptions, store: MemoryObjectStore
) -> None:
    fold_images(chat, 1)
    captioner.meanwhile = lambda: chat.amendments.amend(Amendment(line_message_id="m1", timestamp_ms=9))

    writer.write(chat, IN_TIME)

    assert "bicycle" not in everything_in(store)


def test_no_caption_is_begun_after_an_unsend(
    chat: Conversation, writer: CaptionWriter, captioner: KnownCaptions
) -> None:
    fold_images(chat, 1, 2)
    captioner.meanwhile = lambda: chat.amendments.amend(Amendment(line_message_id="m1", timestamp_ms=9))

    writer.write(chat, IN_TIME)

    assert captioner.asked == ["m2"]


def test_a_caption_is_withdrawn_with_its_image(
    chat: Conversation, writer: CaptionWriter, withdrawal: Withdrawal, store: MemoryObjectStore
) -> None:
    fold_images(chat, 1)
    writer.write(chat, IN_TIME)
    assert "bicycle" in everything_in(store)

    withdrawal.withdraw(chat, "m1", timestamp_ms=9)

    assert "bicycle" not in everything_in(store)


def test_a_request_that_is_nearly_over_begins_no_caption(
    chat: Conversation, writer: CaptionWriter, captioner: KnownCaptions
) -> None:
    fold_images(chat, 1)

    writer.write(chat, Deadline.after(FixedClock(), 19))

    assert captioner.asked == []
    writer.write(chat, IN_TIME)
    assert texts(chat) == {"m1": "[image: a red bicycle]"}


@pytest.mark.parametrize(
    ("request_s", "answers_in_s", "asked"),
    [(100.0, 21.0, 1), (100.0, 15.0, 2), (30.0, 11.0, 1), (20.0, 1.0, 0)],
    ids=["slow model", "model in time", "request ends soon", "no time is left"],
)
def test_no_caption_is_begun_after_its_time(
    chat: Conversation,
    writer: CaptionWriter,
    captioner: KnownCaptions,
    clock: FixedClock,
    request_s: float,
    answers_in_s: float,
    asked: int,
) -> None:
    fold_images(chat, 1, 2, 3)
    captioner.meanwhile = lambda: clock.move(answers_in_s)

    writer.write(chat, Deadline.after(clock, request_s))

    assert len(captioner.asked) == asked


def test_an_image_whose_bytes_are_not_kept_costs_one_write(
    chat: Conversation, writer: CaptionWriter, captioner: KnownCaptions
) -> None:
    fold_images(chat, 3)
    before = chat.snapshot.read().generation

    writer.write(chat, IN_TIME)

    assert captioner.asked == ["m3"]
    assert chat.snapshot.read().generation == before + 1
