from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.adapters.memory import FixedClock, MemoryLineApi
from shared.clock import Deadline
from shared.line.messaging import (
    TOKEN_SURELY_ALIVE_MS,
    TOKEN_SURELY_DEAD_MS,
    LinkButton,
    OutgoingMessage,
    PostbackButton,
    ReplyToken,
    SendResult,
    is_sendable,
    push_until_known,
    spend_reply_token,
)

CHAT = "U" + "1" * 32
TEXT = OutgoingMessage(text="hi")
BUTTON = PostbackButton(label="show", data="late=1")
LINK = LinkButton(label="open", uri="https://example.com/4711")


def spend(line: MemoryLineApi, *, seconds: float = 10.0, token_lives_ms: int = 20_000) -> SendResult:
    """Spend a token that is surely alive for so many milliseconds."""
    clock = FixedClock()
    token = ReplyToken(value="token", received_ms=clock.now_ms() + token_lives_ms - TOKEN_SURELY_ALIVE_MS)
    return spend_reply_token(line, token, [TEXT], clock=clock, deadline=Deadline.after(clock, seconds))


def push(line: MemoryLineApi, *, seconds: float = 10.0) -> str:
    clock = FixedClock()
    deadline = Deadline.after(clock, seconds)
    return push_until_known(line, CHAT, [TEXT], retry_key="key", deadline=deadline).kind


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ([TEXT], True),
        ([TEXT] * 5, True),
        ([], False),
        ([TEXT] * 6, False),
        ([OutgoingMessage(text=" \n\u3000")], False),
        ([OutgoingMessage(text="hi", quote_token="q")], True),
        ([OutgoingMessage(text="hi", button=BUTTON)], True),
        ([OutgoingMessage(text="hi", button=BUTTON, quote_token="q")], False),  # a template quotes nothing
        ([OutgoingMessage(text="hi", links=(LINK,))], True),
        ([OutgoingMessage(text="hi", button=BUTTON, links=(LINK,))], True),
        ([OutgoingMessage(text="hi", links=(LINK,), quote_token="q")], False),
        ([OutgoingMessage(text="hi", links=(LinkButton(label="open", uri="http://example.com/"),))], False),
        ([OutgoingMessage(text="hi", quick_replies=(BUTTON,) * 13, quote_token="q")], True),
        ([OutgoingMessage(text="hi", quick_replies=(BUTTON,) * 14)], False),
    ],
)
def test_is_sendable_tells_what_line_takes_in_one_call(messages: list[OutgoingMessage], expected: bool) -> None:
    assert is_sendable(messages) is expected


def test_words_and_tokens_are_not_in_the_repr() -> None:
    shown = repr(OutgoingMessage(text="my pin is 4711", quote_token="token", button=BUTTON, links=(LINK,)))

    assert "4711" not in shown
    assert "token=" not in shown
    assert "late=1" not in shown
    assert "secret" not in repr(ReplyToken(value="secret", received_ms=0))


@given(st.integers(0, 2**42), st.integers(-100_000, 100_000))
def test_a_reply_token_is_never_surely_alive_and_surely_dead(received_ms: int, age_ms: int) -> None:
    token = ReplyToken(value="t", received_ms=received_ms)
    now_ms = received_ms + age_ms

    assert (now_ms < token.surely_alive_until_ms) is (age_ms < TOKEN_SURELY_ALIVE_MS)
    assert token.is_surely_dead(now_ms) is (age_ms >= TOKEN_SURELY_DEAD_MS)
    assert not (now_ms < token.surely_alive_until_ms and token.is_surely_dead(now_ms))


def test_an_accepted_reply_names_its_bubbles() -> None:
    assert spend(MemoryLineApi()) == SendResult(is_delivered=True, sent_message_ids=("1-1",))


@pytest.mark.parametrize(
    ("fates", "is_delivered", "sent"),
    [
        (["refused"], False, 0),
        (["unknown"], True, 1),  # the answer was lost: the second call's refusal tells that the first one was accepted
        (["unknown, not sent"], True, 1),
        (["not_sent"], True, 1),
        (["not_sent", "refused"], False, 0),
        (["not_sent"] * 5, True, 1),
        (["not_sent"] * 20, False, 0),
        (["unknown, not sent"] * 20, None, 0),
        (["unknown", "not_sent"], True, 1),
        (["unknown, not sent", *["not_sent"] * 20], None, 0),
    ],
)
def test_a_delivery_is_concluded_from_the_fates_of_the_calls(
    fates: list[str], is_delivered: bool | None, sent: int
) -> None:
    line = MemoryLineApi(fates=fates)

    spent = spend(line)

    assert spent.is_delivered is is_delivered
    assert len(line.replies) == sent


