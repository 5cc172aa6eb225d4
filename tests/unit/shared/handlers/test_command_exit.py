"""/exit and /bye in groups."""

from typing import Any

import pytest

from shared.adapters.memory.scripted_model import calling
from shared.errors import LineUnavailableError
from shared.line.phrases import Phrase
from shared.turns.lease import open_turn
from tests.support import recorded
from tests.support.chats import everything_in
from tests.support.people import Person
from tests.support.phrases import english, japanese
from tests.support.pushed import nothing

HELLO = calling(("reply", {"message": "swordfish、覚えた"}))


def leave_and_die(member: Person, leaving: dict[str, Any]) -> None:
    """Deliver the command to a worker that dies after it has left the group."""

    def die(*_: str) -> None:
        raise LineUnavailableError("as if killed")

    member.worker.line.after = die
    assert member.worker.deliver(leaving) == 503
    member.worker.line.after = nothing


@pytest.mark.parametrize("command", ["/exit", "/bye"])
def test_exit_says_goodbye_leaves_the_group_and_erases_everything(member: Person, command: str) -> None:
    member.says("my word is swordfish")

    member.confirms(command)

    assert member.worker.said[-1] == english(Phrase.GOODBYE_GROUP)
    assert member.worker.line.chats_left == [recorded.GROUP]
    assert "swordfish" not in everything_in(member.worker.store)
    assert english(Phrase.GOODBYE_GROUP) not in everything_in(member.worker.store)


def test_exit_after_a_join_leaves_the_group(member: Person) -> None:
    member.worker.deliver(member.events.event("join"))

    member.confirms("/exit")

    assert member.worker.line.chats_left == [recorded.GROUP]


def test_exit_in_the_millisecond_of_a_join_leaves_the_group(member: Person) -> None:
    press = member.question("/exit")
    joining = member.sends(member.events.event("join"))

    member.sends({**press, "timestamp": joining["timestamp"]})

    assert member.worker.line.chats_left == [recorded.GROUP]


def test_redelivered_exit_says_and_leaves_nothing_more(member: Person) -> None:
    leaving = member.confirms("/exit")
    member.worker.line.chats_left.clear()

    assert member.worker.deliver(leaving) == 204

    assert member.worker.line.calls == 2
    assert member.worker.line.chats_left == []


def test_redelivered_exit_does_not_leave_a_group_joined_since(member: Person) -> None:
    leaving = member.confirms("/exit")
    member.worker.line.chats_left.clear()
    member.worker.deliver(member.events.event("join"))

    assert member.worker.deliver(leaving) == 204

    assert member.worker.line.chats_left == []


def test_exit_of_a_dead_worker_does_not_leave_a_group_joined_since(member: Person) -> None:
    leaving = member.question("/exit")
    leave_and_die(member, leaving)
    assert member.worker.line.chats_left == [recorded.GROUP]
    member.worker.line.chats_left.clear()
    member.worker.deliver(member.events.event("join"))
    member.says("Aizuchi、my word is swordfish", HELLO)

    assert member.worker.deliver(leaving) == 204

    assert member.worker.line.chats_left == []
    assert "my word is swordfish" in everything_in(member.worker.store)


def test_exit_from_before_a_join_does_not_leave(member: Person) -> None:
    late = member.question("/exit")
    member.worker.deliver(member.events.event("join"))

    member.worker.deliver(late)

    assert member.worker.line.chats_left == []
    assert member.worker.said[-1] == japanese(Phrase.GREETING_GROUP)


def test_exit_that_waits_for_the_turn_does_not_leave_a_group_joined_meanwhile(member: Person) -> None:
    worker = member.worker
    leaving = member.question("/exit")
    conversation = worker.conversations.of(recorded.GROUP)
    holder = open_turn(conversation, conversation.turn.read())
    assert holder is not None
    joining = member.events.event("join")
    sleep = worker.clock.sleep

    def join_then_sleep(seconds: float) -> None:
        worker.clock.sleep = sleep  # type: ignore[method-assign]
        holder.release()
        assert worker.deliver(joining) == 204
        sleep(seconds)

    worker.clock.sleep = join_then_sleep  # type: ignore[method-assign]

    assert worker.deliver(leaving) == 204

    assert worker.said[1] == japanese(Phrase.GREETING_GROUP)
    assert worker.line.chats_left == []


def test_exit_that_line_refuses_is_tried_again(member: Person) -> None:
    member.says("my word is swordfish")
    leaving = member.question("/exit")

    def refuse(call: str, _: str) -> None:
        if call == "leave":
            raise LineUnavailableError("503")

    member.worker.line.before = refuse
    assert member.worker.deliver(leaving) == 503
    assert "swordfish" not in everything_in(member.worker.store)
    member.worker.line.before = nothing

    assert member.worker.deliver(leaving) == 204
    assert member.worker.line.chats_left == [recorded.GROUP]
    assert member.worker.said[1:] == [english(Phrase.GOODBYE_GROUP)]
