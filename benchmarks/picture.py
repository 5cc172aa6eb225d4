"""A picture of ten megabytes in a 1:1 chat: from LINE to the bucket and to the model, with the memory used meanwhile.

Each round has its own worker, because freed memory is not always returned. A first, small picture triggers the imports on demand.
"""

import asyncio
import json
from collections.abc import Sequence
from typing import Any, Final

from benchmarks import usage, wire
from benchmarks.chats import push
from benchmarks.plan import Plan
from benchmarks.processes import Processes, wiring
from benchmarks.samples import Comparison
from benchmarks.table import Row, Section, at_most
from shared.line.media_content import LARGEST_BYTES
from simulator.processes import Child

_SMALL_BYTES: Final = 1_000
_MB: Final = 1_000_000
_MIB: Final = 1_048_576
_COPIES: Final = at_most(2)


async def measure(processes: Processes, plan: Plan) -> Section:
    """Return the section, without rows on a machine without the peak memory of a process."""
    stand_ins = {
        "bucket": await processes.bucket(),
        "line": await processes.stand_in("line"),
        "gemini": await processes.stand_in("gemini"),
    }
    peaks_mb: list[float] = []
    took_ms: list[float] = []
    for _ in range(plan.pictures):
        worker = await processes.start(processes.function("agent_worker", wiring(stand_ins)))
        await push(worker, await _picture(stand_ins["line"], _SMALL_BYTES))
        large = await _picture(stand_ins["line"], LARGEST_BYTES)
        pid = usage.worker_pid(worker.pid)
        before_mb = usage.reset_peak(pid)
        took_ms.append(await push(worker, large) * 1_000)
        peak_mb = usage.peak_mb(pid)
        await processes.stop(worker)
        if before_mb is not None and peak_mb is not None:
            peaks_mb.append(peak_mb - before_mb)
    return _section(peaks_mb, took_ms)


async def _picture(line: Child, size_bytes: int) -> dict[str, Any]:
    """Send a picture to the bot; return the event."""
    body = json.dumps({"bytes": size_bytes}).encode()
    answer = await asyncio.to_thread(wire.send, line.port, "/bench/picture", body=body)
    event: dict[str, Any] = answer.json()
    return event


def _section(peaks_mb: Sequence[float], took_ms: Sequence[float]) -> Section:
    def row(label: str, unit: str, figures: Sequence[float]) -> Row:
        return Row(label=label, against="", unit=unit, comparison=Comparison.of([(one, 0.0) for one in figures]))

    rows = [row("wall time", "ms", took_ms)]
    if peaks_mb:
        rows.append(row("peak memory, beyond the memory before", "MB", peaks_mb))
        copies = Comparison.of([(one * _MIB / LARGEST_BYTES, 0.0) for one in peaks_mb])
        rows.append(Row(label="in sizes of the picture", against="", unit="", comparison=copies, goal=_COPIES))
    return Section(
        title=f"A picture of {LARGEST_BYTES / _MB:g} MB, push to acknowledgement",
        rows=rows,
        note="to the bucket, and inline to the model, a third larger in base64",
        samples={"peaks_mb": list(peaks_mb), "took_ms": list(took_ms)},
    )
