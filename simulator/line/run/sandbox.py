"""The process of the bot, on Linux: enters new namespaces, hands the listening sockets over, and executes the command.

    python -m line_simulator.run.sandbox CONTROL_FD HOSTS_FILE BUNDLE RELAY_PATH LISTENERS -- COMMAND...

`LISTENERS` are addresses such as `127.0.0.1:443,127.0.0.2:5432`. A socket belongs to the network namespace of its creation, so the
simulator can serve sockets from inside. A second process, the relay, leads deliveries into the namespace.
Source: namespaces(7), user_namespaces(7), netdevice(7), unix(7).
"""

import ctypes
import fcntl
import os
import socket
import struct
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from .bundles import system_bundle
from .relay import relay

CLONE_NEWNS: Final = 0x0002_0000
CLONE_NEWUSER: Final = 0x1000_0000
CLONE_NEWNET: Final = 0x4000_0000
MS_BIND: Final = 0x1000
MS_REC: Final = 0x4000
MS_PRIVATE: Final = 0x4_0000
SIOCSIFFLAGS: Final = 0x8914
IFF_UP: Final = 0x1
NOT_FOUND: Final = 127
_READY: Final = b"ready"
_libc: Final = ctypes.CDLL(None, use_errno=True)


def enter_namespaces() -> None:
    """Leave the network and the mounts of the machine; root needs no user namespace.  Raises: OSError, if not allowed."""
    user_id, group_id = os.geteuid(), os.getegid()
    is_root = user_id == 0
    flags = CLONE_NEWNS | CLONE_NEWNET | (0 if is_root else CLONE_NEWUSER)
    _check(_libc.unshare(flags), "unshare")
    if not is_root:
        Path("/proc/self/setgroups").write_text("deny", encoding="ascii")
        Path("/proc/self/uid_map").write_text(f"{user_id} {user_id} 1", encoding="ascii")
        Path("/proc/self/gid_map").write_text(f"{group_id} {group_id} 1", encoding="ascii")
    _mount(None, "/", MS_REC | MS_PRIVATE)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, SIOCSIFFLAGS, struct.pack("16sH22x", b"lo", IFF_UP))


def replace_file(path: Path, by: Path) -> None:
    """Let the bot see another file at the path."""
    _mount(str(by), os.path.realpath(path), MS_BIND)


def listeners(addresses: Sequence[str]) -> list[socket.socket]:
    """Return sockets listening on the addresses: `listeners(["127.0.0.1:443", "127.0.0.2:5432"])` returns two."""
    sockets = []
    for address in addresses:
        host, _, port = address.rpartition(":")
        sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((host, int(port)))
        sock.listen(128)
        sockets.append(sock)
    return sockets


def main(arguments: Sequence[str]) -> None:
    """Become the bot.  After a failure, the control socket carries a text in place of the sockets."""
    separator = arguments.index("--")
    (control_fd, hosts, bundle, relay_path, addresses), command = arguments[:separator], arguments[separator + 1 :]
    control = socket.socket(fileno=int(control_fd))
    try:
        enter_namespaces()
        replace_file(Path("/etc/hosts"), Path(hosts))
        system = system_bundle()
        if system is not None:
            replace_file(system, Path(bundle))
        handed_over = listeners(addresses.split(","))
        inlet = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        inlet.bind(relay_path)
        inlet.listen(128)
    except OSError as error:
        control.sendall(f"{error}".encode())
        sys.exit(1)
    socket.send_fds(control, [_READY], [sock.fileno() for sock in handed_over])
    _start_relay(inlet, control, handed_over)
    for sock in (*handed_over, inlet, control):
        sock.close()
    try:
        os.execvp(command[0], list(command))  # noqa: S606 - the command of the person who runs it
    except OSError as error:
        sys.stderr.write(f"{command[0]}: {error.strerror}\n")
        os._exit(NOT_FOUND)


def _start_relay(inlet: socket.socket, control: socket.socket, sockets_to_close: Sequence[socket.socket]) -> None:
    """Start the relay as a process, not as a child of the bot."""
    first = os.fork()
    if first != 0:
        os.waitpid(first, 0)
        return
    if os.fork() == 0:
        for sock in sockets_to_close:
            sock.close()
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1):  # readers of the bot's output then see its end
            os.dup2(nowhere, stream)
        relay(inlet, control)
    os._exit(0)


def _mount(source: str | None, target: str, flags: int) -> None:
    encoded = source.encode() if source is not None else None
    _check(_libc.mount(encoded, target.encode(), None, flags, None), f"mount {target}")


def _check(result: int, operation: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{operation}: {os.strerror(number)}")


if __name__ == "__main__":
    main(sys.argv[1:])
