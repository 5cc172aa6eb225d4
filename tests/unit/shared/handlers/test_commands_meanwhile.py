"""A command that shows what a chat keeps, while a turn of the chat changes that: it shows what the answer before it has left."""

import itertools
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import pytest

from shared.adapters.memory.scripted_model import calling
from shared.errors import StorageUnavailableError
from tests.support.people import Person
from tests.support.pushed import PushedWorker, nothing

SAYS: Final = calling(("reply", {"message": "はい"}))
REMINDER: Final = {"text": "歯医者", "at": "2025-11-22T08:00"}
DIGEST: Final = {"text": "歯医者", "at": "2025-11-22T08:00", "rule": "FREQ=DAILY", "digest": "daily"}
TURNS: Final[dict[str, tuple[str, Callable[[Person], Any]]]] = {
    "/reminders": ("歯医者", lambda person: person.asks("歯医者", calling(("create_reminder", REMINDER)), SAYS)),
    "/settings": ("メモのまとめ", lambda person: person.asks("毎朝", calling(("create_reminder", DIGEST)), SAYS)),
    "/notes": ("歯医者", lambda person: person.captures("歯医者")),
    "/digest": ("歯医者", lambda person: person.captures("歯医者")),
}
"""What a command shows after a turn."""


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(16) as threads:
        yield threads


def _shows(pool: ThreadPoolExecutor, command: str, *, before_call: int) -> bool:
    """Have a turn change what the command shows before a call of the bucket; return whether that call came before the command's turn."""
    person = Person(PushedWorker(pool), is_in_group=False)
    shown, (words, happens) = person.events.text(command), TURNS[command]
    calls, has_turn = itertools.count(), False

    def changes(call: str, name: str) -> None:
        nonlocal has_turn
        has_turn = has_turn or (call == "replace" and name.startswith("turns/"))
        is_waited_for = threading.current_thread() is threading.main_thread()
        if is_waited_for and not has_turn and next(calls) == before_call:
            person.worker.store.before = nothing
            happens(person)

    person.worker.store.before = changes
    person.sends(shown)
    is_changed = person.worker.store.before is nothing
    if is_changed:
        assert words in "".join(person.worker.line.replies[shown["replyToken"]]), f"changed before call {before_call}"
    return is_changed


@pytest.mark.parametrize("command", TURNS)
def test_a_command_shows_what_the_answer_before_it_has_left(pool: ThreadPoolExecutor, command: str) -> None:
    moments = itertools.takewhile(lambda call: _shows(pool, command, before_call=call), itertools.count())
    assert len(list(moments)) > 1


def test_a_command_whose_reading_fails_holds_no_turn(pool: ThreadPoolExecutor) -> None:
    person = Person(PushedWorker(pool), is_in_group=False)
    shown = person.events.text("/reminders")

    def is_down(_: str, name: str) -> None:
        if name.startswith("reminders/"):
            raise StorageUnavailableError("down")

    person.worker.store.before = is_down
    assert person.worker.deliver(shown) == 503
    person.worker.store.before = nothing

    turn = person.worker.conversations.of(person.events.chat_id).turn.read().record
    assert (turn.state, turn.sequence) == ("idle", 0)
    person.sends(shown)
    assert shown["replyToken"] in person.worker.line.replies
