"""`python -m simulator`: the local stack, with a web page for the chat.  Ctrl-C stops all parts."""

import argparse
import asyncio
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from simulator.kana import kana_of
from simulator.line.people import Bot
from simulator.processes import StackError
from simulator.stack import LocalStack, StackSettings
from simulator.tool_servers.servers import tool_servers

_OF_OPERATIONS = ("GOOGLE_CLOUD_PROJECT", "HISTORY_BUCKET", "STORAGE_EMULATOR_HOST")
_PASSED_ON = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "VIRTUAL_ENV", "SYSTEMROOT", "SSL_CERT_FILE", "SSL_CERT_DIR")

_NAME = Bot(user_id="").display_name
_HOOKS = {"HOOKS": "on", "HOOK_KEY": "local-hook-key-of-this-machine-only"}
_NAMES = ",".join((_NAME, *kana_of(_NAME)))


def main(arguments: Sequence[str], env: Mapping[str, str]) -> int:
    """Run until Ctrl-C.  Returns the exit status."""
    options = _parser().parse_args(arguments)
    base_env = {name: env[name] for name in _PASSED_ON if name in env}
    try:
        settings = StackSettings(
            folder=options.data,
            base_env=base_env,
            page_port=options.port,
            gemini_api_key=env.get("GEMINI_API_KEY") or None,
            gemini_model=env.get("GEMINI_MODEL") or "gemini-3.5-flash-lite",
            model_latency_s=options.latency,
            locale=options.locale,
            access=options.access,
            tick_s=options.tick_s,
            more_env={"BOT_NAME": _NAMES, "CALENDAR": "on", **_HOOKS},
            tool_servers=tool_servers(log_folder=options.data / "logs", env=base_env) if options.mcp else {},
        )
        return asyncio.run(_run(settings))
    except StackError as error:
        sys.stderr.write(f"{error}\n")
        return 1


async def _run(settings: StackSettings) -> int:
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for stop_signal in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(stop_signal, stopping.set)
    async with LocalStack(settings) as stack:
        logs = settings.folder / "logs"
        sys.stdout.write(f"Chat with the bot: {stack.url}    (logs: {logs}; Ctrl-C stops everything)\n")
        sys.stdout.write(f"It is called by {_NAMES.replace(',', ', ')} (BOT_NAME).\n")
        if settings.access == "invited":
            sys.stdout.write(await _invitation(stack.operations_env))
        sys.stdout.flush()
        failed = asyncio.create_task(stack.failure())
        stopped = asyncio.create_task(stopping.wait())
        await asyncio.wait({failed, stopped}, return_when=asyncio.FIRST_COMPLETED)
        if stopping.is_set():
            failed.cancel()
            return 0
        stopped.cancel()
        sys.stderr.write(f"{failed.result()}\n")
        return 1


async def _invitation(env: Mapping[str, str]) -> str:
    """Return an invitation in the format of the operator's command, and how to make more."""
    command = (sys.executable, "-m", "operations", "invite", "--many")
    ran = await asyncio.create_subprocess_exec(*command, env=dict(env), stdout=asyncio.subprocess.PIPE)
    printed, _ = await ran.communicate()
    exports = " ".join(f"{name}={env[name]}" for name in _OF_OPERATIONS if name in env)
    return f"Chats are by invitation. Send: {printed.decode()}More: {exports} make invite\n"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m simulator",
        description="Run the bot on this machine: stand-ins for LINE, Pub/Sub, Cloud Storage and Gemini around the real functions.",
        epilog="GEMINI_API_KEY in the environment connects the real Gemini (GEMINI_MODEL names the model).",
    )
    parser.add_argument(
        "--port", type=int, default=8080, help="port of the page and of LINE's API (default: %(default)s)"
    )
    parser.add_argument(
        "--data", type=Path, default=Path(".data"), help="folder for chats, objects and logs (default: %(default)s)"
    )
    parser.add_argument(
        "--latency",
        type=float,
        default=0.6,
        help="seconds until an answer of the stand-in model (default: %(default)s)",
    )
    parser.add_argument(
        "--locale", default="ja", choices=["ja", "en", "zh-TW", "th"], help="fixed texts (default: %(default)s)"
    )
    parser.add_argument(
        "--access",
        default="open",
        choices=["open", "invited"],
        help="who may talk to the bot: every chat, or only invited chats (default: %(default)s)",
    )
    parser.add_argument(
        "--tick-s",
        type=_seconds,
        default=60.0,
        help="seconds between two ticks, which carry out due work; 0: no ticks (default: %(default)s)",
    )
    parser.add_argument(
        "--mcp",
        action="store_true",
        help="connect two tool servers that speak the Model Context Protocol: its reference server (needs Node.js), and a bus company's",
    )
    return parser


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0 <= seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is no number of seconds")
    return seconds


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], os.environ))  # noqa: TID251 - the only place that reads the environment