def test_a_second_refusal_of_an_old_token_leaves_the_fate_unknown() -> None:
    assert spend(MemoryLineApi(fates=["unknown"]), token_lives_ms=0).is_delivered is None
    assert (
        spend(MemoryLineApi(fates=["unknown"]), token_lives_ms=500).is_delivered is None
    )  # the pause between the calls
    assert spend(MemoryLineApi(fates=["unknown"]), token_lives_ms=501).is_delivered is True
    assert spend(MemoryLineApi(fates=["unknown, not sent", "refused"]), token_lives_ms=0).is_delivered is None


def test_a_token_that_was_spent_before_delivers_nothing() -> None:
    line = MemoryLineApi()
    spend(line)

    assert spend(line).is_delivered is False


def test_a_reply_that_line_cannot_take_is_tried_until_ten_seconds_have_passed() -> None:
    line = MemoryLineApi(fates=["not_sent"] * 20)

    spend(line)

    assert line.calls == 7  # after 0, 0.5, 1.5, 3, 5, 7 and 9 seconds


def test_a_reply_is_not_tried_again_after_the_deadline() -> None:
    line = MemoryLineApi(fates=["unknown, not sent"] * 3)

    assert spend(line, seconds=0.0).is_delivered is None
    assert line.calls == 1


@pytest.mark.parametrize(
    ("fates", "kind", "pushes"),
    [
        ([], "accepted", 1),
        (["refused"], "refused", 0),
        (["unknown"], "already_accepted", 1),
        (["unknown, not sent"], "accepted", 1),
        (["not_sent", "not_sent"], "accepted", 1),
        (["not_sent"] * 5, "accepted", 1),
        (["not_sent"] * 20, "not_sent", 0),
        (["unknown", *["not_sent"] * 20], "unknown", 1),
        (["not_sent", "unknown", *["not_sent"] * 20], "unknown", 1),
        (["unknown, not sent"] * 20, "unknown", 0),
    ],
)
def test_a_push_is_repeated_with_its_key_until_its_fate_is_known(fates: list[str], kind: str, pushes: int) -> None:
    line = MemoryLineApi(fates=fates)

    assert push(line) == kind
    assert len(line.pushes) == pushes


def test_a_push_over_a_spent_quota_is_not_repeated() -> None:
    line = MemoryLineApi(push_quota=0)

    assert push(line) == "quota_spent"
    assert line.calls == 1


def test_a_push_is_not_tried_again_after_the_deadline() -> None:
    line = MemoryLineApi(fates=["not_sent"])

    assert push(line, seconds=0.0) == "not_sent"
    assert line.calls == 1


def with_button(**changes: str) -> OutgoingMessage:
    return OutgoingMessage(text="hi", button=replace(BUTTON, **changes))


def with_link(**changes: str) -> OutgoingMessage:
    return OutgoingMessage(text="hi", links=(replace(LINK, **changes),))


URI = "https://example.com/"


@pytest.mark.parametrize(
    ("largest", "larger"),
    [
        (OutgoingMessage(text="x" * 5_000), OutgoingMessage(text="x" * 5_001)),
        (replace(with_button(), text="x" * 160), replace(with_button(), text="x" * 161)),
        (with_button(label="x" * 20), with_button(label="x" * 21)),
        (with_button(label="x"), with_button(label=" ")),
        (with_button(data="x" * 300), with_button(data="x" * 301)),
        (with_button(display_text="x" * 300), with_button(display_text="x" * 301)),
        (with_link(uri=URI + "x" * (1_000 - len(URI))), with_link(uri=URI + "x" * (1_001 - len(URI)))),
        (with_link(label="x" * 20), with_link(label="x" * 21)),
    ],
)
def test_what_is_as_large_as_line_takes_is_sendable_and_no_more(
    largest: OutgoingMessage, larger: OutgoingMessage
) -> None:
    assert is_sendable([largest])
    assert not is_sendable([larger])
    assert not is_sendable([largest, larger])


def test_a_token_is_dead_at_the_end_of_its_time() -> None:
    token = ReplyToken(value="token", received_ms=1_000)

    assert not token.is_surely_dead(1_000 + TOKEN_SURELY_DEAD_MS - 1)
    assert token.is_surely_dead(1_000 + TOKEN_SURELY_DEAD_MS)


@pytest.mark.parametrize(("seconds", "calls"), [(0.5, 1), (0.6, 2), (1.5, 2), (1.6, 3)])
def test_a_call_is_repeated_only_before_the_deadline(seconds: float, calls: int) -> None:
    line = MemoryLineApi()
    line.fates = ["not_sent"] * 9

    spend(line, seconds=seconds)

    assert len(line.fates) == 9 - calls
