"""The stage of a schedule or a scene: one world with its people and machines, and what LINE delivers of what people do."""

import contextlib
import itertools
import random
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Final

from shared import logs
from shared.conversation import compaction, history_reader, lifetime
from shared.conversation.amendment_records import EditedWords, Watermark
from shared.storage.codec import decode
from shared.turns import flood
from tests.simulation.bus import Bus, Delivery, Ticker
from tests.simulation.checks import violations
from tests.simulation.holders import Holders
from tests.simulation.line import Line
from tests.simulation.mind import ORDER, Mind, Mood
from tests.simulation.notion import Workspace
from tests.simulation.people import COMMON, Json, MemberEvent, Message, Order, People, Welcome, gloss_of
from tests.simulation.story import Story
from tests.simulation.threads import green_threads, replaced
from tests.simulation.times import SECOND_PASS_S
from tests.simulation.translation import GREETS
from tests.simulation.wiring import Ports, Settings
from tests.simulation.withdrawals import Withdrawals
from tests.simulation.world import EPOCH_MS, Weather, World
from tests.support.buttons import confirmed_question_in

_BOUNDED: Final[Mapping[str, tuple[ModuleType, str]]] = {
    "messages_read": (history_reader, "MESSAGES_READ"),
    "outcomes_read": (history_reader, "OUTCOMES_READ"),
    "messages_shown": (history_reader, "MESSAGES_SHOWN"),
    "outcomes_kept": (lifetime, "_OUTCOMES_RETAINED"),
    "newest_outcomes_kept": (lifetime, "_NEWEST_RETAINED"),
    "folded_at_once": (compaction, "_FOLDED_AT_ONCE"),
}
SMALL_BOUNDS: Final[Mapping[str, int]] = {
    "messages_read": 4,
    "outcomes_read": 4,
    "messages_shown": 4,
    "outcomes_kept": 4,
    "newest_outcomes_kept": 2,
    "folded_at_once": 6,
}
"""What limits reading and memory, so small that a chat of a few messages meets it."""


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
        tick_shards: int = 1,
        make_mind: Callable[..., Mind] = Mind,
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
            mind=make_mind(self.world, self.mood, budget=settings.budget),
            notion=Workspace(self.world),
            settings=settings,
            withdrawals=self.withdrawals,
        )
        self.bus = Bus(self.ports, skews_s)
        self.ticker = Ticker(
            self.bus, self.withdrawals, is_reliable=ticks_are_reliable or weather.calm, shards=tick_shards
        )

    @property
    def people(self) -> People:
        """The members of the first chat."""
        return self.chats[0]

    def webhook(self, message: Message, *, published_s: float) -> Delivery:
        """LINE delivers the message, for the first time or again.  The token's minute starts; Pub/Sub has the message at `published_s`."""
        if message.words:
            self.world.authors[message.words[0][0][:-1]] = message.conversation_id
            self.world.truth.written[message.words[0][0][:-1]] = message.author, message.at_s
            self.world.truth.orders |= {word[:-1] for _, word, _ in ORDER.findall(message.text)}
            if any(phrase in message.text for phrase in (COMMON, GREETS)):
                self.world.truth.orders.add(message.words[0][0][:-1])
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
            spares_entries = watermark.entries_ms < pressed_ms - 1
            people.erase(until_s=until_s, spares_entries=spares_entries)
            self._erasure_was_acknowledged(people, until_s=until_s, spares_entries=spares_entries)

        return replace(self.welcome(order), on_ack=on_ack)

    def taking_back(self, people: People, order: Order) -> Delivery:
        """LINE delivers a press that takes messages back; whether it counts shows when it is acknowledged."""

        def on_ack() -> None:
            question_id, recorded = (
                confirmed_question_in(order.presses),
                self.world.truth.recorded.get(people.conversation_id, {}),
            )
            press = recorded.get(f"{question_id}-press")
            if press is None or order.id not in press.answers:
                return
            taken = [one for one in people.messages if one.id in press.offer.forgets]
            for message in taken:
                message.unsent = True
                message.amended_s.append(order.at_s)
            words = [word for one in taken for word, _ in one.words]
            effect = partial(self.world.truth.forget, [*words, *map(gloss_of, words)])
            self.withdrawals.acknowledge(
                people.conversation_id, press.offer.forgets[0], effect, more_ids=press.offer.forgets
            )

        return replace(self.welcome(order), on_ack=on_ack)

    def command(self, people: People, order: Order) -> Delivery:
        """LINE delivers a command; once an erasure is handled, the words up to it must be gone."""
        if people.forgets_a_member(order.command):
            return replace(self.welcome(order), on_ack=lambda: self._member_was_forgotten(people, order))
        if not people.erases_at_once(order.command):
            return self.welcome(order)
        return replace(
            self.welcome(order),
            on_ack=lambda: self._erasure_was_acknowledged(people, until_s=order.just_before_s, spares_entries=True),
        )

    def joining(self, joining: MemberEvent) -> Delivery:
        """LINE delivers the joining of a member; once it is handled, nothing from before is looked up for that member."""

        def note() -> None:
            whose = joining.conversation_id, joining.user_id
            known_s, _ = self.world.truth.joined.get(whose, (-1.0, 0.0))
            if known_s < joining.at_s:
                self.world.truth.joined[whose] = joining.at_s, self.world.now_s

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

        return self._unsend(message.conversation_id, message.id, event, forget)

    def unsend_of_command(self, order: Order, event: Json) -> Delivery:
        """LINE delivers the unsend of a command; once it is handled, no press confirms what the command asked."""

        def note() -> None:
            order.withdrawn_s = min(order.withdrawn_s, self.world.now_s)

        return self._unsend(order.conversation_id, order.line_message_id, event, note)

    def _unsend(
        self, conversation_id: str, line_message_id: str, event: Json, once_handled: Callable[[], None]
    ) -> Delivery:
        return Delivery(
            name=f"unsend {line_message_id}",
            conversation_id=conversation_id,
            function="unsend",
            event=event,
            published_s=self.world.now_s,
            on_ack=lambda: self.withdrawals.acknowledge(conversation_id, line_message_id, once_handled),
        )

    def edit(self, message: Message, event: Json, *, at_s: float) -> Delivery:
        """LINE delivers the edit; once it is handled, its older words are outdated, unless an erasure took the edit first."""
        name = f"edited/{message.conversation_id}/{message.id}.json"
        if (token := event.get("replyToken")) is not None:
            self.line.delivers(str(token), conversation_id=message.conversation_id, happened_s=at_s)

        def outdate() -> None:
            stored = self.world.objects.read(name)
            if stored is not None and decode(EditedWords, stored.data).text is None:
                return
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
            on_ack=lambda: self._erasure_was_acknowledged(whose, until_s=at_s, spares_entries=False),
        )

    def violations(self) -> list[str]:
        """Return the violations; to be asked when nothing is left to do.  A check that raises an error is one, and ends no long run."""
        suffix = " (bounds small)" if self.bounds else ""
        try:
            found = violations(self.stories())
        except Exception as error:  # noqa: BLE001
            place = traceback.extract_tb(error.__traceback__)[-1]
            found = [f"a check raised {type(error).__name__} at {Path(place.filename).name}:{place.lineno}"]
        return [f"{one}{suffix}" for one in found]

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
                messages_read=self.bounds.get("messages_read", history_reader.MESSAGES_READ),
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

    def _erasure_was_acknowledged(self, people: People, *, until_s: float, spares_entries: bool) -> None:
        """The words up to then may not come back, once no second pass is left.  Those of entries that are spared come back in prompts."""
        if spares_entries:
            return

        def forget() -> None:
            words = [
                word
                for message in people.messages
                for word, since_s in message.words
                if max(since_s, message.at_s) <= until_s
            ]
            self.world.truth.forget([*words, *map(gloss_of, words)])

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
