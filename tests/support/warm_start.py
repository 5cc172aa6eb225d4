"""Starting Python programs warm: in a fork of a process that has already imported the large libraries, which takes seconds.

The fork imports the program itself from its files; tests/unit/test_architecture.py checks what may be imported.
"""

import asyncio
import multiprocessing
import os
import runpy
import sys
from collections.abc import Sequence
from multiprocessing.context import ForkServerProcess
from typing import Final

from simulator.processes import Child, Process

LIBRARIES: Final = (
    "flask",
    "frontmatter",
    "functions_framework",
    "functions_framework._cli",
    "google.cloud.storage",
    "google.genai",
    "google.pubsub_v1",
    "gunicorn.workers.gthread",
    "httpx",
    "httpx2",
    "jsonschema",
    "linebot.v3.messaging",
    "msgspec",
    "notion_client",
    "regex",
)
_forks = multiprocessing.get_context("forkserver")
_forks.set_forkserver_preload(list(LIBRARIES))


async def fork(child: Child) -> Process:
    """Run the child in a new session, as `python -m` does.  It replaces `simulator.processes.execute`."""
    python, option, module, *arguments = child.command
    assert (python, option) == (sys.executable, "-m")
    settings = (module, arguments, dict(child.env), str(child.cwd), str(child.log_path))
    process = _forks.Process(target=_run, args=settings, daemon=True)
    await asyncio.to_thread(process.start)
    return _ForkedProcess(process)


class _ForkedProcess:
    """A fork with the interface of an asyncio process."""

    def __init__(self, process: ForkServerProcess) -> None:
        self._process = process
        self._loop = asyncio.get_running_loop()
        self._ended: asyncio.Future[int] = self._loop.create_future()
        self._loop.add_reader(process.sentinel, self._end)
        assert process.pid is not None
        self.pid = process.pid

    @property
    def returncode(self) -> int | None:
        return self._ended.result() if self._ended.done() else None

    async def wait(self) -> int:
        return await asyncio.shield(self._ended)

    def terminate(self) -> None:
        self._process.terminate()

    def kill(self) -> None:
        self._process.kill()

    def _end(self) -> None:
        self._loop.remove_reader(self._process.sentinel)
        self._process.join()
        assert self._process.exitcode is not None
        self._ended.set_result(self._process.exitcode)


def _run(module: str, arguments: Sequence[str], env: dict[str, str], cwd: str, log_path: str) -> None:
    """Become `python -m module *arguments`."""
    os.setsid()
    nothing, log = os.open(os.devnull, os.O_RDONLY), os.open(log_path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    for source, target in ((nothing, 0), (log, 1), (log, 2)):
        os.dup2(source, target)
    os.environ.clear()  # noqa: TID251 - the environment of the fork
    os.environ.update(env)  # noqa: TID251 - likewise
    os.chdir(cwd)
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)
