"""What a message quotes."""

from dataclasses import replace

from shared.conversation.amendments import Amendments
from shared.conversation.quotes import Quotable
from shared.conversation.records import TranslatedBubble, Translations
from tests.support.chats import answer, message


def test_a_message_without_a_quote_quotes_nothing() -> None:
    quotable = Quotable.of((message(1),), (), Amendments())

    assert quotable.quoted_by(message(2)) is None
    assert quotable.quoted_by(replace(message(2), quoted_message_id="m1")) == message(1)
    assert quotable.quoted_by(replace(message(2), quoted_message_id="m9")) == "unknown"


def test_only_an_answer_whose_words_went_with_a_message_counts_as_withdrawn() -> None:
    notices, emptied = (replace(answer(number, None), sent_message_ids=(f"b{number}",)) for number in (1, 2))
    translated = replace(
        answer(3, None),
        sent_message_ids=("b3",),
        translations=Translations(bubbles=(TranslatedBubble(line_message_id="m3"),)),
    )
    amendments = Amendments(withdrawn=frozenset({"m2", "m3"}))
    quotable = Quotable.of((), (notices, emptied, translated), amendments)

    quoted = [quotable.quoted_by(replace(message(9), quoted_message_id=f"b{number}")) for number in (1, 2, 3)]

    assert quoted == ["unknown", "withdrawn", "withdrawn"]
