"""A quick tunnel of cloudflared: needs no account, starts and ends with the process, and has a new address after each start.

Source: Cloudflare, "Quick Tunnels": `cloudflared tunnel --url http://localhost:8080` prints, on stderr, a random subdomain of
trycloudflare.com; `--no-autoupdate` and `--config`: "Tunnel run parameters".
"""

import os
import re
import shutil
import subprocess
import threading
from collections.abc import Callable, Sequence
from typing import Final, TextIO, cast

from shared import logs
from shared.settings.reader import SettingsError

CLOUDFLARED: Final = "cloudflared"
_ADDRESS: Final = re.compile(r"https://[a-z0-9]+(?:-[a-z0-9]+)+\.trycloudflare\.com")  # not api.trycloudflare.com
_WHERE: Final = "https://developers.cloudflare.com/cloudflare-one/connections/connect-networks/downloads/"
_PAUSES_S: Final = (1.0, 5.0, 30.0, 120.0)
_STOP_S: Final = 5.0
_LINE_CHARACTERS: Final = 10_000


class Tunnel:
    """Runs cloudflared, restarts the program when it ends, and calls `opened` with each address, for example "https://a-b.trycloudflare.com"."""

    def __init__(
        self,
        port: int,
        opened: Callable[[str], None],
        *,
        report: Callable[[str], None],
        pauses_s: Sequence[float] = _PAUSES_S,
    ) -> None:
        """`pauses_s` precede the restarts.  Raises: SettingsError, if cloudflared is not installed."""
        program = shutil.which(CLOUDFLARED)
        if program is None:
            raise SettingsError(f"{CLOUDFLARED} is not installed; {_WHERE}")
        # An empty settings file: a named tunnel in the user's own file would replace the quick tunnel.
        self._command = (
            program,
            "tunnel",
            "--config",
            os.devnull,
            "--no-autoupdate",
            "--url",
            f"http://127.0.0.1:{port}",
        )
        self._opened = opened
        self._report = report
        self._pauses_s = pauses_s
        self._stopping = threading.Event()
        self._starting = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._thread = threading.Thread(target=self._run, name="tunnel", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """End cloudflared, after 5 s by force."""
        self._stopping.set()
        with self._starting:
            process = self._process
        if process is not None:
            process.terminate()
            try:
                process.wait(_STOP_S)
            except subprocess.TimeoutExpired:
                process.kill()
        self._thread.join(_STOP_S)

    def _run(self) -> None:
        ends = 0
        while not self._stopping.is_set():
            if self._run_once():
                ends = 0
            if self._stopping.is_set():
                return
            pause_s = self._pauses_s[min(ends, len(self._pauses_s) - 1)]
            self._report(f"{CLOUDFLARED} has ended; it is started again in {pause_s:g} s")
            self._stopping.wait(pause_s)
            ends += 1

    def _run_once(self) -> bool:
        """Run cloudflared to its end; return whether the tunnel got an address."""
        with self._starting:
            if self._stopping.is_set():
                return False
            try:
                self._process = subprocess.Popen(  # noqa: S603 - a fixed program and fixed arguments
                    self._command,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.PIPE,
                    text=True,
                    encoding="utf-8",
                    errors="replace",
                    env={"PATH": os.defpath},  # no secrets
                    start_new_session=True,  # Ctrl-C ends this process first, which ends the program
                )
            except OSError as cause:
                logs.error("tunnel_failed", cause=cause)
                return False
        address = None
        with self._process as process:
            output = cast("TextIO", process.stderr)  # a pipe, by `stderr=`
            while line := output.readline(_LINE_CHARACTERS):  # to its end, else the program would wait for a reader
                matched = _ADDRESS.search(line)
                if matched and matched[0] != address:
                    address = matched[0]
                    self._opened(address)
        return address is not None
