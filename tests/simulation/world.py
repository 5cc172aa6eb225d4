"""The world around the chats, and the record of what really happened in it."""

import io
import json
import random
import re
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias, TypeVar

from shared.adapters.memory import MemoryObjectStore
from shared.conversation.receipt_lines import compared_texts
from shared.conversation.records import OutcomeRecord, SaidReminder
from shared.conversation.snapshot_records import Recap
from shared.conversation.spending import Ledger
from shared.errors import AizuchiError
from shared.reminders.reminder import Reminder
from shared.search.literal_runs import shares_run
from tests.simulation.notices import SentNotice
from tests.simulation.scheduler import Process, Scheduler, Task

_ResultT = TypeVar("_ResultT")
WORD: Final = re.compile(r"word\d+[a-z]")
EPOCH_MS: Final = 1_763_700_000_000
TICK: Final = "tick"
"""With this the names of ticks begin."""
_SLOW: Final = 10
"""One call in ten takes up to ten times as long."""
_LATE_S: Final = 20.0
LAG_S: Final = 5.0
"""How long one attempt at a call may take.  Source: shared/adapters, the timeouts of the clients."""


Down: TypeAlias = Literal["line", "model", "bucket"]
"""What can be down by itself."""


def of_its_own(rng: random.Random, what: str) -> random.Random:
    """Return a source of chance that takes nothing of the schedule's own, so that what else is drawn stays as it was."""
    return random.Random(f"{what} {rng.getstate()[1][:9]}")


