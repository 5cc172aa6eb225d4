"""What a file `.env` says."""

from pathlib import Path

import pytest

from selfhost.env_file import parse_env, with_env_file
from shared.settings.reader import SettingsError


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("NAME=value", "value"),
        ("export NAME = value", "value"),
        ("NAME=value  # a comment", "value"),
        ("NAME=a#b", "a#b"),
        ("NAME=   # not set yet", ""),
        ("NAME=#", ""),
        ('NAME="a # b"  # a comment', "a # b"),
        ("NAME='a=\"b\"'", 'a="b"'),
        ('NAME="open', '"open'),
        ("NAME=", ""),
    ],
)
def test_a_line_sets_a_variable(line: str, value: str) -> None:
    assert parse_env(f"# first\n\n{line}\n", ".env") == {"NAME": value}


def test_a_line_that_sets_nothing_is_an_error_that_does_not_quote_it() -> None:
    with pytest.raises(SettingsError, match=r"^\.env, line 2: it must be NAME=value$"):
        parse_env("A=1\nsecret words\n", ".env")


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("A=file\nB=file\n", encoding="utf-8")

    assert with_env_file({"A": "env"}, tmp_path / ".env") == {"A": "env", "B": "file"}


def test_the_mark_of_a_windows_editor_is_no_part_of_the_first_name(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"\xef\xbb\xbfA=1\r\nB=2\r\n")

    assert with_env_file({}, tmp_path / ".env") == {"A": "1", "B": "2"}


def test_no_file_is_no_error(tmp_path: Path) -> None:
    assert with_env_file({"A": "env"}, tmp_path / ".env") == {"A": "env"}
