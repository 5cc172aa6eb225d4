"""Reads a file as text, by type.  Runs in a process of its own, because people may send files made to exhaust the reader."""

import re
import zoneinfo
from typing import Final

from shared.files.document import Document, Unread, UnreadableFileError, bounded, parts_of
from shared.files.file_types import CSV, DOCX, HTML, ICS, ODS, PPTX, XLS, XLSX

_WORKBOOKS: Final = frozenset({XLSX, XLS, ODS})
_BINARY: Final = (b"PK", b"\xd0\xcf\x11\xe0", b"\x09\x00", b"\x09\x02", b"\x09\x04", b"\x09\x08")
"""How workbooks begin: zip archives, compound files, and the streams of Excel 2 to 5.  Source: [MS-XLS] 2.4.21, BOF."""
_MARKUP: Final = re.compile(rb"(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?[\s\0]*<")
"""How HTML and XML begin, perhaps after a byte order mark, and in UTF-16."""


def read_document(
    data: bytes, content_type: str, *, locale: str, time_zone: zoneinfo.ZoneInfo, now_ms: int | None = None
) -> Document:
    """Return the document in a file; `content_type` is a type of FILE_TYPES.

    Encodings are tried in the order of the locale; times of a calendar are in the zone; `now_ms`: the present.
    A workbook that begins like HTML or text is read as
    HTML or CSV, for example an export named `.xls`. Raises: UnreadableFileError.
    """
    if not data.strip(b"\0 \t\r\n"):
        raise UnreadableFileError(Unread.EMPTY)
    if content_type in _WORKBOOKS and not data.startswith(_BINARY):
        content_type = HTML if _MARKUP.match(data) else CSV  # as do many exports named .xls
    if content_type in _WORKBOOKS:
        from shared.files.tables import read_workbook  # noqa: PLC0415 - each reader is imported only for its own files

        return read_workbook(data)
    if content_type in {DOCX, PPTX}:
        from shared.files.office_text import read_docx, read_pptx  # noqa: PLC0415 - likewise

        return read_docx(data) if content_type == DOCX else read_pptx(data)
    if content_type == HTML:
        from shared.files.web_page import read_html  # noqa: PLC0415 - likewise

        return bounded(parts_of(read_html(data, locale=locale)))
    from shared.files.encodings import decode  # noqa: PLC0415 - likewise

    text = decode(data, locale=locale)
    if content_type == CSV:
        from shared.files.tables import read_csv  # noqa: PLC0415 - likewise

        return read_csv(text)
    if content_type == ICS:
        from shared.files.calendar_file import read_ics  # noqa: PLC0415 - likewise

        return read_ics(text, time_zone=time_zone, now_ms=now_ms)
    return bounded(parts_of(text))
