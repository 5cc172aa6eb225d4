"""Seeded schedules: what people do, what fails, which thread moves next.  The same seed plays the same schedule, step by step."""

import contextlib
import itertools
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from types import ModuleType
from typing import Final

from shared import logs
from shared.access.admission import Access, AdmissionRecord
from shared.access.budgets import Limits
from shared.conversation import amendment_notes, compaction, history, snapshot
from shared.conversation.records import Watermark
from shared.conversation.snapshot import MemoryLimits
from shared.line.mentions import GroupPolicy
from shared.line.postback_data import deferral_id_in, question_id_in
from shared.reminders.delivery import Reminding
from shared.storage.codec import decode, encode
from shared.storage.object_names import ObjectNames
from shared.turns import flood
from shared.turns.deferral import LateReply
from shared.turns.waiting_room import PLACES
from tests.simulation.bus import TICK_S, Bus, Delivery, Ticker
from tests.simulation.checks import violations
from tests.simulation.holders import Holders
from tests.simulation.line import Line
from tests.simulation.mind import ORDER, REQUEST_TOKENS, Mind, Mood
from tests.simulation.notion import Workspace
from tests.simulation.people import Joining, Json, Message, Order, People, Welcome, gloss_of
from tests.simulation.scheduler import Task
from tests.simulation.story import Story
from tests.simulation.threads import green_threads, replaced
from tests.simulation.times import LEASE_S, PUBLISH_S, SECOND_PASS_S, SHORTEST_LEASE_S, SKEW_S
from tests.simulation.wiring import LEAST, NO_LIMITS, SMALL, SMALL_SEGMENT, THREADS, TINY, Ports, Settings
from tests.simulation.withdrawals import Withdrawals
from tests.simulation.world import EPOCH_MS, ShownText, Weather, World

STEPS: Final = 400_000
_KILLS: Final = 0.005
_KILLS_BESIDE_POISON: Final = 3
_INSTANCES: Final = 3
_THREADS_A_CHAT: Final = PLACES + 2
"""As few as let every chat have its holder, those that wait, and a thread for other work."""
_MESSAGES: Final = 12
_MANY_MESSAGES: Final = 40
_BURST: Final = 40
_ARCHIVED_SOON: Final = 0.6
_WITHOUT_ARCHIVE: Final = 0.15
_REMINDED: Final = 0.16
_LATER_S: Final = (150.0, 500.0)
_ONE_RECALLS_IN: Final = 4
_RARE: Final = 0.06
_IN_AN_HOUR: Final = 0.3
_FEW_A_MINUTE: Final = 1
"""So few messages a minute are answered as they come that a chat of a few messages is a flood."""
_VERBS: Final = ("file", "file", "file", "note", "move", "delete", "undo")
_COMMANDS: Final = ("help", "id", "reset", "forget", "forget", "forget me", "exit", "bye")
_BOUNDED: Final[Mapping[str, tuple[ModuleType, str]]] = {
    "messages_read": (history, "MESSAGES_READ"),
    "outcomes_read": (history, "OUTCOMES_READ"),
    "messages_shown": (history, "MESSAGES_SHOWN"),
    "amendments_read": (amendment_notes, "NEWEST_READ"),
    "outcomes_kept": (snapshot, "_OUTCOMES_KEPT"),
    "newest_outcomes_kept": (snapshot, "_NEWEST_KEPT"),
    "folded_at_once": (compaction, "_FOLDED_AT_ONCE"),
}
SMALL_BOUNDS: Final[Mapping[str, int]] = {
    "messages_read": 4,
    "outcomes_read": 4,
    "messages_shown": 4,
    "amendments_read": 3,
    "outcomes_kept": 4,
    "newest_outcomes_kept": 2,
    "folded_at_once": 6,
}
"""What limits reading and memory, so small that a chat of a few messages meets it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The result of a schedule.  `trace` is a digest of every step; `last_steps` are the last ones as text, where a violation was found."""

    violations: tuple[str, ...]
    trace: int
    steps: int
    model_calls: int
    last_steps: tuple[str, ...]
    is_calm: bool
    failures: Mapping[str, int]
    most_attempts: Mapping[str, int]
    most_asked: int
    longest_s: float
    longest_wait_s: float


