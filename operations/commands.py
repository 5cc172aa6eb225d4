"""The commands on chats, for any store: admission, export, restoration, erasure, dead letters."""

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Final, TextIO

from operations.admissions import LONGEST_DAYS, AdmissionCommands
from operations.conversations import Forget, all_chats, exported, remove_moved
from operations.dead_letters import DeadLetterQueue, DeadLetters, summary
from operations.export_file import exports_in, read_lines, require_lines, write_export
from operations.handovers import HandoverCommands
from operations.persons import ForgetPerson, checked_person_id, exported_person
from operations.restoration import RestorationRefusedError, Restored, chat_of, check_date, date_line, restore
from shared.access.admission import Admissions
from shared.access.invitations import Invitations
from shared.bus.messages import EventBus
from shared.clock import Clock, SystemClock
from shared.conversation.history_reader import HistoryReader
from shared.conversation.store import Conversations
from shared.errors import UnusableIdError
from shared.handlers.unsend import withdrawal_of
from shared.knowledge.prompt_index import KnowledgeIndex
from shared.line.ids import checked_conversation_id
from shared.storage.object_store import ObjectStore

CONNECTIONS: Final = 16
LONGEST_MINUTES: Final = 10_080
"""The longest handover, a week; also the greatest HANDOVER_MINUTES."""
_LONGEST_WAIT_S: Final = 60.0
_CONVERSATION: Final = "LINE's id of the user, group or room: U, C or R and 32 digits"


@dataclass(kw_only=True)
class Desk:
    """The resources and the output of a command.  `open_store` is called once, when a command first needs the store.

    `received`: the lines of the file that `restore` reads, where a command's caller reads and writes the files, for example the caller of a
    process that serves; None: the command does so itself.
    """

    open_store: Callable[[], ObjectStore]
    lease_s: float
    shows_pseudonyms: bool
    out: TextIO = field(repr=False)
    received: Iterable[str] | None = field(default=None, repr=False)
    handover_minutes: int = 60
    clock: Clock = field(default_factory=SystemClock)

    @cached_property
    def store(self) -> ObjectStore:
        """The store, opened at first use."""
        return self.open_store()

    @cached_property
    def conversations(self) -> Conversations:
        """The chats in the store."""
        reads = ThreadPoolExecutor(CONNECTIONS, thread_name_prefix="read")
        return Conversations.on(self.store, reads=reads, clock=self.clock, lease_s=self.lease_s)

    def say(self, line: str) -> None:
        """Write a line."""
        self.out.write(f"{line}\n")


