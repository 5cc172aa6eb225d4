"""The types of files that the reading process reads as text; the model reads PDF, pictures, voices and videos.

Source: IANA, "Media Types"; ECMA-376 part 1 (docx, xlsx, pptx); OASIS, OpenDocument 1.3 (ods).
"""

from collections.abc import Mapping
from typing import Final

_OPEN_XML: Final = "application/vnd.openxmlformats-officedocument"
DOCX: Final = f"{_OPEN_XML}.wordprocessingml.document"
XLSX: Final = f"{_OPEN_XML}.spreadsheetml.sheet"
PPTX: Final = f"{_OPEN_XML}.presentationml.presentation"
XLS: Final = "application/vnd.ms-excel"
ODS: Final = "application/vnd.oasis.opendocument.spreadsheet"
HTML: Final = "text/html"
CSV: Final = "text/csv"
ICS: Final = "text/calendar"
TEXT: Final = "text/plain"
PDF: Final = "application/pdf"
"""A type that the model reads, unless the file needs a password."""

FILE_TYPES: Final = frozenset({DOCX, XLSX, PPTX, XLS, ODS, HTML, CSV, ICS, TEXT})
_SAME_AS: Final[Mapping[str, str]] = {
    "application/vnd.ms-excel.sheet.macroenabled.12": XLSX,
    "application/vnd.ms-word.document.macroenabled.12": DOCX,
    "application/vnd.ms-powerpoint.presentation.macroenabled.12": PPTX,
    "application/xhtml+xml": HTML,
    "application/csv": CSV,
    "text/comma-separated-values": CSV,
    "text/tab-separated-values": CSV,
    "application/ics": ICS,
    "application/json": TEXT,
    "application/xml": TEXT,
    "application/yaml": TEXT,
}
# Suffixes that `mimetypes` does not know on every machine
_BY_SUFFIX: Final[Mapping[str, str]] = {
    ".csv": CSV,
    ".docm": DOCX,
    ".docx": DOCX,
    ".htm": HTML,
    ".html": HTML,
    ".ics": ICS,
    ".json": TEXT,
    ".log": TEXT,
    ".md": TEXT,
    ".ods": ODS,
    ".pptm": PPTX,
    ".pptx": PPTX,
    ".tsv": CSV,
    ".txt": TEXT,
    ".xls": XLS,
    ".xlsm": XLSX,
    ".xlsx": XLSX,
    ".xml": TEXT,
    ".yaml": TEXT,
    ".yml": TEXT,
}


def file_type(content_type: str) -> str | None:
    """Return the type of FILE_TYPES as which a content type is read; None if files of the type are not read.

    For example, `text/x-python` is read as `text/plain`, and `application/zip` is not read.
    """
    common_type = _SAME_AS.get(content_type, content_type)
    if common_type in FILE_TYPES:
        return common_type
    return TEXT if common_type.startswith("text/") else None


def type_of_suffix(suffix: str) -> str | None:
    """Return the type of files with the suffix: `type_of_suffix(".xlsx")` is XLSX; None for other suffixes."""
    return _BY_SUFFIX.get(suffix.lower())