def play(seed: int, *, keeps_steps: bool = False) -> Verdict:
    """Play one schedule to its end.  `keeps_steps`: return its last steps also if it is clean."""
    rng = random.Random(seed)
    stage = draw_stage(rng)
    with playing(stage):
        _Schedule(stage).begin()
        rests = stage.world.scheduler.run(steps=STEPS)
    found = stage.violations() if rests else ["I1: nothing ever came to rest"]
    scheduler, bus = stage.world.scheduler, stage.bus
    return Verdict(
        violations=tuple(found),
        trace=scheduler.trace,
        steps=scheduler.steps,
        model_calls=stage.world.truth.model_calls,
        last_steps=scheduler.last_steps if found or keeps_steps else (),
        is_calm=stage.world.weather.calm,
        failures=bus.failures,
        most_attempts=stage.world.most_attempts,
        most_asked=max(stage.world.truth.asked.values(), default=0),
        longest_s=bus.longest_s,
        longest_wait_s=max(bus.waited_s.values(), default=0.0),
    )


def draw_stage(rng: random.Random) -> "Stage":
    """Draw the world of a schedule, in which nothing has happened yet."""
    lease_s = rng.choice((LEASE_S, LEASE_S, LEASE_S, LEASE_S, 20.0, SHORTEST_LEASE_S))
    skew_s = SKEW_S * lease_s / LEASE_S
    chats = rng.choice((1, 1, 1, 2, 3))
    archived = random.Random(repr(rng.getstate()[1][:4])).random()
    return Stage(
        rng,
        _weather(rng),
        settings=Settings(
            late_reply=rng.choice(tuple(LateReply)),
            lease_s=lease_s,
            group_policy=GroupPolicy.MODEL if rng.random() < 0.2 else GroupPolicy.MENTION,
            has_knowledge=rng.random() < 0.5,
            has_notion=rng.random() < 0.15,
            limits=_limits(archived),
            has_archive=archived >= _WITHOUT_ARCHIVE,
            segment_messages=1 if archived >= _ARCHIVED_SOON else SMALL_SEGMENT,
            threads=rng.choice((THREADS, THREADS, _THREADS_A_CHAT * chats)),
            budget=_budget(rng) if rng.random() < 0.15 else NO_LIMITS,
            reminding=_reminding(rng),
            reminder_pushes_per_day=_of_its_own(rng, "a day").choice((0, 0, 2)),
            access=Access.INVITED if random.Random(repr(rng.getstate()[1][:9])).random() < 0.15 else Access.OPEN,
        ),
        skews_s=tuple(rng.uniform(-skew_s / 2, skew_s / 2) for _ in range(_INSTANCES)),
        chats=chats,
        bounds=SMALL_BOUNDS if rng.random() < 0.2 else {},
        a_minute=_FEW_A_MINUTE if rng.random() < 0.1 else flood.A_MINUTE,
    )


def _of_its_own(rng: random.Random, what: str) -> random.Random:
    """Return a source of chance that takes nothing of the schedule's own, so that what else is drawn stays as it was."""
    return random.Random(f"{what} {rng.getstate()[1][:9]}")


def _reminding(rng: random.Random) -> Reminding:
    """Return how reminders are said; in most schedules there are none."""
    fate = _of_its_own(rng, "reminding").random()
    if fate < _REMINDED:
        return Reminding.REPLY if fate < _REMINDED / 8 else Reminding.PUSH
    return Reminding.OFF


def _limits(archived: float) -> MemoryLimits:
    """Return how much memory keeps; chats without an archive keep more, so that what is left can be compared."""
    if archived >= _ARCHIVED_SOON:
        return LEAST
    return TINY if archived >= _WITHOUT_ARCHIVE + (1 - _ARCHIVED_SOON) else SMALL


def _budget(rng: random.Random) -> Limits:
    """Return limits that a chat of a few messages meets."""
    return Limits(
        turns_per_chat_day=rng.choice((0, 1, 2, 3)),
        tokens_per_chat_day=rng.choice((0, 1, 3)) * REQUEST_TOKENS,
        tokens_per_day=rng.choice((0, 0, 5)) * REQUEST_TOKENS,
    )


