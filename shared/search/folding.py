"""Texts made comparable: `fold` for literal matches, `loosen` for different spellings of the same word."""

import re
import unicodedata
from functools import cache, lru_cache
from itertools import groupby
from pathlib import Path
from typing import Final

import regex

from shared.late_patterns import late

# Normalisation sorts the marks that follow a letter, at the square of their number; no script has as many.
# Source: Unicode TR 15, "Stream-Safe Text Format". The half-width voicing marks become combining marks.
_SURPLUS_MARKS: Final = regex.compile(r"(?<=[\p{M}\uff9e\uff9f]{30})[\p{M}\uff9e\uff9f]+")
# NFKC expands signs, one of them to 18 characters. Signs of units stay comparable with their words: ㌖ is キロメートル.
_LONGEST_SIGN: Final = 6
_CHARACTERS_CACHED: Final = 2_048
_KATAKANA_TO_HIRAGANA: Final = {code: code - 0x60 for code in (*range(0x30A1, 0x30F7), 0x30FD, 0x30FE)}

_KANJI_VARIANTS: Final = Path(__file__).with_name("kanji_variants.txt")
_LATIN_WITH_MARKS: Final = (*range(0xC0, 0x250), *range(0x1E00, 0x1F00))
_THAI_TONES: Final = range(
    0x0E47, 0x0E4D
)  # tone marks, the shortener and the silencer, which people leave out or confuse
_LONG_VOWEL: Final = 0x30FC
_NO_WORD: Final = late(regex.compile, r"[^\p{L}\p{M}\p{N}\n]+")
_VU: Final = (("ゔぁ", "ば"), ("ゔぃ", "び"), ("ゔぇ", "べ"), ("ゔぉ", "ぼ"), ("ゔ", "ぶ"))
_HAN: Final = r"[\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff]"
_SHORT_KANA: Final = late(re.compile, rf"(?<={_HAN})[\u3041-\u3096]{{1,2}}(?={_HAN})")


def fold(text: str) -> str:
    """Return the text in NFKC, caseless, katakana as hiragana, with single spaces: `fold("Apple　パイ")` is `apple ぱい`.

    Folding twice changes nothing more. The result is at most six times as long: a sign with a longer expansion stays unchanged.
    """
    signs = set(filter(_is_long_sign, set(text)))
    pieces = groupby(text, key=signs.__contains__) if signs else [(False, text)]
    normalised = "".join("".join(piece) if are_signs else _normalised("".join(piece)) for are_signs, piece in pieces)
    return _SURPLUS_MARKS.sub("", " ".join(normalised.split()))


def with_western_digits(text: str) -> str:
    """Return the text in NFKC, with 0 to 9 for the digits of every script: `with_western_digits("๑,๕๐๐")` is "1,500"."""
    normal = unicodedata.normalize("NFKC", text)
    return "".join(str(unicodedata.decimal(sign)) if sign.isdecimal() else sign for sign in normal)


def loosen(folded: str) -> str:
    """Return a folded text without differences of spelling; lines stay lines, and every word has a space on both sides.

    Variants of a kanji become one (臺 is 台, 國 is 国), long vowels become short (サーバー is サーバ), Latin letters and Thai syllables
    lose their marks, and signs become spaces. Example: `loosen("café, 臺北")` is ` cafe 台北 `.
    """
    text = folded.translate(_loose_characters())
    for spelling, usual in _VU if "ゔ" in text else ():
        text = text.replace(spelling, usual)
    return f" {_NO_WORD.sub(' ', text)} ".replace("\n", " \n ")


def without_okurigana(loose: str) -> str:
    """Return a loosened text without spaces and without one or two kana between two kanji: 引っ越し and 引越し are 引越し."""
    return _SHORT_KANA.sub("", loose.replace(" ", ""))


@lru_cache(maxsize=_CHARACTERS_CACHED)
def _is_long_sign(character: str) -> bool:
    return not character.isascii() and len(_normalised(character)) > _LONGEST_SIGN


def _normalised(text: str) -> str:
    caseless = unicodedata.normalize("NFKC", _SURPLUS_MARKS.sub("", text)).casefold().translate(_KATAKANA_TO_HIRAGANA)
    return unicodedata.normalize("NFKC", caseless)


@cache
def _loose_characters() -> dict[int, int | str | None]:
    """Return the replacement of each character; None: the character is dropped."""
    lines = _KANJI_VARIANTS.read_text(encoding="utf-8").splitlines()
    classes = [line for line in lines if not line.startswith("#")]
    variants: dict[int, int | str | None] = {
        ord(variant): ord(spellings[0]) for spellings in classes for variant in spellings[1:]
    }
    latin = {code: unicodedata.normalize("NFD", chr(code))[0] for code in _LATIN_WITH_MARKS}
    return variants | latin | dict.fromkeys((*_THAI_TONES, _LONG_VOWEL))
