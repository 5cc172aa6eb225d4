"""The invariants, looked at when everything came to rest.  Each is a sentence when it is broken."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tests.simulation.model.entries import ENTRIES
from tests.simulation.model.reading import JOURNAL, OUTCOME
from tests.simulation.model.records import Entry, Message, Outcome, Snapshot, Watermark
from tests.simulation.model.stage import Stage
from tests.simulation.model.world import ERASED, SNAPSHOT, World
from tests.simulation.product.times import ANSWERABLE_S, SKEW_S, TOKEN_S

_SAID = {"replied", "apologised", "deferred"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """What people did, as the checks need it.  `calm`: no request was killed or slept, LINE's answers arrived."""

    messages: tuple[Message, ...]
    unsent: frozenset[str] = frozenset()
    erased_s: float = -1.0
    calm: bool = False
    outage: bool = False

    def stands(self, message: Message) -> bool:
        """Whether nobody took the message back."""
        return message.id not in self.unsent and message.timestamp_s > self.erased_s


def violations(stage: Stage, story: Story) -> list[str]:
    """Return every broken invariant, in a sentence each."""
    world = stage.world
    history = _history(world)
    found = [*world.truth.violations]
    found += [f"I1: {name} ended as a dead letter" for name in stage.dead_letters]
    for message in story.messages:
        if message.addressed and story.stands(message):
            found += _answered(world, story, history, message)
    found += _pressed(world, story, history)
    found += _told(world, story, history)
    found += _bothered(world, story)
    found += _forgotten(world, story)
    found += _filed(world, story, history)
    if story.calm and world.truth.lost_turns:
        found.append("I3: a live holder lost its turn although nothing had failed")
    if story.calm and world.truth.cut_off:
        found.append("I6: a holder was cut off by the platform although nothing had failed")
    return list(dict.fromkeys(found))


def _history(world: World) -> dict[str, Outcome]:
    stored = world.bucket.read(SNAPSHOT, Snapshot)
    history = dict(stored.value.outcomes) if stored else {}
    for name in world.bucket.names(JOURNAL):
        if name.endswith(OUTCOME):
            outcome = world.bucket.read(name, Outcome)
            if outcome is not None:
                history[outcome.value.id] = outcome.value
    return history


def _answered(world: World, story: Story, history: dict[str, Outcome], message: Message) -> Iterator[str]:
    covering = [one for one in history.values() if message.id in one.covers and one.kind != "stored"]
    effects = [one for one in world.line.effects if message.id in one.outcome.covers]
    if not covering:
        if not story.outage or world.now_s - message.timestamp_s < ANSWERABLE_S - SKEW_S:
            yield f"I1: {message.id} was never answered"
        return
    if _texts(world, story, history, message) > 1:
        yield f"I2: {message.id} was answered twice"
    if sum(one.outcome.has_button for one in effects) > 1:
        yield f"I2: {message.id} was told twice to wait"
    if story.calm and not effects and not _may_be_silent(world, story, covering, message):
        kinds = ", ".join(one.kind for one in covering)
        yield f"I6: {message.id} met silence ({kinds}) although nothing had failed"


def _texts(world: World, story: Story, history: dict[str, Outcome], message: Message) -> int:
    """How many answers the author of the message got, "still thinking" apart, through however many buttons."""
    buttons = _buttons(story, history, message)
    return sum(
        not one.outcome.has_button and (message.id in one.outcome.covers or not buttons.isdisjoint(one.outcome.answers))
        for one in world.line.effects
    )


def _buttons(story: Story, history: dict[str, Outcome], message: Message) -> set[str]:
    """The deferrals of a message, and those that say "still thinking" to nothing but presses of these."""
    presses = {one.id: one.presses for one in story.messages}
    deferrals = [one for one in history.values() if one.has_button]
    found = {one.id for one in deferrals if message.id in one.covers}
    more = set(found)
    while more:
        more = {one.id for one in deferrals if all(presses[covered] in found for covered in one.covers)} - found
        found |= more
    return found


def _may_be_silent(world: World, story: Story, covering: Sequence[Outcome], message: Message) -> bool:
    """The model had nothing to say; or the token died, because nobody says "still thinking" or a neighbour was taken back late."""
    slow = world.late_reply == "drop" and world.mind.seconds[1] > TOKEN_S / 3
    neighbour = bool(story.unsent - {message.id})
    kinds = {one.kind for one in covering}
    return "skipped" in kinds or ("undelivered" in kinds and (slow or neighbour))


