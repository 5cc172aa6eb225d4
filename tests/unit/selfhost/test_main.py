"""What `python -m selfhost` prints where the data folder cannot be used."""

from pathlib import Path

import pytest

from selfhost.__main__ import main
from shared import logs

SETTINGS = {"LINE_CHANNEL_SECRET": "s", "LINE_CHANNEL_ACCESS_TOKEN": "t", "GEMINI_API_KEY": "k"}


def test_an_error_at_the_start_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "media").write_bytes(b"")  # no folder can be made there

    try:
        assert main(["invite"], SETTINGS) == 1
    finally:
        logs.configure()  # otherwise later logs go to the captured stderr of this test, which is closed

    assert capsys.readouterr().out == "error: a file of a medium cannot be written (File exists)\n"
