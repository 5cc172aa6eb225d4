"""LINE's own emoji: the model reads that an emoji stands there, and its name."""

from typing import Any

import pytest

from shared.line.addressing import without_address
from shared.line.events import MessageContent
from shared.line.language import shown_language
from shared.line.message_text import describe


def emoji(index: object, length: object) -> dict[str, object]:
    return {"index": index, "length": length, "productId": "5ac1bfd5040ab15980c9b435", "emojiId": "001"}


@pytest.mark.parametrize(
    ("text", "emojis", "shown"),
    [
        ("()() 元気？", [emoji(0, 2), emoji(2, 2)], "[emoji][emoji] 元気？"),
        ("Good Morning! (love)", [emoji(14, 6)], "Good Morning! [emoji: love]"),
        ("👋🏽 (moon smile)ね", [emoji(5, 12)], "👋🏽 [emoji: moon smile]ね"),
        ("(b) (a)", [emoji(4, 3), emoji(0, 3)], "[emoji: b] [emoji: a]"),
        ("f() は (x) を返す", [], "f() は (x) を返す"),
        ("f() は (x)", [emoji(0, 2), emoji(90, 2), emoji(-1, 2), emoji("2", None), "?"], "f() は (x)"),
        ("()", "none", "()"),
    ],
)
def test_an_emoji_is_read_by_its_name(text: str, emojis: Any, shown: str) -> None:  # noqa: ANN401 - as LINE sends it
    assert describe("text", {"text": text, "emojis": emojis}) == shown


def test_an_emoji_beside_a_mention_stays_where_it_stands() -> None:
    mention = {"mentionees": [{"index": 7, "length": 5, "type": "user", "isSelf": True}]}
    fields = {"text": "(love) @Momo (ok)どう", "emojis": [emoji(0, 6), emoji(13, 4)], "mention": mention}

    content = MessageContent(line_message_id="1", type="text", fields=fields)

    assert without_address(content, bot_names=("Momo",)) == "[emoji: love] [emoji: ok]どう"


def test_a_name_of_an_emoji_is_no_language() -> None:
    assert shown_language(["今日は[emoji: moon smile][emoji]"]) == "ja"
    assert shown_language(["[emoji: moon smile]"]) is None
