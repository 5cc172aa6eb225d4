"""The invariants, checked when nothing is left to do.  Each violation is one sentence."""

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from shared.agent.executor import MOST_CALLS
from shared.agent.loop import Limits
from shared.conversation.records import Amendment, MessageRecord, OutcomeKind, OutcomeRecord, Watermark
from shared.conversation.segments import decode_segment
from shared.conversation.snapshot_records import SnapshotRecord
from shared.conversation.turn import TurnRecord
from shared.handlers.ports import Options
from shared.line.mentions import GroupPolicy
from shared.line.phrases import Phrase, phrase
from shared.line.postback_data import carry_out_data, question_id_in, show_answer_data
from shared.storage.codec import decode
from shared.storage.object_names import OUTCOME_SUFFIX
from shared.storage.object_store import StoredObject
from shared.tools.notion.toolset import MOST_CALLS as MOST_PAGES
from shared.turns.attempt import MODEL_S
from shared.turns.deferral import CONFIRMED_WITHIN_MS, LateReply
from shared.turns.waiting_room import PLACES
from tests.simulation.bus import ACK_DEADLINE_S, Bus
from tests.simulation.entry_checks import EntryStory, check_entries
from tests.simulation.mind import ORDER, Mood
from tests.simulation.people import NAMED, TAKE_BACK, Message, Order, People, Welcome, gloss_of, on_one_line
from tests.simulation.reminder_checks import ReminderStory, check_reminders, is_of_reminder
from tests.simulation.times import ANSWERABLE_S, SKEW_S, TOKEN_S
from tests.simulation.wiring import NO_LIMITS, THREADS, Settings
from tests.simulation.withdrawals import Withdrawals
from tests.simulation.world import EPOCH_MS, WORD, ShownText, Thought, World

REQUEST_LIMIT_S: Final = 118.0
"""As in infra/terraform, `timeout_s`: the platform ends a request then."""
LONG_WAIT_S: Final = 10.0
_LONGER_WAIT: Final = 2
"""So many times as long where an instance has fewer threads than deployed: what folds and sums up after an answer holds one, too."""
FEW_MESSAGES: Final = 15
"""With fewer threads than deployed, more messages than this may hold all of them while they try to open the turn."""
OUTCOMES_KEPT: Final = 20
"""The snapshot keeps at least so many."""
ASKED_AT_MOST: Final = 6
_TIMES_IN_BAD_WEATHER: Final = 3  # as many, where workers die or the model fails
ATTEMPTS_AT_MOST: Final = 2
"""By each delivery that may wait for the turn, within a second: a write that meets 429 is repeated after 0.3 s at the earliest."""
READINGS_AT_MOST: Final = 8
_ERASING: Final = {"reset", "exit", "bye", "confirm"}
_TWO_MS: Final = 0.002
_FEW_AMENDED: Final = 3
"""As many amendments as are read with small bounds."""
_LIMIT_REACHED: Final = phrase(Phrase.LIMIT_REACHED, locale=Options().locale, bot_name="", hour="00:00 (UTC+9)")
_NOTHING_TO_SHOW: Final = phrase(Phrase.NOTHING_TO_SHOW, locale=Options().locale, bot_name="")
_MUCH_AMENDED: Final = 7
_ASKS_FOR_A_PAGE: Final = "page word"
_PUSHING_S: Final = 15.0
_BESIDE_THINKING_S: Final = 5.0
"""What a turn takes beside the model: the settle window, reading, and writes that meet 429."""
_SHOWN_KINDS: Final = {OutcomeKind.REPLIED, OutcomeKind.APOLOGISED, OutcomeKind.DEFERRED}
_UNSEEN_KINDS: Final = {OutcomeKind.UNDELIVERED, OutcomeKind.SKIPPED, OutcomeKind.STORED}


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """What people did in one chat of a schedule, and what followed."""

    people: People
    world: World
    mood: Mood
    bus: Bus
    settings: Settings
    withdrawals: Withdrawals
    forgets_outcomes: bool
    """Whether the bounds of memory are so small that the snapshot does not keep every outcome."""
    a_minute: int
    """How many messages of a chat are answered within a minute as they come; more are folded, and answered together."""
    messages_read: int
    """How many messages of the journal a turn looks at."""
    page_counts: Mapping[str, int]
    """How many pages Notion has for each word."""

    @property
    def chat(self) -> str:
        """The chat's id."""
        return self.people.conversation_id

    @property
    def is_calm(self) -> bool:
        return self.world.weather.calm

    @property
    def late_reply(self) -> LateReply:
        return self.settings.late_reply

    @property
    def has_outage(self) -> bool:
        begins_s, ends_s = self.world.weather.outage_s
        return ends_s > begins_s

    @property
    def may_be_late(self) -> bool:
        """Whether a message may be too old to be answered when it is delivered."""
        return self.has_outage or self.world.weather.backlog_s + ACK_DEADLINE_S >= ANSWERABLE_S

    @property
    def kept_ids(self) -> set[str]:
        """The ids of the messages that were neither withdrawn nor erased."""
        return {one.id for one in self.people.messages if self.people.is_kept(one)}

    @property
    def taken_unseen_ids(self) -> set[str]:
        """The quoted media that a `/forget me` took because it began before their own deliveries: nobody knew whose they were."""
        truth, quoted = self.world.truth, {one.quoted_id for one in self.people.messages}
        begun_s = truth.members_forgotten_s.get(self.chat, math.inf)
        media = (one.id for one in self.people.messages if one.medium is not None and one.id in quoted)
        unseen = (one for one in media if truth.journalled_s.get((self.chat, one), math.inf) > begun_s)
        return {one for one in unseen if self._has_taken(one)}

    def _has_taken(self, message_id: str) -> bool:
        stored = self.world.objects.read(f"amended/{self.chat}/{message_id}.json")
        return stored is not None and decode(Amendment, stored.data).text is None

    @property
    def staged_words(self) -> set[str]:
        """The words that a turn wrote into an entry."""
        texts = (write.text or "" for chat, one in self.world.truth.staged if chat == self.chat for write in one.writes)
        return {word for text in texts for word in WORD.findall(text.replace(gloss_of("word"), "word"))}

    def is_lost(self, deliveries: Iterable[str]) -> bool:
        """Whether the outage of the bucket made one of these deliveries a dead letter; it would be replayed after the repair."""
        return self.has_outage and not set(self.bus.dead_letters).isdisjoint(deliveries)

    def is_amendment_lost(self, message: str) -> bool:
        """Whether the outage made the message, or what withdraws, edits or erases it, a dead letter."""
        orders = (one.id for one in self.people.orders)
        return self.is_lost((message, f"unsend {message}", f"edit {message}", "part", *orders))

    @property
    def thought_s(self) -> float:
        """How long the model may think about a turn, with its tools and its retries."""
        is_cut = self.mood.seconds[1] > Limits().call_s  # the first request is, and a second one follows
        asks = 3 if is_cut or self.mood.downs or self.settings.has_knowledge or self.settings.has_notion else 1
        return min(MODEL_S, asks * self.mood.seconds[1])

    def is_crowded_at(self, message: Message) -> bool:
        """Whether more messages came within a minute of this one than a turn reads, so that it may take many turns to answer all."""
        others = (one for one in self.people.messages if one is not message)
        return sum(abs(one.at_s - message.at_s) < TOKEN_S for one in others) >= self.messages_read

    def waited_long(self, name: str) -> bool:
        """Whether the delivery waited for a thread while its token aged."""
        return self.bus.waited_s.get(name, 0.0) > LONG_WAIT_S


