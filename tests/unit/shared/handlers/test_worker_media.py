"""Pictures, voices and files: fetched at once, shown once, erased with their message."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Event
from typing import Any

import pytest

from shared.adapters.memory.line_people import HeldContent
from shared.adapters.memory.scripted_model import calling
from shared.agent.model import INLINE_LIMIT_BYTES, MediaPart
from shared.bus.endpoint import REQUEST_S
from shared.conversation.records import MessageRecord
from shared.conversation.snapshot import MemoryLimits
from shared.errors import StorageUnavailableError
from shared.line.media_content import LARGEST_BYTES
from shared.line.messaging import ReplyToken
from tests.support import recorded
from tests.support.people import Person
from tests.support.pushed import PushedWorker

NICE = calling(("reply", {"message": "いい写真！"}))
JPEG = HeldContent(data=b"\xff\xd8 a red bicycle", content_type="image/jpeg")


class Sender(Person):
    """A person who sends media."""

    def message(self, **message: Any) -> dict[str, Any]:  # noqa: ANN401 - fields of the message
        return self.events.event("message", message=message)

    def picture(self, content: HeldContent | None = JPEG, **more: Any) -> dict[str, Any]:  # noqa: ANN401
        event = self.message(type="image", contentProvider={"type": "line"}, **more)
        if content is not None:
            self.worker.media.contents[event["message"]["id"]] = content
        return event

    @property
    def stored_media(self) -> list[str]:
        listed = self.worker.store.list(f"media/{self.events.chat_id}/")
        return [one.name.rpartition("/")[2] for one in listed]


def record_of(event: dict[str, Any]) -> MessageRecord:
    """Return the record that another delivery keeps of a picture."""
    return MessageRecord(
        line_message_id=event["message"]["id"],
        webhook_event_id=event["webhookEventId"],
        timestamp_ms=event["timestamp"],
        type="image",
        addressed=True,
        text="[image]",
        reply_token=ReplyToken(value=event["replyToken"], received_ms=event["timestamp"]),
    )


@pytest.fixture
def friend(worker: PushedWorker) -> Sender:
    return Sender(worker, is_in_group=False)


@pytest.fixture
def member(worker: PushedWorker) -> Sender:
    return Sender(worker, is_in_group=True)


def test_picture_is_stored_and_shown_to_the_model(friend: Sender) -> None:
    friend.sends(friend.picture(), NICE)

    assert friend.worker.looked_at == [MediaPart(content_type="image/jpeg", source=JPEG.data)]
    assert friend.stored_media == ["m1", "m1.json"]
    assert friend.worker.media.asked == 1


def test_picture_is_not_shown_again_minutes_later(friend: Sender) -> None:
    friend.sends(friend.picture(), NICE)
    friend.events.skip(301)
    friend.worker.clock.move(301)
    friend.sends(friend.message(type="text", text="何色だった？"), NICE)

    assert friend.worker.looked_at == []
    assert "] [image]" in friend.worker.prompt()


def test_picture_that_line_prepares_for_seconds_is_shown(friend: Sender) -> None:
    friend.worker.media.delays["m1"] = 3

    friend.sends(friend.picture(), NICE)

    assert len(friend.worker.looked_at) == 1


@pytest.mark.parametrize(
    ("content", "delay_s", "reason"),
    [
        (None, 0, "not there any more"),
        (JPEG, 99, "still preparing it"),
        (HeldContent(data=b"x" * (LARGEST_BYTES + 1), content_type="image/jpeg"), 0, "too large"),
        (HeldContent(data=b"x", content_type="application/zip"), 0, "of a type that cannot be read"),
    ],
)
def test_prompt_tells_why_a_picture_cannot_be_shown(
    friend: Sender, content: HeldContent | None, delay_s: int, reason: str
) -> None:
    friend.worker.media.delays["m1"] = delay_s

    friend.sends(friend.picture(content), NICE)

    assert reason in friend.worker.prompt()
    assert friend.worker.looked_at == []
    assert friend.stored_media == []
    assert friend.worker.said == ["いい写真！"]


def test_type_of_an_octet_stream_is_guessed_from_the_file_name(friend: Sender) -> None:
    friend.worker.media.contents["m1"] = HeldContent(data=b"%PDF", content_type="application/octet-stream")

    friend.sends(friend.message(type="file", fileName="a, b.pdf", fileSize=4_000), NICE)

    assert friend.worker.looked_at == [MediaPart(content_type="application/pdf", source=b"%PDF")]


def test_with_a_media_bucket_the_model_is_given_an_address(pool: ThreadPoolExecutor) -> None:
    friend = Sender(PushedWorker(pool, media_bucket="history"), is_in_group=False)

    friend.sends(friend.picture(), NICE)

    address = f"gs://history/media/{recorded.USER}/m1"
    assert friend.worker.looked_at == [MediaPart(content_type="image/jpeg", source=address)]


def test_image_set_is_answered_as_one_question(friend: Sender) -> None:
    first, second = (friend.picture(imageSet={"id": "SET", "index": index, "total": 2}) for index in (1, 2))
    now_ms = friend.worker.clock.now_ms
    friend.worker.conversations.of(recorded.USER).journal.keep(
        replace(record_of(second), image_set_id="SET", image_set_size=2)
    )
    began_ms = now_ms()

    friend.sends(first, NICE)
    friend.sends(second)

    assert now_ms() - began_ms < 2_000  # the set was complete
    assert len(friend.worker.looked_at) == 2
    assert "sent together" in friend.worker.prompt()
    assert friend.worker.said == ["いい写真！"]


def test_incomplete_image_set_is_answered_after_the_settle_window(friend: Sender) -> None:
    began_ms = friend.worker.clock.now_ms()
    friend.sends(friend.picture(imageSet={"id": "SET", "index": 1, "total": 2}), NICE)

    assert friend.worker.clock.now_ms() - began_ms >= 6_000

    assert friend.worker.said == ["いい写真！"]


def test_request_holds_media_only_up_to_the_inline_limit(friend: Sender) -> None:
    large = HeldContent(data=b"x" * (INLINE_LIMIT_BYTES // 2 + 1), content_type="image/jpeg")
    first = friend.picture(large)
    friend.worker.conversations.of(recorded.USER).journal.keep(record_of(first))

    friend.sends(friend.picture(large), NICE)

    assert [len(part.source) for part in friend.worker.looked_at] == [len(large.data)]
    assert "too much to look at at once" in friend.worker.prompt()


def test_picture_in_a_group_is_fetched_when_quoted_to_the_bot(member: Sender) -> None:
    member.sends(member.picture())
    assert member.worker.media.asked == 0
    assert member.stored_media == []

    member.sends(member.message(type="text", text="Aizuchi、これ何？", quotedMessageId="m1"), NICE)

    assert member.worker.looked_at == [MediaPart(content_type="image/jpeg", source=JPEG.data)]
    assert '引用メッセージ: "[image]"\n質問: これ何？' in member.worker.prompt()
    assert member.stored_media == ["m1", "m1.json"]


def test_quoted_picture_is_shown_again_without_a_second_fetch(friend: Sender) -> None:
    friend.sends(friend.picture(), NICE)
    friend.sends(friend.message(type="text", text="何色？", quotedMessageId="m1"), NICE)

    assert len(friend.worker.looked_at) == 1
    assert friend.worker.media.asked == 1


def test_unsend_erases_the_bytes_of_its_picture(friend: Sender) -> None:
    friend.sends(friend.picture(), NICE)
    friend.sends(friend.picture(), NICE)

    friend.worker.withdraw(recorded.USER, "m1")

    assert friend.stored_media == ["m2", "m2.json"]


def test_unsend_during_the_fetch_leaves_no_bytes(friend: Sender) -> None:
    friend.worker.media.after = lambda *_: friend.worker.withdraw(recorded.USER, "m1")
    friend.sends(friend.picture())

    assert friend.stored_media == []
    assert friend.worker.model.requests == []


def test_reset_erases_older_pictures_and_spares_later_ones(friend: Sender) -> None:
    friend.sends(friend.picture(), NICE)
    reset = friend.message(type="text", text="/reset")
    friend.sends(friend.picture(), NICE)

    friend.sends(reset)

    assert friend.stored_media == ["m3", "m3.json"]


def test_erasure_during_the_fetch_leaves_no_bytes(friend: Sender) -> None:
    friend.worker.media.after = lambda *_: friend.worker.erase(recorded.USER, until_ms=2**42)
    friend.sends(friend.picture())

    assert friend.stored_media == []


def test_compaction_replaces_a_picture_by_a_caption(pool: ThreadPoolExecutor) -> None:
    worker = PushedWorker(pool, memory=MemoryLimits(journalled=1))
    friend = Sender(worker, is_in_group=False)
    describe = calling(("write_description", {"text": "A red\nbicycle [note] in front of a shop"}))
    friend.sends(friend.picture(), NICE)

    friend.sends(friend.message(type="text", text="いいでしょ"), NICE, describe)
    friend.sends(friend.message(type="text", text="何色だった？"), NICE)

    assert "] [image: A red bicycle (note) in front of a shop]" in worker.prompt()


def test_unreadable_media_label_does_not_stop_the_turn(friend: Sender) -> None:
    picture = friend.picture()
    friend.worker.store.create(f"media/{recorded.USER}/m1.json", b"no label")

    friend.sends(picture, NICE)

    assert friend.worker.said == ["いい写真！"]


def test_nothing_is_fetched_for_a_text_message(friend: Sender) -> None:
    friend.sends(friend.message(type="text", text="hi"), NICE)

    assert friend.worker.media.asked == 0


def test_chatter_is_folded_without_a_caption_or_a_recap(pool: ThreadPoolExecutor) -> None:
    worker = PushedWorker(pool, memory=MemoryLimits(journalled=3, verbatim=2, summed_up=2))
    member = Sender(worker, is_in_group=True)
    member.sends(member.picture())
    member.sends(member.message(type="text", text="Aizuchi、これ何？", quotedMessageId="m1"), NICE)
    member.says("へえ")
    member.says("ほう")
    member.events.skip(12)
    asked = len(worker.model.requests)

    member.says("m17 triggers a compaction check")

    folded = worker.conversations.of(recorded.GROUP).snapshot.read().record.messages
    assert [one.line_message_id for one in folded] == ["m1", "m2", "m3", "m4", "m17"]
    assert len(worker.model.requests) == asked


def test_a_delivery_whose_picture_may_be_kept_without_a_look_is_delivered_again(friend: Sender) -> None:
    picture = friend.picture()
    friend.worker.conversations.of(recorded.USER).journal.keep(record_of(picture))

    def fail(*_: str) -> None:
        raise StorageUnavailableError("down")

    friend.worker.media.before = fail

    assert friend.worker.deliver(picture, thinks=[NICE]) == 503
    assert friend.worker.said == ["いい写真！"]


def test_a_redelivery_waits_for_the_picture_that_it_fetches(friend: Sender) -> None:
    picture = friend.sends(friend.picture(None), NICE)
    friend.worker.media.contents["m1"] = JPEG
    friend.worker.media.before = lambda *_: Event().wait(0.05)
    friend.sends(picture)

    assert friend.stored_media == ["m1", "m1.json"]


def test_a_fetch_that_lasts_longer_than_its_request_is_left_to_the_next_delivery(friend: Sender) -> None:
    picture = friend.sends(friend.picture(None), NICE)
    is_over = Event()

    def be_late(call: str, _: str) -> None:
        if call == "list":
            friend.worker.clock.move(REQUEST_S)

    friend.worker.media.before = lambda *_: is_over.wait(60)
    friend.worker.store.before = be_late

    assert friend.worker.deliver(picture) == 503
    is_over.set()
