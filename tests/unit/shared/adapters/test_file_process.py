"""Files are read by a process of their own, which takes what a hostile file takes down with it."""

import socket
import zoneinfo
from collections.abc import Iterator
from dataclasses import replace

import openpyxl
import pytest

from shared.adapters.file_process import FileProcess
from shared.adapters.memory import FixedClock
from shared.agent.file_parts import READ_S
from shared.files.document import Document, Unread
from shared.files.file_types import CSV, DOCX, HTML, ICS, TEXT, XLSX
from tests.support.office_files import archive, calendar, event, saved, word, word_parts, xlsx


@pytest.fixture
def files() -> FileProcess:
    return FileProcess(locale="ja", time_zone=zoneinfo.ZoneInfo("Asia/Tokyo"))


@pytest.mark.parametrize(
    ("data", "content_type", "text"),
    [
        (xlsx({"売上": (("品名", "数"), ("りんご", 3))}), XLSX, "1: 品名 | 数\n2: りんご | 3"),
        (word("議事録"), DOCX, "議事録"),
        ("氏名,点\r\n".encode("cp932"), CSV, "1: 氏名 | 点"),
    ],
)
def test_a_process_reads_what_this_one_would(files: FileProcess, data: bytes, content_type: str, text: str) -> None:
    document = files.read(data, content_type, seconds=READ_S)

    assert isinstance(document, Document)
    assert document.text == text


def test_the_dates_of_a_calendar_are_those_after_the_present(files: FileProcess) -> None:
    lesson = calendar(*event("UID:x", "SUMMARY:Lesson", "DTSTART:20240104T090000Z", "RRULE:FREQ=WEEKLY"))
    at_noon = replace(files, clock=FixedClock(now_ms=1_795_662_000_000))  # 26 November 2026

    document = at_noon.read(lesson, ICS, seconds=READ_S)

    assert isinstance(document, Document)
    assert document.text.splitlines()[1] == "2026-11-26 18:00 | Lesson"


@pytest.mark.parametrize(("data", "why"), [(b"", Unread.EMPTY), (b"PK\x03\x04", Unread.DAMAGED)])
def test_the_reason_of_an_unread_file_is_passed_on(files: FileProcess, data: bytes, why: Unread) -> None:
    assert files.read(data, DOCX, seconds=READ_S) is why


@pytest.fixture
def internal() -> Iterator[socket.socket]:
    """A server in the operator's network, which nobody may call."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0)
        yield server


def referring_to(url: str) -> tuple[tuple[bytes, str], ...]:
    """Return files of five types that refer to the address in every way that their programs would follow."""
    page = (
        f'<base href="{url}"><link rel="stylesheet" href="{url}"><meta http-equiv="refresh" content="0;url={url}"><p>text</p>'
        f'<img src="{url}" alt="picture"><iframe src="{url}"></iframe><script src="{url}"></script><object data="{url}"></object>'
    )
    body = f'<!DOCTYPE w [<!ENTITY a SYSTEM "{url}">]><w><t>&a;</t></w>'
    relation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/attachedTemplate"
    relations = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        f'<Relationship Id="rId1" Type="{relation}" Target="{url}" TargetMode="External"/></Relationships>'
    )
    words = word_parts("<w:p><w:r><w:t>text</w:t></w:r></w:p>")
    invitation = event(
        "DTSTART:20261128T010000Z", "SUMMARY:text", f"ATTACH:{url}", f"URL:{url}", f"DTSTAMP;ALTREP={url}:x"
    )
    return (
        (page.encode(), HTML),
        (archive({**words, "word/_rels/document.xml.rels": relations}), DOCX),
        (archive({"word/document.xml": body}), DOCX),
        (xlsx({"A": ((f'=WEBSERVICE("{url}")', f'=HYPERLINK("{url}")', "text"),)}), XLSX),
        (calendar(*invitation), ICS),
    )


def test_nothing_that_a_file_refers_to_is_called(files: FileProcess, internal: socket.socket) -> None:
    host, port = internal.getsockname()

    read = [files.read(data, kind, seconds=READ_S) for data, kind in referring_to(f"http://{host}:{port}/secret")]

    assert [isinstance(one, Document) for one in read] == [True, True, False, True, True]
    with pytest.raises(BlockingIOError):  # no connection waits
        internal.accept()


@pytest.mark.parametrize("last", ["XFD1048576", "CV400000"])
def test_a_sheet_of_far_more_cells_than_memory_ends_only_its_reader(files: FileProcess, last: str) -> None:
    workbook = openpyxl.Workbook()
    sheet = workbook.active
    sheet["A1"], sheet[last] = "first", "last"

    assert files.read(saved(workbook), XLSX, seconds=READ_S) is Unread.TOO_LARGE
    assert isinstance(files.read(b"next", TEXT, seconds=READ_S), Document)


def test_a_file_for_which_no_time_is_left_may_be_read_another_time(files: FileProcess) -> None:
    assert files.read(b"text", TEXT, seconds=0) is None


def test_the_process_is_given_nothing_of_the_environment_but_where_python_is(files: FileProcess) -> None:
    assert set(files.environment) <= {"PYTHONPATH", "PYTHONHOME", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"}
