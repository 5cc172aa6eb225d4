"""The processes of a run: stand-ins, the real functions, and functions for comparison.  `Processes` starts and ends all of them."""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, Literal, Self

from simulator.functions import HISTORY_BUCKET, PROJECT_ID, REPOSITORY, Wiring, function_child
from simulator.processes import HOST, Child, free_port
from simulator.stack import CHANNEL_ACCESS_TOKEN, CHANNEL_SECRET
from simulator.storage import create_bucket, storage_child

Comparison = Literal["empty", "floor"]
INHERITED_VARIABLES: Final = (
    "PATH",
    "HOME",
    "LANG",
    "LC_ALL",
    "TMPDIR",
    "VIRTUAL_ENV",
    "SYSTEMROOT",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
)
_NO_LIMITS = {f"LIMIT_{limit}": "0" for limit in ("TURNS_PER_CHAT_DAY", "TOKENS_PER_CHAT_DAY", "TOKENS_PER_DAY")}
"""A chat that was built has had hundreds of turns today."""


@dataclass(slots=True, kw_only=True)
class Processes:
    """`async with Processes(...)`: at the end of the block, every process started inside is stopped by id.

    `env` holds the variables for every process; logs go into `folder`.
    """

    folder: Path
    env: Mapping[str, str] = field(repr=False)
    _running: AsyncExitStack = field(default_factory=AsyncExitStack)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._running.aclose()

    async def start(self, child: Child) -> Child:
        """Start the process and wait for an open port.  Raises: StackError."""
        try:
            await child.start()
        except BaseException:
            await child.stop()
            raise
        self._running.push_async_callback(self.stop, child)
        return child

    async def stop(self, *children: Child) -> None:
        """Stop the processes before the end of the block.  Repeated: does nothing."""
        await asyncio.gather(*(child.stop() for child in children))
        for child in children:
            end_group(child.pid)

    async def stand_in(self, name: str, *more: str) -> Child:
        """Start and return a stand-in, for example `stand_in("gemini", "--latency-s", "0.5")`; `benchmarks.stand_ins` lists the names."""
        port = free_port()
        command = [sys.executable, "-m", "benchmarks.stand_ins", name, "--port", str(port), *more]
        return await self.start(
            Child(name=name, command=command, port=port, log_path=self._log(name), env=self.env, cwd=REPOSITORY)
        )

    async def bucket(self) -> Child:
        """Start and return Cloud Storage with an empty bucket in memory."""
        port = free_port()
        storage = await self.start(
            storage_child(
                port=port, public_address=f"{HOST}:{port}", folder=None, log_path=self._log("storage"), env=self.env
            )
        )
        await create_bucket(storage.url, HISTORY_BUCKET, project_id=PROJECT_ID)
        return storage

    def function(self, name: str, wiring: Wiring) -> Child:
        """Return a real function, not started."""
        return function_child(name, wiring, port=free_port(), log_path=self._log(name), env=self.env)

    def comparison(self, name: Comparison, like: Child, *, published_attributes: str) -> Child:
        """Return a function that starts exactly like `like` and differs only in its code; the function is not started yet."""
        port = free_port()
        changed = {"--source": f"benchmarks/functions/{name}/main.py", "--target": name, "--port": str(port)}
        command = list(like.command)
        for option, value in changed.items():
            command[command.index(option) + 1] = value
        env = {**like.env, "PUBLISHED_ATTRIBUTES": published_attributes}
        return replace(like, name=name, command=command, port=port, log_path=self._log(name), env=env)

    def _log(self, name: str) -> Path:
        return self.folder / f"{name}.log"


def end_group(pid: int) -> None:
    """Kill the rest of a process's session, because a worker may outlive its arbiter.  Repeated: does nothing."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)


def wiring(stand_ins: Mapping[str, Child], **more_env: str) -> Wiring:
    """Return the variables leading functions to the stand-ins `pubsub`, `bucket`, `line` and `gemini`; unused ones may be missing."""

    def url(name: str) -> str:
        return stand_ins[name].url if name in stand_ins else ""

    return Wiring(
        channel_secret=CHANNEL_SECRET,
        channel_access_token=CHANNEL_ACCESS_TOKEN,
        gemini_api_key="stand-in",
        line_url=url("line"),
        pubsub_host=url("pubsub").removeprefix("http://"),
        storage_url=url("bucket"),
        gemini_base_url=url("gemini"),
        more_env={**_NO_LIMITS, **more_env},
    )
