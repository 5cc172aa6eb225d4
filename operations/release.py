"""`python -m operations.release`: the files of a release in dist/: each function's package, its SBOM and its licences.

A package is the same, byte for byte, for the same commit. It holds what infra/terraform deploys.
"""

import re
import sys
import zipfile
from pathlib import Path
from typing import Final

from operations.bill_of_materials import components, licences, sbom

ROOT: Final = Path(__file__).parents[1]
FUNCTIONS: Final = ("agent_worker", "unsend", "webhook")
_FIXED_DATE: Final = (2049, 1, 1, 0, 0, 0)
_LEFT_OUT: Final = re.compile(
    r"(^|/)(\.|__pycache__/)|\.pyc$|(^|/)requirements\.in$"
)  # as in infra/terraform/packages.tf


def files_of(function: str) -> dict[str, Path]:
    """Return the files of a function's package, by their name in it."""
    own, common = ROOT / "functions" / function, (ROOT / "schemas", ROOT / "shared")
    found = {str(path.relative_to(own)): path for path in own.rglob("*")}
    found |= {str(path.relative_to(ROOT)): path for folder in common for path in folder.rglob("*")}
    return {name: path for name, path in sorted(found.items()) if path.is_file() and not _LEFT_OUT.search(name)}


def write_release(folder: Path, version: str) -> list[str]:
    """Write the files; return the packages whose licence is not known to be permissive."""
    folder.mkdir(parents=True, exist_ok=True)
    doubtful: set[str] = set()
    for function in FUNCTIONS:
        listed = components((ROOT / "functions" / function / "requirements.txt").read_text(encoding="utf-8"))
        doubtful |= {one.name for one in listed if one.licence and not one.is_permissive}
        (folder / f"{function}.cdx.json").write_text(sbom(f"aizuchi-{function}", version, listed), encoding="utf-8")
        (folder / f"{function}.licences.txt").write_text(licences(listed), encoding="utf-8")
        with zipfile.ZipFile(folder / f"{function}.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            for name, path in files_of(function).items():
                entry = zipfile.ZipInfo(name, _FIXED_DATE)
                entry.compress_type = zipfile.ZIP_DEFLATED
                entry.external_attr = 0o644 << 16
                archive.writestr(entry, path.read_bytes())
    return sorted(doubtful)


def main() -> None:
    """Write dist/; end with an error if a licence is in doubt."""
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    found = re.search(r"^## \[(\d[^]]*)\]", changelog, re.MULTILINE)
    doubtful = write_release(ROOT / "dist", found[1] if found else "unreleased")
    if doubtful:
        sys.exit(f"look at the licences of {', '.join(doubtful)}")


if __name__ == "__main__":
    main()
