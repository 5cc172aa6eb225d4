"""`python -m operations COMMAND --help`: the commands of docs/operations.md."""

import argparse
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path
from typing import Final

from operations.adapters.credentials import found_credentials
from operations.adapters.dead_letter_queue import PubSubDeadLetterQueue, topic_channel
from operations.adapters.line_channel import SdkLineChannel
from operations.admissions import LONGEST_DAYS, Door
from operations.conversations import Forget, exported
from operations.dead_letters import DeadLetters, summary
from operations.export_file import read_export, with_something, write_export
from operations.line_webhook import register
from operations.persons import ForgetPerson, checked_person_id, exported_person
from operations.restoration import check_date, date_line, restore
from operations.settings import dead_letter_settings, history_settings, line_settings
from shared import logs
from shared.access.admission import Admissions
from shared.access.invitations import Invitations
from shared.adapters.gcs import GcsObjectStore
from shared.adapters.pubsub import PubSubEventBus
from shared.clock import SystemClock
from shared.conversation.history_reader import HistoryReader
from shared.conversation.store import Conversations
from shared.errors import AizuchiError
from shared.handlers.unsend import withdrawal_of
from shared.knowledge.index import KnowledgeIndex
from shared.storage.object_store import ObjectStore

_CONNECTIONS: Final = 16
_PUBLISH_TIMEOUT_S: Final = 10.0
_HEDGE_S: Final = 4.0  # an operator's machine may be far from Google
_LONGEST_WAIT_S: Final = 60.0
_CONVERSATION: Final = "LINE's id of the user, group or room: U, C or R and 32 digits"


def run(arguments: Sequence[str], env: Mapping[str, str]) -> int:  # noqa: PLR0911 - one return a command
    """Run a command; return the process's exit status.  Raises: SettingsError."""
    options = _parser().parse_args(arguments)
    logs.configure(sys.stderr)
    if token := _access_token(env):
        logs.key_pseudonyms(token)  # as the agent worker does
    try:
        match options.command:
            case "line-webhook":
                return _line_webhook(env)
            case "dead-letters":
                return _dead_letters(env, options)
            case "invite" | "admit" | "revoke" | "admitted":
                return _door(env, options)
            case "restore":
                return _restore(env, options.file)
            case "forget":
                return _forget(env, options.conversation, person=options.person)
            case _:
                return _export(env, options.conversation, person=options.person, to=options.to)
    except AizuchiError as cause:
        print(f"error: {cause}", file=sys.stderr)
        return 1


def _access_token(env: Mapping[str, str]) -> str:
    """Return the token as the agent worker reads it; "" without one."""
    return env.get("LINE_CHANNEL_ACCESS_TOKEN", "").strip()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m operations",
        description="Operator's commands. They read the environment that `terraform output -raw operations_environment` prints.",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    commands.add_parser("line-webhook", help="set the webhook's address at LINE, test it, check the console's switches")
    letters = commands.add_parser("dead-letters", help="list and explain the events that no worker could handle")
    letters.add_argument(
        "--replay", action="store_true", help="publish them again, and drop those that need no delivery"
    )
    letters.add_argument("--show-ids", action="store_true", help="name chats by LINE's ids, as `forget` takes them")
    letters.add_argument(
        "--most", type=_letters, default=100, metavar="N", help="take at most N letters (default: 100)"
    )
    letters.add_argument(
        "--wait", type=_wait_s, default=5.0, metavar="S", help="wait at most S seconds for a letter (default: 5)"
    )
    forget = commands.add_parser("forget", help="erase a chat for good")
    export = commands.add_parser(
        "export", help="write every object of a chat as JSON lines, for the person who asks for it"
    )
    export.add_argument("--to", type=Path, metavar="FILE", help="a file that does not exist yet (default: stdout)")
    invite = commands.add_parser("invite", help="print a new invitation code; only its hash is stored")
    invite.add_argument("--days", type=_days, default=7.0, metavar="N", help="it counts for N days (default: 7)")
    invite.add_argument("--many", action="store_true", help="it admits any number of chats (default: one)")
    invite.add_argument(
        "--open", action="store_true", help="until then it also admits, without the code, every chat that adds the bot"
    )
    admit = commands.add_parser("admit", help="let a chat talk to the bot, also after it was revoked")
    revoke = commands.add_parser("revoke", help="meet a chat with silence; what is stored of it stays")
    commands.add_parser("admitted", help="list the chats, and by which pseudonyms the logs call them")
    restoration = commands.add_parser("restore", help="write the objects of an export that are missing in the bucket")
    restoration.add_argument("file", type=Path, help="what `export --to` has written")
    # Of the two only one: `export` takes both for a person's words in one chat, which is not what would be forgotten.
    forgotten = forget.add_mutually_exclusive_group(required=True)
    forgotten.add_argument("conversation", nargs="?", help=_CONVERSATION)
    forgotten.add_argument("--person", metavar="U...", help="instead take back what one person said, in every chat")
    export.add_argument("--person", metavar="U...", help="only what this person said there, and what came of it")
    for command in (export, admit, revoke):
        command.add_argument("conversation", help=_CONVERSATION)
    return parser


