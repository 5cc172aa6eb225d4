"""What each function may import, and what its requirements have to bring: each is started alone in a fresh interpreter."""

import ast
import json
import os
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
ENV = {
    **{name: value for name, value in os.environ.items() if name in {"PATH", "HOME", "LANG"}},  # noqa: TID251
    "PYTHONPATH": str(ROOT),
    "GOOGLE_CLOUD_PROJECT": "p",
    "EVENTS_TOPIC": "t",
    "LINE_CHANNEL_SECRET": "s",
    "PUBSUB_EMULATOR_HOST": "127.0.0.1:9",
    "HISTORY_BUCKET": "bucket",
    "STORAGE_EMULATOR_HOST": "http://127.0.0.1:9",
    "LINE_CHANNEL_ACCESS_TOKEN": "t",
    "LINE_API_BASE_URL": "http://127.0.0.1:9",
    "GEMINI_API_KEY": "k",
    "TOOLSETS": "notion,web",
    "NOTION_TOKEN": "t",
    "NOTION_DATABASES": '{"list": "248104cd477e80fdb757e945d38000bd"}',
    "NOTION_CONVERSATIONS": "*",
}
FUNCTIONS = ("webhook", "agent_worker", "unsend", "feeds")
ON_DEMAND = {
    "webhook": ("notify", "shared.adapters.form_body"),
    "agent_worker": (
        "shared.composition.presses",
        "shared.knowledge.front_matter",
        "shared.composition.hooks",
        "shared.hooks.prompt_block",
        "shared.adapters.cloud_trace",
        "shared.adapters.gcs_library",
        "shared.adapters.gemini_sdk",
        "shared.adapters.line_api",
        "shared.adapters.mcp_client",
        "shared.files.reading_process",
        "shared.line.markdown",
        "jsonschema",
        "shared.composition.calendars",
        "shared.files.coming_dates",
        "python_calamine",
        "charset_normalizer",
    ),
    "unsend": ("shared.adapters.gcs_library", "shared.knowledge.front_matter"),
    "feeds": ("shared.adapters.gcs_library",),
}
"""What a function imports when it first needs it."""
LOADER = """
import importlib, json, sys
from functions_framework import create_app
create_app(sys.argv[1], sys.argv[2])
for name in sys.argv[3:]:
    importlib.import_module(name)
files = {name: getattr(module, "__file__", None) or "" for name, module in list(sys.modules.items())}
print(json.dumps(files))
"""
COMPILERS = """
import json, re, sys
import regex
def recorded(compile_now, compilers):
    def compile_and_record(*pattern, **flags):
        compilers.add(sys._getframe(1).f_globals["__name__"])
        return compile_now(*pattern, **flags)
    return compile_and_record
compilers = set()
re.compile, regex.compile = recorded(re.compile, compilers), recorded(regex.compile, compilers)
from functions_framework import create_app
create_app(sys.argv[1], sys.argv[2])
print(json.dumps(sorted(compilers)))
"""
# Imported by google-api-core, pip's shims and httpx's command line only where they happen to be installed, as in a development environment
OPTIONAL = {"_distutils_hack", "grpc", "grpc_status", "pygments", "rich"}
OF_HOOKS = {
    "webhook": {"notify", "shared.adapters.form_body", "shared.hooks"},
    "agent_worker": {
        "shared.composition.hooks",
        "shared.handlers.hooks",
        "shared.hooks.delivery",
        "shared.hooks.showing",
    },
    "unsend": {"shared.handlers.hooks", "shared.hooks.arrival", "shared.hooks.delivery"},
    "feeds": {"shared.hooks"},
}
"""What only HOOKS=on needs: without it, neither a cold start nor the memory pays for hooks."""
HEAVY = (
    "linebot",
    "google.genai",
    "google.cloud.storage",
    "jsonschema",
    "msgspec",
    "pydantic",
    "regex",
    "httpx2",
    "aiohttp",
)


def loaded_by(function: str, *on_demand: str) -> dict[str, str]:
    """Return every module that the function imports when it starts, and when it first needs these, with its file."""
    found: dict[str, str] = started_with(LOADER, function, *on_demand)
    return found


