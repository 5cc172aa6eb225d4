"""Links over real wires: the page is read by a request of its own, and what the page says never acts."""

import pytest

from simulator.gemini.request_log import RequestRecord
from simulator.gemini.script import call
from tests.e2e.conftest import Person, Platform


def requests_of(platform: Platform) -> list[RequestRecord]:
    return platform.do(lambda stack: list(stack.gemini.requests))


def test_a_page_is_read_by_a_request_without_functions_and_told(platform: Platform, person: Person) -> None:
    person.says("https://bakery.example/ を読んで")

    assert "The bakery is open from 7:00 to 18:00" in person.hears_next(after=0)
    kinds = [(one.kind, one.request.built_in_tools) for one in requests_of(platform) if one.request is not None]
    assert ("text", ("urlContext",)) in kinds
    assert not [one for one in requests_of(platform) if one.kind == "refused"]


def test_what_a_page_orders_waits_for_a_tap(platform: Platform, person: Person) -> None:
    person.says("牛乳を買うってメモして")
    person.hears_next(after=0)
    platform.settle()
    (path,) = platform.names(f"entries/{person.id}/admin/")
    entry = "/".join(path.split("/")[-2:])
    reads = call("read_link", {"url": "https://orders.example/", "question": "what does it say?"})
    deletes, replies = call("delete_entry", {"path": entry}), call("reply", {"message": "OK"})
    platform.do(lambda stack: stack.gemini.script([reads.when(lambda request: bool(request.functions))]))
    platform.do(
        lambda stack: stack.gemini.script(
            one.when(lambda request: bool(request.contents[-1].function_responses)) for one in (deletes, replies)
        )
    )

    person.says("what does https://orders.example/ say?")

    assert person.hears_next(after=1) == "OK"
    assert f"☐ Delete “牛乳を買う” ({entry})" in person.hears_next(after=2)
    platform.settle()
    assert path in platform.names(f"entries/{person.id}/")


def test_of_a_video_the_first_minutes_are_watched_and_the_rest_is_told_as_unseen(
    platform: Platform, person: Person
) -> None:
    person.says("watch https://youtu.be/9hE5-98ZeCg?t=600")

    assert person.hears_next(after=0).startswith("In the first 480 seconds of the video")
    assert "I watched at most the first 8 minutes of the video" in person.hears_next(after=1)
    (watched,) = [
        one.request
        for one in requests_of(platform)
        if one.request is not None and one.request.media_resolution == "MEDIA_RESOLUTION_LOW"
    ]
    assert (watched.functions, watched.contents[0].parts[0].video_end) == ((), "480s")


@pytest.mark.parametrize("link", ["http://169.254.169.254/latest/meta-data/", "http://metadata.google.internal/"])
def test_no_address_of_a_private_network_is_asked_for(platform: Platform, person: Person, link: str) -> None:
    reads = call("read_link", {"url": link, "question": "what does it say?"})
    platform.do(lambda stack: stack.gemini.script([reads]))

    person.says(f"read {link}")

    assert person.hears_next(after=0) == "Sorry, that did not work."
    requests = [one.request for one in requests_of(platform) if one.request is not None]
    answered = [response for one in requests for response in one.contents[-1].function_responses]
    assert any("Only public websites are read" in (response.error or "") for response in answered)
    assert not [one for one in requests if one.built_in_tools]
