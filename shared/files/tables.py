"""Tables as lines: rows of csv files, and of the sheets of xlsx, xls and ods files, each with a row number and ` | ` between cells.

For example: `12: 2026-11-28 | 3.5 |  | yes`. Source: python-calamine 0.9, `CalamineWorkbook`, which reads the last results of formulas.
"""

import csv
import datetime as dt
import io
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from operator import itemgetter
from typing import TYPE_CHECKING, Final

from shared.files.document import MOST_CHARACTERS, Document, Section, Unread, UnreadableFileError, bounded
from shared.files.flowing_text import CELLS
from shared.files.packages import is_compound_file, is_protected_package, open_package

if TYPE_CHECKING:
    from python_calamine import CalamineSheet, CalamineWorkbook

MOST_COLUMNS: Final = 100
"""Columns shown of a row; a longer row ends with the number of further columns."""
ROWS_OF_A_SECTION: Final = 100
MOST_SHEETS: Final = 200
_CELL_CHARACTERS: Final = 2_000
_DELIMITERS: Final = "\t;,|"  # amounts have commas within, so that a comma comes after tab and semicolon
_SAMPLE: Final = 4_000


def read_workbook(data: bytes) -> Document:
    """Return the sheets of an xlsx, xls or ods file, ROWS_OF_A_SECTION rows a section.  Raises: UnreadableFileError."""
    from python_calamine import CalamineError, CalamineWorkbook, PasswordError  # noqa: PLC0415 - only where a workbook comes

    if not is_compound_file(data):
        open_package(data).close()
    elif is_protected_package(data):
        raise UnreadableFileError(Unread.PROTECTED)
    try:
        with CalamineWorkbook.from_filelike(io.BytesIO(data)) as workbook:
            sections = tuple(_sheets(workbook))
    except PasswordError as cause:
        raise UnreadableFileError(Unread.PROTECTED) from cause
    except BaseException as cause:
        # A panic of the library's Rust code, which some damaged xls files cause, is no Exception
        if isinstance(cause, CalamineError | OSError | ValueError) or type(cause).__module__ == "pyo3_runtime":
            raise UnreadableFileError(Unread.DAMAGED) from cause
        raise
    return bounded(sections)


def read_csv(text: str) -> Document:
    """Return the rows of a csv file, with cells divided by commas, tabs, semicolons or bars.  Raises: UnreadableFileError."""
    sample = text if len(text) <= _SAMPLE else text[:_SAMPLE].rpartition("\n")[0] or text[:_SAMPLE]
    delimiter = max(_DELIMITERS, key=lambda candidate: _regularity(sample, candidate))
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        return bounded(tuple(_sections("", 1, rows)))
    except csv.Error:  # a cell longer than the reader takes
        return bounded(_lines_as_rows(text))


def _regularity(sample: str, delimiter: str) -> tuple[int, int]:
    """Return how many rows have the most common number of cells above one, and this number: (2, 3) for "a;b;c" and "1;2,5;3"."""
    widths = Counter(
        len(row) for row in csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter) if len(row) > 1
    )
    return max(((rows, width) for width, rows in widths.items()), default=(0, 0))


def _lines_as_rows(text: str) -> tuple[Section, ...]:
    return tuple(_sections("", 1, ([line] for line in text.splitlines())))


def _sheets(workbook: "CalamineWorkbook") -> Iterator[Section]:
    """Yield the sheets as people count them, who do not see the hidden ones; these follow."""
    from python_calamine import SheetVisibleEnum  # noqa: PLC0415 - as in `read_workbook`

    room = MOST_CHARACTERS
    sheets = ((sheet.visible != SheetVisibleEnum.Visible, sheet.name) for sheet in workbook.sheets_metadata)
    for number, (is_hidden, name) in enumerate(sorted(sheets, key=itemgetter(0))[:MOST_SHEETS], start=1):
        rows = _rows(workbook.get_sheet_by_name(name)) if room > 0 else iter(())
        title = f"{name} (hidden)" if is_hidden else name
        empty = Section(kind="sheet", number=number, title=title, text="")
        for section in _sections(title, number, rows) or (empty,):
            room -= len(section.text)
            yield section


def _rows(sheet: "CalamineSheet") -> Iterator[Sequence[object]]:
    """Yield the rows from the first column on; the library leaves out empty columns at the left, by which people name the others."""
    _, first_column = sheet.start or (0, 0)
    left = [""] * min(first_column, MOST_COLUMNS)
    return ([*left, *row] for row in sheet.iter_rows())


def _sections(name: str, number: int, rows: Iterable[Sequence[object]]) -> tuple[Section, ...]:
    """Return the non-empty rows, ROWS_OF_A_SECTION at a time, up to the section with which MOST_CHARACTERS are reached."""
    lines = ((row_number, line) for row_number, row in enumerate(rows, start=1) if (line := _line(row)))
    sections: list[Section] = []
    room = MOST_CHARACTERS
    while room > 0 and (numbered_lines := tuple(islice(lines, ROWS_OF_A_SECTION))):
        text = "\n".join(f"{row_number}: {line}" for row_number, line in numbered_lines)
        room -= len(text)
        first_row, last_row = numbered_lines[0][0], numbered_lines[-1][0]
        sections.append(
            Section(kind="sheet", number=number, title=name, text=text, first_row=first_row, last_row=last_row)
        )
    return tuple(sections)


def _line(row: Sequence[object]) -> str:
    """Return the row without the empty cells at its end, for example `2026-11-28 | 3.5 |  | yes`."""
    width = next((place for place in range(len(row), 0, -1) if row[place - 1] not in {"", None}), 0)
    cells = [_cell(value) for value in row[: min(width, MOST_COLUMNS)]]
    more = width - MOST_COLUMNS
    return CELLS.join(cells) + (f" … ({more} more columns)" if more > 0 else "")


def _cell(value: object) -> str:
    match value:
        case bool():
            return "TRUE" if value else "FALSE"
        case float() if value.is_integer():
            return str(int(value))
        case dt.datetime() if value.time() == dt.time():
            return value.date().isoformat()
        case dt.datetime():
            return value.isoformat(" ", "minutes")
        case dt.time():
            return value.isoformat("minutes")
        case _:
            return " ".join(str(value)[:_CELL_CHARACTERS].split())