def started_with(code: str, function: str, *arguments: str) -> Any:  # noqa: ANN401 - whatever the code prints as JSON
    """Return what the code prints, in an interpreter of its own."""
    ended = subprocess.run(
        [sys.executable, "-c", code, function, f"functions/{function}/main.py", *arguments],
        env=ENV,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return json.loads(ended.stdout.splitlines()[-1])


def brought_by(requirements: Path) -> set[str]:
    """Return the distributions that a requirements file installs, with all that they pull in."""
    lines = (line.split("#")[0].strip() for line in requirements.read_text(encoding="utf-8").splitlines())
    wanted = [Requirement(line) for line in lines if line]
    found: set[str] = set()
    while wanted:
        requirement = wanted.pop()
        name = canonical(requirement.name)
        if name in found:
            continue
        found.add(name)
        extras = requirement.extras or {""}
        for text in metadata.requires(name) or ():
            pulled = Requirement(text)
            if pulled.marker is None or any(pulled.marker.evaluate({"extra": extra}) for extra in extras):
                wanted.append(pulled)
    return found


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.fixture(scope="module", params=FUNCTIONS)
def used(request: pytest.FixtureRequest) -> tuple[str, dict[str, str]]:
    """Return a function and all that it ever imports."""
    return request.param, loaded_by(request.param, *ON_DEMAND[request.param])


@pytest.fixture(scope="module", params=FUNCTIONS)
def started(request: pytest.FixtureRequest) -> tuple[str, dict[str, str]]:
    return request.param, loaded_by(request.param)


def test_a_function_needs_only_its_own_requirements(used: tuple[str, dict[str, str]]) -> None:
    function, modules = used
    brought = brought_by(ROOT / "functions" / function / "requirements.in")
    owners = metadata.packages_distributions()
    site_packages = {name for name, file in modules.items() if "site-packages" in file and "." not in name}

    foreign = {
        name for name in site_packages if name in owners and not brought & {canonical(owner) for owner in owners[name]}
    }

    assert foreign - OPTIONAL == set()


def test_a_function_imports_everything_that_its_requirements_name(used: tuple[str, dict[str, str]]) -> None:
    function, modules = used
    owners = metadata.packages_distributions()
    imported = {canonical(owner) for name in modules for owner in owners.get(name.split(".")[0], ())}
    data_only = {"tzdata"}  # zoneinfo reads it where the machine has no time zones

    lines = (ROOT / "functions" / function / "requirements.in").read_text(encoding="utf-8").splitlines()
    named = {canonical(Requirement(line).name) for line in lines if line}

    assert named - imported - data_only == set()


def test_the_webhook_imports_nothing_heavy() -> None:
    modules = loaded_by("webhook")

    assert [name for name in HEAVY if name in modules] == []


def test_the_agent_worker_records_and_looks_without_what_answers_need() -> None:
    modules = loaded_by("agent_worker")

    assert [name for name in ("linebot", "jsonschema", "markdown_it", "mcp") if name in modules] == []


def test_the_agent_worker_starts_without_compiling_the_patterns_of_an_answer() -> None:
    compilers = started_with(COMPILERS, "agent_worker")

    assert "shared.late_patterns" not in compilers
    assert {"shared.agent.claim_words", "shared.agent.links", "shared.agent.said_times"}.isdisjoint(compilers)


def test_the_agent_worker_loads_no_reader_of_files() -> None:
    modules = loaded_by("agent_worker")
    readers = {"encodings", "office_text", "packages", "reading", "reading_process", "tables", "web_page"}

    assert sorted(name for name in modules if name.removeprefix("shared.files.") in readers and "." in name) == []
    assert "python_calamine" not in modules


OFF = (
    *("mcp", "icalendar", "python_calamine"),
    *("shared.adapters.mcp_client", "shared.adapters.ics", "shared.adapters.form_body"),
    *("shared.composition.hooks", "shared.hooks.prompt_block", "shared.hooks.delivery", "shared.handlers.hooks"),
    *(
        "shared.composition.calendars",
        "shared.calendars.rebuild",
        "shared.calendars.new_address",
        "shared.handlers.calendar",
    ),
    *("shared.knowledge.embeddings", "shared.knowledge.front_matter", "yaml"),
    *("shared.composition.presses", "shared.handlers.postback", "shared.handlers.vote_press"),
)
"""What serves notices, files, calendars, tool servers, embeddings, files of entries and presses only."""


def test_where_hooks_calendar_and_tool_servers_are_off_nothing_of_them_or_of_files_is_loaded() -> None:
    loaded = {function: loaded_by(function) for function in ("webhook", "agent_worker", "unsend")}

    assert {function: sorted(set(OFF) & modules.keys()) for function, modules in loaded.items()} == {
        "webhook": [],
        "agent_worker": [],
        "unsend": [],
    }


def test_the_unsend_function_imports_neither_a_model_nor_line() -> None:
    modules = loaded_by("unsend")

    assert [name for name in ("linebot", "google.genai", "google.pubsub_v1", "jsonschema") if name in modules] == []


def test_no_function_loads_what_makes_spans_unless_a_setting_asks_for_it(started: tuple[str, dict[str, str]]) -> None:
    function, modules = started
    makers = ("shared.adapters.cloud_trace", "opentelemetry.exporter.otlp", "opentelemetry.sdk.trace.export")

    assert [name for name in makers if name in modules] == []
    assert function != "webhook" or "shared.tracing" not in modules


def test_only_the_agent_worker_reads_languages(started: tuple[str, dict[str, str]]) -> None:
    function, modules = started

    assert ("shared.locales.language_file" in modules) is (function == "agent_worker")


def test_with_hooks_off_a_function_imports_nothing_of_them(started: tuple[str, dict[str, str]]) -> None:
    function, modules = started

    assert OF_HOOKS[function] & modules.keys() == set()


@pytest.mark.parametrize("function", ["webhook", "agent_worker", "unsend"])
def test_with_calendars_off_a_function_imports_no_calendar_library(function: str) -> None:
    modules = loaded_by(function)
    of_calendars = {"icalendar", "recurring_ical_events", "shared.calendars.rebuild", "shared.handlers.calendar"}

    assert of_calendars & modules.keys() == set()


def test_the_feeds_function_imports_neither_a_model_nor_line_nor_the_tools() -> None:
    modules = loaded_by("feeds")
    others = (
        "linebot",
        "google.genai",
        "google.pubsub_v1",
        "jsonschema",
        "shared.agent",
        "shared.tools",
        "shared.turns",
    )

    assert [name for name in others if name in modules] == []


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_use_case_imports_no_framework_and_no_sibling(function: str) -> None:
    folder = ROOT / "functions" / function
    for path in folder.glob("*.py"):
        imported = imports_of(path)
        siblings = {one.stem for one in folder.glob("*.py")}
        if path.stem == "main":
            assert imported <= {"gc", "os", "functions_framework", "flask", "shared.settings"} | siblings
        elif path.stem != "compose":  # the composition root knows them all
            assert not {name.split(".")[0] for name in imported} & {"os", "flask", "functions_framework", *siblings}
            assert not any(name.startswith("shared.adapters") for name in imported)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_an_entry_point_has_under_forty_lines(function: str) -> None:
    assert len((ROOT / "functions" / function / "main.py").read_text(encoding="utf-8").splitlines()) < 40


NAMED = (*ROOT.glob("functions/*/requirements.in"), *ROOT.glob("requirements/*.in"))
CONSTRAINTS = ROOT / "requirements" / "constraints.txt"


def test_versions_of_requirements_are_pinned() -> None:
    for path in (*NAMED, CONSTRAINTS):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line and not line.startswith(("#", "-r")):
                assert "==" in line, f"{path.name}: {line}"


@pytest.mark.parametrize("named", NAMED, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_what_is_installed_is_locked_by_version_and_hash(named: Path) -> None:
    locked = locked_in(named.with_suffix(".txt"))
    constraints = pins_of(CONSTRAINTS.read_text(encoding="utf-8"))

    assert all(locked.values()), "run `make lock`"
    versions = pins_of("\n".join(locked))
    assert pins_of(named.read_text(encoding="utf-8")).items() <= versions.items(), "run `make lock`"
    assert {name: constraints.get(name, version) for name, version in versions.items()} == versions, "run `make lock`"


def test_packages_are_installed_by_the_pinned_installer() -> None:
    pinned = pins_of((ROOT / "requirements" / "pip.in").read_text(encoding="utf-8"))

    assert {"pip": metadata.version("pip")} == pinned, "run `make clean`, then `make test`"


def test_classes_of_the_product_are_made_by_frozen() -> None:
    """`dataclass` with these arguments takes longer: a cold start makes hundreds of classes (`shared/frozen.py`)."""
    decorator = "@dataclass(frozen=True, slots=True, kw_only=True)\n"
    files = [path for folder in ("shared", "functions") for path in (ROOT / folder).rglob("*.py")]

    assert [str(path) for path in files if decorator in path.read_text(encoding="utf-8")] == []


def locked_in(path: Path) -> dict[str, int]:
    """Return the number of hashes of each requirement in a locked file."""
    entries = path.read_text(encoding="utf-8").replace("\\\n", "").splitlines()
    return {entry.split(" --hash")[0]: entry.count("--hash=sha256:") for entry in entries if not entry.startswith("#")}


def pins_of(text: str) -> dict[str, str]:
    lines = (line.split("#")[0].split(";")[0].strip() for line in text.splitlines())
    pins = (line.partition("==") for line in lines if "==" in line)
    return {canonical(name): version.strip() for name, _, version in pins}


def imports_of(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module or "")
    return found