def add_commands(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add this module's commands to a parser."""
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
    handover = commands.add_parser(
        "handover", help="let a person answer in a chat instead of the bot; it records and is silent"
    )
    handover.add_argument(
        "--minutes", type=_minutes, metavar="N", help="it ends after N minutes (default: HANDOVER_MINUTES)"
    )
    handover.add_argument("--end", action="store_true", help="the bot answers again")
    commands.add_parser("waiting", help="list the chats that are handed over, first those that asked for a person")
    restoration = commands.add_parser("restore", help="write the objects of an export that are missing in the store")
    restoration.add_argument(
        "file", type=Path, help="what `export --to` has written; on a machine of your own, or the folder of a backup"
    )
    # Mutually exclusive, unlike in `export`: there, both together select a person's words in one chat.
    forgotten = forget.add_mutually_exclusive_group(required=True)
    forgotten.add_argument("conversation", nargs="?", help=_CONVERSATION)
    forgotten.add_argument("--person", metavar="U...", help="instead take back what one person said, in every chat")
    forget.add_argument(
        "--moved",
        action="store_true",
        help="the chat lives elsewhere: delete it without a mark, so that it may come back",
    )
    chosen = export.add_mutually_exclusive_group(required=True)
    chosen.add_argument("conversation", nargs="?", help=_CONVERSATION)
    chosen.add_argument("--all", action="store_true", dest="all_chats", help="every chat, one behind the other")
    export.add_argument("--person", metavar="U...", help="only what this person said there, and what came of it")
    for command in (admit, revoke, handover):
        command.add_argument("conversation", help=_CONVERSATION)


def carry_out(desk: Desk, options: argparse.Namespace) -> None:
    """Carry out a command on chats, other than `dead-letters`.  Raises: AizuchiError."""
    match options.command:
        case "invite" | "admit" | "revoke" | "admitted":
            _admission(desk, options)
        case "handover" | "waiting":
            _handover(desk, options)
        case "restore":
            _restore(desk, options.file)
        case "forget":
            _forget(desk, options.conversation, person=options.person, has_moved=options.moved)
        case _:
            _write(desk, _export_lines(desk, options), options.to)


def show_dead_letters(desk: Desk, options: argparse.Namespace, *, queue: DeadLetterQueue, bus: EventBus) -> None:
    """List the dead letters, or replay them.  Raises: AizuchiError."""
    letters = DeadLetters(
        queue=queue,
        bus=bus,
        conversations=desk.conversations,
        reader=HistoryReader(index=KnowledgeIndex(is_shown=False)),
        clock=desk.clock,
        shows_ids=options.show_ids,
    )
    explanations = letters.replay(most=options.most) if options.replay else letters.explain_all(most=options.most)
    for explanation in explanations:
        desk.say(explanation.line)
    desk.say(
        summary(explanations) + ("" if options.replay or not explanations else "; nothing was done, --replay does it")
    )


def _admission(desk: Desk, options: argparse.Namespace) -> None:
    admission = AdmissionCommands(
        admissions=Admissions(store=desk.store, clock=desk.clock),
        invitations=Invitations(store=desk.store, clock=desk.clock),
        clock=desk.clock,
        shows_pseudonyms=desk.shows_pseudonyms,
    )
    match options.command:
        case "invite":
            is_single_use = not (options.many or options.open)
            desk.say(f"/start {admission.invite(days=options.days, is_single_use=is_single_use, is_open=options.open)}")
        case "admit":
            admission.admit(options.conversation)
            desk.say("admitted")
        case "revoke":
            desk.say("revoked" if admission.revoke(options.conversation) else "it was not admitted")
        case _:
            desk.say("\n".join(admission.lines()))


def _handover(desk: Desk, options: argparse.Namespace) -> None:
    handovers = HandoverCommands(
        conversations=desk.conversations, clock=desk.clock, shows_pseudonyms=desk.shows_pseudonyms
    )
    if options.command == "waiting":
        desk.say("\n".join(handovers.lines()))
        return
    conversation_id = checked_conversation_id(options.conversation)
    if options.end:
        desk.say("the bot answers again" if handovers.end(conversation_id) else "it was not handed over")
        return
    minutes = options.minutes or desk.handover_minutes
    handovers.begin(conversation_id, minutes=minutes)
    desk.say(f"handed over for {minutes} minutes")


def _forget(desk: Desk, conversation_id: str | None, *, person: str | None, has_moved: bool) -> None:
    if has_moved and conversation_id is None:
        raise UnusableIdError("--moved deletes one chat; give its id instead of --person")
    if has_moved:
        count = remove_moved(desk.conversations.of(conversation_id or ""))
        desk.say(f"removed: {count} objects are gone")
        return
    withdrawal = withdrawal_of(desk.clock)
    forget = Forget(conversations=desk.conversations, withdrawal=withdrawal, clock=desk.clock)
    if person is None:
        desk.say(f"forgotten: {forget(conversation_id or '')} objects are gone")
        return
    by_person = ForgetPerson(conversations=desk.conversations, withdrawal=withdrawal, forget=forget, clock=desk.clock)
    counts = by_person(person)
    own = counts.pop(person)
    desk.say(
        f"forgotten: {sum(counts.values())} messages in {len(counts)} chats, {own} objects of the 1:1 chat are gone"
    )


def _restore(desk: Desk, file: Path) -> None:
    """Restore each chat of the file; a refused chat does not stop the others.  Raises: RestorationRefusedError, if any was refused."""
    restored, count = Restored(created=0, present=0), 0
    refusals: list[tuple[str, RestorationRefusedError]] = []
    for lines in exports_in(read_lines(file) if desk.received is None else desk.received):
        count += 1
        try:
            restored += _restore_chat(desk, lines)
        except RestorationRefusedError as cause:
            refusals.append((_name_of_chat(lines), cause))
    if count == 1 and refusals:
        raise refusals[0][1]
    for name, refusal in refusals:
        desk.say(f"refused: {name}: {refusal}")
    desk.say(f"restored: {restored.created} objects; {restored.present} were there already")
    if refusals:
        raise RestorationRefusedError(f"nothing was written of {len(refusals)} of {count} chats")


def _restore_chat(desk: Desk, lines: Sequence[str]) -> Restored:
    date, *objects = lines
    check_date(date, now_ms=desk.clock.now_ms())
    return restore(desk.store, objects, clock=desk.clock)


def _name_of_chat(lines: Sequence[str]) -> str:
    try:
        return chat_of(lines[1:])
    except RestorationRefusedError:
        return "a chat"


def _export_lines(desk: Desk, options: argparse.Namespace) -> Iterator[str]:
    if options.person is not None:
        return _person_lines(desk, options.conversation, options.person)
    return _all_chats_lines(desk) if options.all_chats else _chat_lines(desk, options.conversation)


def _chat_lines(desk: Desk, conversation_id: str) -> Iterator[str]:
    lines = require_lines(exported(desk.store, conversation_id), of="this chat: is this the right id?")
    return chain([date_line(desk.clock.now_ms())], lines)


def _all_chats_lines(desk: Desk) -> Iterator[str]:
    chats = (_chat_lines(desk, conversation_id) for conversation_id in all_chats(desk.store))
    return require_lines(chain.from_iterable(chats), of="any chat")


def _person_lines(desk: Desk, conversation_id: str | None, person: str) -> Iterator[str]:
    chat = desk.conversations.of(conversation_id or "")
    lines = exported_person(chat, checked_person_id(person), now_ms=desk.clock.now_ms())
    return require_lines(lines, of="this person in this chat: are these the right ids?")


def _write(desk: Desk, lines: Iterable[str], file: Path | None) -> None:
    if file is not None and desk.received is None:
        write_export(file, lines)
        return
    for line in lines:
        desk.say(line)


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


def _minutes(text: str) -> int:
    minutes = int(text)
    if not 0 < minutes <= LONGEST_MINUTES:
        raise argparse.ArgumentTypeError(f"{text} is no number of minutes up to {LONGEST_MINUTES}")
    return minutes


def _days(text: str) -> float:
    days = float(text)
    if not 0 < days <= LONGEST_DAYS:
        raise argparse.ArgumentTypeError(f"{text} is no number of days up to {LONGEST_DAYS}")
    return days
