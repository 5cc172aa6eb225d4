"""Seeded schedules: what people do, what fails, which thread moves next.  The same seed plays the same schedule, step by step."""

import random
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import partial
from types import FrameType
from typing import Final

from shared.access.admission import Access, AdmissionRecord
from shared.expenses.expense import FOLDER as EXPENSES
from shared.hooks.hook import HookMode
from shared.line.postback_data import AnswerButton, AnswerPress, SparePress, TranslationChoice, TranslationPress
from shared.reminders.delivery import Reminding
from shared.storage.codec import encode
from shared.storage.object_names import ObjectNames
from shared.turns.deferral import LateReply
from tests.simulation.bus import TICK_S, Delivery
from tests.simulation.calendars import leaving_from
from tests.simulation.cut import NOTHING, Cut
from tests.simulation.draws import draw_stage
from tests.simulation.hooks import make_hook, notice_to, revoke_hook
from tests.simulation.listed import listed_rows, ticks
from tests.simulation.people import MEMBERS, Message, Order, People
from tests.simulation.scheduler import STEPS, Task
from tests.simulation.stage import Stage, playing
from tests.simulation.times import PUBLISH_S
from tests.simulation.translation import GREETS, begin_translation
from tests.simulation.world import ShownText, of_its_own
from tests.support.buttons import confirmed_question_in

