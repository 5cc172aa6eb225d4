"""One JSON file that holds the state of a stand-in from run to run."""

import json
from pathlib import Path
from typing import Any


def write_json_file(path: Path, state: dict[str, Any]) -> None:
    """Replace the file at once: a reader sees the old state or the new one, never a part of one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f"{path.name}.unfinished")
    unfinished.write_text(json.dumps(state, ensure_ascii=False, indent=1), encoding="utf-8")
    unfinished.replace(path)