def violations(stories: Sequence[Story]) -> list[str]:
    """Return every violation, as one sentence each."""
    found = [*stories[0].world.truth.violations, *_check_machines(stories)]
    for story in stories:
        found += _check_stranger(story) if story.people.is_stranger else _violations_of_chat(story)
    return list(dict.fromkeys(found))


def _check_stranger(story: Story) -> Iterator[str]:
    """A chat that was never admitted leaves nothing in the bucket, whatever it sends, and costs no request to the model."""
    if any(story.chat in listed.name for listed in story.world.objects.list("")):
        yield "I9: something is stored of a chat that was not admitted"
    if story.world.truth.tokens[story.chat]:
        yield "I9: the model was asked for a chat that was not admitted"


def _most_in_a_second(times_s: Sequence[float]) -> int:
    counts = (bisect_right(times_s, begun_s + 1) - number for number, begun_s in enumerate(times_s))
    return max(counts, default=0)


def _check_machines(stories: Sequence[Story]) -> Iterator[str]:
    """What holds for all chats together: no crash, no failure in calm weather, no lost delivery, no marker that stays."""
    story = stories[0]
    bus, log = story.bus, story.world.truth.log
    if not story.has_outage:
        yield from (f"I1: {name} ended as a dead letter" for name in bus.dead_letters)
    yield from (f"I1: an error that was not foreseen: {cause}" for cause in log.crashes)
    if story.is_calm:
        yield from (f"I1: a request failed in calm weather: {cause}" for cause in bus.failures)
    longest_s = max(ACK_DEADLINE_S, REQUEST_LIMIT_S)
    if bus.longest_s > longest_s and not story.world.weather.stalls and not story.world.weather.lags:
        yield f"I6: a request took longer than its deadline of {longest_s:.0f} s"
    most = max(story.world.truth.asked.values(), default=0)
    presses = sum(name.startswith("event-") for name in bus.waited_s)  # each may ask again
    requests = 3 if story.mood.seconds[1] > Limits().call_s else 1  # a slow answer is asked for again
    times = 2 if any(map(_is_amended_much, stories)) else 1
    faults = 1 if story.is_calm and not story.mood.downs else _TIMES_IN_BAD_WEATHER
    if most > (ASKED_AT_MOST * times + presses) * requests * faults:
        yield f"I5: the model was asked about one message more than {ASKED_AT_MOST} times"
    if story.is_calm:
        most_unsent = max(sum(message.is_withdrawn for message in one.people.messages) for one in stories)
        # a new delivery takes the place of one that may be about to write
        most_new = max(map(_most_in_a_second, bus.arrived_s.values()), default=0)
        for kind, attempts in story.world.most_attempts.items():
            at_most = ATTEMPTS_AT_MOST * (bus.instance_count * PLACES + most_unsent) + most_new
            if attempts > at_most:
                yield f"I5: an object under {kind}/ met more than {at_most} attempts to write it within a second"
        if story.world.most_readings > READINGS_AT_MOST:
            yield f"I5: a thread listed its chat more than {READINGS_AT_MOST} times within a second"
        has_few = story.settings.threads < THREADS
        long_s = LONG_WAIT_S * (_LONGER_WAIT if has_few else 1)
        flooded = {name for name, waited_s in bus.waited_s.items() if waited_s > long_s}
        has_many = has_few and any(len(one.people.messages) > FEW_MESSAGES for one in stories)
        if flooded and not has_many:
            yield f"I6: a delivery waited for a thread for more than {long_s:.0f} s"
    yield from (f"I4: {marker} is still there" for marker in story.withdrawals.markers())


