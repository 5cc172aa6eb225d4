"""A server in a separate thread, for synchronous tests."""

import asyncio
from threading import Thread
from types import TracebackType
from typing import Self

from ..standalone import Standalone, StandaloneSettings


class BackgroundServer:
    """A running server: `with BackgroundServer(StandaloneSettings(port=0)) as server`."""

    def __init__(self, settings: StandaloneSettings) -> None:
        self._settings = settings
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever, name="line-simulator", daemon=True)
        self._server: Standalone | None = None

    @property
    def url(self) -> str:
        """The address of the API and of the page."""
        return self._server.url if self._server else ""

    def __enter__(self) -> Self:
        self._thread.start()
        self._server = Standalone(self._settings)
        asyncio.run_coroutine_threadsafe(self._server.__aenter__(), self._loop).result()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._server is not None:
            asyncio.run_coroutine_threadsafe(self._server.__aexit__(kind, error, trace), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
