"""The invariants, checked when nothing is left to do.  Each violation is one sentence."""

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
from tests.simulation.product.world import EPOCH_MS, ShownText, World

_PUSHING_S: Final = 15.0
_SHOWN_KINDS: Final = {OutcomeKind.REPLIED, OutcomeKind.APOLOGISED, OutcomeKind.DEFERRED}
_UNSEEN_KINDS: Final = {OutcomeKind.UNDELIVERED, OutcomeKind.SKIPPED, OutcomeKind.STORED}


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """What people did in a schedule, and what followed."""

    people: People
    world: World
    mood: Mood
    bus: Bus
    late_reply: LateReply

    @property
    def is_calm(self) -> bool:
        return self.world.weather.calm

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

    def is_lost(self, deliveries: Iterable[str]) -> bool:
        """Whether the outage of the bucket made one of these deliveries a dead letter; it would be replayed after the repair."""
        return self.has_outage and not set(self.bus.dead_letters).isdisjoint(deliveries)


def violations(story: Story) -> list[str]:
    """Return every violation, as one sentence each."""
    found = [*story.world.truth.violations]
    if not story.has_outage:
        found += [f"I1: {name} ended as a dead letter" for name in story.bus.dead_letters]
    history = _history(story.world)
    for message in story.people.messages:
        if message.addressed and story.people.is_kept(message):
            found += _check_answered(story, history, message)
    for welcome in story.people.welcomes:
        found += _check_greeted(story, history, welcome)
    found += _check_presses(story, history)
    found += _check_history(story, history)
    found += _check_addressed(story)
    found += _check_withdrawn(story)
    found += _check_kept(story)
    if story.is_calm and story.bus.longest_s > ACK_DEADLINE_S:
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


def _check_answered(story: Story, history: dict[str, OutcomeRecord], message: Message) -> Iterator[str]:
    covering = [one for one in history.values() if message.id in one.covers and one.kind is not OutcomeKind.STORED]
    if not covering:
        too_old = story.may_be_late and story.world.now_s - message.at_s >= ANSWERABLE_S - SKEW_S
        if not too_old and not story.is_lost((message.id,)):
            yield f"I1: {message.id} was never answered"
        return
    effects = [(said, outcome) for said, outcome in _effects(story.world) if message.id in outcome.covers]
    if _answer_count(story, history, message) > 1:
        yield f"I2: {message.id} was answered twice"
    if sum(outcome.has_button for _, outcome in effects) > 1:
        yield f"I2: {message.id} was told twice to wait"
    if story.is_calm and not effects and not _may_be_silent(story, message, {one.kind for one in covering}):
        kinds = ", ".join(one.kind for one in covering)
        yield f"I6: {message.id} met silence ({kinds}) although nothing had failed"


def _check_greeted(story: Story, history: dict[str, OutcomeRecord], welcome: Welcome) -> Iterator[str]:
    """A follow or a join is greeted once, unless the chat was erased afterwards."""
    greetings = sum(said.reply_token == welcome.reply_token for said in story.world.truth.said)
    if greetings > 1:
        yield f"I2: {welcome.id} was greeted twice"
    if welcome.at_s <= story.people.erased_s or story.is_lost((welcome.id,)):
        return
    if welcome.id not in history:
        yield f"I1: {welcome.id} was never greeted"
    waits = story.mood.seconds[1] > TOKEN_S / 3  # for the turn of an earlier message
    if story.is_calm and not greetings and not waits:
        yield f"I6: {welcome.id} met silence although nothing had failed"


def _may_be_silent(story: Story, message: Message, kinds: set[OutcomeKind]) -> bool:
    """Whether silence is correct: the model skipped the message, or its token expired.

    A token expires if no "still thinking" is sent, or if another message of the turn was withdrawn late.
    """
    slow = story.late_reply is LateReply.DROP and story.mood.seconds[1] > TOKEN_S / 3
    neighbour = any(not story.people.is_kept(one) for one in story.people.messages if one is not message)
    return OutcomeKind.SKIPPED in kinds or (OutcomeKind.UNDELIVERED in kinds and (slow or neighbour))