def _violations_of_chat(story: Story) -> list[str]:
    found: list[str] = []
    history = _history(story)
    for message in story.people.messages:
        if message.addressed and story.people.is_kept(message):
            found += _check_answered(story, history, message)
    for welcome in story.people.welcomes:
        found += _check_greeted(story, history, welcome)
    for order in story.people.orders:
        found += _check_obeyed(story, order)
    found += _check_presses(story, history)
    found += _check_taps(story, history)
    found += _check_budget(story)
    found += _check_history(story, history)
    found += _check_addressed(story)
    found += _check_interjections(story)
    found += check_withdrawn(story)
    found += _check_kept(story)
    found += _check_pages(story, history)
    found += _check_answers_kept(story, history)
    found += check_reminders(
        ReminderStory(
            people=story.people,
            world=story.world,
            is_lost=story.is_amendment_lost,
            waits=lambda name: story.mood.seconds[1] > TOKEN_S / 3 or story.waited_long(name),
        )
    )
    found += check_entries(EntryStory(people=story.people, world=story.world, is_lost=story.is_amendment_lost))
    return found


def _history(story: Story) -> dict[str, OutcomeRecord]:
    recorded = story.world.truth.recorded.get(story.chat, {})
    found = dict(recorded) if story.forgets_outcomes or len(recorded) > OUTCOMES_KEPT else {}
    found |= {one.webhook_event_id: one for one in _snapshot(story).outcomes}
    for listed in story.world.objects.list(f"journal/{story.chat}/"):
        stored = story.world.objects.read(listed.name)
        if stored is not None and listed.name.endswith(OUTCOME_SUFFIX):
            outcome = decode(OutcomeRecord, stored.data)
            found[outcome.webhook_event_id] = outcome
    return {one: outcome for one, outcome in found.items() if not is_of_reminder(one)}


def _turn(story: Story) -> TurnRecord:
    stored = story.world.objects.read(f"turns/{story.chat}.json")
    return decode(TurnRecord, stored.data) if stored is not None else TurnRecord()


def _snapshot(story: Story) -> SnapshotRecord:
    stored = story.world.objects.read(f"snapshots/{story.chat}.json")
    return decode(SnapshotRecord, stored.data) if stored is not None else SnapshotRecord()


def _check_answered(story: Story, history: dict[str, OutcomeRecord], message: Message) -> Iterator[str]:
    covering = [one for one in history.values() if message.id in one.covers and one.kind is not OutcomeKind.STORED]
    if not covering:
        if message.is_unsure:
            return
        if len(story.bus.arrived_s[story.chat]) > story.a_minute and _is_folded(story, message):
            yield from _check_flood(story, history, message)
            return
        is_late = story.may_be_late or story.is_crowded_at(message)
        too_old = is_late and story.world.now_s - message.at_s >= ANSWERABLE_S - SKEW_S
        if not too_old and not story.is_amendment_lost(message.id):
            yield f"I1: {message.id} was never answered"
        return
    effects = [(said, outcome) for said, outcome in _effects(story) if message.id in outcome.covers]
    if _answer_count(story, history, message) > 1:
        yield f"I2: {message.id} was answered twice"
    if sum(outcome.has_button for _, outcome in effects) > 1:
        yield f"I2: {message.id} was told twice to wait"
    if story.is_calm and not effects and not _may_be_silent(story, message, {one.kind for one in covering}):
        kinds = ", ".join(one.kind for one in covering)
        yield f"I6: {message.id} met silence ({kinds}) although nothing had failed"


def _is_folded(story: Story, message: Message) -> bool:
    """Whether the message may have been folded into a flood: it was kept as context, or has left the chat's memory.

    Where it is delivered again, it is recorded as one that waits, and small bounds may hide that record.
    """
    records = [one for one in _kept_messages(story) if one.line_message_id == message.id]
    was_context = story.forgets_outcomes and (story.chat, message.id) in story.world.truth.context
    return was_context or not (records and records[0].addressed)


def _check_flood(story: Story, history: dict[str, OutcomeRecord], message: Message) -> Iterator[str]:
    """A message of a flood is context of the answer that a newer one gets, unless that one is withdrawn and its worker dies."""
    near = [one for one in story.people.messages if one.addressed and 0 <= one.at_s - message.at_s < TOKEN_S]
    covered = {covered for one in history.values() for covered in one.covers}
    workers_die = bool(story.world.weather.kills or story.mood.poison)
    is_untended = workers_die and any(not story.people.is_kept(one) for one in near)
    is_excused = story.has_outage or story.forgets_outcomes or is_untended
    if covered.isdisjoint(one.id for one in near) and not is_excused:
        yield f"I6: nothing of the flood of {message.id} was answered"


