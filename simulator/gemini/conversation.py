"""What people said, read back out of a request's user contents: speaker, words, kind of medium and language.

Relies on nothing but the contents, where each text part is one message. Its header is read tolerantly:
`[2026-11-21 22:46]` or `[Yuki | 22:46]`, on a line of its own or before the words. `[sticker: happy]`, `[image]` and the
like stand for what has no words; `[note]` begins a remark that no person made. A quote stands on a line before the words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simulator.gemini.phrases import Language
    from simulator.gemini.wire import Content, GenerateContentRequest

DEFAULT_LANGUAGE: Language = "ja"  # most of LINE's people read it
_MEDIA_NAMES = {
    "sticker": "sticker", "スタンプ": "sticker", "image": "image", "photo": "image", "picture": "image", "画像": "image",
    "写真": "image", "video": "video", "動画": "video", "audio": "audio", "voice": "audio", "音声": "audio", "file": "file",
    "ファイル": "file", "location": "location", "位置情報": "location", "unsupported message": "other",
}  # fmt: skip
_NOTE = "note"
_BRACKETS = re.compile(r"\s*\[([^\[\]\n]{0,200})\][ \t]*\n?")
_MEDIA = re.compile(r"\s*(" + "|".join(_MEDIA_NAMES) + r")\b\s*[:\uff1a]?\s*(.*?)\s*", re.IGNORECASE)
_QUOTE = re.compile(
    r"\s*(?:引用メッセージ|Quoted message|引用訊息|ข้อความที่อ้างถึง): [^\n]*\n(?:質問|Message|訊息|ข้อความ): "
)
_MENTION = re.compile(r"\s*@\S+\s*")
_TIME_OR_DATE = re.compile(r"[\d\s:/.,年月日時分-]*(?:JST|UTC|GMT|AM|PM)?[\d\s:+]*", re.IGNORECASE)
_LETTER = re.compile(r"[^\W\d_]")
_KANA = re.compile(r"[\u3040-\u30ff\uff66-\uff9f]")
_HANGUL = re.compile(r"[\uac00-\ud7af\u1100-\u11ff\u3130-\u318f]")
_THAI = re.compile(r"[\u0e00-\u0e7f]")
_HAN = re.compile(r"[\u3400-\u9fff]")
_CHINESE = re.compile(
    "[你您妳我嗎呢們這說麼嗨哪誰個沒還會讓吧啊哈喔啦很]|今天|明天|昨天|謝謝|多謝|早安|晚安|午安|收到|大家好|早上好|好的"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of a person's. `medium` is set where it is no text; `detail` says more about it. `is_data`: its bytes came along."""

    speaker: str | None
    words: str
    medium: str | None = None
    detail: str = ""
    is_data: bool = False


def messages_of(request: GenerateContentRequest) -> tuple[Message, ...]:
    """Everything that people said, oldest first; answers of functions are not theirs."""
    said = (content for content in request.contents if content.role == "user")
    return tuple(message for content in said for message in _messages(content))


def language_of(messages: tuple[Message, ...]) -> Language:
    """The language of the last message by its script; where that tells nothing, of the message before it."""
    for index in range(len(messages) - 1, -1, -1):
        language = _script(messages[index].words)
        if language is None and _HAN.search(messages[index].words):
            return _language_of_han(messages[:index])
        if language is not None:
            return language
    return DEFAULT_LANGUAGE


def _messages(content: Content) -> Iterator[Message]:
    for part in content.parts:
        if part.text and not part.thought:
            message = _message(part.text)
            if message is not None and (message.words or message.medium):
                yield message
        elif part.media is not None:
            kind = part.media.media_type.partition("/")[0]
            size = part.media.uri or f"{part.media.size_bytes:,} bytes"
            detail = f"{part.media.media_type}, {size}"
            yield Message(
                speaker=None,
                words="",
                medium=kind if kind in _MEDIA_NAMES.values() else "file",
                detail=detail,
                is_data=True,
            )


def _message(text: str) -> Message | None:
    """The message in a text part; None for a note. Brackets behind the header are words, unless they name a medium."""
    speaker: str | None = None
    rest = text
    header = _BRACKETS.match(rest)
    if header and not _MEDIA.fullmatch(header[1]):
        named = [piece.strip() for piece in header[1].split("|")]
        if _NOTE in named:
            return None
        speaker = next((piece for piece in named if not _TIME_OR_DATE.fullmatch(piece)), None)
        rest = rest[header.end() :]
    quote = _QUOTE.match(rest)
    rest = rest[quote.end() if quote else 0 :]  # somebody else's words
    bracketed = _BRACKETS.match(rest)
    medium = _MEDIA.fullmatch(bracketed[1]) if bracketed else None
    if bracketed and medium:
        words = rest[bracketed.end() :].strip()
        return Message(speaker=speaker, words=words, medium=_MEDIA_NAMES[medium[1].lower()], detail=medium[2])
    mention = _MENTION.match(rest)
    return Message(speaker=speaker, words=rest[mention.end() if mention else 0 :].strip())


def _script(words: str) -> Language | None:
    if _KANA.search(words):
        return "ja"
    if _HANGUL.search(words):
        return "ko"
    if _THAI.search(words):
        return "th"
    if _HAN.search(words):
        return "zh" if _CHINESE.search(words) else None
    return "en" if _LETTER.search(words) else None


def _language_of_han(earlier: tuple[Message, ...]) -> Language:
    """`了解` may be either: whoever wrote Chinese before goes on in Chinese."""
    spoken = (_script(message.words) for message in reversed(earlier))
    return next((language for language in spoken if language in {"ja", "zh"}), None) or DEFAULT_LANGUAGE