def _pressed(world: World, story: Story, history: dict[str, Outcome]) -> Iterator[str]:
    """Who presses the button of a question that still stands gets its answer, if the model has one, or another button."""
    if not story.calm or world.mind.skips or world.mind.downs:
        return
    stands = {one.id for one in story.messages if story.stands(one)}
    prolonged = {one for effect in world.line.effects if effect.outcome.has_button for one in effect.outcome.covers}
    answered = {
        root for effect in world.line.effects for root in effect.outcome.answers if not effect.outcome.has_button
    }
    for press in story.messages:
        deferral = history.get(press.presses or "")
        if deferral is None or press.id not in stands or stands.isdisjoint(deferral.covers):
            continue
        if press.id not in prolonged and answered.isdisjoint(deferral.answers):
            yield f"I6: {press.id} was pressed in vain"


def _told(world: World, story: Story, history: dict[str, Outcome]) -> Iterator[str]:
    """History says what the user saw, or that nobody knows."""
    seen = {
        effect.outcome.id: [one for one in world.line.effects if one.outcome.id == effect.outcome.id]
        for effect in world.line.effects
    }
    stands = {one.id for one in story.messages if story.stands(one)}
    for outcome_id, said in seen.items():
        if outcome_id not in history and not stands.isdisjoint(said[0].outcome.covers):
            yield f"I2: the user saw {outcome_id}, history does not know of it"
    for one in history.values():
        effects = seen.get(one.id, [])
        if one.kind in _SAID and not effects:
            yield f"I2: history says that {one.id} was {one.kind}, the user saw nothing"
        if one.kind in {"undelivered", "skipped", "stored"} and effects:
            yield f"I2: history says that {one.id} was {one.kind}, the user saw an answer"
        if one.kind in _SAID and one.text is not None and any(effect.text != one.text for effect in effects):
            yield f"I2: history holds a text for {one.id} that the user did not see"


def _bothered(world: World, story: Story) -> Iterator[str]:
    addressed = {one.id for one in story.messages if one.addressed}
    stamps = {one.id: one.timestamp_s for one in story.messages}
    for effect in world.line.effects:
        if not addressed.issuperset(effect.outcome.covers):
            yield f"I6: {effect.outcome.id} answered somebody who had not asked"
        if effect.at_s - max(stamps.get(one, 0.0) for one in effect.outcome.covers) > ANSWERABLE_S + 120:
            yield f"I6: {effect.outcome.id} answered a question from long ago"


def _forgotten(world: World, story: Story) -> Iterator[str]:
    """Withdrawn and erased words are in no object, and no message shows an old text."""
    stands = {one.id: story.stands(one) for one in story.messages}
    gone = [
        word
        for name, texts in world.words.items()
        for word, at_s in texts
        if name in story.unsent or at_s <= story.erased_s
    ]
    for name in world.bucket.names(""):
        text = repr(world.bucket.peek(name))
        yield from (f"I4: {word} is still in {name}" for word in gone if word in text)
    for message in _kept(world):
        texts = sorted(world.words[message.id], key=lambda one: one[1])
        if not stands.get(message.id, True):
            yield f"I4: {message.id} was withdrawn and is kept"
        elif message.text != texts[-1][0]:
            yield f"I4: {message.id} is kept with an old text"
    watermark = world.bucket.read(ERASED, Watermark)
    if watermark is not None and watermark.value.timestamp_s != story.erased_s:
        yield "I4: the watermark went back"


def _kept(world: World) -> Iterator[Message]:
    stored = world.bucket.read(SNAPSHOT, Snapshot)
    yield from (stored.value.messages.values() if stored else ())
    for name in world.bucket.names(JOURNAL):
        if not name.endswith(OUTCOME):
            message = world.bucket.read(name, Message)
            if message is not None:
                yield message.value


def _filed(world: World, story: Story, history: dict[str, Outcome]) -> Iterator[str]:
    """Staged writes of recorded outcomes are in their entries once, those of abandoned turns not at all."""
    recorded = {one.sequence for one in history.values()}
    stands = {one.id for one in story.messages if story.stands(one)}
    texts = [text for text, _, _ in _lines(world)]
    for text in dict.fromkeys(texts):
        if texts.count(text) > 1:
            yield f"I6: an entry holds a line twice: {text}"
    for key, line_message_id in world.truth.filed:
        if key[0] not in recorded and line_message_id in stands:
            yield f"I6: an entry was written by a turn that came to nothing: {key}"
    for one in history.values():
        staged = world.truth.committed.get(one.sequence)
        if staged is None or one.kind in {"withdrawn", "stored"} or one.id != staged.id:
            continue
        for write in staged.writes:
            if write.line.line_message_id in stands and write.line.text not in texts:
                yield f"I6: an entry never got its line: {write.line.text}"


def _lines(world: World) -> Iterator[tuple[str, str, float]]:
    for name in world.bucket.names(ENTRIES):
        stored = world.bucket.read(name, Entry)
        if stored is not None:
            yield from ((line.text, line.line_message_id, line.timestamp_s) for line in stored.value.lines)
