import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.adapters.memory import MemoryObjectStore
from shared.conversation.provenance import Provenance
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


def test_a_withdrawal_moves_the_generation_of_an_idle_turn(chat: Conversation) -> None:
    seen = chat.turn.read()

    withdraw_from_turn(chat, "m9")

    assert chat.turn.swap(seen, TurnRecord()) is None


def test_an_update_that_loses_every_swap_is_an_error(chat: Conversation, store: MemoryObjectStore) -> None:
    def never(*_: object, **__: object) -> None:
        return None

    store.replace = never  # type: ignore[method-assign]

    with pytest.raises(StorageUnavailableError, match="others kept changing the turn"):
        withdraw_from_turn(chat, "m1")


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


@pytest.mark.parametrize(
    ("prompt", "is_cancelled"),
    [
        (Provenance(), False),
        (Provenance(ids=frozenset({"m1"}), since_ms=9), True),
        (Provenance(ids=frozenset({"m2"}), since_ms=9), False),
        (Provenance(since_ms=4), False),
        (Provenance(since_ms=3), True),
    ],
)
def test_a_turn_cancels_a_prompt_that_holds_withdrawn_words(prompt: Provenance, *, is_cancelled: bool) -> None:
    turn = TurnRecord(state="thinking", cancelled=("m1",), erased_ms=3)

    assert turn.cancels(prompt) is is_cancelled
