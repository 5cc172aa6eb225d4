"""`python -m selfhost`: serve until Ctrl-C; `python -m selfhost COMMAND`: an operator's command."""

import asyncio
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from selfhost.control import commands_parser
from selfhost.env_file import with_env_file
from selfhost.operator import command, print_line
from selfhost.settings import serve_settings
from shared.errors import AizuchiError

SWITCH_INTERVAL_S: Final = 0.0005
"""How long a thread may keep the interpreter that another one waits for.

A turn waits some forty times for disk or network, and each time for the interpreter afterwards: at Python's 5 ms, with a hundred chats at
once, that adds up to most of what people wait for. Source: Python, `sys.setswitchinterval`.
"""


def main(arguments: Sequence[str], env: Mapping[str, str]) -> int:
    """Serve with the given environment and the file `.env`, or carry out a command.  Raises: SettingsError, DatabaseRefusedError."""
    options = commands_parser().parse_args(arguments)
    settings = serve_settings(with_env_file(env, Path(".env")))
    try:
        if options.command is not None:
            return command(settings, arguments)
        from selfhost.process import serve  # noqa: PLC0415 - a command needs no server and no worker

        sys.setswitchinterval(SWITCH_INTERVAL_S)
        asyncio.run(serve(settings, has_tunnel=options.tunnel is not None))
    except AizuchiError as cause:
        print_line(f"error: {cause}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], os.environ))  # noqa: TID251 - the only place that reads the environment
