"""The memory of the functions' workers, compared with that of an empty function."""

from collections.abc import Mapping
from dataclasses import asdict

from benchmarks.samples import Comparison
from benchmarks.table import Row, Section, at_most
from benchmarks.usage import Memory

REQUESTS = 200
MemoryByFunction = Mapping[str, Mapping[str, Memory | None]]
"""By function, then by moment: `after its start`, `after 200 requests`."""

AFTER_START = "after its start"
AFTER_REQUESTS = f"after {REQUESTS} requests"


def section(memories: MemoryByFunction) -> Section:
    """Return the section, without rows on a machine without figures."""
    rows = [
        Row(
            label=f"{name}, {moment}",
            against="empty",
            unit="MB",
            comparison=Comparison.of([(function.pss_mb, empty.pss_mb)]),
            goal=at_most(80) if (name, moment) == ("agent_worker", AFTER_REQUESTS) else None,
        )
        for name, moments in memories.items()
        if name != "empty"
        for moment, function in moments.items()
        if function is not None and (empty := memories["empty"][moment]) is not None
    ]
    return Section(
        title="Memory of a function's worker process (proportional set size)",
        rows=rows,
        note="" if rows else "this machine does not report memory (no /proc)",
        samples={
            name: {moment: asdict(one) for moment, one in moments.items() if one is not None}
            for name, moments in memories.items()
        },
    )
