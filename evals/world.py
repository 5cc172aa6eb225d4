"""Plays one case: the product's own assembly on in-memory ports, the history, then the question."""

import base64
import datetime as dt
import hashlib
import itertools
import json
import random
import time
import uuid
import zoneinfo
from collections.abc import Iterable, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import msgspec

from evals.case import Case, FiledEntry, HistoryMessage, Meanwhile
from evals.minds import MindUnderTest, ModelCall, OnePageWeb, Stage
from shared.access.admission import Access, Admissions
from shared.access.unadmitted_chats import UnadmittedChats
from shared.adapters.memory import (
    FixedClock,
    MemoryFiles,
    MemoryLineApi,
    MemoryMedia,
    MemoryObjectStore,
    MemoryProfiles,
)
from shared.adapters.memory.link_pages import MemoryLinkReader
from shared.adapters.memory.notion import MemoryNotion
from shared.adapters.memory.scripted_model import calling
from shared.agent.overlay import Attempt
from shared.bus.endpoint import PushEndpoint
from shared.clock import Deadline
from shared.composition.assembly import assemble
from shared.composition.ports import NotionPort, Options, Ports, Threads
from shared.conversation.amendments import Amendments
from shared.conversation.member_mark import mark_id
from shared.conversation.provenance import Provenance, Source
from shared.conversation.records import OutcomeKind, OutcomeRecord
from shared.conversation.store import Conversations
from shared.expenses.expense import Expense, Settlement
from shared.expenses.store import ExpenseStore
from shared.handlers.traces import Traces
from shared.handlers.unsend import UnsendHandler, withdrawal_of
from shared.knowledge.apply import EntryWriter
from shared.knowledge.entry import Entry, Note
from shared.knowledge.entry_file import slug_of
from shared.knowledge.entry_store import EntryStore, path_in
from shared.knowledge.schema import FIELDS, Category, Value, fields_of, name_field
from shared.knowledge.staging import EntryOverlay
from shared.line.addressing import GroupPolicy
from shared.polls.poll import Poll, Vote, counted
from shared.polls.store import PollStore
from shared.reminders.reminder import Reminder
from shared.reminders.schedule import checked_schedule
from shared.reminders.store import ReminderStore
from shared.tools.notion.port import Property, Schema
from shared.turns.staged_writes import StagedWrites

BOT: Final = "Aizuchi"
LOCALES: Final = {"ja": "ja", "en": "en", "zh-TW": "zh-TW", "th": "th"}
_PEOPLE: Final = {"yuki": "Yuki", "ken": "健二", "mali": "มะลิ", "lin": "林小姐"}
_GROUP: Final = "C" + "a" * 32
_BETWEEN_S: Final = 60.0
_DATABASE: Final = "shopping"
_THREADS: Final = 12  # of each pool: tools wait for reads, so the two share none
_NOTION_DEADLINE_S: Final = 10.0

_CHATTER: Final = msgspec.yaml.decode(Path(__file__).with_name("chatter.yaml").read_bytes(), type=dict[str, list[str]])


class PacedClock(FixedClock):
    """A clock that moves by command.  With `is_real`, a pause also lasts, because a real provider asks callers to wait."""

    is_real = False

    def sleep(self, seconds: float) -> None:
        if self.is_real:
            time.sleep(seconds)
        super().sleep(seconds)


class _OpenLease:
    is_over = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenPoll:
    """An open poll or meeting, and the option of the asking member; None without a vote."""

    poll: Poll = field(repr=False)
    chosen: str | None = None

    @classmethod
    def of(cls, poll: Poll, votes: Iterable[Vote], *, asker: str) -> "SeenPoll":
        """Return the poll with the option of the member with this mark."""
        chosen = next((poll.options[vote.choice] for vote in votes if vote.member == asker), None)
        return cls(poll=poll, chosen=chosen)


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """The state and the calls after a case."""

    statuses: tuple[int, ...]
    replies: tuple[str, ...] = field(repr=False)
    outcome: OutcomeRecord | None
    asked: tuple[ModelCall, ...] = field(repr=False)
    before: Mapping[str, Entry] = field(repr=False)
    after: Mapping[str, Entry] = field(repr=False)
    reminders_before: tuple[Reminder, ...] = field(default=(), repr=False)
    reminders: tuple[Reminder, ...] = field(default=(), repr=False)
    expenses: tuple[Expense, ...] = field(default=(), repr=False)
    polls: tuple[SeenPoll, ...] = field(default=(), repr=False)
    notion_writes: int
    searches: tuple[str, ...] = field(repr=False)
    bucket: str = field(repr=False)

    @property
    def reply(self) -> str:
        """All replies as one text."""
        return "\n".join(self.replies)


