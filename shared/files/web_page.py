"""The text of an HTML file: title, paragraphs, lists and tables.  No address in the file is fetched.

Source: HTML Living Standard, 13.2.3 (encodings) and 15.3 (elements rendered as blocks); Microsoft, "XML Spreadsheet Reference".
"""

import re
from html.parser import HTMLParser
from typing import Final

from shared.files.encodings import decode_as
from shared.files.flowing_text import CELLS

_CELLS: Final = frozenset({"cell", "td", "th"})
_ENDS_OF_ROWS: Final = frozenset({"row", "table", "tr"})
"""`row` and `cell` are of the XML that Excel of 2003 writes, and exports named `.xls` still are."""
_CELL_CHARACTERS: Final = 500
_UNSHOWN: Final = frozenset({"iframe", "noscript", "script", "style", "svg", "template"})
_HEADINGS: Final = {f"h{level}": "#" * level + " " for level in range(1, 7)}
_BLOCKS: Final = frozenset(
    {
        *("address", "article", "aside", "blockquote", "body", "br", "caption", "center", "dd", "details", "div", "dl"),
        *(
            "dt",
            "fieldset",
            "figcaption",
            "figure",
            "footer",
            "form",
            "h1",
            "h2",
            "h3",
            "h4",
            "h5",
            "h6",
            "header",
            "hr",
        ),
        *("html", "legend", "li", "main", "nav", "ol", "option", "p", "pre", "section", "select", "summary", "table"),
        *("row", "tbody", "tfoot", "thead", "title", "tr", "ul"),
    }
)
_CHARSET: Final = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([0-9A-Za-z_.:-]{2,40})""", re.IGNORECASE)
_PRESCAN_BYTES: Final = 2_048
_SPACES: Final = re.compile(r"[ \t\r\n\f\xa0]+")


def declared_charset(data: bytes) -> str | None:
    """Return the encoding that the page declares: `declared_charset(b'<meta charset="shift_jis">')` -> "shift_jis"."""
    declared = _CHARSET.search(data[:_PRESCAN_BYTES])
    return declared[1].decode("ascii") if declared else None


def read_html(data: bytes, *, locale: str) -> str:
    """Return the text of a page, decoded as declared if possible.  Raises: UnreadableFileError."""
    page = _Page()
    page.feed(decode_as(data, declared_charset(data), locale=locale))
    page.close()
    return "\n".join(page.lines())


class _Page(HTMLParser):
    """Collects the lines of a page.  Tags need not match, and no depth matters: a table within a cell begins anew."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._lines: list[str] = []
        self._row: list[list[str]] = []
        """The lines of each cell of the row; empty outside of a row."""
        self._line: list[str] = []
        self._unshown = 0

    def lines(self) -> list[str]:
        """Return the lines with text."""
        self._end_row()
        return self._lines

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a line, a cell, or a part that is not shown."""
        if tag in _UNSHOWN:
            self._unshown += 1
        if tag in _BLOCKS:
            self._end_line()
        if tag in _ENDS_OF_ROWS:
            self._end_row()
        if tag in _CELLS:
            self._end_line()
            self._row.append([])
        elif tag == "li":
            self._line.append("- ")
        elif tag == "img":
            self._line.append(next((value for name, value in attrs if name == "alt" and value), ""))
        self._line.append(_HEADINGS.get(tag, ""))

    def handle_endtag(self, tag: str) -> None:
        """End a line, a row, or a part that is not shown."""
        if tag in _UNSHOWN:
            self._unshown = max(0, self._unshown - 1)
        if tag in _BLOCKS:
            self._end_line()
        if tag in _ENDS_OF_ROWS:
            self._end_row()

    def handle_data(self, data: str) -> None:
        """Add characters that are shown."""
        if not self._unshown:
            self._line.append(_SPACES.sub(" ", data))

    def _end_line(self) -> None:
        line = "".join(self._line).strip(" ")
        self._line = []
        if line.strip("#-| "):
            (self._row[-1] if self._row else self._lines).append(line)

    def _end_row(self) -> None:
        """Put the row on a line; of a row that lays out a page, such as a single cell or a long one, each line stays."""
        self._end_line()
        row, self._row = self._row, []
        cells = [" ".join(lines) for lines in row]
        if len(cells) > 1 and max(map(len, cells)) <= _CELL_CHARACTERS:
            line = CELLS.join(cells).strip(" ")
            self._lines += [line] if line.strip("| ") else []
        else:
            self._lines += (line for lines in row for line in lines)