def _check_greeted(story: Story, history: dict[str, OutcomeRecord], welcome: Welcome) -> Iterator[str]:
    """A follow or a join is greeted once, unless the chat was erased afterwards."""
    greetings = sum(said.reply_token == welcome.reply_token for said in _said(story))
    if greetings > 1:
        yield f"I2: {welcome.id} was greeted twice"
    if welcome.at_s <= story.people.erased_s or story.is_amendment_lost(welcome.id):
        return
    if welcome.id not in history:
        yield f"I1: {welcome.id} was never greeted"
    is_slow = story.mood.seconds[1] > TOKEN_S / 3  # it waits for the turn of an earlier message
    waits = is_slow or _begins_again(story, welcome.at_s)
    if story.is_calm and not greetings and not waits:
        yield f"I6: {welcome.id} met silence although nothing had failed"


def _check_obeyed(story: Story, order: Order) -> Iterator[str]:
    """A command is answered once, unless the chat was erased or left since; a group that was joined since is not left."""
    answers = _answers_to(story, order)
    if answers > 1:
        yield f"I2: /{order.command} was answered twice"
    if order.command == "confirm":
        yield from _check_confirmed(story, order)
    if order.command == TAKE_BACK:
        yield from _check_taken_back(story, order)
        return
    if order.command == "choose":
        return  # check_reminders looks at it
    waits = story.mood.seconds[1] > TOKEN_S / 3 or story.waited_long(order.id) or _begins_again(story, order.at_s)
    if order.at_s <= story.people.erased_s or waits:
        return
    if order.command == "confirm" and not _must_count(story, order):
        return
    if not order.presses and order.line_message_id in story.people.unsent_commands:
        return
    if story.is_calm and not answers:
        yield f"I6: /{order.command} met silence although nothing had failed"


def _check_confirmed(story: Story, press: Order) -> Iterator[str]:
    """A press counts once, for ten minutes, in the chat of its question, and not after the command was withdrawn."""
    asking = _asking(story, press)
    answers = _answers_to(story, press)
    if answers and asking is None:
        yield "I9: a press confirmed what its chat was not asked"
    if answers and asking is not None and press.at_s - asking.at_s > CONFIRMED_WITHIN_MS / 1_000:
        yield "I9: a press was carried out more than ten minutes after the question"
    if answers and asking is not None and asking.withdrawn_s < press.at_s:
        yield "I9: a press confirmed a command that had been withdrawn"
    presses = [one for one in story.people.orders if one.presses == press.presses]
    if press is presses[0] and sum(map(partial(_answers_to, story), presses)) > 1:
        yield "I9: two presses of a button were carried out"
    if story.people.is_group:
        joined_s = [
            said.at_s
            for said in _said(story)
            for one in story.people.welcomes
            if one.reply_token == said.reply_token and one.at_s > press.at_s
        ]
        later = [one for one in story.people.orders if one.presses and one.at_s > press.at_s]
        for left_s in (at_s for chat, at_s in story.world.truth.left if chat == story.chat):
            if any(one < left_s for one in joined_s) and not later:
                yield "I6: a group was left that had been joined since"
    if story.is_calm and asking is not None and asking.command == "forget" and _must_count(story, press):
        others = [one for one in story.people.orders if one is not press and one.command in _ERASING]
        was_erased = story.people.erased_entries_s >= press.at_s - _TWO_MS
        if not others and not story.people.departed_s and not was_erased:
            yield "I6: a press that confirms /forget erased nothing"


def _check_taken_back(story: Story, press: Order) -> Iterator[str]:
    """A press takes back what the bot proposed to take back: once, for ten minutes, in its chat, and only for the person who asked."""
    if not _answers_to(story, press):
        return
    proposals = (one for _, one in _effects(story) if one.forgets)
    proposal = next((one for one in proposals if one.webhook_event_id == question_id_in(press.presses)), None)
    if proposal is None:
        yield "I9: a press confirmed what its chat was not asked"
        return
    if EPOCH_MS + press.at_s * 1_000 - proposal.timestamp_ms > CONFIRMED_WITHIN_MS:
        yield "I9: a press was carried out more than ten minutes after the question"
    if press.author != proposal.forgets_for:
        yield "I9: a press took back messages of somebody else"
    presses = [one for one in story.people.orders if one.presses == press.presses]
    if sum(map(partial(_answers_to, story), presses)) > 1:
        yield "I9: two presses of a button were carried out"


def _must_count(story: Story, press: Order) -> bool:
    """Whether nothing excuses that a press does nothing: it is in time, the only one of its button, and its command stands."""
    asking = _asking(story, press)
    alone = sum(one.presses == press.presses for one in story.people.orders) == 1
    if asking is None or not alone or press.at_s - asking.at_s > CONFIRMED_WITHIN_MS / 1_000:
        return False
    return asking.line_message_id not in story.people.unsent_commands and asking.at_s > story.people.erased_s


def _asking(story: Story, press: Order) -> Order | None:
    """Return the command of this chat whose question the button belongs to."""
    return next((one for one in story.people.orders if question_id_in(press.presses) == one.id), None)


def _answers_to(story: Story, order: Order) -> int:
    return sum(said.reply_token == order.reply_token for said in _said(story))


def _may_be_silent(story: Story, message: Message, kinds: set[OutcomeKind]) -> bool:
    """Whether silence is correct: the model skipped the message, or its token expired.

    A token expires if no "still thinking" is sent; if amendments make a turn begin again and again while the message waits; or if more
    messages wait than a turn reads.
    """
    if OutcomeKind.SKIPPED in kinds:  # also where a budget is spent
        return True
    slow = (story.late_reply is LateReply.DROP and story.mood.seconds[1] > TOKEN_S / 3) or story.waited_long(message.id)
    return OutcomeKind.UNDELIVERED in kinds and (
        slow or _begins_again(story, message.at_s) or story.is_crowded_at(message)
    )


