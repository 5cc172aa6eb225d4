"""The protocol's reference server, as `make run ARGS=--mcp` installs it."""

import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

from simulator.functions import REPOSITORY

_LOCKED: Final = REPOSITORY / "simulator" / "tool_servers"


def install_reference_server(folder: Path) -> Path:
    """Install the locked packages in the folder, and return the folder; the test fails without Node.js and npm."""
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        pytest.fail("the reference server needs Node.js and npm: on Debian, apt-get install nodejs npm")
    folder.mkdir(exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(_LOCKED / name, folder / name)
    subprocess.run([npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=folder, check=True)
    return folder
