"""`python -m operations COMMAND --help`: the commands of docs/operations.md."""

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Final

from operations.adapters.credentials import google_credentials
from operations.adapters.dead_letter_queue import PubSubDeadLetterQueue, topic_channel
from operations.adapters.line_channel import SdkLineChannel
from operations.commands import CONNECTIONS, Desk, add_commands, carry_out, show_dead_letters
from operations.line_webhook import register
from operations.rich_menu.command import carry_out_rich_menu
from operations.rich_menu.parser import add_rich_menu
from operations.settings import dead_letter_settings, history_settings, line_settings, rich_menu_settings
from shared import logs
from shared.adapters.gcs import GcsObjectStore
from shared.adapters.pubsub import PubSubEventBus
from shared.errors import AizuchiError, StorageUnavailableError
from shared.storage.object_store import ObjectStore

_REMEDY: Final = (
    "check HISTORY_BUCKET and your rights on the bucket (Storage Object User),"
    " or log in with `gcloud auth application-default login`"
)
_PUBLISH_TIMEOUT_S: Final = 10.0
_HEDGE_S: Final = 4.0  # an operator's machine may be far from Google


def run(arguments: Sequence[str], env: Mapping[str, str]) -> int:
    """Run a command; return the process's exit status.  Raises: SettingsError."""
    options = _parser().parse_args(arguments)
    logs.configure(sys.stderr)
    if token := _access_token(env):
        logs.key_pseudonyms(token)  # as the agent worker does
    try:
        match options.command:
            case "line-webhook":
                return _line_webhook(env)
            case "rich-menu":
                _rich_menu(env, options)
            case "dead-letters":
                _dead_letters(env, options)
            case _:
                carry_out(_desk(env), options)
    except StorageUnavailableError as cause:
        print(f"error: {cause}; {_REMEDY}", file=sys.stderr)
        return 1
    except AizuchiError as cause:
        print(f"error: {cause}", file=sys.stderr)
        return 1
    return 0


def _access_token(env: Mapping[str, str]) -> str:
    """Return the channel access token as the agent worker reads it; "" if the environment has none."""
    return env.get("LINE_CHANNEL_ACCESS_TOKEN", "").strip()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m operations",
        description="Operator's commands. They read the environment that `terraform output -raw operations_environment` prints.",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    commands.add_parser("line-webhook", help="set the webhook's address at LINE, test it, check the console's switches")
    add_rich_menu(commands)
    add_commands(commands)
    return parser


def _line_webhook(env: Mapping[str, str]) -> int:
    settings = line_settings(env)
    channel = SdkLineChannel(channel_access_token=settings.channel_access_token, base_url=settings.api_base_url)
    registration = register(channel, settings.webhook_url)
    print("\n".join(registration.lines))
    return 0 if registration.works else 1


def _rich_menu(env: Mapping[str, str], options: argparse.Namespace) -> None:
    settings = rich_menu_settings(env)
    line = carry_out_rich_menu(
        options,
        channel_access_token=settings.channel_access_token,
        base_url=settings.api_base_url,
        locale=settings.locale,
    )
    print(line)


def _dead_letters(env: Mapping[str, str], options: argparse.Namespace) -> None:
    history, settings = history_settings(env), dead_letter_settings(env)
    with google_credentials():
        queue = PubSubDeadLetterQueue(
            project_id=history.project_id,
            subscriptions=settings.subscriptions,
            emulator_host=settings.pubsub_emulator_host,
            wait_s=options.wait,
        )
        bus = PubSubEventBus(
            project_id=history.project_id,
            topic_id=settings.events_topic,
            timeout_s=_PUBLISH_TIMEOUT_S,
            hedge_s=_HEDGE_S,
            open_channel=lambda: topic_channel(settings.pubsub_emulator_host),
        )
    show_dead_letters(_desk(env), options, queue=queue, bus=bus)


def _desk(env: Mapping[str, str]) -> Desk:
    settings = history_settings(env)
    return Desk(
        open_store=lambda: _store(env),
        lease_s=settings.lease_s,
        handover_minutes=settings.handover_minutes,
        shows_pseudonyms=bool(_access_token(env)),
        out=sys.stdout,
    )


def _store(env: Mapping[str, str]) -> ObjectStore:
    settings = history_settings(env)
    with google_credentials():
        return GcsObjectStore(
            project_id=settings.project_id,
            bucket=settings.history_bucket,
            emulator_host=settings.storage_emulator_host,
            connections=CONNECTIONS,
        )


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:], os.environ))  # noqa: TID251 - the entry point reads the environment
