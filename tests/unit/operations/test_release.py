import json
from pathlib import Path

import pytest

from operations.bill_of_materials import components
from operations.release import FUNCTIONS, NOTES, ROOT, ReleaseError, files_of, main, release_notes, write_release

CHANGELOG = """# Changelog

## [Unreleased]

## [1.2.0] - 2026-12-01

Cards.

### Answers
- Faster.

## [1.1.0] - 2026-11-28
- Older.
"""


def test_a_release_has_a_package_a_bill_and_the_licences_of_each_function(tmp_path: Path) -> None:
    doubtful = write_release(tmp_path, "1.2.3")

    assert doubtful == []
    endings = ("cdx.json", "licences.txt", "zip")
    assert {path.name for path in tmp_path.iterdir()} == {f"{one}.{end}" for one in FUNCTIONS for end in endings}


def test_a_release_is_the_same_byte_for_byte(tmp_path: Path) -> None:
    write_release(tmp_path / "a", "1.2.3")
    write_release(tmp_path / "b", "1.2.3")

    for path in (tmp_path / "a").iterdir():
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes()


def test_the_bill_lists_every_locked_package_with_its_hashes(tmp_path: Path) -> None:
    write_release(tmp_path, "1.2.3")

    bill = json.loads((tmp_path / "webhook.cdx.json").read_text())
    listed = components((ROOT / "functions" / "webhook" / "requirements.txt").read_text())
    assert bill["components"][0]["purl"] == "pkg:pypi/anyio@4.16.0"
    assert [len(one["externalReferences"]) for one in bill["components"]] == [len(one.hashes) for one in listed]
    assert all(one.hashes for one in listed)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_no_locked_package_is_missing_from_the_bill(function: str) -> None:
    lines = (ROOT / "functions" / function / "requirements.txt").read_text().splitlines()
    pinned = [line for line in lines if line and not line.startswith((" ", "#"))]

    listed = [one.name for one in components("\n".join(lines))]
    assert len(set(listed)) == len(listed)
    assert set(listed) == {line.partition("==")[0].partition("[")[0] for line in pinned}


def test_a_package_holds_the_function_at_its_root_and_no_list_of_names() -> None:
    names = files_of("webhook")

    assert {"main.py", "requirements.txt", "shared/logs.py"} <= names.keys()
    assert not [name for name in names if name.endswith((".pyc", "requirements.in"))]


def test_the_notes_of_a_release_are_its_section_of_the_changelog() -> None:
    assert release_notes(CHANGELOG, "1.2.0") == "Cards.\n\n### Answers\n- Faster.\n"
    assert release_notes(CHANGELOG, "1.1.0") == "- Older.\n"


def test_a_release_without_a_section_is_refused() -> None:
    with pytest.raises(ReleaseError, match=r"no section \[2.0.0\]"):
        release_notes(CHANGELOG, "2.0.0")


def test_a_release_is_refused_while_changes_are_unreleased() -> None:
    with pytest.raises(ReleaseError, match="Unreleased"):
        release_notes(CHANGELOG.replace("## [Unreleased]\n", "## [Unreleased]\n- Newer.\n"), "1.2.0")


def test_a_rehearsal_may_leave_changes_unreleased() -> None:
    unreleased = CHANGELOG.replace("## [Unreleased]\n", "## [Unreleased]\n- Newer.\n")

    assert release_notes(unreleased, "1.1.0", is_final=False) == "- Older.\n"


def test_a_tag_of_another_version_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"v9\.9\.9"):
        main(["--tag", "v9.9.9", "--to", str(tmp_path / "dist")])

    assert not (tmp_path / "dist").exists()


def test_the_present_release_is_written_with_its_notes(tmp_path: Path) -> None:
    main(["--to", str(tmp_path)])

    assert (tmp_path / NOTES).read_text(encoding="utf-8").strip()
    assert {f"{function}.zip" for function in FUNCTIONS} <= {path.name for path in tmp_path.iterdir()}
    assert files_of("webhook").keys() >= {"shared/VERSION"}
