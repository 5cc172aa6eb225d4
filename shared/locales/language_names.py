"""The languages between which members may have their messages translated, by their codes and their own names."""

from collections.abc import Iterable, Mapping
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


def named(languages: Iterable[str], *, locale: str) -> str:
    """Return the languages by their own names, in one line of `locale`: `named(("ja", "th"), locale="ja")` -> "日本語・ไทย"."""
    return listed_languages((LANGUAGES[language] for language in languages), locale=locale)
