"""Which language a text is in, by the share of its letters in each script.

Names and quotations do not count: "「Garden fence」を消しました" is Japanese. Simplified characters are not zh-TW: a character of GB 2312
that Big5 lacks is simplified, or a Japanese short form.  Source: Python, "Standard Encodings", `gb2312` and `big5`.
"""

import re
from collections.abc import Iterable
from typing import Final, Literal

Language = Literal["ja", "en", "zh-TW", "th"]
_KANA: Final = re.compile(r"[\u3041-\u3096\u30a1-\u30fa]")
_HAN: Final = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
_THAI: Final = re.compile(r"[\u0e01-\u0e2e]")
_LATIN: Final = re.compile(r"[A-Za-z]")
_LATIN_WORD: Final = re.compile(r"[A-Za-z][A-Za-z'-]*")
_OTHER: Final = re.compile(r"[\uac00-\ud7a3\u0400-\u04ff\u0600-\u06ff]")
_LINK: Final = re.compile(r"https?://\S+|\S+@\S+\.\S+")
_QUOTED: Final = re.compile(r"「[^」]*」|『[^』]*』|“[^”]*”|\"[^\"]*\"|《[^》]*》")
_SHARE: Final = 0.5
_WORD_WEIGHT: Final = 2  # of a Latin word in a text of another script, such as LINE or Notion
_KANA_SHARE: Final = 0.12
_LONG_HAN: Final = 8  # 了解しました has kana; a word such as 承知 has none
_KANA_IN_CHINESE: Final = 0.05  # a shop's の
_CHINESE_WORDS: Final = re.compile(r"[的嗎呢吧們這那沒你妳您]|了(?!解|承)|已經?|可以|什麼|怎麼|還")


def is_in(language: Language, text: str, *, names: Iterable[str] = ()) -> bool:
    """Whether the letters of a text are mostly of the language; names that people gave are left out.

    For example, `is_in("zh-TW", "已经删除了")` is false, because of its simplified characters. A text without letters is in every language.
    """
    words = _own_words(text, names)
    kana, han, thai, latin, other = (len(form.findall(words)) for form in (_KANA, _HAN, _THAI, _LATIN, _OTHER))
    if not kana + han + thai + latin + other:
        return True
    letters = (
        kana + han + thai + other + (latin if language == "en" else _WORD_WEIGHT * len(_LATIN_WORD.findall(words)))
    )
    match language:
        case "ja":
            return (kana + han) / letters > _SHARE and _has_enough_kana(words, kana, han)
        case "zh-TW":
            return han / letters > _SHARE and kana / letters <= _KANA_IN_CHINESE and not simplified_in(words)
        case "th":
            return thai / letters > _SHARE
        case "en":
            return latin / letters > _SHARE


def simplified_in(text: str) -> tuple[str, ...]:
    """Return the characters that no text in Traditional Chinese has: `simplified_in("记录")` is `("录", "记")`."""
    return tuple(sorted({one for one in text if _HAN.match(one) and _has(one, "gb2312") and not _has(one, "big5")}))


def _has_enough_kana(words: str, kana: int, han: int) -> bool:
    if kana:
        return kana / (kana + han) >= _KANA_SHARE
    return han <= _LONG_HAN and _CHINESE_WORDS.search(words) is None


def _own_words(text: str, names: Iterable[str]) -> str:
    words = _QUOTED.sub(" ", _LINK.sub(" ", text))
    for name in sorted(names, key=len, reverse=True):
        words = words.replace(name, " ") if name else words
    return words if _letters(words) else _LINK.sub(" ", text)


def _letters(text: str) -> int:
    return sum(len(form.findall(text)) for form in (_KANA, _HAN, _THAI, _LATIN, _OTHER))


def _has(character: str, encoding: str) -> bool:
    try:
        character.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True
