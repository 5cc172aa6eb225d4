"""Pictures, voices and files through the worker: fetched at once, shown once, gone with their message."""

import itertools
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from shared.adapters.memory.scripted_model import calling
from shared.agent.model import INLINE_LIMIT_BYTES, MediaPart
from shared.conversation.compaction import MemoryLimits
from shared.conversation.records import MessageRecord
from shared.line.media import Fetched
from tests.support import recorded
from tests.support.pushed import PushedWorker

NICE = calling(("reply", {"message": "いい写真！"}))
JPEG = Fetched(data=b"\xff\xd8 a red bicycle", content_type="image/jpeg")


class Sender:
    """Somebody who sends pictures, alone with the bot or in a group."""

    def __init__(self, worker: PushedWorker, *, in_group: bool = False) -> None:
        self.worker = worker
        self.chat_id = recorded.GROUP if in_group else recorded.USER
        self._in_group = in_group
        self._numbers = itertools.count(1)

    def event(self, **message: Any) -> dict[str, Any]:  # noqa: ANN401 - fields of the message
        number = next(self._numbers)
        person = {"type": "user", "userId": recorded.USER}
        source = {"type": "group", "groupId": recorded.GROUP, "userId": recorded.USER} if self._in_group else person
        return {
            "type": "message",
            "mode": "active",
            "timestamp": 1_763_700_000_000 + number * 1_000,
            "source": source,
            "webhookEventId": f"event{number}",
            "replyToken": f"token{number}",
            "deliveryContext": {"isRedelivery": False},
            "message": {"id": f"m{number}", **message},
        }

    def picture(self, content: Fetched | None = JPEG, **more: Any) -> dict[str, Any]:  # noqa: ANN401
        event = self.event(type="image", contentProvider={"type": "line"}, **more)
        if content is not None:
            self.worker.media.contents[event["message"]["id"]] = content
        return event

    def sends(self, event: dict[str, Any], *thinks: Any) -> None:  # noqa: ANN401 - steps of the script
        assert self.worker.deliver(event, thinks=thinks) == 204

    def kept(self) -> list[str]:
        return [one.name.rpartition("/")[2] for one in self.worker.store.list(f"media/{self.chat_id}/")]


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(16) as threads:
        yield threads


@pytest.fixture
def worker(pool: ThreadPoolExecutor) -> PushedWorker:
    return PushedWorker(pool)


@pytest.fixture
def friend(worker: PushedWorker) -> Sender:
    return Sender(worker)


@pytest.fixture
def member(worker: PushedWorker) -> Sender:
    return Sender(worker, in_group=True)


def test_a_picture_is_kept_and_shown_to_the_model_behind_its_message(friend: Sender) -> None:
    friend.sends(friend.picture(), NICE)

    assert friend.worker.looked_at == [MediaPart(content_type="image/jpeg", source=JPEG.data)]
    assert friend.kept() == ["m1", "m1.json"]
    assert friend.worker.media.asked == 1


def test_it_is_not_shown_again_on_the_next_turn(friend: Sender) -> None:
    friend.sends(friend.picture(), NICE)
    friend.sends(friend.event(type="text", text="何色だった？"), NICE)

    assert friend.worker.looked_at == []
    assert "] [image]" in friend.worker.prompt()


def test_line_may_take_its_time(friend: Sender) -> None:
    friend.worker.media.delays["m1"] = 3

    friend.sends(friend.picture(), NICE)

    assert len(friend.worker.looked_at) == 1


@pytest.mark.parametrize(
    ("content", "delay", "told"),
    [
        (None, 0, "not there any more"),
        (JPEG, 99, "still preparing it"),
        (Fetched(data=b"x" * (INLINE_LIMIT_BYTES + 1), content_type="image/jpeg"), 0, "too large"),
        (Fetched(data=b"x", content_type="application/zip"), 0, "of a type that cannot be read"),
    ],
)
def test_what_cannot_be_shown_is_told(friend: Sender, content: Fetched | None, delay: int, told: str) -> None:
    friend.worker.media.delays["m1"] = delay

    friend.sends(friend.picture(content), NICE)

    assert told in friend.worker.prompt()
    assert friend.worker.looked_at == []
    assert friend.kept() == []
    assert friend.worker.said == ["いい写真！"]


def test_a_file_is_known_by_its_name_where_line_calls_it_a_stream(friend: Sender) -> None:
    friend.worker.media.contents["m1"] = Fetched(data=b"%PDF", content_type="application/octet-stream")

    friend.sends(friend.event(type="file", fileName="a, b.pdf", fileSize=4_000), NICE)

    assert friend.worker.looked_at == [MediaPart(content_type="application/pdf", source=b"%PDF")]


def test_on_vertex_ai_the_model_is_given_an_address(pool: ThreadPoolExecutor) -> None:
    friend = Sender(PushedWorker(pool, bucket="history"))

    friend.sends(friend.picture(), NICE)

    address = f"gs://history/media/{recorded.USER}/m1"
    assert friend.worker.looked_at == [MediaPart(content_type="image/jpeg", source=address)]


def test_pictures_that_were_sent_together_are_one_question(friend: Sender) -> None:
    first, second = (friend.picture(imageSet={"id": "SET", "index": index, "total": 2}) for index in (1, 2))
    now_ms = friend.worker.clock.now_ms
    friend.worker.memory.journal.keep(recorded.USER, replace(as_record(second), image_set_id="SET", image_set_size=2))
    began_ms = now_ms()

    friend.sends(first, NICE)
    friend.sends(second)

    assert now_ms() - began_ms < 2_000  # the set was whole
    assert len(friend.worker.looked_at) == 2
    assert "sent together" in friend.worker.prompt()
    assert friend.worker.said == ["いい写真！"]


