"""A JSON file with a stand-in's state from run to run."""

import json
from pathlib import Path
from typing import Any


def write_json_file(path: Path, state: dict[str, Any]) -> None:
    """Replace the file at once: a reader gets the whole old state or the whole new state."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f"{path.name}.unfinished")
    unfinished.write_text(json.dumps(state, ensure_ascii=False, indent=1), encoding="utf-8")
    unfinished.replace(path)
