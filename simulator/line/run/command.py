"""The command `line-simulator run [OPTIONS] -- COMMAND`."""

import asyncio
import signal
import sys
from asyncio.subprocess import Process
from collections.abc import Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from ..line_hosts import LINE_HOSTS
from ..standalone import Standalone, StandaloneSettings
from .allowances import Allowance
from .bot import Bot, NamespacesError, own_variables, wait_for
from .certificates import issue_certificates
from .environment import secrets

_NOT_FOUND: Final = 127


async def run_bot(
    settings: StandaloneSettings, command: Sequence[str], allowed: Sequence[Allowance], *, uses_namespaces: bool
) -> int:
    """Run the bot along with the simulator.  Returns: the bot's exit status.  Raises: PortInUseError, RecordingError."""
    settings = replace(settings, allowed_hosts=(*settings.allowed_hosts, *LINE_HOSTS))
    with TemporaryDirectory(prefix="line-simulator-") as folder:
        async with AsyncExitStack() as running:
            server = await running.enter_async_context(Standalone(settings))
            variables = own_variables()
            channel_secrets = secrets(variables, secret=settings.channel_secret, token=settings.channel_access_token)
            bot = Bot(
                server=server,
                command=command,
                variables={**variables, **channel_secrets},
                certificates=issue_certificates(Path(folder)),
                allowed=allowed,
                folder=Path(folder),
            )
            try:
                process = await _start(bot, running, uses_namespaces=uses_namespaces)
            except OSError as error:
                sys.stderr.write(f"{command[0]}: {error.strerror}\n")
                return _NOT_FOUND
            sys.stderr.write(
                f"LINE stands in at {server.url} (open it in a browser); webhook: {settings.webhook_url}\n"
            )
            return await wait_for(process, _stopping())


async def _start(bot: Bot, running: AsyncExitStack, *, uses_namespaces: bool) -> Process:
    if uses_namespaces:
        try:
            return await bot.start_in_namespaces(running)
        except NamespacesError as error:
            sys.stderr.write(
                f"No namespaces ({error}): the bot is redirected by environment variables and name look-ups only.\n"
            )
    return await bot.start_by_environment(running)


def _stopping() -> asyncio.Event:
    """Return an event set by Ctrl-C and SIGTERM. Ctrl-C reaches the bot too; the bot has some seconds to end."""
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError):
            loop.add_signal_handler(number, stopping.set)
    return stopping
