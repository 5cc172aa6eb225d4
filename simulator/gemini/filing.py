"""How the stand-in classifies a thought for a knowledge base: by words that give a category away.

Recognised by the answer's schema, which has a category, a confidence and a name; the thought follows the heading `# Text`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from simulator.gemini.wire import GenerateContentRequest

_NAMED = "The person says that it belongs to: "
_TEXT = "# Text\n"
_SURE, _UNSURE = 0.9, 0.4
_NAME_CHARACTERS = 24
_DATE = re.compile(r"\b(\d{4}-\d{2}-\d{2})\b")
_SENTENCE_END = re.compile(r"[。．.!！?？\n、,]")  # noqa: RUF001 -- full-width punctuation ends sentences


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sign:
    """Words that give a category away, and the field that the thought itself fills there."""

    category: str
    words: re.Pattern[str]
    field: str | None = None


_SIGNS = (
    _Sign(
        category="projects",
        words=re.compile(
            r"工事|プロジェクト|計画|リニューアル|引っ越し|開発|準備|\b(?:project|renovat\w+|launch|plan(?:ning)?)\b",
            re.IGNORECASE,
        ),
        field="next_action",
    ),
    _Sign(
        category="people",
        words=re.compile(
            r"さん|くん|ちゃん|先生|部長|\b(?:met|meet|mr|ms|mrs|friend|colleague|birthday)\b", re.IGNORECASE
        ),
        field="context",
    ),
    _Sign(
        category="ideas",
        words=re.compile(
            r"アイデア|思いつ|どうだろう|面白そう|\b(?:idea|what if|maybe we could|would be fun)\b", re.IGNORECASE
        ),
        field="one_liner",
    ),
    _Sign(
        category="admin",
        words=re.compile(
            r"買う|買って|払う|提出|予約|連絡|電話|返す|更新|申し込|\b(?:buy|pay|call|submit|book|renew|return|send)\b",
            re.IGNORECASE,
        ),
    ),
)


def wants_classification(schema: Mapping[str, object]) -> bool:
    """Whether an answer of this schema is a classification."""
    properties = schema.get("properties")
    return isinstance(properties, dict) and {"category", "confidence", "name"} <= properties.keys()


def classification(request: GenerateContentRequest) -> dict[str, object]:
    """The category that the thought's words give away, surely; where none does, the idea that it may be, unsurely."""
    asked = request.last_text
    text = asked.rpartition(_TEXT)[2].strip()
    told = re.search(rf"{re.escape(_NAMED)}(\w+)", asked.rpartition(_TEXT)[0])
    found = next((sign for sign in _SIGNS if (sign.category == told[1] if told else sign.words.search(text))), None)
    answer: dict[str, object] = {
        "category": found.category if found else "ideas",
        "confidence": _SURE if found else _UNSURE,
        "name": _name(text),
        "reasoning": "The words give it away." if found else "No word gives it away.",
    }
    if found and found.field:
        answer[found.field] = text
    date = _DATE.search(text)
    return {**answer, "due_date": date[1]} if date else answer


def _name(text: str) -> str:
    first = next((part.strip() for part in _SENTENCE_END.split(text) if part.strip()), text) or "?"
    return first if len(first) <= _NAME_CHARACTERS else first[:_NAME_CHARACTERS].rstrip() + "…"
