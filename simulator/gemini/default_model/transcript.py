"""The messages of people in the user contents of a request: speaker, words, kind of medium and language.

A line with `[` at the start begins a message or a remark of the system, and ends the previous message or remark. A header such as
`[Yuki | 2026-11-21 22:46]` or `[22:46]` precedes the words. `[sticker: happy]`, `[image]` and the like stand for messages without words;
`[note]`, `[index]` and the like begin remarks, `[you | ...]` the bot's own words. A quote, begun by `[quote | Yuki]`, precedes the words
on a line of its own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simulator.gemini.default_model.phrases import Language
    from simulator.gemini.request import Content, GenerateContentRequest, Media

DEFAULT_LANGUAGE: Language = "ja"  # the language of most users of LINE
_NOT_PEOPLE = frozenset({"note", "you", "recap", "index", "reminders", "filed", "earlier attempt"})
_LINE = re.compile(r"\n(?=\[)")
_KINDS = frozenset({"sticker", "image", "location"})  # every other kind is `other`
_BRACKETS = re.compile(r"\s*\[([^\[\]\n]{0,200})\][ \t]*\n?")
_MEDIUM = re.compile(
    r"\s*(sticker|image|video|voice message|file|location|unsupported message)\s*:?\s*(.*?)\s*", re.IGNORECASE
)
_QUOTE = re.compile(
    r"\s*(?:\[quote(?: \| [^\]\n]*)?\] )?(?:引用メッセージ|Quoted message|引用訊息|ข้อความที่อ้างถึง): [^\n]*\n(?:質問|Message|訊息|ข้อความ): "
)
_MENTION = re.compile(r"\s*@\S+\s*")
_TIME = re.compile(r"[\d\s:/.-]*")
_JAPANESE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uff66-\uff9f]")
_THAI = re.compile("[\u0e01-\u0e5b]")
_LETTER = re.compile(r"[^\W\d_]")
_LATIN_WEIGHT = 3  # letters of a Latin word that say as much as one letter of Japanese


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A person's message. `medium` is set unless the message is a text; `has_data`: the request contains the bytes.

    For example, `[Yuki | 22:46] hello` is `Message(speaker="Yuki", words="hello")`.
    """

    speaker: str | None
    words: str
    medium: str | None = None
    detail: str = ""
    has_data: bool = False


def messages_of(request: GenerateContentRequest) -> tuple[Message, ...]:
    """Return the messages of people, oldest first, without responses of functions."""
    contents = (content for content in request.contents if content.role == "user")
    return tuple(message for content in contents for message in _messages(content))


def language_of(messages: tuple[Message, ...]) -> Language:
    """Return the language of the last message with letters, by the larger share of scripts.

    For example, "ja" for "Wi-Fiのパスワード", and "en" for "I paid 30 for dinner, without ケン".
    """
    for message in reversed(messages):
        japanese, letters = (len(script.findall(message.words)) for script in (_JAPANESE, _LETTER))
        if letters:
            return "ja" if japanese * _LATIN_WEIGHT >= letters - japanese else "en"
    return DEFAULT_LANGUAGE


def is_thai(words: str) -> bool:
    """Whether Thai has the larger share of the words: of "ฉันโหวต sushi", and not of "I paid 60, without แนน"."""
    thai, japanese = (len(script.findall(words)) for script in (_THAI, _JAPANESE))
    latin = len(_LETTER.findall(_THAI.sub("", words))) - japanese
    return thai > 0 and thai * _LATIN_WEIGHT >= japanese * _LATIN_WEIGHT + latin


def _messages(content: Content) -> Iterator[Message]:
    for part in content.parts:
        if part.text and not part.thought:
            for line in _LINE.split(part.text):
                message = _text_message(line)
                if message is not None and (message.words or message.medium):
                    yield message
        elif part.media is not None:
            yield _data_message(part.media)


def _data_message(media: Media) -> Message:
    size = media.uri or f"{media.size_bytes:,} bytes"
    medium = _kind(media.media_type.partition("/")[0])
    return Message(speaker=None, words="", medium=medium, detail=f"{media.media_type}, {size}", has_data=True)


def _text_message(text: str) -> Message | None:
    """Return the message of a text part; None for a note. Brackets after the header are words, unless a medium is named inside."""
    speaker: str | None = None
    remaining_text = text
    header = _BRACKETS.match(remaining_text)
    if header and not _MEDIUM.fullmatch(header[1]):
        pieces = [piece.strip() for piece in header[1].split("|")]
        if not _NOT_PEOPLE.isdisjoint(pieces):
            return None
        speaker = next((piece for piece in pieces if not _TIME.fullmatch(piece)), None)
        remaining_text = remaining_text[header.end() :]
    quote = _QUOTE.match(remaining_text)
    remaining_text = remaining_text[quote.end() if quote else 0 :]  # the quote has the words of another message
    brackets = _BRACKETS.match(remaining_text)
    medium = _MEDIUM.fullmatch(brackets[1]) if brackets else None
    if brackets and medium:
        words = remaining_text[brackets.end() :].strip()
        return Message(speaker=speaker, words=words, medium=_kind(medium[1].lower()), detail=medium[2])
    mention = _MENTION.match(remaining_text)
    return Message(speaker=speaker, words=remaining_text[mention.end() if mention else 0 :].strip())


def _kind(name: str) -> str:
    return name if name in _KINDS else "other"
