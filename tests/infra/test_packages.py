"""Each archive that would be deployed is unpacked alone, starts with only its own requirements, and answers."""

import hashlib
import re
import socket
import subprocess
import sys
import time
import venv
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest

from tests.infra.offline import BASE_ENV, ROOT, Plan, Terraform, TerraformOutcome
from tests.infra.planned import FUNCTIONS, environment_of

pytestmark = pytest.mark.terraform

ENVIRONMENTS = ROOT / ".terraform-tools" / "packages"
EMULATORS = {"PUBSUB_EMULATOR_HOST": "127.0.0.1:9", "STORAGE_EMULATOR_HOST": "http://127.0.0.1:9"}
START_S = 30.0
# The answers to a body without a signature, to a push without a token, and to a write, which show that the function was composed and works.
ANSWERS = {"webhook": 401, "agent_worker": 401, "unsend": 401, "feeds": 405}


@pytest.fixture(params=FUNCTIONS)
def package(request: pytest.FixtureRequest, terraform_packages: Path, tmp_path: Path) -> tuple[str, Path]:
    """Return a function and the folder of its unpacked archive."""
    with zipfile.ZipFile(terraform_packages / f"{request.param}.zip") as archive:
        archive.extractall(tmp_path)
    return request.param, tmp_path


@pytest.fixture(scope="session")
def terraform_packages(terraform: Terraform) -> Path:
    """Return the folder into which Terraform has written the archives."""
    planning = terraform.within("examples/minimal")
    got, planned = planning("get"), planning("test", "-no-color")
    assert (got.returncode, planned.returncode) == (0, 0), got.stderr + planned.stdout + planned.stderr
    return planning.folder / ".packages" / "aizuchi"


def python_with(requirements: Path) -> Path:
    """Return the Python of an environment with only these requirements, which is created once."""
    key = hashlib.sha256(requirements.read_bytes() + sys.version.encode()).hexdigest()[:16]
    folder = ENVIRONMENTS / key
    python = folder / "bin" / "python"
    installed = folder / "installed"
    if not installed.exists():
        venv.create(folder, with_pip=True, clear=True)
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        for file in (ROOT / "requirements" / "pip.txt", requirements):
            subprocess.run([*pip, "--requirement", str(file)], check=True, timeout=600)
        installed.touch()
    return python


@contextmanager
def serving(python: Path, function: str, folder: Path, env: dict[str, str]) -> Iterator[str]:
    """Serve the function on a free port, started as the platform does: from its own folder, without a PYTHONPATH."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    options = ["--target", function, "--host", "127.0.0.1", "--port", str(port)]
    command = [str(python.with_name("functions-framework")), *options]
    process = subprocess.Popen(
        command, cwd=folder, env={**BASE_ENV, **env}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    try:
        until_s = time.monotonic() + START_S
        while time.monotonic() < until_s and process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                time.sleep(0.05)
        if process.poll() is not None:
            raise AssertionError((process.stdout.read() if process.stdout else b"").decode())
        yield f"http://127.0.0.1:{port}/"
    finally:
        process.terminate()
        process.communicate(timeout=30)


def files_of(folder: Path) -> set[str]:
    """Return the files in a folder, by relative path, without compiled bytecode."""
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc"}


def test_an_unpacked_package_starts_with_terraforms_environment_and_answers(
    package: tuple[str, Path], full: Plan
) -> None:
    function, folder = package
    python = python_with(folder / "requirements.txt")

    with serving(python, function, folder, {**environment_of(full, function), **EMULATORS}) as url:
        answered = httpx2.post(url, content=b"hello", timeout=30)

    assert answered.status_code == ANSWERS[function], answered.text


def test_a_package_holds_only_the_function_and_common_folders(package: tuple[str, Path]) -> None:
    function, folder = package
    names = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    own = files_of(ROOT / "functions" / function) - {"requirements.in"}
    common = {f"{part}/{name}" for part in ("schemas", "shared") for name in files_of(ROOT / part)}

    assert names == own | common


def test_the_requirements_of_a_package_have_hashes(package: tuple[str, Path]) -> None:
    function, folder = package

    requirements = (folder / "requirements.txt").read_text(encoding="utf-8")

    assert requirements == (ROOT / "functions" / function / "requirements.txt").read_text(encoding="utf-8")
    assert requirements.count("==") <= requirements.count("--hash=sha256:")


def test_the_state_holds_no_line_of_a_source(outcome: TerraformOutcome) -> None:
    """Whoever applies locks, uploads and keeps the state each time; the code would make it ten times as large."""
    state = outcome.recorded["applied"]
    openings = {path: path.read_text(encoding="utf-8").partition("\n")[0] for path in ROOT.glob("shared/**/*.py")}

    assert '"output_path": "./.packages/aizuchi/webhook.zip"' in state
    assert [str(path) for path, line in openings.items() if len(line) > 20 and line.strip('"') in state] == []


def test_a_checkout_without_links_is_refused_with_what_to_do(terraform: Terraform) -> None:
    """As git makes it on Windows without the right to make links: a file that holds the link's target."""
    link = terraform.folder / "packages" / "webhook" / "shared"
    target = link.readlink()
    link.unlink()
    link.write_text(str(target), encoding="utf-8")

    example = terraform.within("examples/minimal")

    try:
        got, planned = example("get"), example("test", "-no-color")
    finally:
        link.unlink()
        link.symlink_to(target)

    assert (got.returncode, planned.returncode) == (0, 1)
    assert "git config core.symlinks true" in re.sub(r"[\s│]+", " ", planned.stdout + planned.stderr)