def _is_amended_much(story: Story) -> bool:
    """Whether so much is amended within a minute that turns of several holders are cut short, each of which thinks some times."""
    amended = sorted(at_s for one in story.people.messages for at_s in one.amended_s)
    return any(last - first < TOKEN_S for first, last in zip(amended, amended[_MUCH_AMENDED:], strict=False))


def _begins_again(story: Story, at_s: float) -> bool:
    """Whether so much is amended within a minute of this time that a turn which begins again for each amendment outlasts the token.

    What waits is answered with a message that follows within the minute, so an amendment of that one counts while its own token lasts.
    """
    since_s, until_s = at_s - TOKEN_S, at_s + TOKEN_S
    amended = []
    for one in story.people.messages:
        last_s = max(until_s, one.at_s + TOKEN_S) if at_s < one.at_s < until_s else until_s
        amended += [at_s for at_s in one.amended_s if since_s < at_s < last_s]
    amended += [at_s for at_s in story.people.erasures_s if since_s < at_s < until_s]
    return bool(amended) and (1 + len(amended)) * (story.thought_s + _BESIDE_THINKING_S) > TOKEN_S


def _answer_count(story: Story, history: dict[str, OutcomeRecord], message: Message) -> int:
    """Return how many answers to the message were shown, directly or through buttons; "still thinking" does not count."""
    buttons = _deferrals_of(story, history, message)
    return sum(
        not outcome.has_button
        and (message.id in outcome.covers or not buttons.isdisjoint(outcome.answers))
        and outcome.kind is OutcomeKind.REPLIED
        for _, outcome in _effects(story)
    )


def _deferrals_of(story: Story, history: dict[str, OutcomeRecord], message: Message) -> set[str]:
    """Return the deferrals of a message, and those deferrals that cover only presses of their buttons."""
    presses = {one.id: one.presses for one in story.people.messages}
    deferrals = [one for one in history.values() if one.has_button]
    found = {one.webhook_event_id for one in deferrals if message.id in one.covers}
    more = set(found)
    while more:
        known = {show_answer_data(one) for one in found}
        more = {
            one.webhook_event_id for one in deferrals if all(presses[covered] in known for covered in one.covers)
        } - found
        found |= more
    return found


def _check_budget(story: Story) -> Iterator[str]:
    """A chat is told once that a budget is spent; and in the end all that was spent in calm weather is charged.

    A request that its turn did not wait for stays in the hands of its instance, until the instance writes the turn again.
    """
    told = sum(_LIMIT_REACHED in said.text for said in _said(story))
    if told > 1 or (told and story.settings.budget == NO_LIMITS):
        yield f"I9: a chat was told {told} times that its budget is spent"
    charged = _turn(story).spending.tokens
    in_hand = sum(ledger.take(story.chat) for ledger in story.world.ledgers)
    spent, unsure = story.world.truth.tokens[story.chat], story.world.truth.unsure_tokens[story.chat]
    if story.is_calm and not story.mood.downs and not spent <= charged + in_hand <= spent + unsure:
        yield "I9: what was spent in calm weather was not all charged"


def _check_presses(story: Story, history: dict[str, OutcomeRecord]) -> Iterator[str]:
    """A press of the button of a kept question shows its answer, if the model has one, or another button.

    Where the question has left the memory, one press of the button is told so, or one of a button that continues it; with small bounds the
    end does not tell whether the question had left.
    """
    if not story.is_calm or story.mood.skips or story.mood.downs:
        return
    if story.settings.budget != NO_LIMITS:
        return
    effects = [outcome for _, outcome in _effects(story)]
    prolonged = {one for outcome in effects if _is_prolonged_by(outcome) for one in outcome.covers}
    replies = (one for one in effects if not one.has_button and one.kind is not OutcomeKind.APOLOGISED)
    answered = {root for outcome in replies for root in outcome.answers}
    deferrals = {show_answer_data(one.webhook_event_id): one for one in history.values() if one.has_button}
    told = {one for outcome in effects if story.forgets_outcomes or _is_empty(outcome) for one in outcome.covers}
    told_buttons = {one.presses for one in story.people.messages if one.id in told}
    told_buttons |= {
        show_answer_data(root) for one in told_buttons if one in deferrals for root in deferrals[one].answers
    }
    remembered = {one.line_message_id for one in _remembered(story)}
    presses = {one.id for one in story.people.messages if one.presses is not None}
    for press in story.people.messages:
        deferral = deferrals.get(press.presses or "")
        if deferral is None or press.id not in story.kept_ids or story.kept_ids.isdisjoint(deferral.covers):
            continue
        behind = [
            one for one in deferrals.values() if one.webhook_event_id in {deferral.webhook_event_id, *deferral.answers}
        ]
        asked = {one for root in behind for one in root.covers} - presses
        may_be_forgotten = story.forgets_outcomes or (bool(asked) and asked.isdisjoint(remembered))
        if may_be_forgotten and press.presses in told_buttons:
            continue
        if press.id not in prolonged and answered.isdisjoint(deferral.answers):
            yield f"I6: {press.id} was pressed in vain"


