import pytest

from shared.line.language import language_of


@pytest.mark.parametrize(
    ("texts", "default", "language"),
    [
        (["今日のまとめを見せて"], "en", "ja"),
        (["今天的摘要"], "ja", "ja"),
        (["今天的摘要"], "en", "zh-TW"),
        (["สรุปประจำวัน"], "ja", "th"),
        (["daily digest, please"], "ja", "en"),
        (["👍", "1"], "ja", "ja"),
        (["hello", "👍"], "ja", "en"),
        ([], "th", "th"),
    ],
)
def test_the_script_of_the_last_telling_text_decides(texts: list[str], default: str, language: str) -> None:
    assert language_of(texts, default=default) == language