def _answer_count(story: Story, history: dict[str, OutcomeRecord], message: Message) -> int:
    """Return how many answers to the message were shown, directly or through buttons; "still thinking" does not count."""
    buttons = _deferrals_of(story, history, message)
    return sum(
        not outcome.has_button
        and (message.id in outcome.covers or not buttons.isdisjoint(outcome.answers))
        and outcome.kind is OutcomeKind.REPLIED
        for _, outcome in _effects(story.world)
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


def _check_presses(story: Story, history: dict[str, OutcomeRecord]) -> Iterator[str]:
    """A press of the button of a kept question shows its answer, if the model has one, or another button."""
    if not story.is_calm or story.mood.skips or story.mood.downs:
        return
    effects = [outcome for _, outcome in _effects(story.world)]
    prolonged = {one for outcome in effects if outcome.has_button for one in outcome.covers}
    answered = {root for outcome in effects for root in outcome.answers if not outcome.has_button}
    deferrals = {show_answer_data(one.webhook_event_id): one for one in history.values() if one.has_button}
    for press in story.people.messages:
        deferral = deferrals.get(press.presses or "")
        if deferral is None or press.id not in story.kept_ids or story.kept_ids.isdisjoint(deferral.covers):
            continue
        if press.id not in prolonged and answered.isdisjoint(deferral.answers):
            yield f"I6: {press.id} was pressed in vain"


def _effects(world: World) -> Iterator[tuple[ShownText, OutcomeRecord]]:
    yield from ((said, said.outcome) for said in world.truth.said if said.outcome is not None)


def _check_history(story: Story, history: dict[str, OutcomeRecord]) -> Iterator[str]:
    """The history agrees with what the user saw, or says that it is unknown; only committed outcomes were shown."""
    world = story.world
    effects = list(_effects(world))
    if len(effects) < len(world.truth.said):
        yield "I2: something was said that nobody had committed"
    for _, committed in effects:
        if story.is_lost(committed.covers):
            continue
        if committed.webhook_event_id not in history and not story.kept_ids.isdisjoint(committed.covers):
            yield f"I2: the user saw {committed.webhook_event_id}, history does not know of it"
    for one in history.values():
        seen = [said for said, committed in effects if committed.webhook_event_id == one.webhook_event_id]
        if one.kind in _SHOWN_KINDS and not seen:
            yield f"I2: history says that {one.webhook_event_id} was {one.kind}, the user saw nothing"
        if one.kind in _UNSEEN_KINDS and seen:
            yield f"I2: history says that {one.webhook_event_id} was {one.kind}, the user saw an answer"
        if one.kind in _SHOWN_KINDS and one.text is not None and any(said.text != one.text for said in seen):
            yield f"I2: history holds a text for {one.webhook_event_id} that the user did not see"


def _check_addressed(story: Story) -> Iterator[str]:
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


def _check_withdrawn(story: Story) -> Iterator[str]:
    """Withdrawn words are in no object, and no word of a message is in a log line."""
    world = story.world
    words = [word for one in story.people.messages for word, _ in one.words]
    log = world.truth.log.getvalue()
    if "word" in log and any(word in log for word in words):
        yield "I4: a log line holds somebody's words"
    kept = [one for one in story.people.messages if not story.is_lost((one.id, f"unsend {one.id}", "part"))]
    withdrawn = [word for one in kept for word in story.people.withdrawn_words(one)]
    for listed in world.objects.list(""):
        stored = world.objects.read(listed.name)
        text = stored.data.decode() if stored else ""
        yield from (f"I4: {word} is still in {listed.name}" for word in withdrawn if word in text)


def _check_kept(story: Story) -> Iterator[str]:
    """The bucket keeps no withdrawn message, and the newest text of each kept one; the watermark is the newest erasure."""
    world = story.world
    kept = list(_snapshot(world).messages)
    for listed in world.objects.list("journal/"):
        stored = world.objects.read(listed.name)
        if stored is not None and not listed.name.endswith(OUTCOME_SUFFIX):
            kept.append(decode(MessageRecord, stored.data))
    by_id = {one.id: one for one in story.people.messages}
    for record in kept:
        message = by_id[record.line_message_id]
        if story.is_lost((message.id, f"unsend {message.id}", f"edit {message.id}", "part")):
            continue
        if not story.people.is_kept(message):
            yield f"I4: {message.id} was withdrawn and is kept"
        elif message.words and max(message.words, key=lambda one: one[1])[0] not in record.text:
            yield f"I4: {message.id} is kept with an old text"
    for listed in world.objects.list("erased/"):
        stored = world.objects.read(listed.name)
        watermark_ms = decode(Watermark, stored.data).timestamp_ms if stored else 0
        if watermark_ms != EPOCH_MS + round(story.people.erased_s * 1_000) and not story.is_lost(("part",)):
            yield "I4: the watermark went back"
