"""The CPU time and memory of processes, such as gunicorn's worker of a function.

Linux only; on other systems every figure is None.
"""

import ctypes
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_PROC: Final = Path("/proc")


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """`rss_mb` counts shared pages in full; `pss_mb` divides each shared page by the number of its processes.

    For example, a page of 4 kB in two processes adds 4 kB to `rss_mb` of both, and 2 kB to `pss_mb` of both.
    """

    rss_mb: float
    pss_mb: float


def worker_pid(arbiter_pid: int) -> int | None:
    """Return gunicorn's worker, the only child of the arbiter; None without a child."""
    for stat in _PROC.glob("[0-9]*/stat"):
        try:
            # "pid (name) state ppid ...", where a name may hold spaces and parentheses
            parent = stat.read_text().rpartition(")")[2].split()[1]
        except OSError:  # the process has ended
            continue
        if int(parent) == arbiter_pid:
            return int(stat.parent.name)
    return None


def cpu_s(pid: int | None) -> float | None:
    """Return the CPU time of a process, ended threads included.  Source: clock_getcpuclockid(3)."""
    ask = getattr(ctypes.CDLL(None), "clock_getcpuclockid", None)
    if ask is None or pid is None:
        return None
    clock = ctypes.c_int()
    return None if ask(pid, ctypes.byref(clock)) else time.clock_gettime(clock.value)


def memory(pid: int | None) -> Memory | None:
    """Return the memory of a process.  Source: proc_pid_smaps(5), smaps_rollup."""
    try:
        rollup = (_PROC / str(pid) / "smaps_rollup").read_text()
    except OSError:
        return None
    sizes_kb = {line.split(":")[0]: int(line.split()[1]) for line in rollup.splitlines()[1:]}
    return Memory(rss_mb=sizes_kb["Rss"] / 1_024, pss_mb=sizes_kb["Pss"] / 1_024)


def reset_peak(pid: int | None) -> float | None:
    """Return the resident memory of a process in MB and restart `peak_mb`.  Source: proc_pid_clear_refs(5), value 5."""
    try:
        (_PROC / str(pid) / "clear_refs").write_text("5")
    except OSError:
        return None
    return peak_mb(pid)


def peak_mb(pid: int | None) -> float | None:
    """Return the largest resident memory of a process in MB.  Source: proc_pid_status(5), VmHWM."""
    try:
        status = (_PROC / str(pid) / "status").read_text()
    except OSError:
        return None
    sizes_kb = [int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM:")]
    return sizes_kb[0] / 1_024 if sizes_kb else None