def test_a_set_that_never_becomes_whole_is_waited_for_and_answered_all_the_same(friend: Sender) -> None:
    began_ms = friend.worker.clock.now_ms()
    friend.sends(friend.picture(imageSet={"id": "SET", "index": 1, "total": 2}), NICE)

    assert friend.worker.clock.now_ms() - began_ms >= 6_000

    assert friend.worker.said == ["いい写真！"]


def test_no_request_holds_more_bytes_than_it_may(friend: Sender) -> None:
    large = Fetched(data=b"x" * (INLINE_LIMIT_BYTES // 2 + 1), content_type="image/jpeg")
    first = friend.picture(large)
    friend.worker.memory.journal.keep(recorded.USER, as_record(first))

    friend.sends(friend.picture(large), NICE)

    assert [len(part.source) for part in friend.worker.looked_at] == [len(large.data)]
    assert "too much to look at at once" in friend.worker.prompt()


def as_record(event: dict[str, Any]) -> MessageRecord:
    """Return the record that another delivery keeps of a picture."""
    return MessageRecord(
        line_message_id=event["message"]["id"],
        webhook_event_id=event["webhookEventId"],
        timestamp_ms=event["timestamp"],
        type="image",
        addressed=True,
        text="[image]",
        reply_token=event["replyToken"],
        received_ms=event["timestamp"],
    )


def test_in_a_group_a_picture_is_fetched_when_it_is_quoted_to_the_bot(member: Sender) -> None:
    member.sends(member.picture())
    assert member.worker.media.asked == 0
    assert member.kept() == []

    member.sends(member.event(type="text", text="Aizuchi、これ何？", quotedMessageId="m1"), NICE)

    assert member.worker.looked_at == [MediaPart(content_type="image/jpeg", source=JPEG.data)]
    assert '引用メッセージ: "[image]"\n質問: これ何？' in member.worker.prompt()
    assert member.kept() == ["m1", "m1.json"]


def test_a_quoted_picture_is_shown_again_without_a_second_fetch(friend: Sender) -> None:
    friend.sends(friend.picture(), NICE)
    friend.sends(friend.event(type="text", text="何色？", quotedMessageId="m1"), NICE)

    assert len(friend.worker.looked_at) == 1
    assert friend.worker.media.asked == 1


def test_an_unsend_erases_the_bytes(friend: Sender) -> None:
    friend.sends(friend.picture(), NICE)
    friend.sends(friend.picture(), NICE)

    friend.worker.memory.withdrawal.withdraw(recorded.USER, "m1", timestamp_ms=2)

    assert friend.kept() == ["m2", "m2.json"]


def test_an_unsend_erases_them_also_when_the_fetch_ends_after_it(friend: Sender) -> None:
    fetch = friend.worker.media.fetch

    def slow(*args: Any, **more: Any) -> Any:  # noqa: ANN401 - as it is called
        fetched = fetch(*args, **more)
        friend.worker.memory.withdrawal.withdraw(recorded.USER, "m1", timestamp_ms=2)
        return fetched

    friend.worker.media.fetch = slow  # type: ignore[method-assign]
    friend.sends(friend.picture())

    assert friend.kept() == []
    assert friend.worker.model.requests == []


def test_a_reset_erases_what_is_older_and_spares_what_came_later(friend: Sender) -> None:
    friend.sends(friend.picture(), NICE)
    reset = friend.event(type="text", text="/reset")
    friend.sends(friend.picture(), NICE)

    friend.sends(reset)

    assert friend.kept() == ["m3", "m3.json"]


def test_media_of_an_erased_chat_do_not_come_back_with_a_slow_fetch(friend: Sender) -> None:
    fetch = friend.worker.media.fetch

    def slow(*args: Any, **more: Any) -> Any:  # noqa: ANN401 - as it is called
        fetched = fetch(*args, **more)
        friend.worker.memory.withdrawal.erase(recorded.USER, until_ms=2**42)
        return fetched

    friend.worker.media.fetch = slow  # type: ignore[method-assign]
    friend.sends(friend.picture())

    assert friend.kept() == []


def test_when_the_chat_is_folded_the_picture_becomes_a_line(pool: ThreadPoolExecutor) -> None:
    worker = PushedWorker(pool, limits=MemoryLimits(journalled=1))
    friend = Sender(worker)
    describes = calling(("write_description", {"text": "A red\nbicycle [note] in front of a shop"}))
    friend.sends(friend.picture(), NICE)

    friend.sends(friend.event(type="text", text="いいでしょ"), NICE, describes)
    friend.sends(friend.event(type="text", text="何色だった？"), NICE)

    assert "] [image: A red bicycle (note) in front of a shop]" in worker.prompt()
    assert worker.looked_at == []


def test_bytes_that_cannot_be_read_do_not_stop_the_turn(friend: Sender) -> None:
    picture = friend.picture()
    friend.worker.store.create(f"media/{recorded.USER}/m1.json", b"no label")

    friend.sends(picture, NICE)

    assert friend.worker.said == ["いい写真！"]


def test_nothing_is_fetched_for_words(friend: Sender) -> None:
    friend.sends(friend.event(type="text", text="hi"), NICE)

    assert friend.worker.media.asked == 0