class Stage:
    """One world with its people and machines; a schedule or a scene decides what they do, and when."""

    def __init__(
        self,
        rng: random.Random,
        weather: Weather,
        *,
        settings: Settings,
        mood: Mood | None = None,
        skews_s: tuple[float, ...] = (0.0,) * 3,
        chats: int = 1,
        bounds: Mapping[str, int] | None = None,
        a_minute: int = flood.A_MINUTE,
        ticks_are_reliable: bool = False,
    ) -> None:
        self.world = World(rng, weather)
        self.line = Line(self.world, forgets_outcomes=bool(bounds))
        self.mood = mood or Mood()
        self.bounds = bounds or {}
        self.a_minute = a_minute
        self.withdrawals = Withdrawals(objects=self.world.objects, now_ms=lambda: self.world.now_ms)
        messages, events = itertools.count(), itertools.count(1)
        self.chats = tuple(
            People(place=place, message_numbers=messages, event_numbers=events) for place in range(chats)
        )
        self.ports = Ports(
            world=self.world,
            holders=Holders(self.world, self.mood, fence_s=settings.fence_s, budget=settings.budget),
            line=self.line,
            mind=Mind(self.world, self.mood),
            notion=Workspace(self.world),
            settings=settings,
            withdrawals=self.withdrawals,
        )
        self.bus = Bus(self.ports, skews_s)
        self.ticker = Ticker(self.bus, self.withdrawals, is_reliable=ticks_are_reliable or weather.calm)

    @property
    def people(self) -> People:
        """The members of the first chat."""
        return self.chats[0]

    def webhook(self, message: Message, *, published_s: float) -> Delivery:
        """LINE delivers the message, for the first time or again.  The token's minute starts; Pub/Sub has the message at `published_s`."""
        if message.words:
            self.world.authors[message.words[0][0][:-1]] = message.conversation_id
            self.world.truth.written[message.words[0][0][:-1]] = message.author, message.at_s
            self.world.truth.orders |= {word[:-1] for _, word in ORDER.findall(message.text)}
        if not message.addressed:
            self.world.overheard.add(message.id)
        if message.medium is not None and not message.unsent:
            self.line.contents[message.id] = message.medium
        return self._with_token(message, message.reply_token, published_s=published_s)

    def welcome(self, welcome: Welcome) -> Delivery:
        """LINE delivers the join, follow or command, for the first time or again."""
        return self._with_token(welcome, welcome.reply_token, published_s=self.world.now_s)

    def confirmation(self, people: People, order: Order) -> Delivery:
        """LINE delivers a press of a button that confirms; whether it erased anything shows when it is acknowledged."""

        def on_ack() -> None:
            pressed_ms = EPOCH_MS + round(order.at_s * 1_000)
            stored = self.world.objects.read(f"erased/{order.conversation_id}.json")
            watermark = decode(Watermark, stored.data) if stored is not None else Watermark()
            moments_ms = {watermark.timestamp_ms}
            if watermark.timestamp_ms == pressed_ms:  # the farewell, which is erased after all else
                moments_ms.add(pressed_ms - 1)
            marked = any((order.conversation_id, one) in self.world.truth.marked_erasures for one in moments_ms)
            if watermark.timestamp_ms < pressed_ms - 1 or not marked:  # another delivery is about to carry it out
                return
            until_s = order.at_s if watermark.entries_ms >= pressed_ms else order.just_before_s
            people.erase(until_s=until_s, spares_entries=watermark.entries_ms < pressed_ms - 1)
            self._erasure_was_acknowledged(people, until_s=until_s)

        return replace(self.welcome(order), on_ack=on_ack)

    def taking_back(self, people: People, order: Order) -> Delivery:
        """LINE delivers a press that takes messages back; whether it counts shows when it is acknowledged."""

        def on_ack() -> None:
            question_id, recorded = (
                question_id_in(order.presses),
                self.world.truth.recorded.get(people.conversation_id, {}),
            )
            press = recorded.get(f"{question_id}-press")
            if press is None or press.answers != (order.id,):
                return
            taken = [one for one in people.messages if one.id in press.forgets]
            for one in taken:
                one.unsent = True
                one.amended_s.append(order.at_s)
            words = [word for one in taken for word, _ in one.words]
            effect = partial(self.world.truth.forget, [*words, *map(gloss_of, words)])
            self.withdrawals.acknowledge(people.conversation_id, press.forgets[0], effect, more_ids=press.forgets)

        return replace(self.welcome(order), on_ack=on_ack)

    def command(self, people: People, order: Order) -> Delivery:
        """LINE delivers a command; once an erasure is handled, the words up to it must be gone."""
        if people.forgets_a_member(order.command):
            return replace(self.welcome(order), on_ack=lambda: self._member_was_forgotten(people, order))
        if not people.erases_at_once(order.command):
            return self.welcome(order)
        return replace(
            self.welcome(order), on_ack=lambda: self._erasure_was_acknowledged(people, until_s=order.just_before_s)
        )

    def joining(self, joining: Joining) -> Delivery:
        """LINE delivers the joining of a member; once it is handled, nothing from before is looked up for that member."""

        def note() -> None:
            whose = joining.conversation_id, joining.user_id
            self.world.truth.joined.setdefault(whose, (joining.at_s, self.world.now_s))

        return Delivery(
            name=f"joining {joining.event['webhookEventId']}",
            conversation_id=joining.conversation_id,
            function="agent_worker",
            event=joining.event,
            published_s=self.world.now_s,
            on_ack=note,
        )

    def unsend(self, message: Message, event: Json) -> Delivery:
        """LINE delivers the unsend; once it is handled, the words of the message must be gone.  LINE has no content of it any more."""
        self.line.contents.pop(message.id, None)

        def forget() -> None:
            words = [word for word, _ in message.words]
            self.world.truth.forget([*words, *map(gloss_of, words)])

        return Delivery(
            name=f"unsend {message.id}",
            conversation_id=message.conversation_id,
            function="unsend",
            event=event,
            published_s=self.world.now_s,
            on_ack=lambda: self.withdrawals.acknowledge(message.conversation_id, message.id, forget),
        )

    def unsend_of_command(self, order: Order, event: Json) -> Delivery:
        """LINE delivers the unsend of a command; once it is handled, no press confirms what the command asked."""

        def note() -> None:
            order.withdrawn_s = min(order.withdrawn_s, self.world.now_s)

        return Delivery(
            name=f"unsend {order.line_message_id}",
            conversation_id=order.conversation_id,
            function="unsend",
            event=event,
            published_s=self.world.now_s,
            on_ack=lambda: self.withdrawals.acknowledge(order.conversation_id, order.line_message_id, note),
        )

    def edit(self, message: Message, event: Json, *, at_s: float) -> Delivery:
        """LINE delivers the edit; once it is handled, the older words of the message are outdated."""

        def outdate() -> None:
            self.world.truth.outdate(message.id, message.words, edited_s=round(at_s, 3), now_s=self.world.now_s)

        return Delivery(
            name=f"edit {message.id}",
            conversation_id=message.conversation_id,
            function="agent_worker",
            event=event,
            published_s=self.world.now_s,
            on_ack=lambda: self.withdrawals.acknowledge(message.conversation_id, message.id, outdate),
        )

    def departure(self, event: Json, *, at_s: float, people: People | None = None) -> Delivery:
        """LINE delivers the leave or unfollow; once it is handled, every word up to `at_s` must be gone."""
        whose = people or self.people
        return Delivery(
            name="part",
            conversation_id=whose.conversation_id,
            function="agent_worker",
            event=event,
            published_s=self.world.now_s,
            on_ack=lambda: self._erasure_was_acknowledged(whose, until_s=at_s),
        )

    def violations(self) -> list[str]:
        """Return the violations; to be asked when nothing is left to do."""
        suffix = " (bounds small)" if self.bounds else ""
        return [f"{one}{suffix}" for one in violations(self.stories())]

    def stories(self) -> list[Story]:
        """Return what people did in each chat by now, and what followed."""
        return [
            Story(
                people=people,
                world=self.world,
                mood=self.mood,
                bus=self.bus,
                settings=self.ports.settings,
                withdrawals=self.withdrawals,
                forgets_outcomes=bool(self.bounds),
                a_minute=self.a_minute,
                messages_read=self.bounds.get("messages_read", history.MESSAGES_READ),
                page_counts=self.ports.notion.page_counts(),
            )
            for people in self.chats
        ]

    def _with_token(self, one: Message | Welcome, token: str, *, published_s: float) -> Delivery:
        self.line.delivers(token, conversation_id=one.conversation_id, happened_s=one.at_s)
        return Delivery(
            name=one.id,
            conversation_id=one.conversation_id,
            function="agent_worker",
            event=one.event,
            published_s=published_s,
        )

    def _erasure_was_acknowledged(self, people: People, *, until_s: float) -> None:
        def forget() -> None:
            words = [
                word for one in people.messages for word, since_s in one.words if max(since_s, one.at_s) <= until_s
            ]
            # Entries may be spared, and their words come back in prompts.
            self.world.truth.forget([] if self._spares_entries(people, until_s) else [*words, *map(gloss_of, words)])

        self.withdrawals.acknowledge(people.conversation_id, None, forget)

    def _member_was_forgotten(self, people: People, order: Order) -> None:
        """Once no second pass is left, no word of the member may come back, nor any that is delivered only then.

        There is none where nothing of the member was found; whoever had read it before may think with it for as long all the same.
        """

        def forget() -> None:
            own = people.own_messages(order)
            words = [word for one in own for word, since_s in one.words if since_s < order.at_s]
            self.world.truth.forget([*words, *map(gloss_of, words)])

        own = tuple(one.id for one in people.own_messages(order))
        handled = partial(
            self.withdrawals.acknowledge, people.conversation_id, order.line_message_id, forget, more_ids=own
        )
        self.world.scheduler.at(self.world.now_s + SECOND_PASS_S, handled)

    @staticmethod
    def _spares_entries(people: People, until_s: float) -> bool:
        return people.erased_entries_s < until_s


