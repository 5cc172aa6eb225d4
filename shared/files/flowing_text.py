"""Paragraphs and tables of WordprocessingML (docx) and DrawingML (pptx), which share the names of their elements.

A row of a table becomes a line, for example `Milk | 2 | 396`. Left out are deleted and moved texts, readings above characters (ruby), and
alternative forms of the same content.  Source: ECMA-376 part 1, 17.3 and 21.1.2; part 3, 10 (AlternateContent).
"""

from collections.abc import Mapping
from typing import Final

from shared.files.numbering import Numbered, Numbering

CELLS: Final = " | "
_SKIPPED: Final = frozenset({"Fallback", "moveFrom", "pPrChange", "rPr", "rt", "sectPr", "tblPr", "tcPr", "trPr"})
_NUMBER_OF_SLIDE: Final = "slidenum"
_OF_NUMBERS: Final = frozenset({"ilvl", "numId", "pStyle"})
_LEVELS: Final = frozenset("012345678")
_CHARACTERS: Final[Mapping[str, str]] = {"tab": "\t", "noBreakHyphen": "-"}


class FlowingText:
    """An XmlHandler.  `pages` are the lines of each page, as far as the file marks pages."""

    def __init__(self, numbering: Numbering | None = None) -> None:
        """`numbering`: the numbers before the paragraphs; None: there are none."""
        self._numbering = numbering
        self._properties: dict[str, str] | None = None
        """What the open properties of a paragraph say of its number."""
        self.pages: list[list[str]] = [[]]
        self._paragraphs: list[list[str]] = []
        self._rows: list[list[str]] = []
        self._cells: list[list[str]] = []
        self._skipped = 0
        self._is_text = False

    @property
    def texts(self) -> tuple[str, ...]:
        """The text of each page."""
        return tuple("\n".join(lines) for lines in self.pages)

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """Begin a paragraph, a row, a cell or a text."""
        if self._skipped or name in _SKIPPED or attributes.get("type") == _NUMBER_OF_SLIDE:
            self._skipped += 1
            return
        if self._properties is None:
            self._begin(name, attributes)
        elif name in _OF_NUMBERS:
            self._properties[name] = attributes.get("val", "")

    def end(self, name: str) -> None:
        """End a paragraph, a row, a cell or a text."""
        if self._skipped:
            self._skipped -= 1
            return
        match name:
            case "pPr":
                self._number()
            case "t":
                self._is_text = False
            case "p" if self._paragraphs:
                self._put("".join(self._paragraphs.pop()))
            case "tc" if self._cells and self._rows:
                self._rows[-1].append(" ".join(" ".join(self._cells.pop()).split()))
            case "tr" if self._rows:
                self._put(CELLS.join(self._rows.pop()))

    def text(self, characters: str) -> None:
        """Add the characters of a text."""
        if self._is_text and not self._skipped:
            self._add(characters)

    def _begin(self, name: str, attributes: Mapping[str, str]) -> None:
        match name:
            case "pPr":
                self._properties = {}
            case "p":
                self._paragraphs.append([])
            case "t":
                self._is_text = True
            case "tab" | "noBreakHyphen":
                self._add(_CHARACTERS[name])
            case "br" | "cr":
                if attributes.get("type") == "page":
                    self._break_page()
                else:
                    self._add("\n")
            case "lastRenderedPageBreak":
                self._break_page()
            case "tr":
                self._rows.append([])
            case "tc":
                self._cells.append([])

    def _number(self) -> None:
        """Put the number before the paragraph whose properties end."""
        properties, self._properties = self._properties or {}, None
        if self._numbering is None:
            return
        level = properties.get("ilvl", "")
        numbered = Numbered(
            style=properties.get("pStyle", ""),
            list_id=properties.get("numId", ""),
            level=int(level) if level in _LEVELS else None,
        )
        before = self._numbering.before(numbered)
        if before:
            self._add(f"{before} ")

    def _add(self, characters: str) -> None:
        if self._paragraphs:
            self._paragraphs[-1].append(characters)

    def _put(self, line: str) -> None:
        """Put a whole paragraph or row into the enclosing cell, or on the page."""
        if self._cells:
            self._cells[-1].append(line)
        elif line.strip():
            self.pages[-1].append(line)

    def _break_page(self) -> None:
        """Begin a page.  A break by hand is followed by the program's own mark of the same break: both together begin a single page.

        The beginning of a divided paragraph stays on the earlier page.
        """
        if self._cells:
            return  # within a table a row is not divided
        if self._paragraphs and (begun := "".join(self._paragraphs[-1]).strip()):
            self.pages[-1].append(begun)
            self._paragraphs[-1] = []
        if self.pages[-1]:
            self.pages.append([])
