"""Decodes text of an unknown encoding: by a byte order mark, else as UTF-8, else in the most plausible encoding of the region.

Several encodings can read the same bytes, so that "can be decoded" decides nothing. For example, EUC-JP read as cp932 is half-width
katakana, and Thai read as Big5 is a row of rare characters. Each candidate is rated by how common the resulting characters are; on a tie
the order of the locale counts.

Source: Unicode 15, 23.8 (byte order marks); JIS X 0208, Big5 and GB 2312 begin with their common characters ("level 1").
"""

import codecs
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import pairwise
from typing import Final

from shared.files.document import Unread, UnreadableFileError

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_ESCAPES: Final = (b"\x1b$", b"\x1b(")  # of ISO-2022-JP, whose bytes are all ASCII
_CONTROLS: Final = re.compile(rb"[\x00-\x08\x0e-\x1f]")  # bytes of UTF-16 without a mark
_JAPANESE: Final = ("cp932", "euc_jp")
_CHINESE: Final = ("cp950", "gb18030")
_WIDE: Final = ("utf-16-le", "utf-16-be")
_ORDER: Final[Mapping[str, tuple[str, ...]]] = {
    "ja": (*_JAPANESE, *_WIDE, *_CHINESE, "cp874"),
    "zh-TW": (*_CHINESE, *_WIDE, *_JAPANESE, "cp874"),
    "th": ("cp874", *_WIDE, *_JAPANESE, *_CHINESE),
    "en": (*_WIDE, *_JAPANESE, *_CHINESE, "cp874"),
}
_SAMPLE_BYTES: Final = 32_768
_LEAST_RATING: Final = 0.45
_PLACE: Final = 0.02  # subtracted for each place in the order of the locale
_THAI_MARKS: Final = frozenset(
    "\u0e31\u0e34\u0e35\u0e36\u0e37\u0e38\u0e39\u0e3a\u0e47\u0e48\u0e49\u0e4a\u0e4b\u0e4c\u0e4d\u0e4e"
)
_THAI_FIRST_VOWELS: Final = frozenset("\u0e40\u0e41\u0e42\u0e43\u0e44")
_THAI_VOWELS: Final = _THAI_MARKS | _THAI_FIRST_VOWELS | frozenset("\u0e2d\u0e30\u0e32\u0e33")
_THAI_OUT_OF_USE: Final = frozenset("\u0e03\u0e05")
_FEW_LETTERS: Final = 8
_THAI_RUN: Final = re.compile("[\u0e01-\u0e5b]+")
_FREQUENT_SYLLABLES: Final = frozenset(
    "이다는에의가을로를하고은한지사기도리서인어자그나아시대해있수일정들것게부라원보제전주만상으장여과면구안오거성소스신유비공경동무용미적중연국화니요습까세네저우계러워"
)
_KOREAN_SHARE: Final = 0.9
_WESTERN: Final = re.compile(r"[\t\n\f\r -~“”‘’–—…€£«»°§·¿¡ÀÂÄÇÉÈÊËÎÏÔÖÙÛÜÑÁÍÓÚßŒÆØÅàâäçéèêëîïôöùûüñáíóúœæøå]*")
_COMMON_SIGNS: Final = frozenset("…‥―—–‘’“”•·×÷°±℃№←↑→↓⇒○●◎◇◆□■△▲▽▼☆★※〒①②③④⑤⑥⑦⑧⑨⑩€£¥©®™")


def decode(data: bytes, *, locale: str) -> str:
    """Return the text of the bytes, with line breaks unchanged.  Raises: UnreadableFileError, if the bytes are no text."""
    for mark, name in _MARKS:
        if data.startswith(mark):
            return _text(data, name)
    if any(escape in data[:_SAMPLE_BYTES] for escape in _ESCAPES) and _sampled(data, "iso2022_jp_ext") is not None:
        return _text(data, "iso2022_jp_ext")
    if _CONTROLS.search(data[:_SAMPLE_BYTES]) is None and _sampled(data, "utf-8") is not None:
        return _text(data, "utf-8")
    name = "cp949" if _is_korean(data) else _most_likely(data, locale) or _detected(data)
    return _text(data, name)


def decode_as(data: bytes, name: str | None, *, locale: str) -> str:
    """Return the text in the declared encoding `name`, if the bytes can be decoded so; else as `decode` does."""
    if name is not None and not any(data.startswith(mark) for mark, _ in _MARKS):
        name = {"shift_jis": "cp932", "x-sjis": "cp932", "big5": "cp950"}.get(name.lower(), name)
        try:
            if codecs.lookup(name)._is_text_encoding:  # noqa: SLF001 - as `bytes.decode` asks
                return data.decode(name)
        except (LookupError, UnicodeDecodeError):
            pass
    return decode(data, locale=locale)


def _text(data: bytes, name: str) -> str:
    text = data.decode(name, errors="replace")
    if text.count("\0") > len(text) // 100:
        raise UnreadableFileError(Unread.DAMAGED)
    return text


def _sampled(data: bytes, name: str) -> str | None:
    """Return the beginning of the text, None if not decodable; the end of the sample may divide a character."""
    sample = data[:_SAMPLE_BYTES]
    try:
        return codecs.getincrementaldecoder(name)().decode(sample, final=len(sample) == len(data))
    except UnicodeDecodeError:
        return None