def _check_taps(story: Story, history: dict[str, OutcomeRecord]) -> Iterator[str]:
    """What an answer proposed is carried out at most once, by a press of its button within ten minutes, and else by nothing."""
    pressed_at_s = {one.id: (one.presses, one.at_s) for one in story.people.messages if one.presses is not None}
    carried_out = [one for one in history.values() if one.kind is not OutcomeKind.STORED and not _is_empty(one)]
    for proposal in (one for one in history.values() if one.proposes and one.kind is not OutcomeKind.STORED):
        done = [one for one in carried_out if proposal.webhook_event_id in one.answers]
        if len(done) > 1:
            yield "I9: a proposed change was carried out twice"
        for outcome in done:
            button, at_s = pressed_at_s.get(outcome.covers[0], ("", 0.0))
            if button != carry_out_data(proposal.webhook_event_id):
                yield "I9: a proposed change was carried out although nobody confirmed it"
            elif at_s - (proposal.timestamp_ms - EPOCH_MS) / 1_000 > CONFIRMED_WITHIN_MS / 1_000 + _TWO_MS:
                yield "I9: a proposed change was carried out more than ten minutes after it was proposed"


def _is_prolonged_by(outcome: OutcomeRecord) -> bool:
    """Whether a press may end so: with another button, or with an apology for the model."""
    return outcome.kind is OutcomeKind.DEFERRED or (outcome.kind is OutcomeKind.APOLOGISED and not _is_empty(outcome))


def _is_empty(outcome: OutcomeRecord) -> bool:
    """Whether a press is told that there is nothing to show."""
    return outcome.text == _NOTHING_TO_SHOW


def _said(story: Story) -> list[ShownText]:
    """Return what was said in the chat, but for the reminders that were pushed: those have checks of their own."""
    return [one for one in story.world.truth.said if one.conversation_id == story.chat and one.reminder is None]


def _effects(story: Story) -> Iterator[tuple[ShownText, OutcomeRecord]]:
    yield from ((said, said.outcome) for said in _said(story) if said.outcome is not None)


def _unrecorded_interjection(story: Story) -> str | None:
    """Return the event of an interjection that the turn alone holds: its worker died, and the next turn, which records it, never came."""
    turn = _turn(story)
    committed = turn.outcome if turn.state == "committed" else None
    is_interjection = committed is not None and story.world.overheard.issuperset(committed.covers)
    return committed.webhook_event_id if committed is not None and is_interjection else None


def _check_history(story: Story, history: dict[str, OutcomeRecord]) -> Iterator[str]:
    """The history agrees with what the user saw, or says that it is unknown; only committed outcomes were shown."""
    effects, interjected = list(_effects(story)), _unrecorded_interjection(story)
    if len(effects) < len(_said(story)):
        yield "I2: something was said that nobody had committed"
    for _, committed in effects:
        if any(map(story.is_amendment_lost, committed.covers)):
            continue
        is_known = committed.webhook_event_id in history or committed.webhook_event_id == interjected
        if not is_known and not story.kept_ids.isdisjoint(committed.covers):
            yield f"I2: the user saw {committed.webhook_event_id}, history does not know of it"
    for one in history.values():
        seen = [said for said, committed in effects if committed.webhook_event_id == one.webhook_event_id]
        if one.kind in _SHOWN_KINDS and not seen:
            yield f"I2: history says that {one.webhook_event_id} was {one.kind}, the user saw nothing"
        is_forgotten = story.forgets_outcomes and not one.covers  # an announcement, whose event came again after that
        if one.kind in _UNSEEN_KINDS and seen and not is_forgotten:
            yield f"I2: history says that {one.webhook_event_id} was {one.kind}, the user saw an answer"
        if (
            one.kind in _SHOWN_KINDS
            and one.text is not None
            and any(said.text != on_one_line(one.text) for said in seen)
        ):
            yield f"I2: history holds a text for {one.webhook_event_id} that the user did not see"


def _check_addressed(story: Story) -> Iterator[str]:
    by_token = {one.reply_token: one for one in story.people.messages}
    may_interject = story.settings.group_policy is GroupPolicy.MODEL
    for said in _said(story):
        asked = by_token.get(said.reply_token or "")
        if asked is not None and not (asked.addressed or asked.is_unsure or may_interject):
            yield f"I6: {asked.id} was answered and had not asked"
    for said, outcome in _effects(story):
        covered = [one for one in story.people.messages if one.id in outcome.covers]
        if not covered:  # a greeting
            continue
        if not may_interject and not all(one.addressed or one.is_unsure for one in covered):
            yield f"I6: {outcome.webhook_event_id} answered somebody who had not asked"
        if said.at_s - max(one.at_s for one in covered) > ANSWERABLE_S + ACK_DEADLINE_S:
            yield f"I6: {outcome.webhook_event_id} answered a question from long ago"
        if said.reply_token is None and said.at_s - max(one.at_s for one in covered) > ANSWERABLE_S + _PUSHING_S:
            yield f"I6: {outcome.webhook_event_id} was pushed more than 20 minutes after its question"


def _check_interjections(story: Story) -> Iterator[str]:
    """Nobody hears twice about a message that was not for the bot, and nothing is filed because of it."""
    said = Counter(
        covered for _, outcome in _effects(story) if outcome.kind is OutcomeKind.REPLIED for covered in outcome.covers
    )
    for message in story.people.messages:
        if not message.addressed and said[message.id] > 1:
            yield f"I2: {message.id} was interjected about twice"
    overheard = {one.id for one in story.people.messages if not (one.addressed or one.is_unsure)}
    for chat, outcome in story.world.truth.staged:
        if chat == story.chat and outcome.covers and overheard.issuperset(outcome.covers):
            yield f"I10: {outcome.webhook_event_id} filed something that nobody had asked for"


