from shared.line.utf16 import utf16_length, without_lone_surrogates


def test_an_emoji_has_two_utf16_units() -> None:
    assert utf16_length("a😀あ") == 4


def test_a_lone_surrogate_is_replaced() -> None:
    assert without_lone_surrogates("a\ud83db") == "a\N{REPLACEMENT CHARACTER}b"
    assert without_lone_surrogates("a😀b") == "a😀b"
