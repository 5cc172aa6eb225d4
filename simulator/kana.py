"""The kana of a Latin name, by which Japanese people call a bot: "Aizuchi" is アイズチ, also written あいずち."""

import unicodedata
from itertools import product
from typing import Final

_VOWELS: Final = "aiueo"
_ROWS: Final = {
    "": "アイウエオ",
    "k": "カキクケコ",
    "g": "ガギグゲゴ",
    "s": "サシスセソ",
    "z": "ザジズゼゾ",
    "t": "タチツテト",
    "d": "ダヂヅデド",
    "n": "ナニヌネノ",
    "h": "ハヒフヘホ",
    "b": "バビブベボ",
    "p": "パピプペポ",
    "m": "マミムメモ",
    "r": "ラリルレロ",
}
_PALATAL: Final = {**{row: syllables[1] for row, syllables in _ROWS.items() if row}, "sh": "シ", "ch": "チ", "j": "ジ"}
_SMALL: Final = {"a": "ャ", "u": "ュ", "o": "ョ"}
_SYLLABLES: Final = {
    **{row + vowel: kana for row, syllables in _ROWS.items() for vowel, kana in zip(_VOWELS, syllables, strict=True)},
    **{f"{row}y{vowel}": _PALATAL[row] + _SMALL[vowel] for row, vowel in product(_ROWS, _SMALL) if row},
    **{row + vowel: _PALATAL[row] + _SMALL[vowel] for row, vowel in product(("sh", "ch", "j"), _SMALL)},
    "shi": "シ",
    "chi": "チ",
    "tsu": "ツ",
    "fu": "フ",
    "ji": "ジ",
    "wa": "ワ",
    "wo": "ヲ",
    "ya": "ヤ",
    "yu": "ユ",
    "yo": "ヨ",
    "n": "ン",
}
_LONGEST: Final = 3
_TO_HIRAGANA: Final = ord("ア") - ord("あ")


def kana_of(name: str) -> tuple[str, ...]:
    """Return the name in katakana and in hiragana; nothing if the name is no romanised Japanese (Hepburn).

    For example, `kana_of("Aizuchi")` is `("アイズチ", "あいずち")`, and `kana_of("Alex")` is `()`.
    """
    katakana = _katakana(unicodedata.normalize("NFKC", name).strip().casefold())
    return (katakana, "".join(chr(ord(one) - _TO_HIRAGANA) for one in katakana)) if katakana else ()


def _katakana(word: str) -> str:
    """Return the syllables of the word, or "" if some of it is none."""
    kana, at = "", 0
    while at < len(word):
        if word[at : at + 1] == word[at + 1 : at + 2] and word[at] not in f"{_VOWELS}n":
            kana, at = f"{kana}ッ", at + 1
            continue
        parts = (word[at : at + length] for length in range(_LONGEST, 0, -1))
        syllable = next((part for part in parts if part in _SYLLABLES), None)
        if syllable is None:
            return ""
        kana, at = kana + _SYLLABLES[syllable], at + len(syllable)
    return kana
