"""The languages between which members may have their messages translated, by their codes, their own names and other names."""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from shared.locales.lists import listed_languages

LANGUAGES: Final[Mapping[str, str]] = {
    "ja": "日本語",
    "th": "ไทย",
    "zh-TW": "繁體中文",
    "zh-CN": "简体中文",
    "ko": "한국어",
    "en": "English",
    "vi": "Tiếng Việt",
    "id": "Bahasa Indonesia",
}
"""The codes of the languages, each with its own name for itself."""
_OTHER_NAMES: Final[Mapping[str, Sequence[str]]] = {
    "ja": ("jp", "japanese", "日語", "日文", "ญี่ปุ่น", "ภาษาญี่ปุ่น"),
    "th": ("thai", "タイ語", "泰語", "泰文", "ภาษาไทย"),
    "zh-TW": ("zh", "tw", "chinese", "中国語", "台湾華語", "中文", "繁中", "จีน", "ภาษาจีน"),
    "zh-CN": ("cn",),
    "ko": ("kr", "korean", "韓国語", "韓文", "เกาหลี", "ภาษาเกาหลี"),
    "en": ("english", "英語", "英文", "อังกฤษ", "ภาษาอังกฤษ"),
    "vi": ("vn", "vietnamese", "ベトナム語", "越南文", "เวียดนาม", "ภาษาเวียดนาม"),
    "id": ("indonesian", "インドネシア語", "印尼文", "indonesia", "อินโดนีเซีย", "ภาษาอินโดนีเซีย"),
}


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold().replace(" ", "")


_CODES: Final[Mapping[str, str]] = {
    _folded(name): code for code, own_name in LANGUAGES.items() for name in (code, own_name, *_OTHER_NAMES[code])
}


def code_of(name: str) -> str | None:
    """Return the code of a language by a name of it: `code_of("タイ語")` and `code_of("TH")` are "th"; None for any other word."""
    return _CODES.get(_folded(name))


def named(languages: Iterable[str], *, locale: str) -> str:
    """Return the languages by their own names, in one line of `locale`: `named(("ja", "th"), locale="ja")` -> "日本語・ไทย"."""
    return listed_languages((LANGUAGES[language] for language in languages), locale=locale)
