import pytest

from shared.line.messaging import OutgoingMessage, PostbackButton, is_sendable

TEXT = OutgoingMessage(text="hi")
BUTTON = PostbackButton(label="show", data="late=1")


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
    ],
)
def test_what_line_takes_in_one_call_can_be_known_before(messages: list[OutgoingMessage], expected: bool) -> None:
    assert is_sendable(messages) is expected


def test_nothing_private_is_in_the_repr() -> None:
    told = repr(OutgoingMessage(text="my pin is 4711", quote_token="token", button=BUTTON))

    assert "4711" not in told
    assert "token=" not in told
    assert "late=1" not in told