class World:
    """One run of one case."""

    def __init__(self, case: Case, mind: MindUnderTest, *, is_real: bool = False) -> None:
        self._case = case
        self._names = {**_PEOPLE, **case.people}
        now_ms = round(dt.datetime.fromisoformat(case.now).timestamp() * 1_000)
        events = case.long_ago + len(case.history) + case.since + len(case.meanwhile) + 1
        began_ms = now_ms - round(_BETWEEN_S * 1_000) * events
        self._clock = PacedClock(now_ms=began_ms)
        self._clock.is_real = is_real
        self._store = MemoryObjectStore()
        self._line = MemoryLineApi(name=BOT)
        self._line.members[_GROUP] = case.members
        self._stage = Stage(mind)
        self._stage.recap = case.recap
        self._web = _web_of(case)
        self._links = MemoryLinkReader(pages=case.pages)
        chance = random.Random(1)  # noqa: S311 - seeded, so that prompts are the same in every run
        self._notion = MemoryNotion(self._clock, new_id=lambda: uuid.UUID(int=chance.getrandbits(128), version=4))
        self._numbers = itertools.count(1)
        self._said_ids: list[str] = []
        self._answer_ids: dict[int, str] = {}

    def play(self) -> Observed:
        """Play the history, then the question; return the state and the calls afterwards."""
        with ExitStack() as stack:
            reads, tools, pool = (stack.enter_context(ThreadPoolExecutor(_THREADS)) for _ in range(3))
            worker, unsend = self._assemble(reads, tools, pool)
            statuses = [self._chat_long_ago(worker, number) for number in range(self._case.long_ago)]
            statuses += [self._tell(worker, one) for one in self._case.history]
            statuses += [self._chat_since(worker, number) for number in range(self._case.since)]
            self._file()
            self._remind()
            self._stage.is_history = False
            statuses += [self._change(worker, unsend, one) for one in self._case.meanwhile]
            self._stage.asked.clear()
            before, notion_writes_before = self._entries(), len(self._notion.written)
            reminders_before = self._open_reminders()
            said_before = len(self._line.replied)
            event = self._message(
                self._case.says, who=self._case.who, to_bot=self._case.to_bot, quotes=self._case.quotes
            )
            statuses.append(self._push(worker, event))
            conversation = self._conversations.of(self._chat)
            return Observed(
                statuses=tuple(statuses),
                replies=tuple(text for texts in list(self._line.replies.values())[said_before:] for text in texts),
                outcome=conversation.journal.outcome_of(str(event["webhookEventId"])),
                asked=tuple(self._stage.asked),
                before=before,
                after=self._entries(),
                reminders_before=reminders_before,
                reminders=self._open_reminders(),
                expenses=self._open_expenses(),
                polls=self._open_polls(),
                notion_writes=len(self._notion.written) - notion_writes_before,
                searches=(*(self._web.queries if self._web is not None else ()), *map(" ".join, self._links.asked)),
                bucket=self._everything(),
            )

    def _assemble(self, reads: Executor, tools: Executor, pool: Executor) -> tuple[PushEndpoint, PushEndpoint]:
        case, ids = self._case, itertools.count(1)
        self._conversations = Conversations.on(
            self._store, reads=reads, clock=self._clock, lease_s=25.0, new_id=lambda: f"id-{next(ids)}"
        )
        ports = Ports(
            conversations=self._conversations,
            line=self._line,
            profiles=MemoryProfiles({self._id(who): name for who, name in self._names.items()}),
            media=MemoryMedia(),
            files=MemoryFiles(),
            model=self._stage,
            json_model=self._stage,
            translating_model=self._stage if case.translation else None,
            web=self._web,
            links=self._links if case.pages else None,
            notion=self._notion_port() if case.notion is not None else None,
            threads=replace(Threads.on(pool), reads=reads, tools=tools),
            clock=self._clock,
            chance=random.Random(1),  # noqa: S311 - seeded, so that a case is the same in every run
            new_entry_id=lambda: f"entry-{next(ids)}",
        )
        options = Options(
            bot_name=BOT,
            locale=LOCALES.get(case.language, "en"),
            time_zone=zoneinfo.ZoneInfo(case.zone),
            group_policy=GroupPolicy(case.policy),
            currency=case.currency,
            has_lists=case.lists,
            has_polls=case.polls,
            is_rich=False,  # the model's words are judged, and a card below them would count as such
        )
        worker = PushEndpoint(handle=assemble(ports, options), clock=self._clock)
        admissions = Admissions(store=self._store, clock=self._clock)
        traces = Traces(access=Access.OPEN, admissions=admissions, unadmitted=UnadmittedChats(clock=self._clock))
        withdrawal = withdrawal_of(self._clock)
        handler = UnsendHandler(conversations=self._conversations, withdrawal=withdrawal, traces=traces)
        return worker, PushEndpoint(handle=handler, clock=self._clock)

    def _notion_port(self) -> NotionPort:
        schema = Schema(
            data_source_id="11111111-1111-4111-8111-111111111111",
            properties={
                "Name": Property(name="Name", type="title"),
                "Done": Property(name="Done", type="checkbox"),
                "Note": Property(name="Note", type="rich_text"),
            },
        )
        database_id = self._notion.add_database(schema)
        for row in self._case.notion or ():
            self._notion.create_page(
                schema.data_source_id,
                {"Name": {"title": [{"type": "text", "text": {"content": row.name}}]}},
                Deadline.after(self._clock, _NOTION_DEADLINE_S),
            )
        return NotionPort(api=self._notion, databases={_DATABASE: database_id}, conversations=None)

    def _chat_long_ago(self, worker: PushEndpoint, number: int) -> int:
        event = self._message(f"message {number}", who="lin", to_bot=False)
        self._said_ids.clear()
        self._stage.script = [calling(("skip", {"reason": "history"}))]
        return self._push(worker, event)

    def _chat_since(self, worker: PushEndpoint, number: int) -> int:
        """Deliver a message of small talk; in a 1:1 chat the bot answers none of it."""
        phrases = _CHATTER[self._case.language]
        self._stage.script = [calling(("skip", {"reason": "small talk"}))]
        in_group = self._case.chat == "group"
        who = ("lin", "ken")[number % 2] if in_group else self._case.who
        return self._push(worker, self._message(phrases[number % len(phrases)], who=who, to_bot=not in_group))

    def _tell(self, worker: PushEndpoint, message: HistoryMessage) -> int:
        """Deliver a message of the history; the script answers as the case says."""
        number = len(self._said_ids)
        answer = ("skip", {"reason": "history"}) if message.bot is None else ("reply", {"message": message.bot})
        calls = [(name, arguments) for call in message.calls for name, arguments in call.items()]
        self._stage.script = [*([calling(*calls)] if calls else []), calling(answer)]
        replied = len(self._line.replied)
        status = self._push(worker, self._message(message.says, who=message.who, to_bot=message.to_bot))
        if message.bot is not None and len(self._line.replied) > replied:
            self._answer_ids[number] = f"{len(self._line.replied)}-1"
        return status

    def _file(self) -> None:
        """Store the case's entries, each with its message of the history as the source, or with an old message outside the history."""
        if not self._case.entries:
            return
        conversation = self._conversations.of(self._chat)
        overlay = EntryOverlay(Attempt.at(conversation, sequence=0, now_ms=0, amendments=Amendments()))
        entries = [self._entry(number, one) for number, one in enumerate(self._case.entries)]
        overlay.stage({one.path: one for one in entries})
        outcome = OutcomeRecord(
            webhook_event_id="filing",
            timestamp_ms=0,
            kind=OutcomeKind.REPLIED,
            provenance=overlay.provenance,
            writes=overlay.changes(first_number=0),
        )
        StagedWrites((EntryWriter(),)).apply(conversation, outcome, _OpenLease())

    def _remind(self) -> None:
        """Store the case's reminders, each with an old message outside the history as the source."""
        store = ReminderStore(self._conversations.of(self._chat))
        for number, reminder in enumerate(self._case.reminders):
            schedule, due_ms = checked_schedule(
                reminder.at, self._case.zone, reminder.rule, now_ms=self._clock.now_ms()
            )
            store.create(
                Reminder(
                    id=f"r{number:010x}",
                    text=reminder.text,
                    provenance=Provenance.of_sources((Source(line_message_id=f"reminded{number}", timestamp_ms=1),)),
                    start=schedule.start,
                    zone=schedule.zone,
                    rule=schedule.rule,
                    due_ms=due_ms,
                )
            )

    def _entry(self, number: int, filed: FiledEntry) -> Entry:
        category = Category(filed.category)
        types, name = fields_of(category), name_field(category)
        values: dict[str, Value] = {one.name: one.default for one in FIELDS[category]}
        values |= {key: types[key].check(value) for key, value in filed.fields.items()} | {name: filed.name}
        message_id = f"seed{number}" if filed.message_index is None else self._said_ids[filed.message_index]
        message_ids = (message_id,)
        return Entry(
            category=category,
            slug=f"{slug_of(filed.name)}",
            id=f"filed-{number}",
            created_at="2026-11-20T09:00:00+09:00",
            updated_at="2026-11-20T09:00:00+09:00",
            confidence=0.9,
            fields=values,
            field_message_ids={one: message_ids for one, value in values.items() if value and types[one].holds_words},
            slug_message_ids=message_ids,
            notes=(Note(text=filed.notes, message_ids=message_ids),) if filed.notes else (),
            provenance=Provenance.of_sources((Source(line_message_id=message_id, timestamp_ms=1),)),
        )

    def _change(self, worker: PushEndpoint, unsend: PushEndpoint, change: Meanwhile) -> int:
        if change.command is not None:
            return self._push(worker, self._message(change.command, who=self._case.who, to_bot=True))
        if change.unsend is not None:
            event = self._event("unsend", who=self._case.who)
            return self._push(unsend, {**event, "unsend": {"messageId": self._said_ids[change.unsend]}})
        assert change.edit is not None  # noqa: S101 - a change has one of the three fields
        event = self._event("messageEdited", who=self._case.who)
        return self._push(
            worker, {**event, "message": {"id": self._said_ids[change.edit], "type": "text", "text": change.text}}
        )

    def _message(self, text: str, *, who: str, to_bot: bool, quotes: int | None = None) -> dict[str, object]:
        event = self._event("message", who=who)
        message: dict[str, object] = {
            "id": f"m{event['webhookEventId']}",
            "type": "text",
            "text": text,
            "quoteToken": "q",
        }
        if self._case.chat == "group" and to_bot:
            message["text"] = f"@{BOT} {text}"
            mentionee = {"index": 0, "length": len(BOT) + 1, "type": "user", "userId": "U" + "b" * 32, "isSelf": True}
            message["mention"] = {"mentionees": [mentionee]}
        if quotes is not None:
            message["quotedMessageId"] = self._answer_ids.get(quotes, self._said_ids[quotes])
        self._said_ids.append(str(message["id"]))
        return {**event, "message": message}

    def _event(self, kind: str, *, who: str) -> dict[str, object]:
        self._clock.move(_BETWEEN_S)
        number, user_id = next(self._numbers), self._id(who)
        person = {"type": "user", "userId": user_id}
        return {
            "type": kind,
            "mode": "active",
            "timestamp": self._clock.now_ms(),
            "source": {"type": "group", "groupId": _GROUP, "userId": user_id} if self._case.chat == "group" else person,
            "webhookEventId": f"e{number}",
            "replyToken": f"token{number}",
            "deliveryContext": {"isRedelivery": False},
        }

    def _push(self, endpoint: PushEndpoint, event: Mapping[str, object]) -> int:
        published = (
            dt.datetime.fromtimestamp(self._clock.now_ms() / 1_000, tz=dt.UTC).isoformat().replace("+00:00", "Z")
        )
        data = json.dumps({"destination": "U" + "b" * 32, "event": event}).encode()
        message = {
            "data": base64.b64encode(data).decode(),
            "attributes": {"type": str(event["type"])},
            "messageId": str(event["webhookEventId"]),
            "publishTime": published,
        }
        return endpoint(
            "POST", json.dumps({"message": message, "subscription": "projects/p/subscriptions/s"}).encode()
        )[1]

    @property
    def _chat(self) -> str:
        return _GROUP if self._case.chat == "group" else self._id(self._case.who)

    def _id(self, who: str) -> str:
        return "U" + hashlib.sha256(who.encode()).hexdigest()[:32]

    def _entries(self) -> dict[str, Entry]:
        entries = EntryStore(self._conversations.of(self._chat))
        stored = (entries.entry(path_in(one.name)) for one in entries.list())
        return {one.path: one for one in stored if one is not None}

    def _open_reminders(self) -> tuple[Reminder, ...]:
        return tuple(one for one in ReminderStore(self._conversations.of(self._chat)).read_all() if one.is_open)

    def _open_expenses(self) -> tuple[Expense, ...]:
        records = ExpenseStore(self._conversations.of(self._chat)).read_all()
        settled = {own_id for one in records if isinstance(one, Settlement) for own_id in one.closes}
        expenses = (one for one in records if isinstance(one, Expense))
        return tuple(one for one in expenses if not one.is_removed and one.id not in settled)

    def _open_polls(self) -> tuple[SeenPoll, ...]:
        store, asker = PollStore(self._conversations.of(self._chat)), mark_id(self._id(self._case.who))
        open_polls = (poll for poll in store.present() if not poll.is_closed(self._clock.now_ms()))
        return tuple(SeenPoll.of(poll, counted(store.votes(poll.id)), asker=asker) for poll in open_polls)

    def _everything(self) -> str:
        objects = self._store.list("")
        bodies = (stored.data.decode("utf-8", "replace") for one in objects if (stored := self._store.read(one.name)))
        return "\n".join((*(one.name for one in objects), *bodies))


def _web_of(case: Case) -> OnePageWeb | None:
    if case.web_fails:
        return OnePageWeb(text=None)
    return OnePageWeb(text=case.web.text, url=case.web.url, title=case.web.title) if case.web is not None else None