_KILLS: Final = 0.005
_SAYS_MORE: Final = 0.4
_KILLS_BESIDE_POISON: Final = 3
_MESSAGES: Final = 12
_MANY_MESSAGES: Final = 40
_BURST: Final = 40
_LATER_S: Final = (150.0, 500.0)
_ONE_RECALLS_IN: Final = 4
_RARE: Final = 0.06
_REFUSED: Final = 0.12
_IN_AN_HOUR: Final = 0.3
_VERBS: Final = ("file", "file", "file", "note", "move", "delete", "undo")
_OF_EXPENSES: Final = ("pay", "pay", "pay", "correct", "unpay", "settle", "undo")
_PAYS: Final = 0.6
_ASKS_WHO_OWES: Final = 0.7
"""After how many answers that note an expense a member asks for the balance, below which there is a button that settles up."""
_PAYS_FIRST: Final = 0.4
_OF_LISTS: Final = ("buy", "buy", "buy", "tick", "tick", "clear", "delete", "undo")
_BUYS: Final = 0.6
_TICKS: Final = 0.5
_TICKED_S: Final = 15.0
"""After the last message, members tick things for so long."""
_TICK_GAPS_S: Final = (0.3, 1.0, 4.0)
_TICKED_AT_MOST: Final = 7
_ORDERS_AT_MOST: Final = 24
_SENDS_LINKS: Final = 0.3
_OF_SUMMARIES: Final = ("sum", "pushsum", "privsum")
_SUMS_UP: Final = 0.4
_OF_POLLS: Final = ("poll", "poll", "meet", "meet", "endpoll", "undo")
_ENDING: Final = {"poll": ("pollby", "pollby", "pollpush"), "meet": ("meetsoon",), "endpoll": ("calloff",)}
"""What is asked in place of a poll or meeting, so that it ends at a time, or is reminded of; and in place of closing one."""
_ENDS: Final = 0.5
_ENDED_S: Final = 520.0
"""When polls have ended that end at a time, and their results wait for a message."""
_ASKS_ALL: Final = 0.6
_VOTES: Final = 0.7
_NOTICES: Final = 5
_NOTIFIED_S: Final = 10.0
"""After the last message, systems send notices for so long."""
_REVOKES: Final = 0.2
_OF_CALENDARS: Final = ("calendar", "calendar", "calendar new", "calendar off")
_LEAVES: Final = 0.5
_FOR_ALL: Final = 0.6
_SWITCHES: Final = 0.2
_WRITES_TO_MEMBERS: Final = 0.6
_KEEPS_A_WORD: Final = 0.4
_COMMON_NAMES: Final = 0.6
"""In how many schedules entries have common names, which come back."""
_COMMANDS: Final = ("help", "id", "reset", "forget", "forget", "forget me", "exit", "bye")


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The result of a schedule.  `trace` is a digest of every step; `last_steps` are the last ones as text, where a violation was found.

    `happenings` says what people did, by number: `{0: "writes m0", 1: "unsends m0"}`.
    """

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
    happenings: Mapping[int, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """How a schedule is watched.  `steps`: its last steps are returned also if it is clean, with the product's lines.

    `on_break` is called at the step `break_at` (`Scheduler`).
    """

    steps: bool = False
    break_at: int | None = None
    on_break: Callable[[FrameType], None] = lambda _: None


UNWATCHED: Final = Watch()


def play(seed: int, *, watch: Watch = UNWATCHED, cut: Cut = NOTHING) -> Verdict:
    """Play one schedule, or what the cut leaves of it, to its end."""
    rng = random.Random(seed)
    stage = draw_stage(rng)
    cut.calm(stage.world)
    scheduler, bus = stage.world.scheduler, stage.bus
    scheduler.records_places = watch.steps
    scheduler.break_at, scheduler.on_break = watch.break_at, watch.on_break
    schedule = _Schedule(stage, cut.dropped)
    with playing(stage):
        schedule.begin()
        if cut.roll:
            rng.seed(f"{seed} {cut.roll}")
        rests = scheduler.run(steps=STEPS)
    found = stage.violations() if rests else ["I1: nothing ever came to rest"]
    return Verdict(
        violations=tuple(found),
        trace=scheduler.trace,
        steps=scheduler.steps,
        model_calls=stage.world.truth.model_calls,
        last_steps=tuple(map(str, scheduler.last_steps)) if found or watch.steps else (),
        is_calm=stage.world.weather.calm,
        failures=bus.failures,
        most_attempts=stage.world.most_attempts,
        most_asked=max(stage.world.truth.asked.values(), default=0),
        longest_s=bus.longest_s,
        longest_wait_s=max(bus.waited_s.values(), default=0.0),
        happenings=schedule.happenings,
    )


class _Schedule:
    def __init__(self, stage: Stage, dropped: AbstractSet[int]) -> None:
        self.stage = stage
        self.dropped = dropped
        self.happenings: dict[int, str] = {}
        self.unwritten: list[tuple[People, Message]] = []
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
        self._forget_unwritten()
        self._admit()
        for people in self.stage.chats:
            if self.stage.ports.settings.has_translation and people.is_group and not people.is_stranger:
                self._translate(people)
            if self.stage.ports.settings.has_lists and not people.is_stranger:
                self._tick(people)
            if self.stage.ports.settings.has_hooks and not people.is_stranger:
                self._notify(people, max((message.at_s for message in people.messages), default=0.0) + _NOTIFIED_S)
        if self.reminding is Reminding.PUSH and self.stage.ports.settings.late_reply is not LateReply.PUSH:
            self.stage.line.quota = self.rng.choice((None, 12, 1, 3))
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

    def _happens(self, what: str) -> bool:
        """Count something that a person does; return whether it happens."""
        number = len(self.happenings)
        self.happenings[number] = what
        return number not in self.dropped

    def _forget_unwritten(self) -> None:
        """Keep from the checks the messages that the cut dropped; they were drawn, because later ones depend on their number."""
        for people, message in self.unwritten:
            people.messages.remove(message)
        self.unwritten.clear()

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
            self._write(people, message)
            if rng.random() < 0.25:
                self._withdraw(people, message)
            for _ in range(
                rng.randint(1, 2) if people.is_group and message.medium is None and rng.random() < 0.25 else 0
            ):
                self._edit(people, message)
        if self.reminding is not Reminding.OFF:
            for _ in range(rng.randint(0, 2)):  # an answer says what could not be pushed
                self._write(people, people.message(at_s=at_s + rng.uniform(*_LATER_S)))
            if people.is_group:  # and a message that nobody answers brings a summary
                later_s = of_its_own(rng, f"after a summary {people.place}").uniform(*_LATER_S)
                self._write(people, people.message(at_s=at_s + later_s, addressed=False))
        if people.is_group and self.stage.ports.settings.has_polls and self.reminding is not Reminding.OFF:
            ended_s = _ENDED_S + of_its_own(rng, f"after the end {people.place}").random() * TICK_S
            self._write(people, people.message(at_s=ended_s, addressed=False))
        self._happenings(people, at_s)

    def _translate(self, people: People) -> None:
        """The group's messages are translated from the beginning; sometimes members press on the card of what is on."""
        chance, world = of_its_own(self.rng, f"translates {people.place}"), self.world
        since_ms = begin_translation(world, people.conversation_id, is_for_all=chance.random() < _FOR_ALL)
        until_s = max((message.at_s for message in people.messages), default=0.0)
        for choice in TranslationChoice:
            if chance.random() >= _SWITCHES:
                continue
            press = TranslationPress(choice=choice, changed_ms=since_ms)
            at_s, by = chance.random() * until_s, chance.choice(MEMBERS)
            if self._happens(f"presses to {choice.value} translation"):
                order = people.press_listed(press.data, at_s=at_s, by=by)
                for _ in range(chance.randint(1, 2)):
                    received_s = at_s + chance.random() * 0.5
                    world.scheduler.at(received_s, partial(self._deliver_press, people, order))

    def _tick(self, people: People) -> None:
        """Now and then members press "Done" beside things of the list, one soon after the other."""
        chance = of_its_own(self.rng, f"ticks {people.place}")
        until_s = max((message.at_s for message in people.messages), default=0.0) + _TICKED_S
        for _ in range(chance.randint(1, 2) if chance.random() < _TICKS else 0):
            begun_s, gap_s, by = (
                chance.random() * until_s,
                chance.choice(_TICK_GAPS_S),
                chance.choice((MEMBERS[0], None)),
            )
            for number in range(chance.randint(1, _TICKED_AT_MOST)):
                if self._happens("ticks"):
                    tick = partial(self._tick_one, people, chance.random(), chance.randint(1, 2), by=by)
                    self.world.scheduler.at(begun_s + number * gap_s, tick)

    def _tick_one(self, people: People, which: float, times: int, *, by: str | None) -> None:
        """Press beside one of the things that the list shows at this moment; the press is sometimes delivered twice."""
        rows = listed_rows(self.world, people)
        if not rows or len(people.orders) >= _ORDERS_AT_MOST:
            return
        order = ticks(self.world, people, rows[int(which * len(rows))], by=by if people.is_group else None)
        for _ in range(times):
            self._deliver_press(people, order)

    def _deliver_press(self, people: People, order: Order) -> None:
        self._publish(self.stage.command(people, order))

    def _notify(self, people: People, until_s: float) -> None:
        """Another system sends notices to a hook of the chat; sometimes a member revokes the hook in between."""
        chance, world, chat = of_its_own(self.rng, f"hook {people.place}"), self.world, people.conversation_id
        hook_id = make_hook(world, chat, number=people.place, mode=chance.choice(tuple(HookMode)))
        for number in range(chance.randint(1, _NOTICES)):
            sent_s = chance.random() * until_s
            if self._happens(f"sends a notice to {hook_id}"):
                own_number = people.place * _NOTICES + number
                world.scheduler.at(sent_s, partial(self._send_notice, people, hook_id, own_number))
        if chance.random() < _REVOKES and self._happens(f"revokes {hook_id}"):
            world.scheduler.at(chance.random() * until_s, lambda: revoke_hook(world, chat, hook_id))

    def _send_notice(self, people: People, hook_id: str, number: int) -> None:
        self._publish(notice_to(self.world, people.conversation_id, hook_id, number=number))

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
        self._rarities(people, at_s)
        if self.stage.ports.settings.has_calendar:
            self._subscribe(people, at_s)

    def _subscribe(self, people: People, at_s: float) -> None:
        """A member asks for the chat's calendar early on; later others ask for another address or for none, and members leave."""
        chance = of_its_own(self.rng, f"calendar {people.place}")
        orders = [("calendar", chance.random())]
        orders += [(chance.choice(_OF_CALENDARS), chance.random() * (at_s + 10)) for _ in range(chance.randint(0, 3))]
        for command, given_s in orders:
            if self._happens(f"sends /{command}"):
                order = people.order(command, at_s=given_s)
                for _ in range(1 if chance.random() < 0.8 else 2):
                    received_s = given_s + chance.random() * (0.5 if self.weather.calm else chance.choice((0.5, 30.0)))
                    self.world.scheduler.at(received_s, partial(self._give, people, order))
        for _ in range(chance.randint(1, 2) if people.is_group and chance.random() < _LEAVES else 0):
            if self._happens("leaves the group"):
                left_s = chance.random() * (at_s + 10)
                self.world.scheduler.at(left_s, partial(self._leave, people, left_s))

    def _give(self, people: People, order: Order) -> None:
        self._publish(self.stage.command(people, order))

    def _leave(self, people: People, left_s: float) -> None:
        self._publish(leaving_from(self.world, people, at_s=left_s))

    def _rarities(self, people: People, at_s: float) -> None:
        """Draw what happens in few chats."""
        chance = of_its_own(self.rng, f"rare {people.place}")
        if chance.random() < _RARE:
            self._write(people, people.catch_up(at_s=chance.random() * (at_s + 10)))
        if chance.random() < _RARE:
            self._write(people, people.message(at_s=at_s + 20 + chance.random() * 60, verb="forget"))
        if people.is_group and chance.random() < _RARE:
            self._join(people, chance.random() * at_s)
        if self.stage.mood.names and self.stage.ports.settings.has_knowledge and chance.random() < 0.7:
            self._file_anew(people, at_s, chance)

    def _file_anew(self, people: People, at_s: float, chance: random.Random) -> None:
        """Somebody files things of one name, each about when the message of the one before is withdrawn, so that the name becomes free."""
        for _ in range(chance.randint(2, 5)):
            message = people.message(at_s=at_s, verb="file")
            self._write(people, message)
            at_s += 2 + self.stage.mood.seconds[1] * 2 + chance.random() * 10
            if chance.random() < 0.8:
                self._withdraw(people, message, at_s=at_s)
            at_s += chance.uniform(-4, 1)

    def _join(self, people: People, at_s: float) -> None:
        if not self._happens("joins"):
            return
        joining = people.joining(at_s=at_s)
        self.world.scheduler.at(at_s, lambda: self._publish(self.stage.joining(joining)))

    def _message_count(self) -> int:
        fate = self.rng.random()
        if fate < 0.9:
            return self.rng.randint(1, 5)
        return _MANY_MESSAGES if fate > 0.99 else _MESSAGES

    def _reminding_verb(self, people: People) -> str:
        """Return what is asked for: a reminder, or in a group sometimes a summary."""
        chance = of_its_own(self.rng, f"summary {people.place} {len(people.messages)}")
        return chance.choice(_OF_SUMMARIES) if people.is_group and chance.random() < _SUMS_UP else "remind"

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
            verb = "cancel" if rng.random() < 0.1 else self._reminding_verb(people)
        if self.stage.ports.settings.has_notion and rng.random() < 0.4:
            verb = "page"
        own = f"{people.place} {len(people.messages)}"  # the state that `of_its_own` reads stays the same for hundreds of draws
        if self.stage.ports.settings.has_expenses and (chance := of_its_own(rng, f"expense {own}")).random() < _PAYS:
            verb = chance.choice(_OF_EXPENSES)
        settings = self.stage.ports.settings
        if (
            settings.has_lists
            and settings.has_knowledge
            and (chance := of_its_own(rng, f"list {own}")).random() < _BUYS
        ):
            verb = chance.choice(_OF_LISTS)
        if people.is_group and self.stage.ports.settings.has_polls:
            verb = self._of_polls(of_its_own(rng, f"poll {own}")) or verb
        if settings.has_links and of_its_own(rng, f"link {own}").random() < _SENDS_LINKS:
            verb = "read"
        verb = self._verb_beside_translation(people, at_s, verb)
        if not verb and len(people.messages) % _ONE_RECALLS_IN == _ONE_RECALLS_IN - 1:
            verb = "recall"
        says_more = of_its_own(rng, "common words").random() < _SAYS_MORE
        addressed = rng.random() < 0.7 and verb != GREETS
        return people.message(at_s=at_s, addressed=addressed, verb=verb, quotes=quotes, says_more=says_more)

    def _verb_beside_translation(self, people: People, at_s: float, verb: str) -> str:
        """Return what a member of a translated group writes: something to the others, a word to keep as it is, or what else was drawn."""
        chance = of_its_own(self.rng, f"translated {at_s}")
        if not (people.is_group and self.stage.ports.settings.has_translation):
            return verb
        if chance.random() < _WRITES_TO_MEMBERS:
            return GREETS
        return "keep" if chance.random() < _KEEPS_A_WORD else verb

    def _of_polls(self, chance: random.Random) -> str:
        """Return what a message asks of polls; "" where it asks nothing."""
        if chance.random() >= _ASKS_ALL:
            return ""
        verb = chance.choice(_OF_POLLS)
        has_end = self.reminding is not Reminding.OFF and verb in _ENDING and chance.random() < _ENDS
        return chance.choice(_ENDING[verb]) if has_end else verb

    def _write(self, people: People, message: Message) -> None:
        rng, calm = self.rng, self.weather.calm
        received_s = [message.at_s + rng.random() * 0.5]
        if not calm and rng.random() < 0.2:  # the first delivery failed, or only its answer was lost
            received_s = [received_s[0] + rng.choice((0.0, 20.0))]
        if rng.random() < 0.2:
            received_s.append(received_s[0] + rng.random() * (5.0 if calm else rng.choice((5.0, 45.0, 300.0))))
        if not self._happens(f"writes {message.id}"):
            self.unwritten.append((people, message))
            return
        for at_s in received_s:
            self.world.scheduler.at(at_s, partial(self._receive, message))

    def _receive(self, message: Message) -> None:
        published_s = self.world.now_s + self.rng.random() * (0.2 if self.weather.calm else PUBLISH_S)
        self._publish(self.stage.webhook(message, published_s=published_s))

    def _withdraw(self, people: People, message: Message, *, at_s: float | None = None) -> None:
        if at_s is None:
            at_s = message.at_s + self.rng.random() * self.rng.choice((2.0, 15.0, 90.0))
        if not self._happens(f"unsends {message.id}"):
            return
        event = people.unsend(message, at_s=at_s)
        self.world.scheduler.at(at_s, lambda: self._publish(self.stage.unsend(message, event)))

    def _withdraw_many(self, people: People, at_s: float) -> None:
        """Somebody withdraws forty messages within a second; most of them were not for the bot."""
        burst = [people.message(at_s=at_s + number * 0.01, addressed=False) for number in range(_BURST)]
        for message in burst:
            self._write(people, message)
        begun_s = at_s + 5 + self.rng.random() * 10
        for message in burst:
            self._withdraw(people, message, at_s=begun_s + self.rng.random())

    def _flood(self, people: People, at_s: float) -> None:
        """Somebody asks forty things within some seconds."""
        for number in range(_BURST):
            self._write(people, people.message(at_s=at_s + number * 0.2))

    def _edit(self, people: People, message: Message) -> None:
        """Edit the message, sometimes twice within a millisecond."""
        at_s = message.at_s + self.rng.random() * 30
        for _ in range(2 if self.rng.random() < 0.1 else 1):
            if not self._happens(f"edits {message.id}"):
                continue
            event = people.edit(message, at_s=at_s)
            self.world.scheduler.at(
                at_s,
                lambda event=event: self._publish(self.stage.edit(message, event, at_s=at_s)),  # type: ignore[misc]
            )

    def _welcome(self, people: People, at_s: float) -> None:
        if not self._happens("adds the bot"):
            return
        welcome = people.welcome(at_s=at_s)
        for _ in range(1 if self.rng.random() < 0.8 else 2):
            received_s = at_s + self.rng.random() * 0.5
            self.world.scheduler.at(received_s, lambda: self._publish(self.stage.welcome(welcome)))

    def _depart(self, people: People, at_s: float) -> None:
        if not self._happens("removes the bot"):
            return
        event = people.departure(at_s=at_s)
        self.world.scheduler.at(at_s, lambda: self._publish(self.stage.departure(event, at_s=at_s, people=people)))

    def _order(self, people: People, at_s: float, command: str) -> None:
        if not self._happens(f"sends /{command}"):
            return
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

    def _press(self, people: People, presser: People, said: ShownText, button: str, pressed_s: float) -> None:
        """Press the button, or the one that declines; the press is decided by its time, which leaves the generator to the others."""
        declining = self._declining(button) if round(pressed_s * 1_000) % 7 == 0 else None
        if confirmed_question_in(button) is None:
            self._write(people, people.press(declining or button, at_s=pressed_s))
            return
        deliver = self.stage.confirmation
        if declining is not None:
            order = presser.spare(declining, at_s=pressed_s)
        elif said.outcome is not None and said.outcome.offer.forgets:
            order, deliver = presser.take_back(button, at_s=pressed_s), self.stage.taking_back
        elif said.outcome is not None and said.outcome.offer.translation is not None:
            order, deliver = presser.keep(button, at_s=pressed_s), self.stage.command
        else:
            order = presser.confirm(button, at_s=pressed_s)
        self.world.scheduler.at(pressed_s, lambda: self._publish(deliver(presser, order)))

    @staticmethod
    def _is_of_proposal(button: str) -> bool:
        press = AnswerPress.read(button)
        return press is not None and press.button is not AnswerButton.SHOW

    def _declining(self, button: str) -> str | None:
        """Return the data of the button that declines the question of this button; None: nothing can be declined."""
        question_id, press = confirmed_question_in(button), AnswerPress.read(button)
        if question_id is not None:
            return SparePress(question_id=question_id).data
        return (
            AnswerPress(button=AnswerButton.DECLINE, answer_id=press.answer_id).data
            if press is not None and self._is_of_proposal(button)
            else None
        )

    def _answer(self, said: ShownText) -> None:
        """Draw what people do about what the bot said: they press its button, perhaps more than once, or quote it.

        Nobody writes in a member's own chat, to which a private summary is pushed.
        """
        people = next((one for one in self.stage.chats if one.conversation_id == said.conversation_id), None)
        if people is not None and len(people.messages) < _MESSAGES:
            self._react(people, said)
            self._forget_unwritten()

    def _react(self, people: People, said: ShownText) -> None:
        if (
            said.votes
            and len(people.orders) < _MESSAGES
            and of_its_own(self.rng, f"votes {said.at_s}").random() < _VOTES
        ):
            self._vote(people, said)
        self._react_to_expenses(people, said)
        if said.button is not None and self.rng.random() < 0.8:
            for _ in range(self.rng.randint(1, 3)):
                pressed_s = said.at_s + 0.5 + self.rng.random() * self.rng.choice((3.0, 60.0))
                if not self._happens("presses a button"):
                    continue
                presser = people
                is_message = confirmed_question_in(said.button) is None
                is_proposal = self._is_of_proposal(said.button)
                if is_proposal and self.rng.random() < 0.15:
                    pressed_s += 600.0
                if not is_message and self.rng.random() < 0.15:  # late, or in another chat
                    pressed_s += 600.0 if self.rng.random() < 0.5 else 0.0
                    presser = self.rng.choice(self.stage.chats)
                self._press(people, presser, said, said.button, pressed_s)
        elif said.choices and self.rng.random() < 0.6:
            self._choose(people, said)
        elif said.bubble_ids and self.rng.random() < 0.08:
            at_s = said.at_s + 1 + self.rng.random() * 20
            message = people.message(at_s=at_s, addressed=False, quotes=self.rng.choice(said.bubble_ids))
            self._write(people, message)

    def _vote(self, people: People, said: ShownText) -> None:
        """Press buttons of a poll within some seconds, or within a minute, by members in turn."""
        chance = of_its_own(self.rng, f"pressed votes {said.at_s}")
        for _ in range(chance.randint(1, 5)):
            pressed_s = said.at_s + 0.5 + chance.random() * chance.choice((3.0, 60.0))
            if not self._happens("presses a button of a poll"):
                continue
            order = people.vote(chance.choice(said.votes), at_s=pressed_s)
            for _ in range(1 if chance.random() < 0.8 else 2):
                received_s = pressed_s + chance.random() * (0.5 if self.weather.calm else chance.choice((0.5, 30.0)))
                self.world.scheduler.at(
                    received_s,
                    lambda order=order: self._publish(self.stage.welcome(order)),  # type: ignore[misc]
                )

    def _react_to_expenses(self, people: People, said: ShownText) -> None:
        """Ask for the balance after an expense was noted, and settle up below a balance."""
        if said.outcome is not None and any(one.path.startswith(EXPENSES) for one in said.outcome.writes):
            self._ask_who_owes(people, said)
        if said.settles and len(people.orders) < _MESSAGES:
            self._settle(people, said)

    def _ask_who_owes(self, people: People, said: ShownText) -> None:
        chance = of_its_own(self.rng, f"owes {said.at_s}")
        if chance.random() < _ASKS_WHO_OWES:
            at_s = said.at_s + 1 + chance.random() * chance.choice((5.0, 40.0))
            self._write(people, people.message(at_s=at_s, addressed=True, verb="owe"))

    def _settle(self, people: People, said: ShownText) -> None:
        """Press "Settle up" once to three times, within some seconds or minutes, by members in turn, sometimes after another expense.

        LINE delivers some presses twice.
        """
        chance = of_its_own(self.rng, f"pressed settle {said.at_s}")
        if chance.random() < _PAYS_FIRST:
            self._write(people, people.message(at_s=said.at_s + 0.1 + chance.random(), addressed=True, verb="pay"))
        for _ in range(chance.randint(1, 3)):
            pressed_s = said.at_s + 0.5 + chance.random() * chance.choice((3.0, 60.0, 240.0))
            if not self._happens("presses a button that settles"):
                continue
            order = people.settle(said.settles[0], at_s=pressed_s)
            for _ in range(1 if chance.random() < 0.8 else 2):
                received_s = pressed_s + chance.random() * (0.5 if self.weather.calm else chance.choice((0.5, 30.0)))
                self.world.scheduler.at(
                    received_s,
                    lambda order=order: self._publish(self.stage.welcome(order)),  # type: ignore[misc]
                )

    def _choose(self, people: People, said: ShownText) -> None:
        """Press the buttons of a reminder, sometimes of two members, or in another chat."""
        for _ in range(self.rng.randint(1, 3)):
            pressed_s = said.at_s + 0.5 + self.rng.random() * self.rng.choice((3.0, 60.0))
            if not self._happens("presses a button of a reminder"):
                continue
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
        if not self.weather.calm and not self.weather.is_quiet and rng.random() < 0.15:
            mood.poison = frozenset({f"word{rng.randrange(3)}a"})
            mood.poisons_anywhere = rng.random() < 0.3
            self.kills = min(self.kills, _KILLS_BESIDE_POISON)
        chance = of_its_own(rng, "refusals")
        if chance.random() < _REFUSED:
            mood.blocked = frozenset({f"word{chance.randrange(3)}a"})
        if chance.random() < _REFUSED:
            mood.broken = frozenset(f"word{chance.randrange(4)}a" for _ in range(2))
        mood.replies_beside = of_its_own(rng, "replies beside").choice((0.0, 0.7))
        if of_its_own(rng, "names").random() < _COMMON_NAMES:
            mood.names = ("lunch",)
            mood.seconds = min(mood.seconds, of_its_own(rng, "fast").choice(((0.3, 3.0), mood.seconds)))

    def _on_step(self, task: Task) -> None:
        if self.kills and self.rng.random() < _KILLS:
            self.kills -= 1
            self.world.scheduler.kill(task.process)