@contextlib.contextmanager
def playing(stage: Stage) -> Iterator[None]:
    """Inside the block the product logs into the schedule, waits on greenlets, and has the bounds of the stage."""
    logs.configure(stage.world.truth.log)
    bounds = [(*_BOUNDED[name], value) for name, value in stage.bounds.items()]
    with green_threads(), replaced((flood, "A_MINUTE", stage.a_minute), *bounds):
        try:
            yield
        finally:
            logs.configure()


class _Schedule:
    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.world = stage.world
        self.rng = stage.world.rng
        self.weather = stage.world.weather
        self.kills = self.weather.kills
        self.reminding = stage.ports.settings.reminding
        self.world.scheduler.on_step = self._on_step
        stage.line.on_said = self._answer

    def begin(self) -> None:
        """Draw the events.  Their delays and failures are drawn as they occur."""
        self._mood()
        for people in self.stage.chats:
            self._people(people)
        self._admit()
        if self.reminding is Reminding.PUSH and self.stage.ports.settings.late_reply is not LateReply.PUSH:
            self.stage.line.quota = self.rng.choice((None, None, 1, 3))
        self.stage.ticker.begin(self.rng.random() * TICK_S)

    def _admit(self) -> None:
        """By invitation every chat is admitted but the last of several, which stays a stranger."""
        if self.stage.ports.settings.access is Access.OPEN:
            return
        for people in self.stage.chats:
            people.is_stranger = people is self.stage.chats[-1] and len(self.stage.chats) > 1
            if not people.is_stranger:
                name = ObjectNames(people.conversation_id).admission
                self.world.objects.create(name, encode(AdmissionRecord(since_ms=0)))

    # -- people

    def _people(self, people: People) -> None:
        """Draw messages with their redeliveries, withdrawals and edits, and what happens besides."""
        rng = self.rng
        people.is_group = rng.random() < 0.4
        gap_s = rng.choice((0.3, 2.0, 20.0))
        at_s = 1.0
        files = self.stage.ports.settings.has_knowledge and rng.random() < 0.6
        may_propose = (
            files or self.stage.ports.settings.has_notion
        )  # after a look at a picture, some changes wait for a tap
        sends_images = rng.random() < (0.4 if may_propose else 0.15)
        for _ in range(self._message_count()):
            at_s += rng.random() * gap_s
            message = self._message(people, at_s, files=files, sends_images=sends_images)
            self._write(message)
            if rng.random() < 0.25:
                self._withdraw(people, message)
            for _ in range(
                rng.randint(1, 2) if people.is_group and message.medium is None and rng.random() < 0.25 else 0
            ):
                self._edit(people, message)
        if self.reminding is not Reminding.OFF:
            for _ in range(rng.randint(0, 2)):  # an answer says what could not be pushed
                self._write(people.message(at_s=at_s + rng.uniform(*_LATER_S)))
        self._happenings(people, at_s)

    def _happenings(self, people: People, at_s: float) -> None:
        """Draw what happens besides until some time after the last message: bursts, joins, departures and commands."""
        rng = self.rng
        if rng.random() < 0.005:
            self._withdraw_many(people, at_s)
        if rng.random() < 0.003:
            self._flood(people, at_s)
        for _ in range(rng.randint(1, 2) if rng.random() < 0.15 else 0):
            self._welcome(people, rng.random() * (at_s + 10))
        for _ in range(rng.randint(1, 2) if rng.random() < 0.12 else 0):
            self._depart(people, rng.random() * (at_s + 10))
        for _ in range(rng.randint(1, 2) if rng.random() < 0.2 else 0):
            self._order(people, rng.random() * (at_s + 10), rng.choice(_COMMANDS))
        if people.is_group and rng.random() < 0.2:
            self._order(people, rng.random() * (at_s + 2), "forget me")
        chance = _of_its_own(rng, f"rare {people.place}")
        if chance.random() < _RARE:
            self._write(people.catch_up(at_s=chance.random() * (at_s + 10)))
        if chance.random() < _RARE:
            self._write(people.message(at_s=at_s + 20 + chance.random() * 60, verb="forget"))
        if people.is_group and chance.random() < _RARE:
            self._join(people, chance.random() * at_s)

    def _join(self, people: People, at_s: float) -> None:
        joining = people.joining(at_s=at_s)
        self.world.scheduler.at(at_s, lambda: self._publish(self.stage.joining(joining)))

    def _message_count(self) -> int:
        fate = self.rng.random()
        if fate < 0.9:
            return self.rng.randint(1, 5)
        return _MANY_MESSAGES if fate > 0.99 else _MESSAGES

    def _message(self, people: People, at_s: float, *, files: bool, sends_images: bool) -> Message:
        rng = self.rng
        if sends_images and rng.random() < 0.5:
            return people.image(at_s=at_s)
        quotes: str | None = None
        earlier = [one.id for one in people.messages if one.words]
        if earlier and rng.random() < 0.15:
            quotes = rng.choice(earlier)
        verb = rng.choice(_VERBS) if files and rng.random() < 0.7 else ""
        if self.reminding is not Reminding.OFF and rng.random() < 0.85:
            verb = "cancel" if rng.random() < 0.1 else "remind"
        if self.stage.ports.settings.has_notion and rng.random() < 0.4:
            verb = "page"
        if not verb and len(people.messages) % _ONE_RECALLS_IN == _ONE_RECALLS_IN - 1:
            verb = "recall"
        return people.message(at_s=at_s, addressed=rng.random() < 0.7, verb=verb, quotes=quotes)

    def _write(self, message: Message) -> None:
        rng, calm = self.rng, self.weather.calm
        received_s = [message.at_s + rng.random() * 0.5]
        if not calm and rng.random() < 0.2:  # the first delivery failed, or only its answer was lost
            received_s = [received_s[0] + rng.choice((0.0, 20.0))]
        if rng.random() < 0.2:
            received_s.append(received_s[0] + rng.random() * (5.0 if calm else rng.choice((5.0, 45.0, 300.0))))
        for at_s in received_s:
            self.world.scheduler.at(at_s, partial(self._receive, message))

    def _receive(self, message: Message) -> None:
        published_s = self.world.now_s + self.rng.random() * (0.2 if self.weather.calm else PUBLISH_S)
        self._publish(self.stage.webhook(message, published_s=published_s))

    def _withdraw(self, people: People, message: Message, *, at_s: float | None = None) -> None:
        if at_s is None:
            at_s = message.at_s + self.rng.random() * self.rng.choice((2.0, 15.0, 90.0))
        event = people.unsend(message, at_s=at_s)
        self.world.scheduler.at(at_s, lambda: self._publish(self.stage.unsend(message, event)))

    def _withdraw_many(self, people: People, at_s: float) -> None:
        """Somebody withdraws forty messages within a second; most of them were not for the bot."""
        burst = [people.message(at_s=at_s + number * 0.01, addressed=False) for number in range(_BURST)]
        for message in burst:
            self._write(message)
        begun_s = at_s + 5 + self.rng.random() * 10
        for message in burst:
            self._withdraw(people, message, at_s=begun_s + self.rng.random())

    def _flood(self, people: People, at_s: float) -> None:
        """Somebody asks forty things within some seconds."""
        for number in range(_BURST):
            self._write(people.message(at_s=at_s + number * 0.2))

    def _edit(self, people: People, message: Message) -> None:
        """Edit the message, sometimes twice within a millisecond."""
        at_s = message.at_s + self.rng.random() * 30
        for _ in range(2 if self.rng.random() < 0.1 else 1):
            event = people.edit(message, at_s=at_s)
            self.world.scheduler.at(
                at_s,
                lambda event=event: self._publish(self.stage.edit(message, event, at_s=at_s)),  # type: ignore[misc]
            )

    def _welcome(self, people: People, at_s: float) -> None:
        welcome = people.welcome(at_s=at_s)
        for _ in range(1 if self.rng.random() < 0.8 else 2):
            received_s = at_s + self.rng.random() * 0.5
            self.world.scheduler.at(received_s, lambda: self._publish(self.stage.welcome(welcome)))

    def _depart(self, people: People, at_s: float) -> None:
        event = people.departure(at_s=at_s)
        self.world.scheduler.at(at_s, lambda: self._publish(self.stage.departure(event, at_s=at_s, people=people)))

    def _order(self, people: People, at_s: float, command: str) -> None:
        order = people.order(command, at_s=at_s)
        for _ in range(1 if self.rng.random() < 0.7 else 2):
            received_s = at_s + self.rng.random() * (0.5 if self.weather.calm else self.rng.choice((0.5, 30.0)))
            self.world.scheduler.at(received_s, lambda: self._publish(self.stage.command(people, order)))
        if self.rng.random() < 0.1 and not (
            people.erases_at_once(order.command) or people.forgets_a_member(order.command)
        ):
            unsent_s = at_s + self.rng.random() * self.rng.choice((2.0, 90.0))
            event = people.unsend_of(order, at_s=unsent_s)
            self.world.scheduler.at(unsent_s, lambda: self._publish(self.stage.unsend_of_command(order, event)))

    def _answer(self, said: ShownText) -> None:
        """Draw what people do about what the bot said: they press its button, perhaps more than once, or quote it."""
        people = next(one for one in self.stage.chats if one.conversation_id == said.conversation_id)
        if len(people.messages) >= _MESSAGES:
            return
        if said.button is not None and self.rng.random() < 0.8:
            for _ in range(self.rng.randint(1, 3)):
                pressed_s = said.at_s + 0.5 + self.rng.random() * self.rng.choice((3.0, 60.0))
                presser = people
                is_message = question_id_in(said.button) is None
                if is_message and deferral_id_in(said.button) is None and self.rng.random() < 0.15:
                    pressed_s += 600.0
                if not is_message and self.rng.random() < 0.15:  # late, or in another chat
                    pressed_s += 600.0 if self.rng.random() < 0.5 else 0.0
                    presser = self.rng.choice(self.stage.chats)
                if is_message:
                    self._write(people.press(said.button, at_s=pressed_s))
                elif said.outcome is not None and said.outcome.forgets:
                    order = presser.take_back(said.button, at_s=pressed_s)
                    self.world.scheduler.at(
                        pressed_s,
                        lambda presser=presser, order=order: self._publish(  # type: ignore[misc]
                            self.stage.taking_back(presser, order)
                        ),
                    )
                else:
                    order = presser.confirm(said.button, at_s=pressed_s)
                    self.world.scheduler.at(
                        pressed_s,
                        lambda presser=presser, order=order: self._publish(  # type: ignore[misc]
                            self.stage.confirmation(presser, order)
                        ),
                    )
        elif said.choices and self.rng.random() < 0.6:
            self._choose(people, said)
        elif said.bubble_ids and self.rng.random() < 0.08:
            at_s = said.at_s + 1 + self.rng.random() * 20
            message = people.message(at_s=at_s, addressed=False, quotes=self.rng.choice(said.bubble_ids))
            self._write(message)

    def _choose(self, people: People, said: ShownText) -> None:
        """Press the buttons of a reminder, sometimes of two members, or in another chat."""
        for _ in range(self.rng.randint(1, 3)):
            pressed_s = said.at_s + 0.5 + self.rng.random() * self.rng.choice((3.0, 60.0))
            presser = self.rng.choice(self.stage.chats) if self.rng.random() < 0.15 else people
            data = self.rng.choice(said.choices[:2])
            if random.Random(f"in an hour {pressed_s}").random() < _IN_AN_HOUR:
                data = said.choices[2]
            order = presser.choose(data, at_s=pressed_s)
            self.world.scheduler.at(
                pressed_s,
                lambda order=order: self._publish(self.stage.welcome(order)),  # type: ignore[misc]
            )

    # -- machines

    def _publish(self, delivery: Delivery) -> None:
        """Pub/Sub delivers after a delay, out of order, and sometimes twice."""
        rng, weather = self.rng, self.weather
        for _ in range(1 if rng.random() < 0.85 else 2):
            pause_s = rng.random() * rng.choice(
                (0.5, min(3.0, weather.backlog_s)) if weather.calm else (0.5, 5.0, weather.backlog_s)
            )
            copy = replace(delivery)
            self.world.scheduler.at(
                max(delivery.published_s, self.world.now_s) + pause_s, partial(self.stage.bus.push, copy)
            )

    def _mood(self) -> None:
        rng, mood = self.rng, self.stage.mood
        mood.manner = rng.choice(("repeats", "repeats", "repeats", "paraphrases", "says nothing"))
        mood.seconds = rng.choice(((0.3, 3.0), (1.0, 8.0), (5.0, 39.0), (14.0, 26.0)))
        mood.downs, mood.skips = rng.choice((0.0, 0.1)), rng.choice((0.0, 0.15))
        if not self.weather.calm and rng.random() < 0.15:
            mood.poison = frozenset({f"word{rng.randrange(3)}a"})
            mood.poisons_anywhere = rng.random() < 0.3
            self.kills = min(self.kills, _KILLS_BESIDE_POISON)

    def _on_step(self, task: Task) -> None:
        if self.kills and self.rng.random() < _KILLS:
            self.kills -= 1
            self.world.scheduler.kill(task.process)


def _weather(rng: random.Random) -> Weather:
    if rng.random() < 0.3:
        return Weather(calm=True, lost_answers=rng.choice((0.0, 0.05)))
    down_s = rng.random() * 40
    return Weather(
        calm=False,
        call_s=rng.choice((0.02, 0.1, 0.3)),
        failures=rng.choice((0.0, 0.005)),
        lost_answers=rng.choice((0.0, 0.05)),
        lossiness=rng.choice((0.0, 0.1)),
        kills=rng.choice((0, 3, 8)),
        stalls=rng.choice((0, 2, 4)),
        lags=rng.choice((0.0, 0.0, 0.02)),
        backlog_s=rng.choice((5.0, 30.0, 80.0)) if rng.random() < 0.95 else 1_260.0,
        outage_s=(down_s, down_s + rng.choice((20.0, 300.0, 1_500.0))) if rng.random() < 0.08 else (0.0, 0.0),
    )
