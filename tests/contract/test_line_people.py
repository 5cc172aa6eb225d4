"""One suite for profiles and content from LINE: in memory, and with LINE's own SDK on the wire to LINE's stand-in."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

import pytest

from shared.adapters.line_api import LineApi
from shared.adapters.line_media import LineMedia
from shared.adapters.line_profiles import LineProfiles
from shared.adapters.memory import MemoryMedia, MemoryProfiles
from shared.adapters.memory.line_people import HeldContent
from shared.errors import LineRefusedError, StorageUnavailableError
from shared.line.display_names import Profiles
from shared.line.media_content import LARGEST_BYTES, ArrivingContent, MediaSource
from shared.settings.secret import FixedSecret
from simulator.line.chats import Chat
from simulator.line.harness import ACCESS_TOKEN, LineHarness
from simulator.line.media import Media
from simulator.line.people import Friendship, Person
from simulator.line.switches import Fault
from tests.support.serving import Served, served

NAME = "花子 😀"
GROUP_NAME = "温泉旅行"
UNKNOWN_USER_ID = "U" + "0" * 32
JPEG = HeldContent(data=b"\xff\xd8" + bytes(range(256)) * 2_000, content_type="image/jpeg")


@dataclass(frozen=True, slots=True, kw_only=True)
class Backend:
    """A LINE with one person in a group, who sent three images: one is ready, one was unsent, and one is still being prepared."""

    profiles: Profiles
    media: MediaSource
    user_id: str
    group_id: str
    image_id: str
    unsent_image_id: str
    unready_image_id: str
    go_down: Callable[[], None]


def fetch(media: MediaSource, line_message_id: str, *, at_most_bytes: int = LARGEST_BYTES) -> object:
    """Return the whole content."""
    return media.fetch(line_message_id, HeldContent.of, at_most_bytes=at_most_bytes)


@pytest.fixture
def line() -> Iterator[LineHarness]:
    with LineHarness() as harness:
        harness.platform.people[harness.user_id] = Person(user_id=harness.user_id, display_name=NAME)
        yield harness


@pytest.fixture
def running(line: LineHarness) -> Iterator[Served]:
    with served(line.platform.app) as started:
        yield started


@pytest.fixture
def api(running: Served) -> LineApi:
    return LineApi(channel_access_token=FixedSecret(ACCESS_TOKEN), base_url=running.url)


def remote(line: LineHarness, running: Served, api: LineApi) -> Backend:
    def image(*, prepared_at_ms: int = 0) -> str:
        media = Media(content=JPEG.data, content_type=JPEG.content_type, prepared_at_ms=prepared_at_ms)
        running.do(lambda: line.platform.send_image(line.user_id, line.user_id, media))
        return list(line.platform.chat(line.user_id).messages)[-1].line_message_id

    unsent = image()
    running.do(lambda: line.platform.unsend(line.user_id, unsent))
    group = line.platform.create_group(GROUP_NAME, (line.user_id,))
    running.do(lambda: line.platform.join(group.chat_id))
    return Backend(
        group_id=group.chat_id,
        profiles=LineProfiles(api.client),
        media=LineMedia(api.client),
        user_id=line.user_id,
        image_id=image(),
        unsent_image_id=unsent,
        unready_image_id=image(prepared_at_ms=line.clock.now_ms() + 1_000),
        go_down=lambda: running.do(lambda: line.platform.faults.add(Fault(path="/v2/bot/", error_status=500))),
    )


def in_memory() -> Backend:
    profiles, media = MemoryProfiles({"U" + "1" * 32: NAME, "C" + "1" * 32: GROUP_NAME}), MemoryMedia()
    media.contents |= {"1": JPEG, "3": JPEG}
    media.delays["3"] = 1

    def go_down() -> None:
        profiles.is_down = media.is_down = True

    return Backend(
        profiles=profiles,
        media=media,
        user_id="U" + "1" * 32,
        group_id="C" + "1" * 32,
        image_id="1",
        unsent_image_id="2",
        unready_image_id="3",
        go_down=go_down,
    )


@pytest.fixture(params=["memory", "sdk"])
def backend(request: pytest.FixtureRequest) -> Backend:
    if request.param == "memory":
        return in_memory()
    return remote(*(request.getfixturevalue(name) for name in ("line", "running", "api")))


def test_a_person_has_their_display_name(backend: Backend) -> None:
    assert backend.profiles.display_name(backend.user_id, backend.user_id) == NAME


def test_an_unknown_user_has_no_name(backend: Backend) -> None:
    assert backend.profiles.display_name(UNKNOWN_USER_ID, UNKNOWN_USER_ID) is None


def test_a_group_has_its_name(backend: Backend) -> None:
    assert backend.profiles.group_name(backend.group_id) == GROUP_NAME


def test_a_chat_that_is_no_group_has_no_name(backend: Backend) -> None:
    assert backend.profiles.group_name(backend.user_id) is None
    assert backend.profiles.group_name("C" + "9" * 32) is None


def test_content_is_what_was_sent(backend: Backend) -> None:
    assert fetch(backend.media, backend.image_id) == JPEG
    assert fetch(backend.media, backend.image_id, at_most_bytes=len(JPEG.data)) == JPEG


def test_content_of_an_unsent_message_is_gone(backend: Backend) -> None:
    assert fetch(backend.media, backend.unsent_image_id) == "gone"


def test_content_of_an_unknown_message_is_gone(backend: Backend) -> None:
    assert fetch(backend.media, "573999999999999999") == "gone"


def test_content_that_is_being_prepared_is_not_ready(backend: Backend) -> None:
    assert fetch(backend.media, backend.unready_image_id) == "not_ready"


def test_content_beyond_the_limit_is_too_large(backend: Backend) -> None:
    assert fetch(backend.media, backend.image_id, at_most_bytes=len(JPEG.data) - 1) == "too_large"
    assert fetch(backend.media, backend.image_id) == JPEG


def test_content_that_its_reader_leaves_can_be_fetched_again(backend: Backend) -> None:
    def leave(content: ArrivingContent) -> None:
        next(iter(content))
        raise StorageUnavailableError("the bucket is gone")

    with pytest.raises(StorageUnavailableError, match="the bucket is gone"):
        backend.media.fetch(backend.image_id, leave)

    assert fetch(backend.media, backend.image_id) == JPEG


def test_content_arrives_in_pieces(backend: Backend) -> None:
    sizes: list[int] = []

    backend.media.fetch(backend.image_id, lambda content: sizes.extend(map(len, content)))

    assert len(sizes) > 1
    assert sum(sizes) == len(JPEG.data)


def test_a_failing_line_gives_neither_name_nor_content(backend: Backend) -> None:
    backend.go_down()

    assert backend.profiles.display_name(backend.user_id, backend.user_id) is None
    assert fetch(backend.media, backend.image_id) == "unavailable"


@pytest.fixture(params=["group", "room"])
def shared_chat(request: pytest.FixtureRequest, line: LineHarness) -> Chat:
    people = (line.user_id,)
    chat = line.platform.create_group("all", people) if request.param == "group" else line.platform.create_room(people)
    chat.bot_is_member = True
    return chat


def test_a_member_has_a_name_without_being_a_friend(line: LineHarness, api: LineApi, shared_chat: Chat) -> None:
    stranger = Person(user_id=line.user_id, display_name=NAME, friendship=Friendship.STRANGER)
    line.platform.people[line.user_id] = stranger
    profiles = LineProfiles(api.client)

    assert profiles.display_name(shared_chat.chat_id, line.user_id) == NAME
    assert profiles.display_name(line.user_id, line.user_id) is None


def test_a_user_who_is_no_member_has_no_name(api: LineApi, shared_chat: Chat) -> None:
    assert LineProfiles(api.client).display_name(shared_chat.chat_id, UNKNOWN_USER_ID) is None


def test_a_wrong_access_token_is_a_refusal(running: Served) -> None:
    wrong = LineApi(channel_access_token=FixedSecret("wrong"), base_url=running.url)

    with pytest.raises(LineRefusedError, match="LINE_CHANNEL_ACCESS_TOKEN"):
        fetch(LineMedia(wrong.client), "1")


class ChangedSecret:
    """A secret that was changed since it was read."""

    def __init__(self) -> None:
        self._text = "old"

    def value(self) -> str:
        return self._text

    def read_again(self) -> bool:
        before, self._text = self._text, ACCESS_TOKEN
        return before != ACCESS_TOKEN


def test_content_is_fetched_with_the_newest_access_token(line: LineHarness, running: Served) -> None:
    api = LineApi(channel_access_token=ChangedSecret(), base_url=running.url)
    media = Media(content=JPEG.data, content_type=JPEG.content_type)
    running.do(lambda: line.platform.send_image(line.user_id, line.user_id, media))
    (message,) = line.platform.chat(line.user_id).messages

    assert fetch(LineMedia(api.client), message.line_message_id) == JPEG


def test_an_unreachable_line_gives_neither_name_nor_content() -> None:
    api = LineApi(channel_access_token=FixedSecret("any"), base_url="http://127.0.0.1:9")

    assert LineProfiles(api.client).display_name(UNKNOWN_USER_ID, UNKNOWN_USER_ID) is None
    assert fetch(LineMedia(api.client), "1") == "unavailable"
    assert not api.marks_reads_by_hand()


@pytest.mark.parametrize(("chat_mode", "by_hand"), [("chat", True), ("bot", False)])
def test_the_chat_mode_decides_whether_the_bot_marks_reads(
    line: LineHarness, api: LineApi, chat_mode: Literal["chat", "bot"], by_hand: bool
) -> None:
    line.platform.account = replace(line.platform.account, chat_mode=chat_mode)

    assert [api.marks_reads_by_hand() for _ in range(3)] == [by_hand] * 3
    assert api.display_name() == "Aizuchi"
    assert [request.path for request in line.platform.requests] == ["/v2/bot/info"]
