import pytest

from shared.adapters.memory import FixedClock, MemoryLineApi
from shared.clock import Deadline
from shared.line.messaging import OutgoingMessage, SpentReply, spend_reply_token


def spend(line: MemoryLineApi, *, seconds: float = 10.0, token_lives_ms: int = 20_000) -> SpentReply:
    clock = FixedClock()
    return spend_reply_token(
        line,
        "token",
        [OutgoingMessage(text="hi")],
        surely_alive_until_ms=clock.now_ms() + token_lives_ms,
        clock=clock,
        deadline=Deadline.after(clock, seconds),
    )


def test_an_accepted_reply_names_its_bubbles() -> None:
    assert spend(MemoryLineApi()) == SpentReply(delivered=True, sent_message_ids=("1-1",))


@pytest.mark.parametrize(
    ("fates", "delivered", "sent"),
    [
        (["refused"], False, 0),
        (["unknown"], True, 1),  # the answer was lost: the second call's refusal tells that the first one was accepted
        (["unknown, not sent"], True, 1),
        (["not_sent"], True, 1),
        (["not_sent", "refused"], False, 0),
        (["not_sent", "not_sent", "not_sent"], False, 0),
        (["unknown, not sent", "unknown, not sent", "unknown, not sent"], None, 0),
    ],
)
def test_what_the_user_saw_is_told_from_the_fates_of_the_calls(
    fates: list[str], delivered: bool | None, sent: int
) -> None:
    line = MemoryLineApi(fates=fates)

    spent = spend(line)

    assert spent.delivered is delivered
    assert len(line.replies) == sent


def test_where_the_token_may_have_died_meanwhile_nobody_knows_what_a_second_refusal_means() -> None:
    assert spend(MemoryLineApi(fates=["unknown"]), token_lives_ms=0).delivered is None
    assert spend(MemoryLineApi(fates=["unknown, not sent", "refused"]), token_lives_ms=0).delivered is None


def test_a_spent_token_is_never_told_as_delivered_by_this_turn() -> None:
    line = MemoryLineApi()
    spend(line)

    assert spend(line).delivered is False


def test_nothing_is_tried_again_after_the_deadline() -> None:
    line = MemoryLineApi(fates=["unknown, not sent"] * 3)

    assert spend(line, seconds=0.0).delivered is None
    assert line.calls == 1