def _line_webhook(env: Mapping[str, str]) -> int:
    settings = line_settings(env)
    channel = SdkLineChannel(channel_access_token=settings.channel_access_token, base_url=settings.api_base_url)
    registration = register(channel, settings.webhook_url)
    print("\n".join(registration.lines))
    return 0 if registration.works else 1


def _dead_letters(env: Mapping[str, str], options: argparse.Namespace) -> int:
    history, settings = history_settings(env), dead_letter_settings(env)
    with found_credentials():
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
    letters = DeadLetters(
        queue=queue,
        bus=bus,
        conversations=_conversations(env),
        reader=HistoryReader(index=KnowledgeIndex(is_shown=False)),
        clock=SystemClock(),
        shows_ids=options.show_ids,
    )
    explanations = letters.replay(most=options.most) if options.replay else letters.look(most=options.most)
    for explanation in explanations:
        print(explanation.line)
    print(
        summary(explanations) + ("" if options.replay or not explanations else "; nothing was done, --replay does it")
    )
    return 0


def _letters(text: str) -> int:
    letters = int(text)
    if letters < 1:
        raise argparse.ArgumentTypeError(f"{text} is no number of letters")
    return letters


def _wait_s(text: str) -> float:
    wait_s = float(text)
    if not 0 < wait_s <= _LONGEST_WAIT_S:
        raise argparse.ArgumentTypeError(f"{text} is no number of seconds up to {_LONGEST_WAIT_S:g}")
    return wait_s


def _days(text: str) -> float:
    days = float(text)
    if not 0 < days <= LONGEST_DAYS:
        raise argparse.ArgumentTypeError(f"{text} is no number of days up to {LONGEST_DAYS}")
    return days


def _door(env: Mapping[str, str], options: argparse.Namespace) -> int:
    store, clock = _store(env), SystemClock()
    door = Door(
        admissions=Admissions(store=store, clock=clock),
        invitations=Invitations(store=store, clock=clock),
        clock=clock,
        shows_pseudonyms=bool(_access_token(env)),
    )
    match options.command:
        case "invite":
            is_single_use = not (options.many or options.open)
            print(f"/start {door.invite(days=options.days, is_single_use=is_single_use, is_open=options.open)}")
        case "admit":
            door.admit(options.conversation)
            print("admitted")
        case "revoke":
            print("revoked" if door.revoke(options.conversation) else "it was not admitted")
        case _:
            print("\n".join(door.lines()))
    return 0


def _forget(env: Mapping[str, str], conversation_id: str, *, person: str | None) -> int:
    clock, conversations = SystemClock(), _conversations(env)
    withdrawal = withdrawal_of(clock)
    forget = Forget(conversations=conversations, withdrawal=withdrawal, clock=clock)
    if person is not None:
        by_person = ForgetPerson(conversations=conversations, withdrawal=withdrawal, forget=forget, clock=clock)
        counts = by_person(person)
        own = counts.pop(person)
        print(
            f"forgotten: {sum(counts.values())} messages in {len(counts)} chats, {own} objects of the 1:1 chat are gone"
        )
    else:
        print(f"forgotten: {forget(conversation_id)} objects are gone")
    return 0


def _restore(env: Mapping[str, str], file: Path) -> int:
    date, *lines = read_export(file) or [""]
    clock = SystemClock()
    check_date(date, now_ms=clock.now_ms())
    restored = restore(_store(env), lines, clock=clock)
    print(f"restored: {restored.created} objects; {restored.present} were there already")
    return 0


def _export(env: Mapping[str, str], conversation_id: str, *, person: str | None, to: Path | None) -> int:
    now_ms = SystemClock().now_ms()
    if person is None:
        lines: Iterable[str] = chain(
            [date_line(now_ms)], with_something(exported(_store(env), conversation_id), of="this chat")
        )
    else:
        chat = _conversations(env).of(conversation_id)
        lines = with_something(
            exported_person(chat, checked_person_id(person), now_ms=now_ms), of="this person in this chat"
        )
    if to is None:
        for line in lines:
            print(line)
        return 0
    write_export(to, lines)
    return 0


def _store(env: Mapping[str, str]) -> ObjectStore:
    settings = history_settings(env)
    with found_credentials():
        return GcsObjectStore(
            project_id=settings.project_id,
            bucket=settings.history_bucket,
            emulator_host=settings.storage_emulator_host,
            connections=_CONNECTIONS,
        )


def _conversations(env: Mapping[str, str]) -> Conversations:
    reads = ThreadPoolExecutor(_CONNECTIONS, thread_name_prefix="read")
    return Conversations.on(_store(env), reads=reads, clock=SystemClock(), lease_s=history_settings(env).lease_s)


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:], os.environ))  # noqa: TID251 - the entry point reads the environment
