"""`python -m benchmarks.load`: posts one request to each target repeatedly over persistent connections, in a separate process.

Reads a plan as JSON on stdin, `{"targets": {name: {"port", "pid", "request" (base64 of the whole HTTP request)}}, "rounds", "connections",
"requests"}`, and writes `{"rounds": [{name: {"latencies_ms": [...], "cpu_s": 0.2}}], "busy": 0.2}`. `busy` is the client's share of a core:
near 1, the client was the bottleneck. Targets take turns within a round, so that all of them meet the machine in the same state.
The client is one thread over raw sockets, because it shares the machine with the measured functions.
"""

import base64
import json
import selectors
import socket
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from benchmarks.samples import interleave
from benchmarks.usage import cpu_s

HOST: Final = "127.0.0.1"
_ANSWER_S: Final = 30.0
_CHUNK_BYTES: Final = 65_536


@dataclass(slots=True, kw_only=True)
class _Caller:
    """A connection with at most one open request."""

    sock: socket.socket
    request: bytes = field(repr=False)
    sent_s: float = 0.0
    received: bytearray = field(default_factory=bytearray, repr=False)

    def send(self) -> None:
        self.received.clear()
        self.sent_s = time.perf_counter()
        self.sock.sendall(self.request)

    def receive(self) -> bool:
        """Read the available bytes; return whether the answer is complete.  Raises: ConnectionError, if it is missing or not 2xx."""
        chunk = self.sock.recv(_CHUNK_BYTES)
        if not chunk:
            raise ConnectionError("the server hung up")
        self.received += chunk
        return is_complete(bytes(self.received))


def is_complete(received: bytes) -> bool:
    r"""Whether the bytes are a complete answer with a Content-Length.  Raises: ConnectionError, if the status is not 2xx.

    For example, `is_complete(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nOK")`.
    """
    head, separator, body = received.partition(b"\r\n\r\n")
    if not separator:
        return False
    status, *headers = head.split(b"\r\n")
    if not status.startswith(b"HTTP/1.1 2"):
        raise ConnectionError(f"the server answered {status.decode(errors='replace')}")
    fields = dict(header.lower().split(b":", 1) for header in headers)
    return len(body) >= int(fields.get(b"content-length", b"0"))


def drive(*, port: int, request: bytes, connections: int, requests: int) -> list[float]:
    """Return the latency of every request in milliseconds, without each connection's first request, a warm-up.

    A connection posts the next request after the answer to the previous one.
    Raises: OSError (ConnectionError, TimeoutError), if a request is not answered by 2xx.
    """
    latencies_ms: list[float] = []
    callers = [_Caller(sock=_connect(port), request=request) for _ in range(connections)]
    with selectors.DefaultSelector() as ready:
        try:
            for caller in callers:
                caller.send()
                while not caller.receive():
                    continue
                ready.register(caller.sock, selectors.EVENT_READ, caller)
            for caller in callers[:requests]:
                caller.send()
            unsent = requests - min(requests, connections)
            while len(latencies_ms) < requests:
                readable = ready.select(_ANSWER_S)
                if not readable:
                    raise TimeoutError(f"no answer within {_ANSWER_S:.0f} s")
                for key, _ in readable:
                    caller = key.data
                    if caller.receive():
                        latencies_ms.append((time.perf_counter() - caller.sent_s) * 1_000)
                        if unsent:
                            unsent -= 1
                            caller.send()
        finally:
            for caller in callers:
                caller.sock.close()
    return latencies_ms


def _connect(port: int) -> socket.socket:
    sock = socket.create_connection((HOST, port), timeout=_ANSWER_S)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return sock


def rounds_of(plan: Mapping[str, Any]) -> list[dict[str, dict[str, Any]]]:
    """Return for every round and target the latencies, and the CPU time of the target's process: None on a machine without the figure.

    Raises: OSError, as `drive`.
    """
    targets = plan["targets"]
    rounds: list[dict[str, dict[str, Any]]] = [{} for _ in range(plan["rounds"])]
    for number, name in interleave(tuple(targets), len(rounds)):
        target = targets[name]
        before_s = cpu_s(target["pid"])
        latencies_ms = drive(
            port=target["port"],
            request=base64.b64decode(target["request"]),
            connections=plan["connections"],
            requests=plan["requests"],
        )
        after_s = cpu_s(target["pid"])
        used_s = None if before_s is None or after_s is None else after_s - before_s
        rounds[number][name] = {"latencies_ms": latencies_ms, "cpu_s": used_s}
    return rounds


def _main() -> None:
    started_s, started_cpu_s = time.perf_counter(), time.process_time()
    try:
        rounds = rounds_of(json.load(sys.stdin))
    except OSError as cause:
        sys.exit(str(cause))
    busy = (time.process_time() - started_cpu_s) / (time.perf_counter() - started_s)
    json.dump({"rounds": rounds, "busy": busy}, sys.stdout)


if __name__ == "__main__":
    _main()