def check_withdrawn(story: Story) -> Iterator[str]:
    """Withdrawn words are in no object and no name, and no word of a message is in a log line.

    A model that paraphrases uses other words only for messages that stood in its prompt: those go, too.
    """
    world, people = story.world, story.people
    words = [word for one in people.messages for word, _ in one.words]
    log = world.truth.log.getvalue()
    if ("word" in log or "gloss" in log) and any(word in log or gloss_of(word) in log for word in words):
        yield "I4: a log line holds somebody's words"
    kept = [one for one in people.messages if not story.is_amendment_lost(one.id)]
    withdrawn = {word: one for one in kept for word in people.withdrawn_words(one)}
    if not withdrawn:
        return
    spared = story.staged_words if people.erased_entries_s < people.erased_s else set()
    for listed in world.objects.list(""):
        stored = world.objects.read(listed.name)
        text = f"{listed.name} {stored.data.decode(errors='replace') if stored else ''}"
        for word, message in withdrawn.items():
            if not message.is_withdrawn and word in spared and message.at_s > people.erased_entries_s:
                continue
            for there in (word, gloss_of(word)):
                if there in text and not (
                    world.truth.may_outlive(word) and _may_hold_parts(listed.name, stored, message)
                ):
                    yield f"I4: {there} is still in {listed.name}"


def _may_hold_parts(name: str, stored: StoredObject | None, message: Message) -> bool:
    """Whether the object may hold answers that repeat a word of the message without having seen it."""
    if name.endswith(OUTCOME_SUFFIX) and stored is not None:
        return message.id not in decode(OutcomeRecord, stored.data).provenance.ids
    return name.startswith(("snapshots/", "archive/", "turns/"))


def _check_kept(story: Story) -> Iterator[str]:
    """The bucket keeps no withdrawn message, and each other one in its newest text; the watermark is the newest erasure."""
    world = story.world
    kept = _kept_messages(story)
    by_id = {one.id: one for one in story.people.messages}
    yield from _check_archived(story, {one.line_message_id for one in kept})
    for record in kept:
        message = by_id.get(record.line_message_id)
        if message is None:
            yield f"I7: {record.line_message_id} is kept in another chat"
            continue
        if story.is_amendment_lost(message.id):
            continue
        if not story.people.is_kept(message):
            yield f"I4: {message.id} was withdrawn and is kept"
        elif message.words and message.medium is None and not any(one in record.text for one in message.newest_words):
            yield f"I4: {message.id} is kept with an old text"
    yield from _check_media(story)
    stored = world.objects.read(f"erased/{story.chat}.json")
    watermark_ms = decode(Watermark, stored.data).timestamp_ms if stored else -1
    is_lost = story.is_lost(("part", *(one.id for one in story.people.orders)))
    if stored is not None and watermark_ms != EPOCH_MS + round(story.people.erased_s * 1_000) and not is_lost:
        yield "I4: the watermark went back"


def _check_archived(story: Story, kept: set[str]) -> Iterator[str]:
    """With an archive no message is lost that nobody took back."""
    if not story.settings.has_archive:
        if _snapshot(story).leaving.messages or story.world.objects.list(f"archive/{story.chat}/"):
            yield "I4: a chat without an archive has one"
        return
    unseen = story.taken_unseen_ids
    for message in story.people.messages:
        is_expected = message.words and not message.presses and story.people.is_kept(message)
        if is_expected and message.id not in kept | unseen and not story.is_amendment_lost(message.id):
            yield f"I1: {message.id} is kept nowhere"


def _kept_messages(story: Story) -> list[MessageRecord]:
    kept = [*_remembered(story), *_snapshot(story).leaving.messages]
    for listed in story.world.objects.list(f"archive/{story.chat}/"):
        stored = story.world.objects.read(listed.name)
        kept += decode_segment(stored.data).messages if stored is not None else ()
    return kept


def _remembered(story: Story) -> list[MessageRecord]:
    """Return the messages that a turn would know."""
    remembered = [*_snapshot(story).messages]
    for listed in story.world.objects.list(f"journal/{story.chat}/"):
        stored = story.world.objects.read(listed.name)
        if stored is not None and not listed.name.endswith(OUTCOME_SUFFIX):
            remembered.append(decode(MessageRecord, stored.data))
    return remembered


def _check_media(story: Story) -> Iterator[str]:
    """Neither bytes nor label of a withdrawn medium are kept."""
    for message in story.people.messages:
        if message.medium is None or story.people.is_kept(message) or story.is_amendment_lost(message.id):
            continue
        bytes_name = f"media/{story.chat}/{message.id}"
        if any(story.world.objects.read(name) is not None for name in (bytes_name, f"{bytes_name}.json")):
            yield f"I4: {message.id} was withdrawn and its medium is kept"


