from collections.abc import Iterator
from pathlib import Path

import pytest

from operations.export_file import ExportFileError, exports_in, read_lines, write_export


def test_what_was_written_is_read(tmp_path: Path) -> None:
    file = tmp_path / "chat.jsonl"

    write_export(file, ["{}", '"one line, with a separator: \u2028"'])

    assert list(exports_in(read_lines(file))) == [["{}\n", '"one line, with a separator: \u2028"\n']]
    assert file.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("cause", [KeyboardInterrupt, ValueError])
def test_an_interrupted_export_leaves_no_file(tmp_path: Path, cause: type[BaseException]) -> None:
    def lines() -> Iterator[str]:
        yield "{}"
        raise cause

    with pytest.raises(cause):
        write_export(tmp_path / "chat.jsonl", lines())

    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_one_clear_error_and_leaves_no_file(tmp_path: Path) -> None:
    def lines() -> Iterator[str]:
        yield "{}"
        raise OSError(28, "No space left on device")

    with pytest.raises(ExportFileError, match=r"cannot write .*chat\.jsonl: No space left on device"):
        write_export(tmp_path / "chat.jsonl", lines())

    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_there_stays(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.write_text("kept", encoding="utf-8")

    with pytest.raises(ExportFileError, match="cannot write"):
        write_export(kept, [])

    assert kept.read_text(encoding="utf-8") == "kept"


@pytest.mark.parametrize("name", ["missing", "."])
def test_a_file_that_cannot_be_read_is_one_clear_error(tmp_path: Path, name: str) -> None:
    with pytest.raises(ExportFileError, match="cannot read"):
        list(exports_in(read_lines(tmp_path / name)))


def test_a_file_that_is_no_text_is_no_export(tmp_path: Path) -> None:
    (tmp_path / "picture").write_bytes(b"\xff\xd8\xff")

    with pytest.raises(ExportFileError, match="is no export"):
        list(exports_in(read_lines(tmp_path / "picture")))


def test_exports_that_stand_one_behind_the_other_are_told_apart(tmp_path: Path) -> None:
    lines = ['{"exported_ms": 1}\n', '{"name": "a"}\n', '{"exported_ms": 2}\n', '{"name": "b"}\n']
    (tmp_path / "all").write_text("".join(lines), encoding="utf-8")

    assert list(exports_in(read_lines(tmp_path / "all"))) == [lines[:2], lines[2:]]


def test_an_empty_file_is_one_export_without_a_date(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()

    assert list(exports_in(read_lines(tmp_path / "empty"))) == [[""]]
