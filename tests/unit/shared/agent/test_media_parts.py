import base64
import io
import json
from collections.abc import Sequence
from contextlib import ExitStack

import pytest

from shared.adapters.memory import FixedClock, MemoryMedia, MemoryObjectStore
from shared.adapters.memory.line_people import HeldContent
from shared.agent.media_parts import InlineBudget, MediaParts
from shared.agent.model import INLINE_LIMIT_BYTES, MediaPart, Part
from shared.conversation.history import History
from shared.conversation.media import Media
from shared.conversation.records import MessageRecord
from shared.line.media_content import LARGEST_BYTES
from tests.support.chats import conversations_on
from tests.support.inline import InlineExecutor

REQUEST_LIMIT_BYTES = 20_000_000  # Source: Gemini API, "Audio understanding"
LARGE = HeldContent(data=b"x" * (LARGEST_BYTES // 2), content_type="image/jpeg")


class Pictures:
    """The chat's pictures, of which a process may show `limit_bytes` at once."""

    def __init__(self, limit_bytes: int) -> None:
        self.source = MemoryMedia()
        clock = FixedClock()
        self.chat = conversations_on(MemoryObjectStore(), InlineExecutor(), clock).of("U" + "1" * 32)
        media = Media(source=self.source, threads=InlineExecutor(), clock=clock)
        self.parts = MediaParts(media=media, bucket=None, budget=InlineBudget(limit_bytes))

    def ask(self, stack: ExitStack, *contents: HeldContent) -> Sequence[Part]:
        """Return what the model is shown in a turn, which lasts as long as the stack."""
        asked = [self._message(content) for content in contents]
        shown = stack.enter_context(self.parts.shown(self.chat, asked, quotable=History().quotable, fetches={}))
        return [part for message in asked for part in shown[message.line_message_id]]

    def _message(self, content: HeldContent) -> MessageRecord:
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
