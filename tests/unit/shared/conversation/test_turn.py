import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.adapters.memory import MemoryObjectStore
from shared.conversation.store import Conversation
from shared.conversation.turn import Route, SeenTurn, TurnRecord
from shared.errors import StorageUnavailableError
from shared.line.messaging import ReplyToken
from tests.support.chats import withdraw_from_turn


def test_a_chat_without_a_turn_is_idle(chat: Conversation) -> None:
    assert chat.turn.read() == SeenTurn(record=TurnRecord(state="idle"), generation=0)


def test_of_two_swaps_over_one_generation_one_wins(chat: Conversation) -> None:
    seen = chat.turn.read()

    assert chat.turn.swap(seen, TurnRecord(sequence=1)) == chat.turn.read()
    assert chat.turn.swap(seen, TurnRecord(sequence=2)) is None
    assert chat.turn.read().record.sequence == 1


def test_a_withdrawal_moves_the_generation_of_a_thinking_turn(chat: Conversation) -> None:
    thinking = chat.turn.swap(chat.turn.read(), TurnRecord(state="thinking"))
    assert thinking is not None

    withdraw_from_turn(chat, "m9")

    assert chat.turn.swap(thinking, TurnRecord()) is None


def test_an_update_that_loses_every_swap_is_an_error(chat: Conversation, store: MemoryObjectStore) -> None:
    def never(*_: object, **__: object) -> None:
        return None

    chat.turn.swap(chat.turn.read(), TurnRecord(state="thinking"))
    store.replace = never  # type: ignore[method-assign]

    with pytest.raises(StorageUnavailableError, match="others kept changing the turn"):
        chat.turn.amend(is_affected=lambda _: True)


@given(st.text(max_size=5), st.integers(0, 2**42))
def test_a_route_on_a_token_has_that_token(value: str, received_ms: int) -> None:
    token = ReplyToken(value=value, received_ms=received_ms)

    assert Route.on(token) == Route(kind="token", reply_token=value, received_ms=received_ms)
    assert Route.on(token).token == token


def test_a_route_without_a_token_is_none() -> None:
    assert Route.on(None) == Route(kind="none")
    assert Route.on(None).token is None


@pytest.mark.parametrize("route", [Route(kind="push"), Route(kind="push", reply_token="t"), Route(kind="token")])
def test_another_route_has_no_token(route: Route) -> None:
    assert route.token is None


def test_a_reply_token_is_not_in_the_repr_of_its_route() -> None:
    assert "secret" not in repr(Route.on(ReplyToken(value="secret", received_ms=1)))
