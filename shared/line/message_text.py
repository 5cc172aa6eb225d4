"""A line of text for every type of LINE message.

Source: LINE, "Message event": the fields of each `message.type`; `keywords` of stickers are experimental, at most 15.
"""

from collections.abc import Callable, Mapping
from typing import Final, TypeGuard

from shared.line.addressing import with_whole_mentions
from shared.line.emojis import with_emoji_names, with_marked_emojis
from shared.line.readable import readable

_KILOBYTE: Final = 1_000
_LARGEST: Final = 1e15


def describe(message_type: str, fields: Mapping[str, object]) -> str:
    """Return the words of a text, with whole mentions; for another type a line: `[location: Tokyo Station, 1-9-1 Marunouchi, ...]`."""
    described = _DESCRIPTIONS.get(message_type)
    line = described(fields) if described else _tag("unsupported message", message_type)
    return readable(line)


def _text(fields: Mapping[str, object]) -> str:
    text, emojis = with_marked_emojis(fields)
    return with_emoji_names(with_whole_mentions(text, fields), emojis)


def _sticker(fields: Mapping[str, object]) -> str:
    words = fields.get("text")
    if isinstance(words, str) and words:  # message stickers carry the sender's own words
        return _tag("sticker", words)
    keywords = fields.get("keywords")
    return _tag("sticker", *(str(word) for word in keywords) if isinstance(keywords, list) else ())


def _image(_: Mapping[str, object]) -> str:
    return _tag("image")


def _video(fields: Mapping[str, object]) -> str:
    return _tag("video", *_seconds(fields))


def _voice(fields: Mapping[str, object]) -> str:
    return _tag("voice message", *_seconds(fields))


def _file(fields: Mapping[str, object]) -> str:
    size_bytes = fields.get("fileSize")
    size = (f"{size_bytes / _KILOBYTE:,.1f} kB",) if _is_quantity(size_bytes) else ()
    return _tag("file", str(fields.get("fileName", "")), *size)


def _location(fields: Mapping[str, object]) -> str:
    names = [str(fields[key]) for key in ("title", "address") if fields.get(key)]
    place = (fields.get("latitude"), fields.get("longitude"))
    coordinates = [f"{place[0]:.5f} {place[1]:.5f}"] if all(map(_is_quantity, place)) else []
    return _tag("location", *names, *coordinates)


def _seconds(fields: Mapping[str, object]) -> tuple[str, ...]:
    duration_ms = fields.get("duration")
    return (f"{round(duration_ms / 1_000)} s",) if _is_quantity(duration_ms) else ()


def _is_quantity(value: object) -> TypeGuard[int | float]:
    """Whether the value is a number that can be shown: neither NaN nor of dozens of digits."""
    return isinstance(value, int | float) and abs(value) <= _LARGEST


def _tag(kind: str, *details: str) -> str:
    text = ", ".join(" ".join(detail.split()) for detail in details if detail.strip())
    return f"[{kind}: {text}]" if text else f"[{kind}]"


_DESCRIPTIONS: Final[Mapping[str, Callable[[Mapping[str, object]], str]]] = {
    "text": _text,
    "sticker": _sticker,
    "image": _image,
    "video": _video,
    "audio": _voice,
    "file": _file,
    "location": _location,
}
