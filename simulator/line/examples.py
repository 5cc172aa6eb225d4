"""Copies of the example bots with tests: `line-simulator examples FOLDER`."""

import shutil
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parent / "example_bots"


def copy_examples(folder: Path) -> list[str]:
    """Copy the examples into a new folder.  Returns: the copied files.  Raises: FileExistsError, if the folder exists."""
    shutil.copytree(FOLDER, folder, ignore=shutil.ignore_patterns("__pycache__"))
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
