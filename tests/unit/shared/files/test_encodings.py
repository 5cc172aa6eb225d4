"""Encodings of texts, found by what they make of the bytes: of 100 samples in each, 98 at least."""

from itertools import islice
from pathlib import Path

import pytest

from shared.files.document import UnreadableFileError
from shared.files.encodings import decode
from shared.locales.language_file import LOCALES

SAMPLES = 100
CHARACTERS = {"ja": 12, "zh-TW": 12, "th": 24}
"""Of a sample."""
LEAST_BYTES = 20
NARROWEST = {"ja": "cp932", "zh-TW": "cp950", "th": "tis_620"}


def samples(locale: str) -> list[str]:
    """Return the first pieces of everyday sentences in the language that have LEAST_BYTES in every encoding."""
    sentences = (Path(__file__).parent / f"everyday_{locale}.txt").read_text(encoding="utf-8").splitlines()
    size, encoding = CHARACTERS[locale], NARROWEST[locale]
    pieces = (line[begin : begin + size] for line in sentences for begin in range(0, len(line) - size + 1, size))
    return list(islice((piece for piece in pieces if len(piece.encode(encoding)) >= LEAST_BYTES), SAMPLES))


@pytest.mark.parametrize("reader", LOCALES)
@pytest.mark.parametrize(
    ("locale", "encoding"),
    [
        *[("ja", encoding) for encoding in ("cp932", "euc_jp", "iso2022_jp", "utf-16", "utf-16-le", "utf-8")],
        *[("zh-TW", encoding) for encoding in ("big5", "cp950", "utf-16", "utf-16-be", "utf-8")],
        *[("th", encoding) for encoding in ("tis_620", "cp874", "utf-16", "utf-16-le", "utf-8")],
    ],
)
def test_98_of_100_samples_are_read_whatever_the_readers_locale(locale: str, encoding: str, reader: str) -> None:
    pieces = samples(locale)
    encoded = [piece.encode(encoding) for piece in pieces]

    right = sum(decode(data, locale=reader) == data.decode(encoding) for data in encoded)

    assert len(pieces) == SAMPLES
    assert right >= 98


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Très bien, à bientôt près de la forêt; déjà vu, voilà, ça va été.", "cp1252"),
        ("Завтра собрание в три часа дня, возьмите с собой отчёты за месяц и все счета.", "cp1251"),
    ],
)
def test_words_of_other_regions_are_read(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding), locale="en") == text


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize(
    "text",
    [
        "다음 주 월요일까지 보고서를 제출해 주시기 바랍니다.",
        "이름,금액\n김철수,500\n이영희,1200",
        "상품명\t수량\n사과\t3\n바나나\t10",
        "회의록",
    ],
)
def test_korean_is_not_taken_for_chinese(text: str, locale: str) -> None:
    assert decode(text.encode("cp949"), locale=locale) == text


@pytest.mark.parametrize("data", [bytes(range(256)) * 4, b"\x00\x01\x02\x03" * 50, b"abc\x00def\x00" * 20])
def test_bytes_that_are_no_text_are_refused(data: bytes) -> None:
    with pytest.raises(UnreadableFileError, match="damaged"):
        decode(data, locale="ja")


def test_a_character_at_the_end_of_the_sample_does_not_decide() -> None:
    text = "あ" * 60_000

    assert decode(b"x" + text.encode("cp932"), locale="ja") == "x" + text
