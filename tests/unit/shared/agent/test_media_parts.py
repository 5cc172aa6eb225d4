import base64
import io
import json
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import pytest

from shared.adapters.memory import FixedClock, MemoryFiles, MemoryMedia, MemoryObjectStore
from shared.adapters.memory.line_people import HeldContent
from shared.agent.file_parts import READ_S
from shared.agent.media_parts import RECENT_MEDIA, RECENT_MS, InlineBudget, MediaParts, recent_media
from shared.agent.model import INLINE_LIMIT_BYTES, MediaPart, Part
from shared.clock import Deadline
from shared.conversation.history import History
from shared.conversation.media import FETCH_S, Fetch, Media, MediumLabel, NotStored
from shared.conversation.records import MessageRecord
from shared.line.media_content import LARGEST_BYTES
from tests.support.chats import conversations_on, message
from tests.support.inline import InlineExecutor

REQUEST_LIMIT_BYTES = 20_000_000  # Source: Gemini API, "Audio understanding"
LARGE = HeldContent(data=b"x" * (LARGEST_BYTES // 2), content_type="image/jpeg")


class Pictures:
    """The chat's pictures, of which a process may show `limit_bytes` at once."""

    def __init__(self, limit_bytes: int = INLINE_LIMIT_BYTES, *, bucket: str | None = None) -> None:
        self.source = MemoryMedia()
        clock = FixedClock()
        self.chat = conversations_on(MemoryObjectStore(), InlineExecutor(), clock).of("U" + "1" * 32)
        media = Media(source=self.source, threads=InlineExecutor(), clock=clock)
        self.parts = MediaParts(media=media, files=MemoryFiles(), bucket=bucket, budget=InlineBudget(limit_bytes))

    def ask(self, stack: ExitStack, *contents: HeldContent) -> Sequence[Part]:
        """Return what the model is shown in a turn, which lasts as long as the stack."""
        asked = [self.message(content) for content in contents]
        deadline = Deadline.after(self.parts.media.clock, 40)
        shown = stack.enter_context(
            self.parts.shown(self.chat, asked, quotable=History().quotable, fetches={}, deadline=deadline)
        )
        return [part for message in asked for part in shown.parts[message.line_message_id]]

    def message(self, content: HeldContent) -> MessageRecord:
        message_id = f"m{len(self.source.contents)}"
        self.source.contents[message_id] = content
        return MessageRecord(
            line_message_id=message_id,
            webhook_event_id=f"e-{message_id}",
            timestamp_ms=1,
            type="image",
            addressed=True,
            text="[image]",
        )


@pytest.fixture
def stack() -> ExitStack:
    return ExitStack()


def is_left_out(part: Part) -> bool:
    return isinstance(part, str) and "too much to look at" in part


class NeverFetched(Fetch):
    """Whoever waits for it has waited in vain, by this clock."""

    def __init__(self, clock: FixedClock) -> None:
        super().__init__()
        self._clock = clock

    def result(self, timeout: float | None = None) -> MediumLabel | NotStored:
        assert timeout is not None
        self._clock.move(timeout)
        raise TimeoutError


@pytest.mark.parametrize(("left_s", "waited_s"), [(0.2, 0.2), (40.0, FETCH_S)])
def test_all_media_together_are_waited_for_until_the_deadline_and_not_for_long(
    stack: ExitStack, left_s: float, waited_s: float
) -> None:
    pictures, clock = Pictures(limit_bytes=len(LARGE.data)), FixedClock()
    asked = [pictures.message(LARGE) for _ in range(3)]

    parts = pictures.parts.shown(
        pictures.chat,
        asked,
        quotable=History().quotable,
        fetches={one.line_message_id: NeverFetched(clock) for one in asked},
        deadline=Deadline.after(clock, left_s),
    )
    shown = stack.enter_context(parts)

    assert [len(several) for several in shown.parts.values()] == [1, 1, 1]
    assert clock.monotonic_s() == pytest.approx(waited_s)


def test_the_media_of_a_request_fit_in_it_as_base64_with_room_for_texts() -> None:
    assert len(base64.b64encode(b"x" * INLINE_LIMIT_BYTES)) < 0.95 * REQUEST_LIMIT_BYTES
    assert LARGEST_BYTES <= INLINE_LIMIT_BYTES


def test_media_over_the_processs_budget_are_left_out_and_logged(stack: ExitStack, lines: io.StringIO) -> None:
    pictures = Pictures(limit_bytes=len(LARGE.data) + 1)

    with stack:
        first, second = pictures.ask(stack, LARGE), pictures.ask(stack, LARGE)

    assert isinstance(first[0], MediaPart)
    assert is_left_out(second[0])
    assert json.loads(lines.getvalue().splitlines()[-1])["message"] == "medium_left_out"


def test_a_turn_that_ends_gives_its_bytes_back(stack: ExitStack) -> None:
    pictures = Pictures(limit_bytes=len(LARGE.data) + 1)

    with ExitStack() as earlier:
        pictures.ask(earlier, LARGE)
    with stack:
        (part,) = pictures.ask(stack, LARGE)

    assert isinstance(part, MediaPart)


def test_a_turn_that_crashes_gives_its_bytes_back(stack: ExitStack) -> None:
    pictures = Pictures(limit_bytes=len(LARGE.data) + 1)

    def crash() -> None:
        with ExitStack() as crashing:
            pictures.ask(crashing, LARGE)
            raise RuntimeError("crash")

    with pytest.raises(RuntimeError, match="crash"):
        crash()
    with stack:
        (part,) = pictures.ask(stack, LARGE)

    assert isinstance(part, MediaPart)


def test_a_turn_shows_no_more_than_a_request_takes(stack: ExitStack) -> None:
    with stack:
        parts = Pictures(limit_bytes=10 * INLINE_LIMIT_BYTES).ask(stack, LARGE, LARGE, LARGE)

    assert [is_left_out(part) for part in parts] == [False, False, True]


def test_a_small_picture_is_shown_after_a_large_one_was_left_out(stack: ExitStack) -> None:
    small = HeldContent(data=b"x", content_type="image/jpeg")

    with stack:
        parts = Pictures(limit_bytes=10).ask(stack, LARGE, small)

    assert [is_left_out(part) for part in parts] == [True, False]


def test_media_that_fill_a_budget_or_a_request_to_the_byte_are_shown(stack: ExitStack) -> None:
    half = HeldContent(data=b"x" * (INLINE_LIMIT_BYTES // 2), content_type="image/jpeg")
    rest = HeldContent(data=b"x" * (INLINE_LIMIT_BYTES - len(half.data)), content_type="image/jpeg")

    with stack:
        parts = Pictures(limit_bytes=INLINE_LIMIT_BYTES).ask(stack, half, rest)

    assert [is_left_out(part) for part in parts] == [False, False]


def test_a_model_that_reads_buckets_gets_the_address(stack: ExitStack) -> None:
    pictures = Pictures(limit_bytes=0, bucket="b")

    with stack:
        (part,) = pictures.ask(stack, LARGE)

    assert part == MediaPart(content_type="image/jpeg", source=f"gs://b/media/{pictures.chat.id}/m0")


def test_a_medium_without_its_bytes_is_told_to_be_gone(stack: ExitStack) -> None:
    pictures = Pictures()
    medium = pictures.message(LARGE)
    fetches = pictures.parts.media.begin_fetch(pictures.chat, medium)
    pictures.chat.objects.store.delete(pictures.chat.names.medium("m0"))

    with stack:
        deadline = Deadline.after(pictures.parts.media.clock, 40)
        shown = stack.enter_context(
            pictures.parts.shown(
                pictures.chat, [medium], quotable=History().quotable, fetches=fetches, deadline=deadline
            )
        )

    assert shown.parts["m0"] == ["[note] It is not there any more."]
    assert pictures.parts.stored_part(pictures.chat, medium) is None


def test_a_request_after_the_answer_shows_what_is_stored_and_fetches_nothing() -> None:
    pictures = Pictures()
    medium = pictures.message(LARGE)
    assert pictures.parts.stored_part(pictures.chat, medium) is None

    pictures.parts.media.begin_fetch(pictures.chat, medium)

    assert pictures.parts.stored_part(pictures.chat, medium) == MediaPart(content_type="image/jpeg", source=LARGE.data)


NOW_MS = 1_763_700_000_000
QUESTION = replace(message(9, timestamp_ms=NOW_MS), user_id="U1")
PICTURE = replace(QUESTION, line_message_id="m1", timestamp_ms=NOW_MS - 1_000, type="image")


def sent(number: int, **changed: Any) -> MessageRecord:  # noqa: ANN401 - fields of MessageRecord
    return replace(PICTURE, line_message_id=f"m{number}", **changed)


@pytest.mark.parametrize(
    ("messages", "asked", "found"),
    [
        ([PICTURE], [QUESTION], ["m1"]),
        ([PICTURE], [], []),
        ([PICTURE], [sent(2)], []),
        ([PICTURE], [sent(2), QUESTION], ["m1"]),
        ([PICTURE, sent(2)], [sent(2), QUESTION], ["m1"]),
        ([PICTURE, sent(2)], [replace(QUESTION, quoted_message_id="m2")], ["m1"]),
        ([replace(PICTURE, type="text"), sent(2)], [QUESTION], ["m2"]),
        ([replace(PICTURE, user_id="U2"), sent(2)], [QUESTION], ["m2"]),
        ([sent(2, timestamp_ms=NOW_MS - RECENT_MS - 1), sent(3, timestamp_ms=NOW_MS - RECENT_MS)], [QUESTION], ["m3"]),
        (
            [sent(2, timestamp_ms=NOW_MS - RECENT_MS)],
            [
                replace(QUESTION, line_message_id="m8", timestamp_ms=NOW_MS - 1),
                replace(QUESTION, timestamp_ms=NOW_MS + 1),
            ],
            [],
        ),
        ([sent(number) for number in range(RECENT_MEDIA + 1)], [QUESTION], ["m1", "m2", "m3"]),
    ],
)
def test_recent_media_are_those_that_who_asks_sent_shortly_before(
    messages: list[MessageRecord], asked: list[MessageRecord], found: list[str]
) -> None:
    history = History(messages=tuple(messages))

    assert [one.line_message_id for one in recent_media(history, asked)] == found


class BusyReader:
    """Reads no file in time, and remembers how much it had."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    def read(self, data: bytes, content_type: str, *, seconds: float) -> None:
        del data, content_type
        self.seconds.append(seconds)


@pytest.mark.parametrize(("left_s", "had_s"), [(40.0, FETCH_S + READ_S), (3.0, 3.0)])
def test_a_file_that_is_not_read_in_time_may_be_asked_about_again(
    stack: ExitStack, left_s: float, had_s: float
) -> None:
    pictures, reader = Pictures(), BusyReader()
    parts = replace(pictures.parts, files=reader)
    file = replace(pictures.message(HeldContent(data=b"text", content_type="text/plain")), type="file")

    shown = stack.enter_context(
        parts.shown(
            pictures.chat,
            [file],
            quotable=History().quotable,
            fetches={},
            deadline=Deadline.after(parts.media.clock, left_s),
        )
    )

    assert shown.parts["m0"] == ["[note] It could not be opened this time."]
    assert shown.unread == {}
    assert reader.seconds == [had_s]
