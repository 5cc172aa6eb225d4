"""Cloud Storage for contract tests: fake-gcs-server, the proxy in front of it, and a bucket for each test."""

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import TypeVar

import pytest
from google.cloud import storage

from simulator.line.servers import HttpServer
from simulator.processes import HOST, StackError, free_port, listening_socket
from simulator.storage import StorageProxy, StorageSwitches, create_bucket, storage_child
from tests.support.loop import LoopThread
from tests.support.serving import plain_http

PROJECT_ID = "contract"
PATIENCE_S = 10.0
_Made = TypeVar("_Made")


@dataclass(frozen=True, slots=True, kw_only=True)
class Emulator:
    """The address of Cloud Storage, and the proxy with its switches and faults."""

    url: str
    server_url: str
    proxy: StorageProxy
    _loop: LoopThread
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def new_bucket(self) -> str:
        name = f"bucket-{next(self._numbers)}"
        self._loop.run(create_bucket(self.url, name, project_id=PROJECT_ID))
        return name

    def call_in_environment(self, make: Callable[[], _Made]) -> _Made:
        """Return the result of `make`, called while the environment names the emulator."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("STORAGE_EMULATOR_HOST", self.url)
            return make()

    def overwrite(self, bucket: str, *names: str, data: bytes = b"{}") -> None:
        """Write the objects past the proxy, as another writer; can be called in the proxy's loop."""
        with plain_http(base_url=self.server_url) as http:
            for name in names:
                to = {"uploadType": "media", "name": name}
                http.post(f"/upload/storage/v1/b/{bucket}/o", params=to, content=data).raise_for_status()

    def reset(self) -> None:
        """Clear switches, faults and the log; objects stay."""
        self.proxy.faults.clear()
        self.proxy.switches = StorageSwitches()
        self.proxy.requests.clear()


def settle() -> None:
    """Wait for the threads in which the client library reads the bucket."""
    for thread in threading.enumerate():
        if "_background" in thread.name:
            thread.join(PATIENCE_S)


def close(client: storage.Client) -> None:
    """Close the connections of the client, after its threads have ended."""
    settle()
    client.close()  # type: ignore[no-untyped-call]


@contextmanager
def running_emulator(folder: Path) -> Iterator[Emulator]:
    """Run Cloud Storage until the end of the block.  Without a server the test is skipped, or fails in CI."""
    sock = listening_socket(0)
    port = free_port()
    proxy = StorageProxy(upstream_url=f"http://{HOST}:{port}", monotonic_s=time.monotonic)
    front = HttpServer(app=proxy.app, sock=sock)
    try:
        server = storage_child(
            port=port, public_address=f"{HOST}:{front.port}", folder=None, log_path=folder / "storage.log", env={}
        )
    except StackError as missing:
        sock.close()
        if "CI" in os.environ:  # noqa: TID251 - pytest passes no environment to fixtures
            pytest.fail(str(missing))
        pytest.skip(str(missing))
    with LoopThread() as loop:
        loop.run(front.start())
        loop.run(server.start())
        yield Emulator(url=f"http://{HOST}:{front.port}", server_url=server.url, proxy=proxy, _loop=loop)
        loop.run(front.stop())
        loop.run(proxy.close())
        loop.run(server.stop())
