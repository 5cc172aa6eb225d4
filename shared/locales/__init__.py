"""The bot's fixed texts: one TOML file a language."""

from typing import Final

LOCALES: Final = ("ja", "en", "zh-TW", "th")
