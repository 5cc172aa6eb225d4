"""Files as offices send them: written by each library's own writer, or by hand where no light one exists."""

import io
import zipfile
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import docx
import openpyxl
import xlwt

_CONTENT = "urn:oasis:names:tc:opendocument:xmlns"
_DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"
_SLIDES = "http://schemas.openxmlformats.org/presentationml/2006/main"
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
COMPOUND = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


class _Saved(Protocol):
    def save(self, stream: Any, /) -> object:  # noqa: ANN401 - each writer names its own type
        ...


def saved(document: _Saved) -> bytes:
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()


def archive(files: Mapping[str, str | bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as package:
        for name, content in files.items():
            package.writestr(name, content)
    return stream.getvalue()


def xlsx(sheets: Mapping[str, Sequence[Sequence[object]]], *, hidden: Collection[str] = ()) -> bytes:
    """Return a workbook with these sheets, of which some are `hidden`."""
    workbook = openpyxl.Workbook()
    workbook.remove(workbook.active)
    for name, rows in sheets.items():
        sheet = workbook.create_sheet(name)
        sheet.sheet_state = "hidden" if name in hidden else "visible"
        for row in rows:
            sheet.append(list(row))
    return saved(workbook)


def xls(sheets: Mapping[str, Sequence[Sequence[object]]]) -> bytes:
    workbook = xlwt.Workbook()
    for name, rows in sheets.items():
        sheet = workbook.add_sheet(name)
        for row_number, row in enumerate(rows):
            for column, value in enumerate(row):
                sheet.write(row_number, column, value)
    return saved(workbook)


def ods(sheets: Mapping[str, Sequence[Sequence[str]]], *, is_encrypted: bool = False) -> bytes:
    """Return a spreadsheet of texts.  Source: OpenDocument 1.3, 9.1."""
    tables = "".join(
        f'<table:table table:name="{name}">'
        + "".join(
            "<table:table-row>"
            + "".join(
                f'<table:table-cell office:value-type="string"><text:p>{cell}</text:p></table:table-cell>'
                for cell in row
            )
            + "</table:table-row>"
            for row in rows
        )
        + "</table:table>"
        for name, rows in sheets.items()
    )
    content = (
        f'<office:document-content xmlns:office="{_CONTENT}:office:1.0" xmlns:table="{_CONTENT}:table:1.0" '
        f'xmlns:text="{_CONTENT}:text:1.0"><office:body><office:spreadsheet>{tables}</office:spreadsheet></office:body>'
        "</office:document-content>"
    )
    encryption = "<manifest:encryption-data/>" if is_encrypted else ""
    manifest = (
        f'<manifest:manifest xmlns:manifest="{_CONTENT}:manifest:1.0">'
        f'<manifest:file-entry manifest:full-path="content.xml">{encryption}</manifest:file-entry></manifest:manifest>'
    )
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    return archive({"mimetype": kind, "content.xml": content, "META-INF/manifest.xml": manifest})


def word(*paragraphs: str, tables: Sequence[Sequence[Sequence[str]]] = (), on_new_page: Sequence[str] = ()) -> bytes:
    """Return a document: paragraphs, then tables; the paragraphs `on_new_page` begin one page each."""
    document = docx.Document()
    for paragraph in paragraphs:
        document.add_paragraph(paragraph)
    for paragraph in on_new_page:
        document.add_page_break()  # type: ignore[no-untyped-call]
        document.add_paragraph(paragraph)
    for rows in tables:
        table = document.add_table(len(rows), len(rows[0]))
        for row_number, row in enumerate(rows):
            for column, cell in enumerate(row):
                table.cell(row_number, column).text = cell
    return saved(document)


def word_xml(body: str) -> bytes:
    """Return a document of this body, in WordprocessingML."""
    return archive(word_parts(body))


def word_parts(body: str) -> Mapping[str, str]:
    """Return the part of a document of this body, by its name in the archive."""
    return {"word/document.xml": f'<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>'}


def numbered_word(*paragraphs: tuple[str, str], numbering: str, styles: str = "") -> bytes:
    """Return a document of paragraphs, each of its properties and its text, with these lists and styles in WordprocessingML."""
    body = "".join(
        f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>" for properties, text in paragraphs
    )
    lists = {"word/numbering.xml": f'<w:numbering xmlns:w="{WORD}">{numbering}</w:numbering>'}
    return archive({**word_parts(body), **lists, "word/styles.xml": f'<w:styles xmlns:w="{WORD}">{styles}</w:styles>'})


def renamed_word(*paragraphs: str) -> bytes:
    """Return a document whose body is `word/document2.xml`, as the package's own listing says; some programs write this name."""
    body = "".join(f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>" for text in paragraphs)
    (content,) = word_parts(body).values()
    listing = _relations({"rId1": ("officeDocument", "word/document2.xml")})
    return archive({"_rels/.rels": listing, "word/document2.xml": content})


def pptx(*slides: str, notes: Mapping[int, str] | None = None) -> bytes:
    """Return slides, each of one text, stored in the opposite order; `notes` are those of a slide by its number.

    Source: ECMA-376 part 1, 13.3.
    """
    count = len(slides)
    names = {number: f"slide{count + 1 - number}" for number in range(1, count + 1)}
    listed = "".join(f'<p:sldId id="{255 + number}" r:id="rId{number}"/>' for number in names)
    files = {
        "ppt/presentation.xml": f'<p:presentation xmlns:p="{_SLIDES}" xmlns:r="{_RELATIONS}">'
        f"<p:sldIdLst>{listed}</p:sldIdLst></p:presentation>",
        "ppt/_rels/presentation.xml.rels": _relations(
            {f"rId{number}": ("slide", f"slides/{name}.xml") for number, name in names.items()}
        ),
    }
    for number, name in names.items():
        files[f"ppt/slides/{name}.xml"] = _slide("sld", slides[number - 1])
        if notes and number in notes:
            files[f"ppt/slides/_rels/{name}.xml.rels"] = _relations(
                {"rId1": ("notesSlide", f"../notesSlides/{name}.xml")}
            )
            files[f"ppt/notesSlides/{name}.xml"] = _slide("notes", notes[number])
    return archive(files)


def _slide(element: str, text: str) -> str:
    return (
        f'<p:{element} xmlns:p="{_SLIDES}" xmlns:a="{_DRAWING}"><p:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody>'
        f"</p:{element}>"
    )


def _relations(targets: Mapping[str, tuple[str, str]]) -> str:
    rows = "".join(
        f'<Relationship Id="{name}" Type="{_RELATIONS}/{kind}" Target="{target}"/>'
        for name, (kind, target) in targets.items()
    )
    return f'<Relationships xmlns="{_PACKAGE}">{rows}</Relationships>'


def protected_office_file() -> bytes:
    """Return how a docx, xlsx or pptx behind a password looks.  Source: [MS-OFFCRYPTO] 2.3.4."""
    return COMPOUND + bytes(504) + "EncryptedPackage".encode("utf-16-le") + bytes(512)


def protected_pdf() -> bytes:
    """Return a PDF behind a password, encrypted by AES with 256 bits."""
    return (Path(__file__).parents[1] / "unit/shared/files/pdfs/qpdf-r6-user.pdf").read_bytes()


def calendar(*lines: str) -> bytes:
    return "\r\n".join(("BEGIN:VCALENDAR", "VERSION:2.0", *lines, "END:VCALENDAR", "")).encode()


def event(*lines: str) -> tuple[str, ...]:
    return ("BEGIN:VEVENT", *lines, "END:VEVENT")
