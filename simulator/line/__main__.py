"""`line-simulator`, in the checkout `python -m simulator.line`: a local stand-in of LINE for any bot.  Ctrl-C stops the server.

`line-simulator run -- COMMAND` runs an unmodified bot along with the server, for example `line-simulator run -- python bot.py`.
`line-simulator examples FOLDER` copies two bots with tests.
"""

import argparse
import asyncio
import logging
import signal
import sys
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from .channel_settings import DEFAULT_CHANNEL_ID, ChannelsError, ChannelSettings, read_channels
from .control.recording import RecordingError
from .examples import copy_examples
from .run.allowances import allowance
from .run.command import run_bot
from .servers import LOOPBACK, PortInUseError
from .standalone import DEFAULT_SECRET, DEFAULT_TOKEN, DEFAULT_WEBHOOK, Standalone, StandaloneSettings
from .version import __version__

PEOPLE_MOST: Final = 100_000
_WARNING = """\
Warning: {host} is open to other machines. Anyone on the network can read the chats and act in them.
Use --host only for bots in containers, on a network that you trust.
"""


def main(arguments: Sequence[str]) -> int:
    """Run until Ctrl-C or the end of the bot, or copy the examples.  Returns the exit status."""
    match list(arguments):
        case ["examples", folder]:
            return _copy_examples(Path(folder))
        case ["run", *rest]:
            return _run_with_bot(rest)
    return _until_the_end(_parser().parse_args(arguments), _run)


def _run_with_bot(arguments: Sequence[str]) -> int:
    parser = _parser()
    parser.prog, parser.usage = "line-simulator run", "line-simulator run [options] -- COMMAND..."
    parser.add_argument(
        "--allow",
        action="append",
        default=[],
        type=allowance,
        metavar="HOST[:PORT]",
        help="a further host that the bot may reach, e.g. api.openai.com or localhost:5432",
    )
    parser.add_argument(
        "--no-namespaces",
        action="store_true",
        help="redirect the bot by environment variables only, as on macOS and Windows",
    )
    separator = arguments.index("--") if "--" in arguments else len(arguments)
    options, command = parser.parse_args(arguments[:separator]), arguments[separator + 1 :]
    if not command:
        parser.error("a command is missing: line-simulator run -- python bot.py")
    uses_namespaces = not options.no_namespaces
    return _until_the_end(
        options, lambda settings: run_bot(settings, command, options.allow, uses_namespaces=uses_namespaces)
    )


def _until_the_end(options: argparse.Namespace, run: Callable[[StandaloneSettings], Coroutine[Any, Any, int]]) -> int:
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    try:
        settings = _settings(options)
        if settings.host not in {LOOPBACK, "localhost"}:
            sys.stderr.write(_WARNING.format(host=settings.host))
        return asyncio.run(run(settings))
    except (ChannelsError, PortInUseError, RecordingError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    except KeyboardInterrupt:
        return 0


def _settings(options: argparse.Namespace) -> StandaloneSettings:
    first, *more = read_channels(options.channels) if options.channels else [_channel(options)]
    return StandaloneSettings(
        webhook_url=first.webhook_url,
        channel_secret=first.channel_secret,
        channel_access_token=first.channel_access_token,
        channel_id=first.channel_id,
        bot_name=first.bot_name,
        more_channels=tuple(more),
        people=options.people,
        is_strict=options.strict,
        is_verified=options.verified,
        keeps_webhook=options.keep_webhook,
        host=options.host,
        port=options.port,
        allowed_hosts=tuple(options.allow_host),
        folder=options.data,
        seed_chat=options.seed_chat,
        first_person=options.person,
    )


def _copy_examples(folder: Path) -> int:
    try:
        copied = copy_examples(folder)
    except FileExistsError:
        sys.stderr.write(f"{folder} exists already\n")
        return 1
    sys.stdout.write("".join(f"{folder / name}\n" for name in copied))
    return 0


def run() -> None:
    """Run with the arguments of the command line, and exit."""
    sys.exit(main(sys.argv[1:]))


async def _run(settings: StandaloneSettings) -> int:
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for stop_signal in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError):  # on Windows Ctrl-C is a KeyboardInterrupt
            loop.add_signal_handler(stop_signal, stopping.set)
    async with Standalone(settings) as server:
        for url, platform in zip(server.urls, server.platforms, strict=True):
            webhook = platform.courier.webhook_url
            sys.stdout.write(f"LINE stands in at {url} (open it in a browser); webhook: {webhook}; Ctrl-C stops it\n")
        sys.stdout.flush()
        await stopping.wait()
    return 0


def _channel(options: argparse.Namespace) -> ChannelSettings:
    return ChannelSettings(
        webhook_url=options.webhook,
        channel_secret=options.secret,
        channel_access_token=options.token,
        channel_id=options.channel_id,
        bot_name=options.name,
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="line-simulator",
        description="A local stand-in of LINE's Messaging API for any bot, with a page in place of the phone. Not a product of LINE.",
        epilog="`line-simulator examples FOLDER` copies two example bots with their tests. "
        "The page says which address, secret and token to set in the bot, for each of LINE's SDKs.",
    )
    parser.add_argument("--version", action="version", version=f"line-simulator {__version__}")
    parser.add_argument(
        "--webhook", default=DEFAULT_WEBHOOK, metavar="URL", help="the bot's webhook (default: %(default)s)"
    )
    parser.add_argument("--secret", default=DEFAULT_SECRET, help="channel secret (default: %(default)s)")
    parser.add_argument("--token", default=DEFAULT_TOKEN, help="channel access token (default: %(default)s)")
    parser.add_argument(
        "--channel-id", default=DEFAULT_CHANNEL_ID, metavar="ID", help="the channel's id (default: %(default)s)"
    )
    parser.add_argument(
        "--channels",
        type=Path,
        metavar="FILE",
        help="several channels instead: a JSON list of {name, channel_id, secret, token, webhook}; their pages are on the next ports",
    )
    parser.add_argument(
        "--keep-webhook",
        action="store_true",
        help="accept another webhook from the bot, but go on delivering to --webhook",
    )
    parser.add_argument(
        "--verified", action="store_true", help="a verified account: followers and members can be listed"
    )
    parser.add_argument(
        "--strict", action="store_true", help="refuse http:// media and webhooks of this machine, as LINE does"
    )
    parser.add_argument(
        "--people",
        type=_count,
        default=1,
        metavar="N",
        help="number of people at the start (default: %(default)s)",
    )
    parser.add_argument(
        "--port", type=int, default=8080, help="port of the page and of LINE's API (default: %(default)s)"
    )
    parser.add_argument(
        "--host", default=LOOPBACK, help="address to listen on; 0.0.0.0 for bots in containers (default: %(default)s)"
    )
    parser.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="NAME",
        help="a further host name of this machine",
    )
    parser.add_argument(
        "--data", type=Path, metavar="FOLDER", help="folder for people and chats (default: only in memory)"
    )
    parser.add_argument("--seed-chat", type=Path, metavar="FILE", help="a recording to start with: people and messages")
    parser.add_argument("--name", default="My bot", help="display name of the account (default: %(default)s)")
    parser.add_argument("--person", default="Hanako", help="name of the first person (default: %(default)s)")
    return parser


def _count(text: str) -> int:
    number = int(text)
    if not 1 <= number <= PEOPLE_MOST:
        raise argparse.ArgumentTypeError(f"from 1 to {PEOPLE_MOST}")
    return number


if __name__ == "__main__":
    run()
