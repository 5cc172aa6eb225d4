"""Translations between the members of a group, of a stand-in: a few sentences by heart, any other text behind a label that says so.

A translation request has a schema with `messages` of number, language and translations; the messages follow the heading `# Messages, each
below a line with 3f9a0c51`, each below a line such as `## 1 3f9a0c51 (Ken)`.
"""

# ruff: noqa: RUF001 -- full-width punctuation is how Japanese and Chinese are written

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from simulator.gemini.request import GenerateContentRequest

_MESSAGES: Final = re.compile(r"^# Messages, each below a line with ([0-9a-f]{8})\n", re.MULTILINE)
_SLOT: Final = re.compile(r"⟦\d+:[^⟦⟧]*⟧")
_OTHER: Final = "other"
_LABELS: Final[Mapping[str, str]] = {
    "ja": "（見本の訳です）",
    "th": "(คำแปลตัวอย่าง)",
    "zh-TW": "（示範譯文）",
    "zh-CN": "（示范译文）",
    "ko": "(번역 예시)",
    "en": "(stand-in translation)",
    "vi": "(bản dịch mẫu)",
    "id": "(terjemahan contoh)",
}
_SENTENCES: Final[tuple[Mapping[str, str], ...]] = (
    {"ja": "明日行く？", "th": "พรุ่งนี้ไปไหม", "zh-TW": "明天去嗎？", "en": "Are you going tomorrow?"},
    {"ja": "行きます！", "th": "ไปครับ", "zh-TW": "我去！", "en": "I’m going!"},
    {
        "ja": "{}に駅の前で会いましょう",
        "th": "เจอกัน {} หน้าสถานีนะ",
        "zh-TW": "{}在車站前見",
        "en": "Let’s meet at {} in front of the station",
    },
    {"ja": "了解です、遅れないでね", "th": "โอเค อย่ามาสายนะ", "zh-TW": "了解，別遲到喔", "en": "OK, don’t be late"},
    {"ja": "ありがとう", "th": "ขอบคุณนะ", "zh-TW": "謝謝", "en": "Thank you"},
)
_SCRIPTS: Final = (
    ("ja", re.compile(r"[぀-ヿ]")),
    ("th", re.compile(r"[฀-๿]")),
    ("ko", re.compile(r"[가-힣]")),
    ("zh-TW", re.compile(r"[一-鿿]")),
    ("vi", re.compile(r"[ăâđêôơưáàéèíìóòúùýạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ]")),
    ("id", re.compile(r"\b(?:aja|belum|di|jam|kasih|makan|orang|patungannya|sudah|telat|ya|yang)\b", re.IGNORECASE)),
    ("en", re.compile(r"[A-Za-z]")),
    ("id", re.compile(r"[A-Za-z]")),
)


def is_translation(schema: Mapping[str, object]) -> bool:
    """Whether an answer with the schema is a translation."""
    return "translations" in _properties_of_message(schema)


def translate(request: GenerateContentRequest, schema: Mapping[str, object]) -> dict[str, object]:
    """Return each message in every other language of the schema."""
    languages = [code for code in _codes(schema) if code != _OTHER]
    *_, mark, messages = _MESSAGES.split(request.last_text)
    _, *parts = re.split(rf"^## (\d+) {mark}(?: \(.*\))?\n", messages, flags=re.MULTILINE)
    numbered = zip(parts[::2], parts[1::2], strict=True)
    return {"messages": [_translated(int(number), text.strip(), languages) for number, text in numbered]}


def _translated(number: int, text: str, languages: list[str]) -> dict[str, object]:
    language = next((code for code, letters in _SCRIPTS if code in languages and letters.search(text)), _OTHER)
    translations = [
        {"to": code, "text": _in_language(text, language, code)} for code in languages if language not in {_OTHER, code}
    ]
    return {"number": number, "language": language, "translations": translations}


def _in_language(text: str, language: str, target: str) -> str:
    slots = _SLOT.findall(text)
    pattern = _SLOT.sub("{}", text)
    known = next((one[target] for one in _SENTENCES if one.get(language) == pattern and target in one), None)
    return known.format(*slots) if known is not None else f"{_LABELS[target]} {text}"


def _codes(schema: Mapping[str, object]) -> list[str]:
    language = _properties_of_message(schema)["language"]
    codes = language.get("enum") if isinstance(language, dict) else None
    return [str(code) for code in codes] if isinstance(codes, list) else []


def _properties_of_message(schema: Mapping[str, object]) -> Mapping[str, object]:
    """Return what the schema says of one message; nothing for any other schema."""
    place: object = schema
    for key in ("properties", "messages", "items", "properties"):
        place = place.get(key) if isinstance(place, dict) else None
    return place if isinstance(place, dict) else {}