@dataclass(slots=True, kw_only=True)
class Weather:
    """The faults of a schedule.  If `calm`, there are only duplicates, small delays and lost answers of the bucket.

    `failures` is how often a call of the bucket fails, before or after its effect. `lost_answers` is how often a write that won is reported
    as lost. `lossiness` is how often LINE's answer does not arrive. `kills` is the number of processes that are killed, `stalls` that
    of threads that sleep for up to 70 s after a call. `backlog_s` is how late Pub/Sub may deliver. `lags` is how often a call takes as long
    as the client's timeout allows. `late_deletions` is how often a deletion takes effect once more, up to 20 s later. `is_even`: every call
    takes exactly `call_s`. `has_newer_release`: one process of each function is of a newer release. `outage_s` is when the bucket is down;
    `down` is the one service that is down from and until `down_s` in an otherwise quiet schedule, and `hangs` whether its callers wait for
    nothing.
    """

    calm: bool = True
    call_s: float = 0.05
    is_even: bool = False
    failures: float = 0.0
    late_deletions: float = 0.0
    has_newer_release: bool = False
    lost_answers: float = 0.0
    lossiness: float = 0.0
    kills: int = 0
    stalls: int = 0
    lags: float = 0.0
    backlog_s: float = 1.0
    outage_s: tuple[float, float] = (0.0, 0.0)
    down: Down | None = None
    down_s: tuple[float, float] = (0.0, 0.0)
    hangs: bool = False

    @property
    def is_quiet(self) -> bool:
        """Whether one service is down for a while, and nothing else fails."""
        return self.down is not None

    def is_down(self, service: Down, now_s: float) -> bool:
        """Whether the service is down at this time."""
        return self.down == service and self.down_s[0] <= now_s < self.down_s[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownText:
    """A text that appeared in the chat, by reply token or by push.  `outcome` is the committed outcome behind it, if there is one."""

    conversation_id: str
    reply_token: str | None
    text: str
    at_s: float
    button: str | None
    outcome: OutcomeRecord | None
    bubble_ids: tuple[str, ...] = ()
    reminder: SaidReminder | None = None
    """The occurrence of a reminder that was pushed."""
    choices: tuple[str, ...] = ()
    """The data of its quick replies."""
    votes: tuple[str, ...] = ()
    """The data of the buttons of a poll's card."""
    settles: tuple[str, ...] = ()
    """The data of the button that settles up, below a balance."""


class LogLines(io.StringIO):
    """What the product logs.  `failures` are the requests that failed, with the types of their errors; `crashes` were not foreseen.

    Ticks and rounds of tools go on after an error of any type, so the log alone shows one that was not foreseen, such as one that the
    simulation itself raised in a port.
    """

    def __init__(self) -> None:
        super().__init__()
        self.failures: Counter[str] = Counter()
        self.crashes: Counter[str] = Counter()
        self.last_failure = ""

    def write(self, line: str) -> int:
        if '"event_failed"' in line or '"event_crashed"' in line:
            fields = json.loads(line)
            is_crash = fields["message"] == "event_crashed"
            is_fixed = any(place.startswith("announcement.py") for place in fields["places"])
            what = " of an announcement" if is_fixed else ""
            self.last_failure = f"{fields['error_type']}{what} at {fields['places'][-1]}"
            (self.crashes if is_crash else self.failures)[self.last_failure] += 1
        elif '"due_marker_failed"' in line or '"tool_crashed"' in line:
            fields = json.loads(line)
            if not _is_foreseen(fields["error_type"].partition(" < ")[0]):
                self.crashes[f"{fields['error_type']} at {fields['places'][-1]}"] += 1
        return super().write(line)


def _is_foreseen(error_type: str, of: type[Exception] = AizuchiError) -> bool:
    """Whether an error of the product has this name."""
    return error_type == of.__name__ or any(_is_foreseen(error_type, kind) for kind in of.__subclasses__())


@dataclass(frozen=True, slots=True, kw_only=True)
class Thought:
    """What the model was shown before it answered.  `shown` are the messages that stood in the prompt by themselves."""

    shown: frozenset[str]
    text: str
    knows_calls: bool = False
    """Whether its prompt told of calls that an earlier attempt made."""
    has_page: bool = False
    deletes_before_page: int = 0
    """How many entries were deleted, at most, by calls that the model made before it saw a page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRequest:
    """A request for a page.  `holds_withdrawn`: the address or the question held words whose withdrawal had been handled."""

    conversation_id: str
    address: str
    holds_withdrawn: bool


@dataclass(slots=True, kw_only=True)
class Truth:
    """The record of what really happened; no thread of the product reads it."""

    violations: list[str] = field(default_factory=list)
    said: list[ShownText] = field(default_factory=list)
    committed: dict[tuple[str, str], OutcomeRecord] = field(default_factory=dict)
    """By reply token, or for a push by the chat, and text without white space."""
    too_late: dict[tuple[str, str], bool] = field(default_factory=dict)
    """Whether a message that the outcome covers or repeats was withdrawn a second before it was committed."""
    forgotten: dict[str, None] = field(default_factory=dict)
    thoughts: dict[str, Thought] = field(default_factory=dict)
    """By the mark with which the answer begins."""
    refused: int = 0
    """How many requests of turns the model's provider refused."""
    recaps: list[Thought] = field(default_factory=list)
    asked: Counter[str] = field(default_factory=Counter)
    """How often a thought about a message began; each may ask the model several times."""
    staged: list[tuple[str, OutcomeRecord]] = field(default_factory=list)
    """The outcomes with staged writes that were committed, in that order, with their chats."""
    voided: set[tuple[str, str, int]] = field(default_factory=set)
    """The outcomes, by chat, id and number, whose turn was given up after the commit; a later turn may commit the same id."""
    recorded: dict[str, dict[str, OutcomeRecord]] = field(default_factory=dict)
    """Every outcome that was ever recorded, as written last, by chat and id."""
    worded: dict[tuple[str, str], OutcomeRecord] = field(default_factory=dict)
    """Every outcome that was ever recorded with words, by chat and id."""
    recapped: dict[tuple[str, str], Recap] = field(default_factory=dict)
    """Every recap that was ever stored with words, by chat and id."""
    withdrawn: set[tuple[str, str]] = field(default_factory=set)
    """The messages, by chat and id, whose withdrawal is stored."""
    planned: set[tuple[str, str]] = field(default_factory=set)
    """The answers and recaps, by chat and own id, that some withdrawal has planned to take."""
    uncompared: set[tuple[str, str]] = field(default_factory=set)
    """Those of them that had lost their words before the first plan that names them was stored, or whose messages had."""
    overtaken: set[tuple[str, str]] = field(default_factory=set)
    """The outcomes, by chat and id, that were under way when a plan took something of their prompts: no plan compared them."""
    marked_erasures: set[tuple[str, int]] = field(default_factory=set)
    """The erasures, by chat and timestamp, whose second pass was marked."""
    reminders: dict[tuple[str, str], Reminder] = field(default_factory=dict)
    """Every reminder that was ever written, as written last, by chat and id."""
    reminders_made_s: dict[tuple[str, str], float] = field(default_factory=dict)
    """When each was written first."""
    cancelled_by_id: set[tuple[str, str]] = field(default_factory=set)
    """The reminders, by chat and id, that a model asked to cancel by an id of its prompt."""
    ticked: set[tuple[str, str, str]] = field(default_factory=set)
    """The items, by chat and handle, that a model asked to tick, each with the id of the message that asked for that."""
    occurrences: dict[str, SaidReminder] = field(default_factory=dict)
    """The occurrences that were claimed, by the key of their push."""
    late_claims: set[str] = field(default_factory=set)
    """Those of them, by key, whose message had been withdrawn before the claim."""
    page_requests: list[PageRequest] = field(default_factory=list)
    notices: dict[str, SentNotice] = field(default_factory=dict)
    """The notices of other systems that were acknowledged, by id."""
    notices_shown: list[tuple[str, str]] = field(default_factory=list)
    """Each showing of a notice: the chat, and the notice's word."""
    revoked_hooks: set[str] = field(default_factory=set)
    translated_for_all: dict[str, bool] = field(default_factory=dict)
    """The groups in which translation began, and whether for everybody, or for the first member alone."""
    ended_tokens: set[str] = field(default_factory=set)
    """The addresses of calendars that have ended, by their tokens."""
    tokens_given: dict[str, str] = field(default_factory=dict)
    """The chat of each address that a calendar ever had, by its token."""
    leavings_s: dict[tuple[str, str], list[float]] = field(default_factory=dict)
    """When members left a group, by chat and id."""
    journalled_s: dict[tuple[str, str], float] = field(default_factory=dict)
    """When each message was first recorded, by chat and id."""
    context: set[tuple[str, str]] = field(default_factory=set)
    """The messages, by chat and id, that were ever recorded as mere context."""
    members_forgotten_s: dict[str, float] = field(default_factory=dict)
    """When the first `/forget me` of each group began."""
    left: list[tuple[str, float]] = field(default_factory=list)
    """The groups that the bot left, and when."""
    written: dict[str, tuple[str, float]] = field(default_factory=dict)
    """Who wrote each message, by the number in its word, and when."""
    joined: dict[tuple[str, str], tuple[float, float]] = field(default_factory=dict)
    """When members last joined, by chat and id, and when that had been handled."""
    orders: set[str] = field(default_factory=set)
    """The numbers in words of messages that say more than their word."""
    repeated_in_part: set[str] = field(default_factory=set)
    """Words that an answer or a recap took from another answer without a run in common, and without having seen their message."""
    unsure_tokens: Counter[str] = field(default_factory=Counter)
    """What writes of turns have charged that won and were reported as lost, by chat."""
    outdated_s: dict[str, float] = field(default_factory=dict)
    newest: dict[str, list[str]] = field(default_factory=dict)
    """The words that an answer to an edited message may hold."""
    turns_written_s: dict[str, list[tuple[float, bool]]] = field(default_factory=dict)
    """When each chat's turn was written, and whether somebody has held it since."""
    amendments_listed_s: dict[tuple[str, str], float] = field(default_factory=dict)
    """When each request last listed the amendments of each chat."""
    journal_listed_s: dict[tuple[str, str], float] = field(default_factory=dict)
    """The same of the journals: the amendments are listed beside it when a chat is read."""
    read_s: dict[tuple[str, str], float] = field(default_factory=dict)
    """When each request had listed the journal of each chat by the time it opened the turn last."""
    tokens: Counter[str] = field(default_factory=Counter)
    """What the answers of the model have cost, by chat."""
    model_calls: int = 0
    log: LogLines = field(default_factory=LogLines)

    def report(self, sentence: str) -> None:
        """Record a violation, once."""
        if sentence not in self.violations:
            self.violations.append(sentence)

    def may_outlive(self, word: str) -> bool:
        """Whether an answer may hold the word of a withdrawn message, because no sign tells whence it took it.

        It is shorter than a run, and what is known of the message is not the word alone: it said more, or was edited since.
        """
        return word in self.repeated_in_part and (word[:-1] in self.orders or word in self.outdated_s)

    def note_parts(self, text: str, *, shown_ids: AbstractSet[str], seen: Iterable[str]) -> None:
        """Note the words that a text repeats from answers that it saw, without a run in common, and without having seen their messages.

        Receipts are no run: “lunch” in both says nothing.
        """
        answers, compared = tuple(seen), compared_texts(text)
        for word in set(WORD.findall(text)) - self.repeated_in_part:
            holding = [one for one in answers if word in one]
            is_run = any(
                shares_run(one, part) for answer in holding for one in compared_texts(answer) for part in compared
            )
            if f"m{word[4:-1]}" not in shown_ids and holding and not is_run:
                self.repeated_in_part.add(word)

    def forget(self, words: Iterable[str]) -> None:
        """From now on no object, prompt or answer may hold these words."""
        self.forgotten |= dict.fromkeys(words)

    def outdate(self, message_id: str, words: Sequence[tuple[str, float]], *, edited_s: float, now_s: float) -> None:
        """From now on a prompt may not hold the words from before the edit; an answer may still repeat them."""
        for word, since_s in words:
            if since_s < edited_s:
                self.outdated_s.setdefault(word, now_s)
        self.newest[message_id] = [word for word, _ in words if word not in self.outdated_s]


class World:
    """What all processes share: time, randomness, the bucket, and the record of the truth."""

    def __init__(self, rng: random.Random, weather: Weather) -> None:
        self.rng = rng
        self.weather = weather
        self.scheduler = Scheduler(rng)
        self.truth = Truth()
        self.objects = MemoryObjectStore(limited_by=ProcessClock(self, Process("true time")))
        self.stalls = weather.stalls
        self._late = of_its_own(rng, "late deletions")
        self.sleeps_after: tuple[Process, str, float] | None = None
        """The process that sleeps once, for how many seconds, after which call."""
        self.requests: set[str] = set()
        self.authors: dict[str, str] = {}
        """The chat in which each word was written."""
        self.overheard: set[str] = set()
        """The messages that were not for the bot."""
        self.write_attempts: dict[str, deque[float]] = {}
        self.most_attempts: Counter[str] = Counter()
        """The most attempts to write one object within a second, by kind of object."""
        self.readings: dict[Task, deque[float]] = {}
        self.most_readings = 0
        """The most times that a thread listed its chat within a second; ticks, for each marker, and withdrawals do not count."""
        self.ledgers: list[Ledger] = []
        """What the instances have in hand and have not charged to a chat yet."""
        self.clocks_hold = True
        self._numbers = 0

    @property
    def now_s(self) -> float:
        return self.scheduler.now_s

    @property
    def now_ms(self) -> int:
        return EPOCH_MS + round(self.now_s * 1_000)

    def new_ledger(self) -> Ledger:
        """Return the ledger of a new instance."""
        self.ledgers.append(Ledger())
        return self.ledgers[-1]

    def repeat_later(self, effect: Callable[[], object]) -> None:
        """The effect may come once more, some seconds later."""
        if self._late.random() < self.weather.late_deletions:
            self.scheduler.at(self.now_s + self._late.random() * _LATE_S, effect, is_idle=True)

    def number(self) -> int:
        """Return a number that was not returned before."""
        self._numbers += 1
        return self._numbers

    def call(self, about: str, effect: Callable[[], _ResultT]) -> _ResultT:
        """Make a call that leaves the process: it takes effect after a delay, and its thread may sleep before it reads the answer."""
        scheduler, rng, weather = self.scheduler, self.rng, self.weather
        part = 1.0 if weather.is_even else rng.random() * (1 if rng.random() < 0.9 else _SLOW)
        lag_s = rng.random() * LAG_S if weather.lags and rng.random() < weather.lags else 0.0
        scheduler.give_way(about, part * weather.call_s + lag_s)
        result = effect()
        if self.sleeps_after is not None:
            process, call, seconds = self.sleeps_after
            if scheduler.current().process is process and about.startswith(call):
                self.sleeps_after = None
                scheduler.give_way("sleeps in", seconds)
        if self.stalls and rng.random() < 0.01:
            self.stalls -= 1
            scheduler.give_way("sleeps in", rng.random() * 70)
        return result


class ProcessClock:
    """The clocks of one process.  Its wall clock is off by the skew of the process, its monotonic clock is not."""

    def __init__(self, world: World, process: Process) -> None:
        self._world = world
        self._skew_ms = round(process.skew_s * 1_000)

    def now_ms(self) -> int:
        return self._world.now_ms + self._skew_ms

    def monotonic_s(self) -> float:
        return self._world.now_s

    def sleep(self, seconds: float) -> None:
        self._world.scheduler.give_way("sleep", seconds)
