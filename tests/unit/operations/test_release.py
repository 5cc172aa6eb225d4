import json
from pathlib import Path

import pytest

from operations.bill_of_materials import components
from operations.release import FUNCTIONS, ROOT, files_of, write_release


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
