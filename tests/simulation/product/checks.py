"""The invariants, looked at when everything came to rest.  Each is a sentence when it is broken."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from shared.conversation.records import MessageRecord, OutcomeKind, OutcomeRecord, SnapshotRecord, Watermark
from shared.line.postback_data import show_answer_data
from shared.storage.codec import decode
from shared.storage.object_names import OUTCOME_SUFFIX
from shared.turns.deferral import LateReply
from tests.simulation.model.times import ANSWERABLE_S, SKEW_S, TOKEN_S
from tests.simulation.product.bus import ACK_DEADLINE_S, Bus
from tests.simulation.product.mind import Mood
from tests.simulation.product.people import Message, People, Welcome
from tests.simulation.product.world import EPOCH_MS, Said, World

_PUSHING_S: Final = 15.0
_SAID: Final = {OutcomeKind.REPLIED, OutcomeKind.APOLOGISED, OutcomeKind.DEFERRED}
_NOT_SAID: Final = {OutcomeKind.UNDELIVERED, OutcomeKind.SKIPPED, OutcomeKind.STORED}


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """What people did, and what came of it."""

    people: People
    world: World
    mood: Mood
    bus: Bus
    late_reply: LateReply

    @property
    def calm(self) -> bool:
        return self.world.weather.calm

    @property
    def outage(self) -> bool:
        begins_s, ends_s = self.world.weather.outage_s
        return ends_s > begins_s

    @property
    def late(self) -> bool:
        """Whether a message may be too old to be answered when it comes."""
        return self.outage or self.world.weather.backlog_s + ACK_DEADLINE_S >= ANSWERABLE_S

    @property
    def standing(self) -> set[str]:
        """The messages that nobody took back."""
        return {one.id for one in self.people.messages if self.people.stands(one)}

    def lost(self, deliveries: Iterable[str]) -> bool:
        """Whether one of these is a dead letter because the bucket was down for too long; a mended one would be replayed."""
        return self.outage and not set(self.bus.dead_letters).isdisjoint(deliveries)


def violations(story: Story) -> list[str]:
    """Return every broken invariant, in a sentence each."""
    found = [*story.world.truth.broken]
    if not story.outage:
        found += [f"I1: {name} ended as a dead letter" for name in story.bus.dead_letters]
    history = _history(story.world)
    for message in story.people.messages:
        if message.addressed and story.people.stands(message):
            found += _answered(story, history, message)
    for welcome in story.people.welcomes:
        found += _greeted(story, history, welcome)
    found += _pressed(story, history)
    found += _told(story, history)
    found += _bothered(story)
    found += _forgotten(story)
    found += _kept(story)
    if story.calm and story.bus.longest_s > ACK_DEADLINE_S:
        found.append("I6: a request took longer than its deadline although nothing had failed")
    return list(dict.fromkeys(found))


def _history(world: World) -> dict[str, OutcomeRecord]:
    found = {one.webhook_event_id: one for one in _snapshot(world).outcomes}
    for listed in world.objects.list("journal/"):
        stored = world.objects.read(listed.name)
        if stored is not None and listed.name.endswith(OUTCOME_SUFFIX):
            outcome = decode(OutcomeRecord, stored.data)
            found[outcome.webhook_event_id] = outcome
    return found


def _snapshot(world: World) -> SnapshotRecord:
    for listed in world.objects.list("snapshots/"):
        stored = world.objects.read(listed.name)
        if stored is not None:
            return decode(SnapshotRecord, stored.data)
    return SnapshotRecord()


def _answered(story: Story, history: dict[str, OutcomeRecord], message: Message) -> Iterator[str]:
    covering = [one for one in history.values() if message.id in one.covers and one.kind is not OutcomeKind.STORED]
    if not covering:
        too_old = story.late and story.world.now_s - message.at_s >= ANSWERABLE_S - SKEW_S
        if not too_old and not story.lost((message.id,)):
            yield f"I1: {message.id} was never answered"
        return
    effects = [(said, outcome) for said, outcome in _effects(story.world) if message.id in outcome.covers]
    if _answers(story, history, message) > 1:
        yield f"I2: {message.id} was answered twice"
    if sum(outcome.has_button for _, outcome in effects) > 1:
        yield f"I2: {message.id} was told twice to wait"
    if story.calm and not effects and not _may_be_silent(story, message, {one.kind for one in covering}):
        kinds = ", ".join(one.kind for one in covering)
        yield f"I6: {message.id} met silence ({kinds}) although nothing had failed"


def _greeted(story: Story, history: dict[str, OutcomeRecord], welcome: Welcome) -> Iterator[str]:
    """Who lets the bot in is greeted once, unless all that was erased since."""
    greetings = sum(said.reply_token == welcome.reply_token for said in story.world.truth.said)
    if greetings > 1:
        yield f"I2: {welcome.id} was greeted twice"
    if welcome.at_s <= story.people.erased_s or story.lost((welcome.id,)):
        return
    if welcome.id not in history:
        yield f"I1: {welcome.id} was never greeted"
    waits = story.mood.seconds[1] > TOKEN_S / 3  # behind somebody who asked first
    if story.calm and not greetings and not waits:
        yield f"I6: {welcome.id} met silence although nothing had failed"


def _may_be_silent(story: Story, message: Message, kinds: set[OutcomeKind]) -> bool:
    """The model had nothing to say; or the token died, because nobody says "still thinking" or a neighbour was taken back late."""
    slow = story.late_reply is LateReply.DROP and story.mood.seconds[1] > TOKEN_S / 3
    neighbour = any(not story.people.stands(one) for one in story.people.messages if one is not message)
    return OutcomeKind.SKIPPED in kinds or (OutcomeKind.UNDELIVERED in kinds and (slow or neighbour))


def _answers(story: Story, history: dict[str, OutcomeRecord], message: Message) -> int:
    """How many answers the author of the message got, "still thinking" apart, through however many buttons."""
    buttons = _buttons(story, history, message)
    return sum(
        not outcome.has_button
        and (message.id in outcome.covers or not buttons.isdisjoint(outcome.answers))
        and outcome.kind is OutcomeKind.REPLIED
        for _, outcome in _effects(story.world)
    )


def _buttons(story: Story, history: dict[str, OutcomeRecord], message: Message) -> set[str]:
    """The deferrals of a message, and those that say "still thinking" to nothing but presses of these."""
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


def _pressed(story: Story, history: dict[str, OutcomeRecord]) -> Iterator[str]:
    """Who presses the button of a question that still stands gets its answer, if the model has one, or another button."""
    if not story.calm or story.mood.skips or story.mood.downs:
        return
    effects = [outcome for _, outcome in _effects(story.world)]
    prolonged = {one for outcome in effects if outcome.has_button for one in outcome.covers}
    answered = {root for outcome in effects for root in outcome.answers if not outcome.has_button}
    deferrals = {show_answer_data(one.webhook_event_id): one for one in history.values() if one.has_button}
    for press in story.people.messages:
        deferral = deferrals.get(press.presses or "")
        if deferral is None or press.id not in story.standing or story.standing.isdisjoint(deferral.covers):
            continue
        if press.id not in prolonged and answered.isdisjoint(deferral.answers):
            yield f"I6: {press.id} was pressed in vain"


def _effects(world: World) -> Iterator[tuple[Said, OutcomeRecord]]:
    yield from ((said, said.outcome) for said in world.truth.said if said.outcome is not None)


def _told(story: Story, history: dict[str, OutcomeRecord]) -> Iterator[str]:
    """History says what the user saw, or that nobody knows; and nothing was said that had not been committed."""
    world = story.world
    effects = list(_effects(world))
    if len(effects) < len(world.truth.said):
        yield "I2: something was said that nobody had committed"
    for _, committed in effects:
        if story.lost(committed.covers):
            continue
        if committed.webhook_event_id not in history and not story.standing.isdisjoint(committed.covers):
            yield f"I2: the user saw {committed.webhook_event_id}, history does not know of it"
    for one in history.values():
        seen = [said for said, committed in effects if committed.webhook_event_id == one.webhook_event_id]
        if one.kind in _SAID and not seen:
            yield f"I2: history says that {one.webhook_event_id} was {one.kind}, the user saw nothing"
        if one.kind in _NOT_SAID and seen:
            yield f"I2: history says that {one.webhook_event_id} was {one.kind}, the user saw an answer"
        if one.kind in _SAID and one.text is not None and any(said.text != one.text for said in seen):
            yield f"I2: history holds a text for {one.webhook_event_id} that the user did not see"


def _bothered(story: Story) -> Iterator[str]:
    by_token = {one.reply_token: one for one in story.people.messages}
    for said in story.world.truth.said:
        asked = by_token.get(said.reply_token or "")
        if asked is not None and not asked.addressed:
            yield f"I6: {asked.id} was answered and had not asked"
    for said, outcome in _effects(story.world):
        covered = [one for one in story.people.messages if one.id in outcome.covers]
        if not covered:  # a greeting
            continue
        if not all(one.addressed for one in covered):
            yield f"I6: {outcome.webhook_event_id} answered somebody who had not asked"
        if said.at_s - max(one.at_s for one in covered) > ANSWERABLE_S + ACK_DEADLINE_S:
            yield f"I6: {outcome.webhook_event_id} answered a question from long ago"
        if said.reply_token is None and said.at_s - max(one.at_s for one in covered) > ANSWERABLE_S + _PUSHING_S:
            yield f"I6: {outcome.webhook_event_id} was pushed more than 20 minutes after its question"


def _forgotten(story: Story) -> Iterator[str]:
    """Withdrawn words are in no object, and nobody's words are in a log line."""
    world = story.world
    words = [word for one in story.people.messages for word, _ in one.words]
    log = world.truth.log.getvalue()
    if "word" in log and any(word in log for word in words):
        yield "I4: a log line holds somebody's words"
    kept = [one for one in story.people.messages if not story.lost((one.id, f"unsend {one.id}", "part"))]
    gone = [word for one in kept for word in story.people.gone(one)]
    for listed in world.objects.list(""):
        stored = world.objects.read(listed.name)
        text = stored.data.decode() if stored else ""
        yield from (f"I4: {word} is still in {listed.name}" for word in gone if word in text)


def _kept(story: Story) -> Iterator[str]:
    """Kept messages are those that stand, with their newest text; the watermark is the newest erasure."""
    world = story.world
    kept = list(_snapshot(world).messages)
    for listed in world.objects.list("journal/"):
        stored = world.objects.read(listed.name)
        if stored is not None and not listed.name.endswith(OUTCOME_SUFFIX):
            kept.append(decode(MessageRecord, stored.data))
    by_id = {one.id: one for one in story.people.messages}
    for record in kept:
        message = by_id[record.line_message_id]
        if story.lost((message.id, f"unsend {message.id}", f"edit {message.id}", "part")):
            continue
        if not story.people.stands(message):
            yield f"I4: {message.id} was withdrawn and is kept"
        elif message.words and max(message.words, key=lambda one: one[1])[0] not in record.text:
            yield f"I4: {message.id} is kept with an old text"
    for listed in world.objects.list("erased/"):
        stored = world.objects.read(listed.name)
        watermark_ms = decode(Watermark, stored.data).timestamp_ms if stored else 0
        if watermark_ms != EPOCH_MS + round(story.people.erased_s * 1_000) and not story.lost(("part",)):
            yield "I4: the watermark went back"
