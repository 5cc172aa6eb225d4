from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pytest

from shared.adapters.memory import FixedClock, MemoryObjectStore
from shared.conversation.captions import AT_ONCE, Describing
from shared.conversation.records import MessageRecord, SnapshotRecord
from shared.conversation.store import Memory
from shared.errors import ModelUnavailableError
from tests.support.chats import everything_in, message

CHAT = "U" + "1" * 32


@dataclass
class Eye:
    """Describes what it was given to see, by message id."""

    sees: dict[str, str] = field(default_factory=dict)
    is_down: bool = False
    asked: list[str] = field(default_factory=list)
    meanwhile: Callable[[], object] = lambda: None

    def __call__(self, conversation_id: str, message: MessageRecord) -> str | None:
        assert conversation_id == CHAT
        self.asked.append(message.line_message_id)
        self.meanwhile()
        if self.is_down:
            raise ModelUnavailableError("503")
        return self.sees.get(message.line_message_id)


@pytest.fixture
def eye() -> Eye:
    return Eye(sees={"m1": "a red bicycle", "m2": "a cat"})


@pytest.fixture
def describe(memory: Memory, clock: FixedClock, eye: Eye) -> Describing:
    return Describing.on(memory, clock=clock, describe=eye)


def fold_pictures(memory: Memory, *numbers: int) -> None:
    """The snapshot holds pictures, beside what it held before, and a word."""
    seen = memory.snapshots.read(CHAT)
    pictures = tuple(replace(message(number, "[image]"), type="image") for number in numbers)
    folded = (*seen.record.messages, *pictures, message(90, "hi"))
    timeline = {one.line_message_id: one.timestamp_ms for one in folded}
    assert memory.snapshots.swap(CHAT, seen, SnapshotRecord(messages=folded, timeline=timeline))


def texts(memory: Memory) -> dict[str, str]:
    return {one.line_message_id: one.text for one in memory.reader.now(CHAT).messages if one.type == "image"}


def test_a_picture_gets_its_line_once(memory: Memory, describe: Describing, eye: Eye) -> None:
    fold_pictures(memory, 1, 2, 3)

    describe(CHAT)
    describe(CHAT)

    assert texts(memory) == {"m1": "[image: a red bicycle]", "m2": "[image: a cat]", "m3": "[image]"}
    assert sorted(eye.asked) == ["m1", "m2", "m3"]


def test_only_so_many_are_described_at_once_the_newest_first(memory: Memory, describe: Describing, eye: Eye) -> None:
    fold_pictures(memory, *range(1, 9))

    describe(CHAT)
    assert sorted(eye.asked) == ["m6", "m7", "m8"]
    assert len(eye.asked) == AT_ONCE

    describe(CHAT)
    assert sorted(eye.asked[AT_ONCE:]) == ["m3", "m4", "m5"]


def test_where_there_is_nothing_to_describe_nothing_is_written(
    memory: Memory, describe: Describing, store: MemoryObjectStore
) -> None:
    fold_pictures(memory)
    before = store.list("")

    describe(CHAT)

    assert store.list("") == before


def test_one_that_could_not_be_described_is_tried_again_later(memory: Memory, describe: Describing, eye: Eye) -> None:
    fold_pictures(memory, 1)
    eye.is_down = True
    describe(CHAT)
    assert texts(memory) == {"m1": "[image]"}

    eye.is_down = False
    describe(CHAT)

    assert texts(memory) == {"m1": "[image: a red bicycle]"}


def test_one_that_ends_its_worker_is_not_tried_again(memory: Memory, describe: Describing, eye: Eye) -> None:
    def dies() -> None:
        raise KeyboardInterrupt

    fold_pictures(memory, 1)
    eye.meanwhile = dies
    with pytest.raises(KeyboardInterrupt):
        describe(CHAT)
    eye.meanwhile = lambda: None

    describe(CHAT)

    assert eye.asked == ["m1"]


def test_one_that_is_unsent_meanwhile_leaves_no_word(
    memory: Memory, describe: Describing, eye: Eye, store: MemoryObjectStore
) -> None:
    fold_pictures(memory, 1)
    eye.meanwhile = lambda: memory.withdrawal.withdraw(CHAT, "m1", timestamp_ms=9)

    describe(CHAT)

    assert "bicycle" not in everything_in(store)


def test_nothing_is_looked_at_after_something_was_taken_back(memory: Memory, describe: Describing, eye: Eye) -> None:
    fold_pictures(memory, 1, 2)
    eye.meanwhile = lambda: memory.withdrawal.withdraw(CHAT, "m1", timestamp_ms=9)

    describe(CHAT)

    assert eye.asked == ["m2"]


def test_the_line_goes_with_its_picture(memory: Memory, describe: Describing, store: MemoryObjectStore) -> None:
    fold_pictures(memory, 1)
    describe(CHAT)
    assert "bicycle" in everything_in(store)

    memory.withdrawal.withdraw(CHAT, "m1", timestamp_ms=9)

    assert "bicycle" not in everything_in(store)
