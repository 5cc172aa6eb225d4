"""The numbers that a word processor shows before paragraphs, such as `第1条` and `(2)`: the text of the file does not hold them.

A paragraph, or its style, names a list and a level. For example, with the level text `第%1条`, the third paragraph gets `第3条`.
Source: ECMA-376 part 1, 17.9 (numbering), 17.18.59 (number formats), 17.7.4.17 (styles).
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from shared.frozen import frozen

_PLACE: Final = re.compile(r"%([1-9])")
_DEEPEST: Final = 10
"""How many styles a style may be based on."""
_KANJI: Final = "〇一二三四五六七八九"
_KANA: Final = "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン"
_IROHA: Final = "イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセス"
_ROMAN: Final = (
    *((900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"), (9, "ix")),
    *((5, "v"), (4, "iv"), (1, "i")),
)
_LONGEST: Final = 100  # characters before a paragraph
_MOST: Final = 1_000  # a larger number is written in digits


@dataclass(slots=True)
class _Level:
    start: int = 1
    form: str = "decimal"
    text: str = ""


@dataclass(slots=True)
class _Style:
    list_id: str = ""
    level: int = 0
    based_on: str = ""


@frozen
class Numbered:
    """What a paragraph says of its number: `style` is its style's id, `list_id` "" if only the style names a list."""

    style: str = ""
    list_id: str = ""
    level: int | None = None


class Numbering:
    """An XmlHandler of `numbering.xml` and of `styles.xml`, whose elements have different names; then the counters of one reading."""

    def __init__(self) -> None:
        self._levels: dict[str, dict[int, _Level]] = {}
        self._lists: dict[str, str] = {}
        self._restarts: dict[str, dict[int, int]] = {}
        self._styles: dict[str, _Style] = {}
        self._counts: dict[str, dict[int, int]] = {}
        self._open: dict[str, str] = {}

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """Take what an element says of lists, levels and styles."""
        value = attributes.get("val", "")
        for key in ("abstractNumId", "numId", "ilvl", "styleId"):
            if key in attributes:
                self._open[key] = attributes[key]
        match name:
            case "abstractNum" | "num":  # the one has levels, the other stands for it, and may change some
                self._open.pop("numId" if name == "abstractNum" else "abstractNumId", None)
            case "lvl":
                self._levels.setdefault(self._open.get("abstractNumId", ""), {})[_number(self._open.get("ilvl"))] = (
                    _Level()
                )
            case "start" | "numFmt" | "lvlText":
                self._take_level(name, value)
            case "abstractNumId":
                self._lists[self._open.get("numId", "")] = value
            case "startOverride":
                restarts = self._restarts.setdefault(self._open.get("numId", ""), {})
                restarts[_number(self._open.get("ilvl"))] = _number(value)
            case "style":
                self._styles[self._open.get("styleId", "")] = _Style()
            case "basedOn" | "numId" | "ilvl":
                self._take_style(name, value)

    def end(self, name: str) -> None:
        """Ignore the end."""

    def text(self, characters: str) -> None:
        """Ignore the text."""

    def before(self, paragraph: Numbered) -> str:
        """Return what stands before the paragraph, counted on from the paragraphs before it: `第3条`; "" without a number."""
        list_id, level = self._place_of(paragraph)
        abstract_id = self._lists.get(list_id)
        levels = self._levels.get(abstract_id, {}) if abstract_id is not None else {}
        if abstract_id is None or level not in levels:
            return ""
        counts = self._counts.setdefault(abstract_id, {})
        for restarted, begin in self._restarts.pop(list_id, {}).items():
            counts[restarted] = begin - 1
        counts[level] = counts.get(level, levels[level].start - 1) + 1
        for deeper in [other for other in counts if other > level]:
            del counts[deeper]

        def shown(place: re.Match[str]) -> str:
            other = int(place[1]) - 1
            counted = levels.get(other, _Level())
            return _written(counts.setdefault(other, counted.start), counted.form)

        return "-" if levels[level].form == "bullet" else _PLACE.sub(shown, levels[level].text)

    def _take_level(self, name: str, value: str) -> None:
        levels = self._levels.get(self._open.get("abstractNumId", ""), {})
        level = levels.get(_number(self._open.get("ilvl")))
        if level is None:
            return
        if name == "start":
            level.start = _number(value)
        elif name == "numFmt":
            level.form = value
        else:
            level.text = value[:_LONGEST]

    def _take_style(self, name: str, value: str) -> None:
        style = self._styles.get(self._open.get("styleId", ""))
        if style is None:
            return
        if name == "basedOn":
            style.based_on = value
        elif name == "numId":
            style.list_id = value
        else:
            style.level = _number(value)

    def _place_of(self, paragraph: Numbered) -> tuple[str, int]:
        """Return the list and the level of a paragraph: its own, or those of its style, or of one on which the style is based."""
        if paragraph.list_id:
            return paragraph.list_id, paragraph.level or 0
        style = self._styles.get(paragraph.style)
        for _ in range(_DEEPEST):
            if style is None:
                break
            if style.list_id:
                return style.list_id, style.level if paragraph.level is None else paragraph.level
            style = self._styles.get(style.based_on)
        return "", 0


def _number(text: str | None) -> int:
    return int(text) if text is not None and re.fullmatch(r"[0-9]{1,4}", text, re.ASCII) else 0


def _written(number: int, form: str) -> str:
    """Return the number in a form of Word: `_written(3, "japaneseCounting")` -> "三"; in digits in a form that is rarer than these."""
    write = _FORMS.get(form, str)
    return write(number) if 0 < number < _MOST else str(number)


def _letters(alphabet: str) -> Callable[[int], str]:
    """Return what writes 1 as the first letter, and the number behind the last letter as the first one doubled."""
    return lambda number: alphabet[(number - 1) % len(alphabet)] * ((number - 1) // len(alphabet) + 1)


def _roman(number: int) -> str:
    written = ""
    for value, letters in _ROMAN:
        times, number = divmod(number, value)
        written += letters * times
    return written


def _kanji(number: int) -> str:
    """Return the number as people count: 23 is 二十三."""
    hundreds, tens, ones = number // 100, number // 10 % 10, number % 10
    parts = [f"{_KANJI[count] if count > 1 else ''}{unit}" for count, unit in ((hundreds, "百"), (tens, "十")) if count]
    return "".join(parts) + (_KANJI[ones] if ones else "")


def _circled(number: int) -> str:
    return chr(0x2460 + number - 1) if number <= 20 else str(number)  # noqa: PLR2004 - Unicode has twenty in a row


_LATIN: Final = "abcdefghijklmnopqrstuvwxyz"
_FORMS: Final[Mapping[str, Callable[[int], str]]] = {
    "none": lambda _: "",
    "lowerLetter": _letters(_LATIN),
    "upperLetter": _letters(_LATIN.upper()),
    "lowerRoman": _roman,
    "upperRoman": lambda number: _roman(number).upper(),
    "decimalEnclosedCircle": _circled,
    "decimalEnclosedCircleChinese": _circled,
    "aiueo": _letters(_KANA),
    "aiueoFullWidth": _letters(_KANA),
    "iroha": _letters(_IROHA),
    "irohaFullWidth": _letters(_IROHA),
    "thaiNumbers": lambda number: str(number).translate(str.maketrans("0123456789", "๐๑๒๓๔๕๖๗๘๙")),
    **dict.fromkeys(
        (
            "japaneseCounting",
            "chineseCounting",
            "chineseCountingThousand",
            "taiwaneseCounting",
            "taiwaneseCountingThousand",
        ),
        _kanji,
    ),
}
