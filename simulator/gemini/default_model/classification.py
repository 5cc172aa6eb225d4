"""The classification of a thought for the knowledge base, by the typical words of a category.

A classification request has a schema with category, confidence and name; the thought follows the heading `# Text`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from simulator.gemini.request import GenerateContentRequest

_HINT = re.compile(r"The person says that it belongs to: (\w+)")
_TEXT = "# Text\n"
_SURE, _UNSURE = 0.9, 0.4
_NAME_CHARACTERS = 24
_TOLD = (
    re.compile(r"(?:the |my |our )?(?P<what>.+?) (?:is|are) (?P<value>.+)", re.IGNORECASE | re.DOTALL),
    re.compile(r"(?P<what>[^は]{2,20})は、?(?P<value>.+?)(?:です|だよ)?", re.DOTALL),
)
_SENTENCE_END = re.compile(r"[。．.!！?？\n、,]")  # noqa: RUF001 -- full-width punctuation ends sentences


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sign:
    """Words typical of a category, and the field of the answer that repeats the thought."""

    category: str
    words: re.Pattern[str]
    field: str | None = None


_SIGNS = (
    _Sign(
        category="projects",
        words=re.compile(r"工事|計画|\b(?:project|renovation)\b", re.IGNORECASE),
        field="next_action",
    ),
    _Sign(
        category="details",
        words=re.compile(
            r"パスワード|暗証|住所|誕生日|\b(?:password|code|wifi|address|size|birthday)\b", re.IGNORECASE
        ),
        field="value",
    ),
    _Sign(category="people", words=re.compile(r"さん|\b(?:met|friend)\b", re.IGNORECASE), field="context"),
    _Sign(category="ideas", words=re.compile(r"アイデア|\bidea\b", re.IGNORECASE), field="one_liner"),
    _Sign(category="admin", words=re.compile(r"買う|予約|電話|\b(?:buy|book|call)\b", re.IGNORECASE)),
)


def is_classification(schema: Mapping[str, object]) -> bool:
    """Whether an answer with the schema is a classification."""
    properties = schema.get("properties")
    return isinstance(properties, dict) and {"category", "confidence", "name"} <= properties.keys()


def classify(request: GenerateContentRequest) -> dict[str, object]:
    """Return, with high confidence, the category named by the person or suggested by the words; else ideas, with low confidence.

    "The gate code is 4711" becomes the detail "gate code" with the value "4711".
    """
    instructions, _, text = request.last_text.rpartition(_TEXT)
    text = text.strip()
    hint = _HINT.search(instructions)
    sign = next((sign for sign in _SIGNS if (sign.category == hint[1] if hint else sign.words.search(text))), None)
    answer: dict[str, object] = {
        "category": sign.category if sign else "ideas",
        "confidence": _SURE if sign else _UNSURE,
        "name": _name(text),
        "reasoning": "A word is typical of the category." if sign else "No word is typical of a category.",
    }
    told = next((match for form in _TOLD if (match := form.fullmatch(text))), None)
    if sign is not None and sign.field == "value" and told is not None:
        return {**answer, "name": _name(told["what"]), "value": told["value"]}
    return {**answer, sign.field: text} if sign and sign.field else answer


def _name(text: str) -> str:
    first = next((part.strip() for part in _SENTENCE_END.split(text) if part.strip()), text) or "?"
    return first if len(first) <= _NAME_CHARACTERS else first[:_NAME_CHARACTERS].rstrip() + "…"
