"""The text of a file, in sections that a person can name: "the table on page 3", "sheet 2", "slide 5", "row 300".

The reading process writes a document as JSON, for the worker to read. Nothing is stored.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, field, replace
from enum import StrEnum
from typing import Final, Literal

from shared.frozen import frozen

MOST_CHARACTERS: Final = 400_000
"""Characters of a document.  A longer file is cut, and the document says so."""
PART_CHARACTERS: Final = 4_000
"""Characters of a section that neither a page nor a row ends."""

SectionKind = Literal["page", "part", "sheet", "slide"]


class Unread(StrEnum):
    """Why a file cannot be read.  The person who sent the file gets a sentence for the reason."""

    EMPTY = "empty"
    PROTECTED = "protected"
    UNKNOWN_TYPE = "unknown_type"
    DAMAGED = "damaged"
    TOO_LARGE = "too_large"


class UnreadableFileError(Exception):
    """A file cannot be read; `reason` says why."""

    def __init__(self, reason: Unread) -> None:
        super().__init__(reason.value)
        self.reason = reason


@frozen
class Section:
    """A page, a sheet or some of its rows, a slide, or a part of a text without pages.

    `number` counts pages, parts, sheets or slides from 1. `first_row` and `last_row` are rows of a table, from 1, and 0 without a table.
    For example: `Section(kind="sheet", number=2, title="Prices", first_row=1, last_row=100, text="1: Milk | 198")`.
    """

    kind: SectionKind
    number: int
    text: str = field(repr=False)
    title: str = field(default="", repr=False)
    first_row: int = 0
    last_row: int = 0


@frozen
class Document:
    """The sections of a file in order.  `is_cut`: the file goes on, beyond MOST_CHARACTERS."""

    sections: tuple[Section, ...]
    is_cut: bool = False

    @property
    def text(self) -> str:
        """The text of all sections."""
        return "\n".join(section.text for section in self.sections)


def bounded(sections: Sequence[Section]) -> Document:
    """Return the document of the sections, cut after MOST_CHARACTERS.

    Raises: UnreadableFileError, if all sections are blank.
    """
    if not any(section.text.strip() for section in sections):
        raise UnreadableFileError(Unread.EMPTY)
    shown: list[Section] = []
    room = MOST_CHARACTERS
    for section in sections:
        if room <= 0:
            break
        shown.append(replace(section, text=section.text[:room]))
        room -= len(section.text)
    return Document(sections=tuple(shown), is_cut=room < 0 or len(shown) < len(sections))


def parts_of(text: str) -> tuple[Section, ...]:
    """Return a text without pages as sections of about PART_CHARACTERS, each ending with a line if a line ends in time.

    For example, 10,000 characters become the parts 1 to 3.
    """
    parts: list[str] = []
    begin = 0
    while begin < len(text):
        end = begin + PART_CHARACTERS
        line_end = text.rfind("\n", begin, end) + 1
        end = line_end if end < len(text) and line_end > begin else end
        parts.append(text[begin:end].rstrip("\n"))
        begin = end
    return tuple(Section(kind="part", number=number, text=part) for number, part in enumerate(parts, start=1))


def encode_document(document: Document) -> bytes:
    """Return the document as JSON, for `decode_document`."""
    return json.dumps(asdict(document)).encode()


def decode_document(data: bytes) -> Document:
    """Return the encoded document.  Raises: ValueError, TypeError, KeyError, if `data` is no document."""
    read = json.loads(data)
    sections = tuple(Section(**section) for section in read["sections"])
    return Document(sections=sections, is_cut=read["is_cut"])
