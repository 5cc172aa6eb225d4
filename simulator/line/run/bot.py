"""The bot of a run: started in namespaces or in a redirecting environment, and served until its end."""

import asyncio
import os
import signal
import socket
import sys
from asyncio.subprocess import Process
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import httpx2

from ..line_hosts import LINE_HOSTS
from ..servers import HttpServer, listening_socket
from ..standalone import Standalone
from . import environment
from .allowances import HTTPS_PORT, Allowance
from .certificates import Certificates
from .tunnels import Proxy, serve_tunnel

STOP_S: Final = 5
_READY: Final = b"ready"
_MESSAGE_BYTES: Final = 4_096
_ROOT: Final = Path(__file__).resolve().parents[str(__package__).count(".") + 1]
_SANDBOX: Final = (
    f"import sys; sys.path.insert(0, {str(_ROOT)!r}); from {__package__}.sandbox import main; main(sys.argv[1:])"
)


class NamespacesError(RuntimeError):
    """The machine refuses namespaces; the message names the refused operation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bot:
    """A bot's command and surroundings.  `folder` is for the files of the run."""

    server: Standalone
    command: Sequence[str]
    variables: Mapping[str, str]
    certificates: Certificates
    allowed: Sequence[Allowance]
    folder: Path

    async def start_in_namespaces(self, running: AsyncExitStack) -> Process:
        """Start the bot where LINE's names lead to the simulator.  Raises: NamespacesError."""
        if not sys.platform.startswith("linux"):
            raise NamespacesError("namespaces are a feature of Linux")
        hosts, addresses = self._hosts()
        (self.folder / "hosts").write_text(hosts, encoding="utf-8")
        control, sandbox_end = socket.socketpair()
        running.callback(control.close)
        relay_path = str(self.folder / "relay")
        inner_addresses = ",".join(f"{host}:{port}" for host, port in addresses)
        files = (str(self.folder / "hosts"), str(self.certificates.bundle))
        parameters = (str(sandbox_end.fileno()), *files, relay_path, inner_addresses, "--", *self.command)
        variables = environment.without_proxies(self.variables) | environment.trusting(
            self.variables, self.certificates
        )
        with sandbox_end:
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-c", _SANDBOX, *parameters, env=variables, pass_fds=[sandbox_end.fileno()]
            )
        message, handed_over = await asyncio.to_thread(_receive, control, len(addresses))
        if message != _READY:
            await process.wait()
            raise NamespacesError(message.decode(errors="replace") or "the process ended before it was ready")
        await self._serve(handed_over, running)
        for platform in self.server.platforms:
            transport = httpx2.AsyncHTTPTransport(uds=relay_path)
            platform.courier.client = httpx2.AsyncClient(transport=transport, trust_env=False, timeout=None)
        return process

    async def start_by_environment(self, running: AsyncExitStack) -> Process:
        """Start the bot in an environment that leads calls of LINE's hosts to the simulator."""
        line, proxy = listening_socket(0), listening_socket(0)
        running.callback(line.close)
        line_port, proxy_port = line.getsockname()[1], proxy.getsockname()[1]
        await self._serve_line(line, running)
        tunnel = await Proxy(line_port=line_port, allowed=self.allowed).serve(proxy)
        running.callback(tunnel.close)
        allowed = ",".join(to.host for to in self.allowed)
        trusting = {**self.variables, **environment.trusting(self.variables, self.certificates)}
        leading = environment.redirecting(trusting, proxy_port=proxy_port, line_port=line_port, allowed=allowed)
        variables = {**trusting, **leading}
        return await asyncio.create_subprocess_exec(*self.command, env=variables)

    def _hosts(self) -> tuple[str, list[tuple[str, int]]]:
        """Return the bot's hosts file, and the addresses to listen on; the first address is for LINE's hosts."""
        lines = ["127.0.0.1 localhost", f"127.0.0.1 {socket.gethostname()}", "::1 localhost"]
        lines += [f"127.0.0.1 {host}" for host in LINE_HOSTS]
        addresses = [("127.0.0.1", HTTPS_PORT)]
        addresses_by_host: dict[str, str] = {}
        for to in self.allowed:
            if to.is_local:
                addresses.append(("127.0.0.1", to.port))
                continue
            address = addresses_by_host.setdefault(to.host, f"127.0.1.{len(addresses_by_host) + 1}")
            addresses.append((address, to.port))
        lines += [f"{address} {host}" for host, address in addresses_by_host.items()]
        return "\n".join(lines) + "\n", addresses

    async def _serve(self, handed_over: Sequence[socket.socket], running: AsyncExitStack) -> None:
        line_socket, *tunnel_sockets = handed_over
        for sock in handed_over:
            running.callback(sock.close)
        await self._serve_line(line_socket, running)
        for sock, to in zip(tunnel_sockets, self.allowed, strict=True):
            tunnel = await serve_tunnel(sock, to)
            running.callback(tunnel.close)

    async def _serve_line(self, sock: socket.socket, running: AsyncExitStack) -> None:
        server = HttpServer(app=self.server.api, sock=sock, certificate=self.certificates.chain)
        await server.start()
        running.push_async_callback(server.stop)


async def wait_for(process: Process, stopping: asyncio.Event) -> int:
    """Wait until the bot ends, or end the bot.  Returns: the exit status by a shell's rules."""
    ended, stopped = asyncio.create_task(process.wait()), asyncio.create_task(stopping.wait())
    await asyncio.wait({ended, stopped}, return_when=asyncio.FIRST_COMPLETED)
    stopped.cancel()
    if not ended.done():
        for number in (signal.SIGTERM, signal.SIGKILL):
            with suppress(ProcessLookupError):
                process.send_signal(number)
            done, _ = await asyncio.wait({ended}, timeout=STOP_S)
            if done:
                break
    status = await ended
    return status if status >= 0 else 128 - status


def _receive(control: socket.socket, count: int) -> tuple[bytes, list[socket.socket]]:
    message, descriptors, _, _ = socket.recv_fds(control, _MESSAGE_BYTES, count)
    return message, [socket.socket(fileno=descriptor) for descriptor in descriptors]


def own_variables() -> dict[str, str]:
    """Return the environment of the command, inherited by the bot."""
    return dict(os.environ)  # noqa: TID251 - the command hands its environment on
