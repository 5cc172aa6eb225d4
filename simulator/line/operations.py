"""The table of LINE's operations in the package's README: `python -m simulator.line.operations` rewrites the table."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from .endpoints import ENDPOINTS, Endpoint
from .refused_endpoints import Refusal

README: Final = Path(__file__).parent / "README.md"
BEGIN: Final = "<!-- operations -->\n"
END: Final = "<!-- /operations -->\n"


def table() -> str:
    """Return the table as Markdown, by host and path, below a line with the counts."""
    rows = sorted(ENDPOINTS, key=lambda endpoint: (endpoint.host, endpoint.path, endpoint.method))
    modelled = sum(endpoint.is_modelled for endpoint in rows)
    head = f"{len(rows)} operations: {modelled} modelled, {len(rows) - modelled} answered by 501 after a check of the body."
    return "\n".join([head, "", "| operation | host | answer |", "|---|---|---|", *_rows(rows)]) + "\n"


def _rows(rows: list[Endpoint]) -> Iterator[str]:
    for endpoint in rows:
        refusal = endpoint.handler
        answer = f"501: {refusal.feature}" if isinstance(refusal, Refusal) else "modelled"
        yield f"| `{endpoint.method} {endpoint.path}` | {endpoint.host} | {answer} |"


def with_table(readme: str) -> str:
    """Return the README with the current table between the marks."""
    before, _, after_begin = readme.partition(BEGIN)
    _, _, after = after_begin.partition(END)
    return f"{before}{BEGIN}{table()}{END}{after}"


if __name__ == "__main__":
    README.write_text(with_table(README.read_text(encoding="utf-8")), encoding="utf-8")
