"""Files are read by a process of their own, which takes what a hostile file takes down with it."""

import zoneinfo
from dataclasses import replace

import openpyxl
import pytest

from shared.adapters.file_process import FileProcess
from shared.adapters.memory import FixedClock
from shared.agent.file_parts import READ_S
from shared.files.document import Document, Unread
from shared.files.file_types import CSV, DOCX, ICS, TEXT, XLSX
from tests.support.office_files import calendar, event, saved, word, xlsx


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
