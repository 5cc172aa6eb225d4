"""A picture and the question about it are two messages: the question's prompt has the picture."""

from typing import Any, Final

from shared.adapters.memory.line_people import HeldContent
from shared.adapters.memory.scripted_model import calling
from shared.agent.model import ModelResponse
from tests.support.people import Person

REPLY: Final = calling(("reply", {"message": "a rose"}))
KENJI: Final = "U" + "5" * 32


def sends_picture(person: Person, *thinks: ModelResponse, by: str | None = None) -> dict[str, Any]:
    """Deliver a picture, whose bytes are its id."""
    message = {"type": "image", "contentProvider": {"type": "line"}}
    event = person.events.event("message", by=by, message=message)
    data = event["message"]["id"].encode()
    person.worker.media.contents[event["message"]["id"]] = HeldContent(data=data, content_type="image/jpeg")
    return person.sends(event, *thinks)


def looked_at(person: Person) -> list[object]:
    return [one.source for one in person.worker.looked_at]


def test_a_question_brings_the_picture_that_was_sent_just_before(friend: Person) -> None:
    sends_picture(friend, REPLY)

    friend.says("what flower is this?", REPLY)

    assert looked_at(friend) == [b"m1"]
    assert "shortly before" in friend.worker.prompt()


def test_at_most_three_pictures_come_along_and_the_newest(friend: Person) -> None:
    for _ in range(5):
        sends_picture(friend, REPLY)

    friend.says("which is the nicest?", REPLY)

    assert looked_at(friend) == [b"m3", b"m4", b"m5"]


def test_a_picture_of_long_ago_does_not_come_along(friend: Person) -> None:
    sends_picture(friend, REPLY)
    friend.events.skip(301)
    friend.worker.clock.move(301)

    friend.says("hello again", REPLY)

    assert looked_at(friend) == []


def test_a_picture_of_another_member_does_not_come_along(member: Person) -> None:
    sends_picture(member, by=KENJI)

    member.says("@Aizuchi hello", REPLY)

    assert looked_at(member) == []


def test_a_quoted_picture_comes_once(friend: Person) -> None:
    sends_picture(friend, REPLY)

    friend.sends(friend.events.text("this?", quotedMessageId="m1"), REPLY)

    assert looked_at(friend) == [b"m1"]
