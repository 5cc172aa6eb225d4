"""One suite for what LINE tells of people and of what they sent: in memory, and on the wire to a LINE platform."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

import pytest

from shared.adapters.line_api import LineApi
from shared.adapters.line_media import LineMedia
from shared.adapters.line_profiles import LineProfiles
from shared.adapters.memory import MemoryMedia, MemoryProfiles
from shared.errors import LineRefusedError
from shared.line.display_names import Profiles
from shared.line.media_content import Fetched, MediaSource
from simulator.line.chats import Chat
from simulator.line.harness import ACCESS_TOKEN, LineHarness
from simulator.line.media import Media
from simulator.line.people import Friendship, Person
from simulator.line.switches import Fault
from tests.support.serving import Served, served

NAME = "花子 😀"
NOBODY = "U" + "0" * 32
JPEG = Fetched(data=b"\xff\xd8" + bytes(range(256)) * 2_000, content_type="image/jpeg")


@dataclass(frozen=True, slots=True, kw_only=True)
class Backend:
    """A LINE with one person. `sent` is the id of an image of theirs; `unsent` of one that they took back; `slow` of one not ready yet."""

    profiles: Profiles
    media: MediaSource
    user_id: str
    sent: str
    unsent: str
    slow: str
    breaks: Callable[[], None]


@pytest.fixture
def line() -> Iterator[LineHarness]:
    with LineHarness() as rehearsal:
        rehearsal.platform.people[rehearsal.user_id] = Person(user_id=rehearsal.user_id, display_name=NAME)
        yield rehearsal


@pytest.fixture
def running(line: LineHarness) -> Iterator[Served]:
    with served(line.platform.app) as started:
        yield started


@pytest.fixture
def api(running: Served) -> LineApi:
    return LineApi(channel_access_token=ACCESS_TOKEN, base_url=running.url)


def remote(line: LineHarness, running: Served, api: LineApi) -> Backend:
    def image(*, prepared_at_ms: int = 0) -> str:
        media = Media(content=JPEG.data, content_type=JPEG.content_type, prepared_at_ms=prepared_at_ms)
        running.do(lambda: line.platform.send_image(line.user_id, line.user_id, media))
        return list(line.platform.chat(line.user_id).messages)[-1].line_message_id

    unsent = image()
    running.do(lambda: line.platform.unsend(line.user_id, unsent))
    return Backend(
        profiles=LineProfiles(api.client),
        media=LineMedia(api.client),
        user_id=line.user_id,
        sent=image(),
        unsent=unsent,
        slow=image(prepared_at_ms=line.clock.now_ms() + 1_000),
        breaks=lambda: running.do(lambda: line.platform.faults.add(Fault(path="/v2/bot/", error_status=500))),
    )


def in_memory() -> Backend:
    profiles, media = MemoryProfiles({"U" + "1" * 32: NAME}), MemoryMedia()
    media.contents |= {"1": JPEG, "3": JPEG}
    media.delays["3"] = 1

    def breaks() -> None:
        profiles.is_down = media.is_down = True

    return Backend(
        profiles=profiles, media=media, user_id="U" + "1" * 32, sent="1", unsent="2", slow="3", breaks=breaks
    )


@pytest.fixture(params=["memory", "sdk"])
def backend(request: pytest.FixtureRequest) -> Backend:
    if request.param == "memory":
        return in_memory()
    return remote(*(request.getfixturevalue(name) for name in ("line", "running", "api")))


def test_a_person_has_the_name_that_they_wrote(backend: Backend) -> None:
    assert backend.profiles.display_name(backend.user_id, backend.user_id) == NAME


def test_an_unknown_user_has_no_name(backend: Backend) -> None:
    assert backend.profiles.display_name(NOBODY, NOBODY) is None


def test_content_is_what_was_sent(backend: Backend) -> None:
    assert backend.media.fetch(backend.sent) == JPEG
    assert backend.media.fetch(backend.sent, at_most_bytes=len(JPEG.data)) == JPEG


def test_content_of_an_unsent_message_is_gone(backend: Backend) -> None:
    assert backend.media.fetch(backend.unsent) == "gone"


def test_content_of_an_unknown_message_is_gone(backend: Backend) -> None:
    assert backend.media.fetch("573999999999999999") == "gone"


def test_content_that_is_being_prepared_is_not_ready(backend: Backend) -> None:
    assert backend.media.fetch(backend.slow) == "not_ready"


def test_content_beyond_the_limit_is_too_large(backend: Backend) -> None:
    assert backend.media.fetch(backend.sent, at_most_bytes=len(JPEG.data) - 1) == "too_large"
    assert backend.media.fetch(backend.sent) == JPEG


def test_a_failing_line_gives_neither_name_nor_content(backend: Backend) -> None:
    backend.breaks()

    assert backend.profiles.display_name(backend.user_id, backend.user_id) is None
    assert backend.media.fetch(backend.sent) == "unavailable"


@pytest.fixture(params=["group", "room"])
def gathering(request: pytest.FixtureRequest, line: LineHarness) -> Chat:
    people = (line.user_id,)
    chat = line.platform.create_group("all", people) if request.param == "group" else line.platform.create_room(people)
    chat.bot_is_member = True
    return chat


def test_a_member_has_a_name_without_being_a_friend(line: LineHarness, api: LineApi, gathering: Chat) -> None:
    stranger = Person(user_id=line.user_id, display_name=NAME, friendship=Friendship.STRANGER)
    line.platform.people[line.user_id] = stranger
    profiles = LineProfiles(api.client)

    assert profiles.display_name(gathering.chat_id, line.user_id) == NAME
    assert profiles.display_name(line.user_id, line.user_id) is None


def test_a_user_who_is_no_member_has_no_name(api: LineApi, gathering: Chat) -> None:
    assert LineProfiles(api.client).display_name(gathering.chat_id, NOBODY) is None


def test_a_wrong_access_token_is_a_refusal(running: Served) -> None:
    wrong = LineApi(channel_access_token="wrong", base_url=running.url)

    with pytest.raises(LineRefusedError, match="LINE_CHANNEL_ACCESS_TOKEN"):
        LineMedia(wrong.client).fetch("1")


def test_an_unreachable_line_gives_neither_name_nor_content() -> None:
    api = LineApi(channel_access_token="any", base_url="http://127.0.0.1:9")

    assert LineProfiles(api.client).display_name(NOBODY, NOBODY) is None
    assert LineMedia(api.client).fetch("1") == "unavailable"
    assert not api.marks_reads_by_hand()


@pytest.mark.parametrize(("chat_mode", "by_hand"), [("chat", True), ("bot", False)])
def test_the_bot_marks_reads_where_line_leaves_that_to_it(
    line: LineHarness, api: LineApi, chat_mode: Literal["chat", "bot"], by_hand: bool
) -> None:
    line.platform.account = replace(line.platform.account, chat_mode=chat_mode)

    assert [api.marks_reads_by_hand() for _ in range(3)] == [by_hand] * 3
    assert api.display_name() == "Aizuchi"
    assert [request.path for request in line.platform.requests] == ["/v2/bot/info"]
