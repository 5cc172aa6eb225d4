"""`python -m operations.release` writes a release to dist/: the package, SBOM and licences of each function.

Equal commits give equal packages, byte for byte. A package holds the files that infra/terraform deploys.
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
    """Return the files of a function's package: `files_of("webhook")["main.py"] -> ROOT / "functions/webhook/main.py"`."""
    own, common = ROOT / "functions" / function, (ROOT / "schemas", ROOT / "shared")
    files = {str(path.relative_to(own)): path for path in own.rglob("*")}
    files |= {str(path.relative_to(ROOT)): path for folder in common for path in folder.rglob("*")}
    return {name: path for name, path in sorted(files.items()) if path.is_file() and not _LEFT_OUT.search(name)}


def write_release(folder: Path, version: str) -> list[str]:
    """Write the files; return the packages with a licence that is not known to be permissive."""
    folder.mkdir(parents=True, exist_ok=True)
    doubtful: set[str] = set()
    for function in FUNCTIONS:
        packages = components((ROOT / "functions" / function / "requirements.txt").read_text(encoding="utf-8"))
        doubtful |= {one.name for one in packages if one.licence and not one.is_permissive}
        (folder / f"{function}.cdx.json").write_text(sbom(f"aizuchi-{function}", version, packages), encoding="utf-8")
        (folder / f"{function}.licences.txt").write_text(licences(packages), encoding="utf-8")
        with zipfile.ZipFile(folder / f"{function}.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            for name, path in files_of(function).items():
                entry = zipfile.ZipInfo(name, _FIXED_DATE)
                entry.compress_type = zipfile.ZIP_DEFLATED
                entry.external_attr = 0o644 << 16
                archive.writestr(entry, path.read_bytes())
    return sorted(doubtful)


def main() -> None:
    """Write dist/; exit with an error if a licence is in doubt."""
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    release_heading = re.search(r"^## \[(\d[^]]*)\]", changelog, re.MULTILINE)
    doubtful = write_release(ROOT / "dist", release_heading[1] if release_heading else "unreleased")
    if doubtful:
        sys.exit(f"look at the licences of {', '.join(doubtful)}")


if __name__ == "__main__":
    main()
