from shared.line.utf16 import utf16_length, without_lone_surrogates


def test_line_counts_an_emoji_as_two() -> None:
    assert utf16_length("a😀あ") == 4


def test_half_a_character_is_replaced() -> None:
    assert without_lone_surrogates("a\ud83db") == "a\N{REPLACEMENT CHARACTER}b"
    assert without_lone_surrogates("a😀b") == "a😀b"
