"""`python -m operations.release` writes a release to dist/: its notes, and the package, SBOM and licences of each function.

Equal commits give equal packages, byte for byte. A package holds the files that infra/terraform deploys.
"""

import argparse
import re
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from operations.bill_of_materials import components, licences, sbom
from shared.version import version

ROOT: Final = Path(__file__).parents[1]
FUNCTIONS: Final = ("agent_worker", "feeds", "unsend", "webhook")
NOTES: Final = "RELEASE_NOTES.md"
_PROVIDERS: Final = ROOT / "infra" / "terraform" / ".terraform.lock.hcl"
_SECTION: Final = re.compile(r"^## \[([^]]+)\][^\n]*\n(.*?)(?=^## \[|\Z)", re.MULTILINE | re.DOTALL)
_FIXED_DATE: Final = (2049, 1, 1, 0, 0, 0)
_LEFT_OUT: Final = re.compile(
    r"(^|/)(\.|__pycache__/)|\.pyc$|(^|/)requirements\.in$"
)  # as in infra/terraform/packages.tf


class ReleaseError(Exception):
    """The repository is not ready for this release; the text says what to change."""


def files_of(function: str) -> dict[str, Path]:
    """Return the files of a function's package: `files_of("webhook")["main.py"] -> ROOT / "functions/webhook/main.py"`."""
    own, common = ROOT / "functions" / function, (ROOT / "schemas", ROOT / "shared")
    files = {str(path.relative_to(own)): path for path in own.rglob("*")}
    files |= {str(path.relative_to(ROOT)): path for folder in common for path in folder.rglob("*")}
    return {name: path for name, path in sorted(files.items()) if path.is_file() and not _LEFT_OUT.search(name)}


def write_release(folder: Path, version_written: str) -> list[str]:
    """Write the files; return the packages with a licence that is not known to be permissive."""
    folder.mkdir(parents=True, exist_ok=True)
    doubtful: set[str] = set()
    for function in FUNCTIONS:
        packages = components((ROOT / "functions" / function / "requirements.txt").read_text(encoding="utf-8"))
        doubtful |= {one.name for one in packages if one.licence and not one.is_permissive}
        (folder / f"{function}.cdx.json").write_text(
            sbom(f"aizuchi-{function}", version_written, packages), encoding="utf-8"
        )
        (folder / f"{function}.licences.txt").write_text(licences(packages), encoding="utf-8")
        with zipfile.ZipFile(folder / f"{function}.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            for name, path in files_of(function).items():
                entry = zipfile.ZipInfo(name, _FIXED_DATE)
                entry.compress_type = zipfile.ZIP_DEFLATED
                entry.external_attr = 0o644 << 16
                archive.writestr(entry, path.read_bytes())
    return sorted(doubtful)


def release_notes(changelog: str, version: str, *, is_final: bool = True) -> str:
    """Return the section of a version without its heading, for example `"The first release. …"` for `"0.1.0"`.

    Raises: ReleaseError, if there is no such section, or, of a final release, if changes are left under "Unreleased".
    """
    sections = {match[1]: match[2].strip() for match in _SECTION.finditer(changelog)}
    if is_final and sections.get("Unreleased"):
        raise ReleaseError("CHANGELOG.md has changes under [Unreleased]: move them under the version that is released")
    if not sections.get(version):
        raise ReleaseError(f"CHANGELOG.md has no section [{version}], the version of shared/VERSION")
    return f"{sections[version]}\n"


def main(arguments: Sequence[str] | None = None) -> None:
    """Write dist/; exit with an error if the tag is not that of the version, or if a licence is in doubt."""
    parser = argparse.ArgumentParser(prog="python -m operations.release", description=__doc__)
    parser.add_argument("--tag", help="the tag of a final release, for example v0.1.0; without it, a rehearsal")
    parser.add_argument("--to", type=Path, default=ROOT / "dist", help="the folder to write to")
    options = parser.parse_args(arguments)
    if options.tag not in {None, f"v{version()}"}:
        sys.exit(f"the tag {options.tag} is not that of shared/VERSION, {version()}")
    try:
        changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
        notes = release_notes(changelog, version(), is_final=options.tag is not None)
    except ReleaseError as error:
        sys.exit(str(error))
    doubtful = write_release(options.to, version())
    (options.to / NOTES).write_text(notes, encoding="utf-8")
    if _PROVIDERS.exists():
        (options.to / "terraform.lock.hcl").write_bytes(_PROVIDERS.read_bytes())
    if doubtful:
        sys.exit(f"look at the licences of {', '.join(doubtful)}")


if __name__ == "__main__":
    main()
