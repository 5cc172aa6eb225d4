"""Copies of the example bots with their tests: `line-simulator examples FOLDER`."""

import shutil
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parent / "example_bots"


def copy_examples(folder: Path) -> list[str]:
    """Copy the examples into the folder, which must not exist.  Returns: the copied files.  Raises: FileExistsError."""
    shutil.copytree(FOLDER, folder, ignore=shutil.ignore_patterns("__pycache__"))
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
