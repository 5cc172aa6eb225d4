"""What a message quotes."""

from dataclasses import replace

from shared.conversation.quotes import Quotable
from tests.support.chats import message


def test_a_message_without_a_quote_quotes_nothing() -> None:
    quotable = Quotable.of((message(1),), (), frozenset())

    assert quotable.quoted_by(message(2)) is None
    assert quotable.quoted_by(replace(message(2), quoted_message_id="m1")) == message(1)
    assert quotable.quoted_by(replace(message(2), quoted_message_id="m9")) == "unknown"
