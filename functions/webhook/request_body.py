"""Reads a request's body with a limit and a deadline, so that a slow sender cannot occupy a thread.

gunicorn's threads read without a timeout, and the connection's next request starts only after the rest of an unread body.
Source: gunicorn 27, workers/gthread.py and http/parser.py; http/wsgi.py (`gunicorn.socket`).
"""

import contextlib
import io
import socket
import threading
import time
from collections.abc import Mapping
from typing import Any, Final, Protocol

READ_DEADLINE_S: Final = 2.0  # LINE itself gives up then.  Source: LINE, "Check webhook error statistics"
_LOOKS_EVERY_S: Final = 0.25
_PIECE_BYTES: Final = 65_536


class ByteStream(Protocol):
    """A request's body as a WSGI stream."""

    def read(self, size: int = -1, /) -> bytes:
        """Return up to `size` bytes, fewer only at the end."""
        ...


class RequestBody:
    """The body of one request.  `environ` is the WSGI environment; without `gunicorn.socket` there is no deadline."""

    def __init__(self, stream: ByteStream, environ: Mapping[str, Any], *, declared_bytes: int | None) -> None:
        self.declared_bytes = declared_bytes
        self.is_refused = False
        self._stream = stream
        self._socket: socket.socket | None = environ.get("gunicorn.socket")

    def read(self, at_most_bytes: int) -> bytes | None:
        """Return the body, or its first `at_most_bytes`; at the deadline, end the connection and return None."""
        if self._socket is None or is_buffered(self._stream, self.declared_bytes):
            return self._stream.read(at_most_bytes)
        watched = _DEADLINES.watch(self._socket)
        try:
            body = self._stream.read(at_most_bytes)
        except OSError:
            return None
        finally:
            was_in_time = _DEADLINES.forget(watched)
        return body if was_in_time else None

    def refuse(self) -> None:
        """Read nothing more of the body.  The connection ends after the answer, so the answer needs `Connection: close`."""
        self.is_refused = True
        if self._socket is not None:
            _end_reading(self._socket)


def is_buffered(stream: object, declared_bytes: int | None) -> bool:
    """Whether gunicorn has received the whole body together with the headers, so that no read of it waits.

    False also where the stream is none of gunicorn's, as another release may have it.  Source: gunicorn 27, http/body.py and
    http/unreader.py (`Body.reader`, `LengthReader.unreader`, `Unreader.buf`).
    """
    unreader = getattr(getattr(stream, "reader", None), "unreader", None)
    buffered = getattr(unreader, "buf", None)
    return (
        declared_bytes is not None
        and isinstance(buffered, io.BytesIO)
        and buffered.getbuffer().nbytes >= declared_bytes
    )


class _Deadlines:
    """Ends the reading of sockets after their deadlines, in one thread for all sockets."""

    def __init__(self) -> None:
        self._watched: dict[object, tuple[float, socket.socket]] = {}
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None

    def watch(self, sock: socket.socket) -> object:
        key = object()
        with self._changed:
            self._watched[key] = (time.monotonic() + READ_DEADLINE_S, sock)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="body-deadlines", daemon=True)
                self._thread.start()
            elif len(self._watched) == 1:
                self._changed.notify()
        return key

    def forget(self, key: object) -> bool:
        """Whether the deadline had not passed."""
        with self._changed:
            return self._watched.pop(key, None) is not None

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._watched:
                    self._changed.wait()
                now_s = time.monotonic()
                for key, (until_s, sock) in list(self._watched.items()):
                    if until_s <= now_s:
                        del self._watched[key]
                        _end_reading(sock)
            time.sleep(_LOOKS_EVERY_S)


def _end_reading(sock: socket.socket) -> None:
    """Receive up to 64 KiB first, because unread bytes would make the kernel reset the answer; then end every read."""
    with contextlib.suppress(OSError):  # nothing has arrived
        sock.recv(_PIECE_BYTES, socket.MSG_DONTWAIT)
    with contextlib.suppress(OSError):  # the sender has gone
        sock.shutdown(socket.SHUT_RD)


_DEADLINES: Final = _Deadlines()
