"""The README of the module, from its variables and outputs.  `python -m tests.infra.module_readme` (`make tf-docs`) writes it anew."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.infra.offline import ROOT

MODULE: Final = ROOT / "infra" / "terraform"
README: Final = MODULE / "README.md"
_BLOCK: Final = re.compile(r'^(variable|output) "(\w+)" \{\n(.*?)^\}$', re.MULTILINE | re.DOTALL)
_HEAD: Final = """# Aizuchi on Google Cloud

Everything that the bot needs: three functions, a topic, buckets, grants, alerts, a dashboard. [docs/deploy.md](../../docs/deploy.md) tells
how it is brought up, [examples/minimal](examples/minimal) and [examples/full](examples/full) how it is called.

This file is written by `make tf-docs`.
"""


def readme() -> str:
    """Return the text that the README has to have."""
    inputs = "".join(_input(name, body) for name, body in _blocks("variables.tf"))
    outputs = "".join(f"| `{name}` | {_description(body)} |\n" for name, body in _blocks("outputs.tf"))
    return (
        f"{_HEAD}\n## Inputs\n\n| name | description | default |\n|---|---|---|\n{inputs}"
        f"\n## Outputs\n\n| name | description |\n|---|---|\n{outputs}"
    )


def _blocks(file: str) -> Iterator[tuple[str, str]]:
    return ((name, body) for _, name, body in _BLOCK.findall((MODULE / file).read_text(encoding="utf-8")))


def _input(name: str, body: str) -> str:
    default = re.search(r"^  default +(?:= )(.*)$", body, re.MULTILINE)
    fields = re.findall(r"^    (\w+) += optional\((.+)\)$", body, re.MULTILINE)
    shown = "required" if default is None else f"`{default[1]}`"
    values = ((field, _default_in(arguments)) for field, arguments in fields)
    parts = "; ".join(f"`{field}` {_code(value)}" for field, value in values if value)
    return f"| `{name}` | {_description(body)} | {parts or shown} |\n"


def _default_in(arguments: str) -> str:
    """Return the second argument of `optional(type, default)`, whose type may be an object with defaults of its own; "" without one."""
    depth = 0
    for place, character in enumerate(arguments):
        depth += (character in "([{") - (character in ")]}")
        if character == "," and not depth:
            return arguments[place + 1 :].strip()
    return ""


def _description(body: str) -> str:
    found = re.search(r'^  description = "(.*)"$', body, re.MULTILINE)
    assert found is not None, body
    return found[1].replace('\\"', '"').replace("|", "\\|")


def _code(value: str) -> str:
    return f"`{value}`"


def main(path: Path = README) -> None:
    """Write the README."""
    path.write_text(readme(), encoding="utf-8")


if __name__ == "__main__":
    main()