def _is_korean(data: bytes) -> bool:
    """Whether the text is Korean in EUC-KR: all but letters of Hangul are rare, and syllables that Korean uses often are not.

    The bytes are common characters of GB 2312, too. Of Chinese, Japanese and Thai sentences, read so, at most a tenth is such syllables.
    """
    text = _sampled(data, "euc_kr") or ""
    characters = [character for character in text if not character.isascii()]
    syllables = [character for character in characters if "\uac00" <= character <= "\ud7a3"]
    frequent = sum(character in _FREQUENT_SYLLABLES for character in syllables)
    return bool(syllables) and len(syllables) >= _KOREAN_SHARE * len(characters) and frequent * 4 >= len(syllables)


def _most_likely(data: bytes, locale: str) -> str | None:
    """Return the candidate whose text is rated highest; None, if none is plausible."""
    ratings: dict[str, float] = {}
    for place, name in enumerate(_ORDER.get(locale, _ORDER["en"])):
        text = _sampled(data, name)
        if text is not None:
            ratings[name] = _rating(text, name) - place * _PLACE
    best = max(ratings, key=lambda name: ratings[name], default=None)
    return best if best is not None and ratings[best] >= _LEAST_RATING else None


def _detected(data: bytes) -> str:
    """Return Western Europe's encoding, or the guess of charset-normalizer.  Raises: UnreadableFileError, if there is no guess."""
    western = _sampled(data, "cp1252")
    if western is not None and _WESTERN.fullmatch(western):
        return "cp1252"
    from charset_normalizer import from_bytes  # noqa: PLC0415 - only if nothing else fits

    match = from_bytes(data[:_SAMPLE_BYTES]).best()
    if match is None:
        raise UnreadableFileError(Unread.DAMAGED)
    return match.encoding


def _rating(text: str, name: str) -> float:
    """Return the plausibility of the text, at most 1: the mean weight of characters other than plain ASCII."""
    weights = [*_weights(text, name)]
    if not weights:
        return 0.0
    return sum(weights) / len(weights)


def _weights(text: str, name: str) -> Iterator[float]:
    runs = _THAI_RUN.findall(text)
    is_thai = _is_thai("".join(runs))
    for run in runs:
        yield from _thai_weights(run, 1.0 if is_thai and len(run) > 1 else 0.0)
    for character in _THAI_RUN.sub("", text):
        if not character.isascii():
            yield _weight(character, name)
        elif not (character.isprintable() or character in "\t\r\n\f"):
            yield -3.0


def _is_thai(letters: str) -> bool:
    """Whether letters are spread as in Thai: vowels are a quarter or more, and no letter is a third of all.

    For example, "สวัสดี" is Thai. Kana of EUC-JP, read as Thai, are not, because every second byte is the same.
    """
    vowels = sum(character in _THAI_VOWELS for character in letters)
    most = Counter(letters).most_common(1)[0][1] if letters else 0
    return vowels * 4 >= len(letters) and (most * 3 < len(letters) or len(letters) < _FEW_LETTERS)


def _thai_weights(run: str, weight: float) -> Iterator[float]:
    """Yield `weight` for each character, but -1 for a mark or leading vowel without its letter, and for the two letters out of use."""
    for previous, character in pairwise(f" {run} "):
        is_mark, is_after_mark = character in _THAI_MARKS, previous in _THAI_MARKS
        is_wrong = (is_mark and not (_is_thai_letter(previous) or is_after_mark)) or (
            previous in _THAI_FIRST_VOWELS and not _is_thai_letter(character)
        )
        yield -1.0 if is_wrong or character in _THAI_OUT_OF_USE else weight


def _is_thai_letter(character: str) -> bool:
    return "\u0e01" <= character <= "\u0e2e"


def _weight(character: str, name: str) -> float:
    if "\u3041" <= character <= "\u30fe":
        # GB 2312 and Big5 hold kana, too, but people who write kana are Japanese
        return 1.0 if name not in _CHINESE else 0.0
    if "\u3001" <= character <= "\u301f" or "\uff01" <= character <= "\uff60" or character == "\u3000":
        return 0.9
    if "\u4e00" <= character <= "\u9fff":
        return 0.85 if character in _common_han(name) else -0.3
    if "\uff61" <= character <= "\uff9f":
        return -0.3
    if character in _COMMON_SIGNS:
        return 0.5
    return 0.1 if unicodedata.name(character, "").startswith("LATIN") else -1.0


@cache
def _common_han(name: str) -> frozenset[str]:
    """Return the common characters of the encoding's own standard; for UTF-16, of all three standards."""
    match name:
        case "cp932" | "euc_jp":
            return _level_1("euc_jp", range(0xB0, 0xD0))
        case "cp950":
            return _level_1("cp950", range(0xA4, 0xC7))
        case "gb18030":
            return _level_1("gb2312", range(0xB0, 0xD8))
        case _:
            return frozenset().union(*map(_common_han, ("euc_jp", "cp950", "gb18030")))


def _level_1(name: str, leads: range) -> frozenset[str]:
    pairs = (bytes((lead, trail)) for lead in leads for trail in (*range(0x40, 0x7F), *range(0xA1, 0xFF)))
    return frozenset(character for pair in pairs if len(character := pair.decode(name, errors="ignore")) == 1)
