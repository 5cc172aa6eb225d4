"""What the model is shown of files of public formats, and what is told of those that cannot be read.

Each row of `SHOWN` (`tests/support/public_files.py`) is a file and what is read of it; each row of `UNREAD` a file and why nothing is.
"""

import contextlib
import io
import random
import zipfile
from pathlib import Path
from typing import Final

import pytest

from shared.files.document import MOST_CHARACTERS, Document, Unread, UnreadableFileError
from shared.files.file_types import CSV, DOCX, FILE_TYPES, HTML, ICS, ODS, PPTX, TEXT, XLS, XLSX
from shared.files.reading import read_document
from tests.support.office_files import (
    COMPOUND,
    archive,
    calendar,
    ods,
    pptx,
    protected_office_file,
    word,
    word_xml,
    xlsx,
)
from tests.support.public_files import SALES, SHOWN, TOKYO, table

FILES_PAGE: Final = Path(__file__).parents[4] / "docs" / "files.md"


def bomb() -> bytes:
    """Return an archive of 200 KB that holds a document of 201 MB."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as package, package.open("word/document.xml", "w") as file:
        for _ in range(201):
            file.write(bytes(1_000_000))
    return stream.getvalue()


BOMB: Final = bomb()
ENTITIES: Final = (
    '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">'
    + "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 10)).replace("&a0;", "&a;")
    + "]><x>&a9;</x>"
)
OUTSIDE: Final = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><x>&a;</x>'
UNREAD: Final[tuple[tuple[str, bytes, str, Unread], ...]] = (
    ("nothing", b"", TEXT, Unread.EMPTY),
    ("spaces", b" \r\n\t", TEXT, Unread.EMPTY),
    ("a workbook without a cell", xlsx({"A": ()}), XLSX, Unread.EMPTY),
    ("a document without a word", word(), DOCX, Unread.EMPTY),
    ("a page without a word", b"<html><script>x</script></html>", HTML, Unread.EMPTY),
    ("a calendar without an event", calendar(), ICS, Unread.EMPTY),
    ("docx behind a password", protected_office_file(), DOCX, Unread.PROTECTED),
    ("xlsx behind a password", protected_office_file(), XLSX, Unread.PROTECTED),
    ("ods behind a password", ods({"A": (("x",),)}, is_encrypted=True), ODS, Unread.PROTECTED),
    ("a compound file that is no workbook", COMPOUND + bytes(600), XLS, Unread.DAMAGED),
    ("doc by the name of docx", COMPOUND + bytes(600), DOCX, Unread.DAMAGED),
    ("half an archive", word("x")[:2_000], DOCX, Unread.DAMAGED),
    ("half a workbook", xlsx({"A": (("x",),)})[:2_000], XLSX, Unread.DAMAGED),
    ("an archive without a document", archive({"a.txt": "x"}), DOCX, Unread.DAMAGED),
    ("bytes that are no text", bytes(range(256)) * 8, TEXT, Unread.DAMAGED),
    ("XML cut off", archive({"word/document.xml": "<a><b>"}), DOCX, Unread.DAMAGED),
    ("XML of entities of entities", archive({"word/document.xml": ENTITIES}), DOCX, Unread.DAMAGED),
    ("XML with a file of the machine", archive({"word/document.xml": OUTSIDE}), DOCX, Unread.DAMAGED),
    ("XML of 100,000 levels", archive({"word/document.xml": "<a>" * 100_000 + "</a>" * 100_000}), DOCX, Unread.DAMAGED),
    ("an archive of 201 MB in 200 KB", BOMB, DOCX, Unread.TOO_LARGE),
    ("the same by the name of a workbook", BOMB, XLSX, Unread.TOO_LARGE),
    ("an archive of 6,000 files", archive({str(number): b"" for number in range(6_000)}), DOCX, Unread.TOO_LARGE),
)  # fmt: skip


def read(data: bytes, content_type: str) -> Document:
    return read_document(data, content_type, locale="ja", time_zone=TOKYO)


@pytest.mark.parametrize(("data", "content_type", "text"), [row[1:] for row in SHOWN], ids=[row[0] for row in SHOWN])
def test_a_file_is_shown_as_text(data: bytes, content_type: str, text: str) -> None:
    assert read(data, content_type).text == text


def test_forty_files_of_nine_types_are_read_and_stand_on_the_page_of_files() -> None:
    assert len(SHOWN) >= 40
    assert {kind for _, _, kind, _ in SHOWN} == FILE_TYPES
    assert table() in FILES_PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize(("data", "content_type", "why"), [row[1:] for row in UNREAD], ids=[row[0] for row in UNREAD])
def test_a_file_that_cannot_be_read_has_a_reason(data: bytes, content_type: str, why: Unread) -> None:
    with pytest.raises(UnreadableFileError) as caught:
        read(data, content_type)

    assert caught.value.reason is why


def test_sections_are_numbered_as_people_name_them() -> None:
    pages = read(word("one", on_new_page=["two"]), DOCX).sections
    slides = read(pptx("one", "two"), PPTX).sections
    sheets = read(xlsx({"売上": SALES, "費用": SALES}), XLSX).sections

    assert [(section.kind, section.number, section.text) for section in pages] == [
        ("page", 1, "one"),
        ("page", 2, "two"),
    ]
    assert [(section.kind, section.number) for section in slides] == [("slide", 1), ("slide", 2)]
    assert [(section.number, section.title, section.first_row, section.last_row) for section in sheets] == [
        (1, "売上", 1, 3),
        (2, "費用", 1, 3),
    ]


def test_a_break_that_was_set_and_found_again_is_one_page() -> None:
    body = (
        '<w:p><w:r><w:t>one</w:t></w:r><w:r><w:br w:type="page"/></w:r></w:p>'
        "<w:p><w:r><w:lastRenderedPageBreak/><w:t>two</w:t></w:r></w:p>"
        "<w:p><w:r><w:t>end of two</w:t></w:r><w:r><w:lastRenderedPageBreak/><w:t>three</w:t></w:r></w:p>"
    )

    assert [section.text for section in read(word_xml(body), DOCX).sections] == ["one", "two\nend of two", "three"]


def test_the_number_that_a_slide_shows_of_itself_is_no_word_of_it() -> None:
    number = '<a:fld type="slidenum"><a:rPr/><a:t>3</a:t></a:fld>'
    plain = zipfile.ZipFile(io.BytesIO(pptx("Plan", notes={1: "NUMBER"})))
    files = {name: plain.read(name).decode() for name in plain.namelist()}

    numbered = archive({name: text.replace("<a:r><a:t>NUMBER</a:t></a:r>", number) for name, text in files.items()})

    assert read(numbered, PPTX).text == "Plan"


def test_hidden_sheets_are_counted_behind_those_that_people_see() -> None:
    sheets = read(xlsx({"master": SALES, "売上": SALES, "費用": SALES}, hidden=["master"]), XLSX).sections

    assert [(section.number, section.title) for section in sheets] == [(1, "売上"), (2, "費用"), (3, "master (hidden)")]


def test_a_row_of_ten_thousand_columns_is_cut_and_says_so() -> None:
    document = read(xlsx({"A": (range(10_000),)}), XLSX)

    assert document.text.endswith("98 | 99 … (9900 more columns)")


def test_long_tables_are_divided_by_rows_and_bounded() -> None:
    rows = "\n".join(f"{number},{'x' * 500}" for number in range(2_000))

    document = read(rows.encode(), CSV)

    assert document.is_cut
    assert len(document.text) <= MOST_CHARACTERS + len(document.sections)
    assert [(section.first_row, section.last_row) for section in document.sections[:2]] == [(1, 100), (101, 200)]


def test_a_cell_that_no_csv_reader_takes_is_shown_as_a_line() -> None:
    document = read(b'a,b\n"' + b"x" * 200_000, CSV)

    assert document.text.startswith("1: a,b\n2: ")


def test_the_scripts_of_a_page_are_never_shown_and_its_depth_does_not_matter() -> None:
    page = b"<div>" * 100_000 + b"deep<script>steal()</script><iframe>frame</iframe><noscript>off</noscript>"

    assert read(page, HTML).text == "deep"


@pytest.mark.parametrize(("data", "content_type"), [row[1:3] for row in SHOWN], ids=[row[0] for row in SHOWN])
def test_a_file_with_damaged_bytes_is_read_or_refused(data: bytes, content_type: str) -> None:
    rng = random.Random(content_type + str(len(data)))
    for _ in range(12):
        damaged = bytearray(data)
        for _ in range(rng.randint(1, 8)):
            damaged[rng.randrange(len(damaged))] = rng.randrange(256)
        with contextlib.suppress(UnreadableFileError):
            assert read(
                bytes(damaged[: rng.choice((len(damaged), rng.randrange(1, len(damaged) + 1)))]), content_type
            ).sections