def _check_pages(story: Story, history: dict[str, OutcomeRecord]) -> Iterator[str]:
    """Each page that was asked for is made once; a worker that sleeps between its look and its write may make a second one.

    Of the calls of a round the product makes MOST_CALLS, and of those of a turn MOST_PAGES to `create_page`; the model asks for all at
    once, and does not come back to those that are refused.
    """
    orders = {one.id for one in story.people.messages if ORDER.search(one.text)}
    pages = {one.id for one in story.people.messages if _ASKS_FOR_A_PAGE in one.text}
    called = (
        one
        for one in history.values()
        if "create_page" in one.tools_used
        and not one.proposes
        and len(orders.intersection(one.covers)) <= MOST_CALLS
        and len(pages.intersection(one.covers)) <= MOST_PAGES
    )
    made = {covered for one in called for covered in one.covers}
    for message in story.people.messages:
        count = max((story.page_counts.get(word, 0) for word, _ in message.words), default=0)
        if count > 1 and not story.world.weather.stalls:
            yield f"I2: Notion has {count} pages for {message.id}"
        is_asked = message.id in pages
        is_plain = story.is_calm and story.mood.manner == "repeats" and len(message.words) == 1
        if is_asked and is_plain and message.id in made and story.people.is_kept(message) and not count:
            yield f"I6: Notion has no page for {message.id}"


def _sources_of_entries(story: Story, outcome: OutcomeRecord) -> set[str]:
    """Return what the prompt of the outcome named and an entry that was filed before was made of: its index may have shown the entry."""
    earlier = (one for chat, one in story.world.truth.staged if chat == story.chat and one.sequence < outcome.sequence)
    filing = (one for one in earlier if any(write.reminder_id is None for write in one.writes))
    return {own_id for one in filing for own_id in one.provenance.ids & frozenset(outcome.saw)}


def _knows_calls(thought: Thought | None) -> bool:
    return thought is not None and thought.knows_calls


def _taken_unseen(story: Story, withdrawn: set[str], wordless: set[str]) -> Iterator[str]:
    """Yield the words that went and that nobody saw: of recaps that were shown a withdrawn message, or cover one of `wordless`, which the
    model was shown without a word, and of outcomes that were never said."""
    truth = story.world.truth
    yield from (one.text for one in truth.recaps if not withdrawn.isdisjoint(one.shown))
    for (chat, _), recap in truth.recapped.items():
        if chat == story.chat and not wordless.isdisjoint(recap.covers):
            yield recap.text
    seen = {outcome.webhook_event_id for _, outcome in _effects(story)}
    for (chat, own_id), outcome in truth.worded.items():
        if chat == story.chat and own_id not in seen and not withdrawn.isdisjoint(outcome.provenance.ids):
            yield outcome.text or ""


def _check_answers_kept(story: Story, history: dict[str, OutcomeRecord]) -> Iterator[str]:
    """An answer keeps its words unless a withdrawn message stood in its prompt, or it repeats something that was taken out.

    A prompt shows a medium without its word, and a catch-up has none, so only `saw` tells of them; nor does it show the messages of calls
    that an earlier attempt made. Where more was amended than small bounds let a withdrawal read, it cannot tell what went with earlier
    ones, and takes more. An erasure that ended as a dead letter may have taken any. What lost its words before a plan named it cannot be
    compared: all that names it may go. So may an answer that was under way when a plan took what it names.
    """
    people, truth = story.people, story.world.truth
    is_erased = people.erased_s >= 0 or story.is_lost(("part", *(one.id for one in people.orders)))
    if is_erased or (story.forgets_outcomes and sum(bool(one.amended_s) for one in people.messages) > _FEW_AMENDED):
        return
    withdrawn = {one.id for one in people.messages if one.is_withdrawn} | story.taken_unseen_ids
    wordless = {one.id for one in people.messages if one.id in withdrawn and (one.medium is not None or not one.words)}
    uncompared = {own_id for chat, own_id in truth.uncompared if chat == story.chat}
    direct = []
    lost = []
    for said, outcome in _effects(story):
        is_lost = outcome.webhook_event_id in history and history[outcome.webhook_event_id].text is None
        thought = truth.thoughts.get(said.text.partition(" ")[0])
        shown = thought.shown if thought is not None else outcome.provenance.ids  # an apology may have a receipt
        names_it = not withdrawn.isdisjoint(shown | (outcome.provenance.ids & wordless))
        is_overtaken = (story.chat, outcome.webhook_event_id) in truth.overtaken
        names_it = names_it or (is_lost and (is_overtaken or not uncompared.isdisjoint(outcome.saw)))
        names_it = names_it or not withdrawn.isdisjoint(_sources_of_entries(story, outcome))
        names_it = names_it or (_knows_calls(thought) and not withdrawn.isdisjoint(outcome.provenance.ids))
        if names_it or (is_lost and (thought is None or outcome.reminders)):
            direct.append(said)  # its words went, also where it has left the memory
        elif is_lost:
            lost.append(said)
    went = [*(said.text for said in direct), *_taken_unseen(story, withdrawn, wordless)]
    went += [
        word for one in people.messages if one.id in withdrawn for word, _ in one.words
    ]  # it may have been recalled
    taken_out = {word for text in went for word in NAMED.findall(text)}
    while repeating := [one for one in lost if not taken_out.isdisjoint(NAMED.findall(one.text))]:
        taken_out.update(
            word for one in repeating for word in NAMED.findall(one.text)
        )  # what it repeats besides may go as well
        lost = [one for one in lost if one not in repeating]
    for _ in lost:
        yield "I4: an answer lost its words although it neither named a withdrawn message nor repeated one"
