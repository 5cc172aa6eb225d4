"""The file `.env`: each line sets a variable, `NAME=value`; `#` begins a comment; a value may be quoted."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from shared.settings.reader import SettingsError

_LINE: Final = re.compile(r"(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)")


def with_env_file(env: Mapping[str, str], path: Path) -> dict[str, str]:
    """Return the environment, plus the variables that only the file sets.  Without a file: the environment.

    Raises: SettingsError, if a line cannot be read; the error does not quote the line.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")  # Windows' editors put a mark before the first line
    except FileNotFoundError:
        return dict(env)
    except (OSError, ValueError) as cause:
        raise SettingsError(f"{path} cannot be read ({type(cause).__name__})") from cause
    return {**parse_env(text, path.name), **env}


def parse_env(text: str, file: str) -> dict[str, str]:
    """Return the variables: `parse_env('BOT_NAME="Momo"  # a comment', ".env") -> {"BOT_NAME": "Momo"}`.  Raises: SettingsError."""
    variables = {}
    for number, line in enumerate(text.splitlines(), start=1):
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            continue
        assignment = _LINE.fullmatch(stripped)
        if assignment is None:
            raise SettingsError(f"{file}, line {number}: it must be NAME=value")
        variables[assignment[1]] = _value(assignment[2])
    return variables


def _value(text: str) -> str:
    if text[:1] in {"'", '"'}:
        end = text.find(text[0], 1)
        if end > 0:
            return text[1:end]
    return re.split(r"(?:^|\s+)#", text, maxsplit=1)[0].strip()
