"""The package of the LINE platform, built and installed where nothing else is, drives somebody's bot."""

import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from simulator.functions import REPOSITORY

EXAMPLE = REPOSITORY / "docs" / "line-simulator"
LIMIT_S = 600


def run(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run(  # the environment's own commands
        [str(part) for part in command], cwd=cwd, capture_output=True, text=True, timeout=LIMIT_S, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.package
def test_a_foreign_bot_is_driven_from_an_empty_environment(tmp_path: Path) -> None:
    run(
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--no-deps",
        "--wheel-dir",
        tmp_path,
        REPOSITORY / "simulator",
        cwd=tmp_path,
    )
    [wheel] = tmp_path.glob("aizuchi_line_simulator-*.whl")
    venv.create(tmp_path / "empty", with_pip=True)
    python = tmp_path / "empty" / "bin" / "python"

    run(python, "-m", "pip", "install", wheel, "line-bot-sdk", "pytest", cwd=tmp_path)
    installed = run(python, "-m", "pip", "list", "--format", "freeze", cwd=tmp_path).lower()
    example = shutil.copytree(EXAMPLE, tmp_path / "example")  # away from this project's settings of pytest
    told = run(python, "-m", "pytest", "-q", example, cwd=example)
    help_text = run(tmp_path / "empty" / "bin" / "line-simulator", "--help", cwd=tmp_path)

    assert "5 passed" in told
    assert "--webhook" in help_text
    assert not [name for name in ("google", "grpc", "flask", "notion", "playwright") if name in installed]
