"""I1, I4 and I7 for what people said: withdrawn words are in no object, and nothing else is lost."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from shared.conversation.amendment_records import Watermark
from shared.conversation.records import OutcomeRecord
from shared.conversation.snapshot_records import Recap
from shared.expenses.expense import FOLDER as EXPENSES
from shared.reminders.reminder import REMINDERS_PATH
from shared.search.literal_runs import Runs, shares_run
from shared.storage.codec import decode
from shared.storage.object_names import OUTCOME_SUFFIX
from shared.storage.object_store import StoredObject
from tests.simulation.people import COMMON, NAMED, Message, gloss_of
from tests.simulation.story import Story
from tests.simulation.translation import setting_name
from tests.simulation.world import EPOCH_MS, Thought

_FEW_AMENDED: Final = 3
"""As many amendments as are read with small bounds."""
_LISTED_PATHS: Final = (REMINDERS_PATH, f"{EXPENSES}/")
"""Where things lie that a prompt lists, beside the entries."""


def check_withdrawn(story: Story) -> Iterator[str]:
    """Withdrawn words are in no object and no name, and no word of a message is in a log line.

    A model that paraphrases uses other words only for messages that stood in its prompt: those go, too. A reset leaves what was filed, and
    the words that a translation keeps.
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
    has_reset = people.erased_entries_s < people.erased_s
    for listed in world.objects.list(""):
        stored = world.objects.read(listed.name)
        text = f"{listed.name} {stored.data.decode(errors='replace') if stored else ''}"
        for word, message in withdrawn.items():
            is_left_by_reset = word in story.staged_words or listed.name == setting_name(story.chat)
            if has_reset and is_left_by_reset and not message.is_withdrawn and message.at_s > people.erased_entries_s:
                continue
            for there in (word, gloss_of(word)):
                if there in text and not (
                    world.truth.may_outlive(word) and _may_hold_parts(listed.name, stored, message)
                ):
                    yield f"I4: {there} is still in {listed.name}"


def _may_hold_parts(name: str, stored: StoredObject | None, message: Message) -> bool:
    """Whether the object may hold answers that repeat a word of the message without having seen it."""
    if name.endswith(OUTCOME_SUFFIX) and stored is not None:
        return message.id not in decode(OutcomeRecord, stored.data).provenance.message_ids
    return name.startswith(("snapshots/", "archive/", "turns/"))


def check_kept(story: Story) -> Iterator[str]:
    """The bucket keeps no withdrawn message, and each other one in its newest text; the watermark is the newest erasure."""
    world = story.world
    kept = story.stored_messages
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
    yield from _check_recaps(story, by_id)
    yield from _check_media(story)
    stored = world.objects.read(f"erased/{story.chat}.json")
    watermark_ms = decode(Watermark, stored.data).timestamp_ms if stored else -1
    is_lost = story.is_lost(("part", *(one.id for one in story.people.orders)))
    if stored is not None and watermark_ms != EPOCH_MS + round(story.people.erased_s * 1_000) and not is_lost:
        yield "I4: the watermark went back"


def _check_archived(story: Story, kept: set[str]) -> Iterator[str]:
    """With an archive no message is lost that nobody took back."""
    if not story.settings.has_archive:
        if story.snapshot.leaving.messages or story.world.objects.list(f"archive/{story.chat}/"):
            yield "I4: a chat without an archive has one"
        return
    unseen = story.taken_unseen_ids
    for message in story.people.messages:
        is_expected = message.words and not message.presses and story.people.is_kept(message)
        if is_expected and message.id not in kept | unseen and not story.is_amendment_lost(message.id):
            yield f"I1: {message.id} is kept nowhere"


def _check_recaps(story: Story, messages: Mapping[str, Message]) -> Iterator[str]:
    """No recap says what an edit has replaced, except in the words of an answer of its span: answers keep their words."""
    for recap in story.snapshot.all_recaps:
        summed_up = [messages[own_id] for own_id in recap.summed_up_ids if own_id in messages]
        answers = _answers_of(story, recap, summed_up)
        for message in summed_up:
            older = {word for word, _ in message.words}.difference(message.newest_words)
            own = {word for word in older if not any(word in (answer.text or "") for answer in answers)}
            if any(word in recap.text for word in own) and not story.is_amendment_lost(message.id):
                yield f"I4: a recap says what an edit of {message.id} has replaced"


def _answers_of(story: Story, recap: Recap, summed_up: Sequence[Message]) -> list[OutcomeRecord]:
    """Return the answers that the model was shown beside the messages of the recap, also those that the chat no longer holds.

    For example, an answer that left the snapshot is no longer among `recap.provenance.derived_ids`, but its words are in the recap.
    """
    begin_ms = EPOCH_MS + round(1_000 * min((message.at_s for message in summed_up), default=0.0))
    worded = (outcome for (chat, _), outcome in story.world.truth.worded.items() if chat == story.chat)
    return [outcome for outcome in worded if begin_ms <= outcome.timestamp_ms <= recap.timestamp_ms]


def _check_media(story: Story) -> Iterator[str]:
    """Neither bytes nor label of a withdrawn medium are kept."""
    for message in story.people.messages:
        if message.medium is None or story.people.is_kept(message) or story.is_amendment_lost(message.id):
            continue
        bytes_name = f"media/{story.chat}/{message.id}"
        if any(story.world.objects.read(name) is not None for name in (bytes_name, f"{bytes_name}.json")):
            yield f"I4: {message.id} was withdrawn and its medium is kept"


def _sources_of_entries(story: Story, outcome: OutcomeRecord) -> set[str]:
    """Return what the outcome named and an earlier entry, reminder or expense was made of: the prompt may have listed it.

    A new expense is divided among the people of earlier ones, whose names its receipt shows.
    """
    earlier = (one for chat, one in story.world.truth.staged if chat == story.chat and one.sequence < outcome.sequence)
    listed = (
        outcome
        for outcome in earlier
        if any(write.path.endswith(".md") or write.path.startswith(_LISTED_PATHS) for write in outcome.writes)
    )
    return {
        own_id for one in listed for own_id in one.provenance.message_ids & frozenset(outcome.provenance.message_ids)
    }


def _knows_calls(thought: Thought | None) -> bool:
    return thought is not None and thought.knows_calls


def _taken_unseen(story: Story, withdrawn: set[str], wordless: set[str]) -> Iterator[str]:
    """Yield the words that went and that nobody saw: of recaps that were shown a withdrawn message, or cover one of `wordless`, which the
    model was shown without a word, and of outcomes that were never said."""
    truth = story.world.truth
    yield from (one.text for one in truth.recaps if not withdrawn.isdisjoint(one.shown))
    for (chat, _), recap in truth.recapped.items():
        if chat == story.chat and not wordless.isdisjoint(recap.summed_up_ids):
            yield recap.text
    seen = {outcome.webhook_event_id for _, outcome in story.effects()}
    for (chat, own_id), outcome in truth.worded.items():
        if chat == story.chat and own_id not in seen and not withdrawn.isdisjoint(outcome.provenance.message_ids):
            yield outcome.text or ""


def check_answers_kept(story: Story, history: dict[str, OutcomeRecord]) -> Iterator[str]:
    """An answer keeps its words unless a withdrawn message stood in its prompt, or it repeats something that was taken out.

    A prompt shows a medium without its word, and a catch-up has none, so only `saw` tells of them; nor does it show the messages of
    calls that an earlier attempt made. Where more was amended than small bounds let a withdrawal read, it cannot tell what went with
    earlier ones, and takes more. An erasure that ended as a dead letter may have taken any. What lost its words before a plan named it
    cannot be compared: all that names it may go, and all that names an answer to a message that no object held when a plan was made. So
    may an answer that was under way when a plan took what it names, and one whose receipt quotes a phrase that a withdrawn message says
    as well, or tells of the same person's share as what goes, or tells a postponed text in the same words. An answer beside a blocked
    message answers that message, too. An answer that proposes to take messages back lists how they begin, also where `forget_messages`
    found them only after its model had been told that it takes too long.
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
    for said, outcome in story.effects():
        is_lost = outcome.webhook_event_id in history and history[outcome.webhook_event_id].text is None
        thought = truth.thoughts.get(said.text.partition(" ")[0])
        shown = (
            thought.shown if thought is not None else outcome.provenance.message_ids
        )  # an apology may have a receipt
        names_it = not withdrawn.isdisjoint(shown | (outcome.provenance.message_ids & wordless))
        is_overtaken = (story.chat, outcome.webhook_event_id) in truth.overtaken
        names_it = names_it or (is_lost and (is_overtaken or not uncompared.isdisjoint(outcome.provenance.derived_ids)))
        names_it = names_it or not withdrawn.isdisjoint(_sources_of_entries(story, outcome))
        # An answer also names what a prompt held that the provider refused, before something was left out of it
        names_it = names_it or (bool(story.mood.blocked) and not withdrawn.isdisjoint(outcome.provenance.message_ids))
        names_it = names_it or not withdrawn.isdisjoint(outcome.offer.forgets)
        names_it = names_it or (_knows_calls(thought) and not withdrawn.isdisjoint(outcome.provenance.message_ids))
        if names_it or (is_lost and (thought is None or outcome.reminders)):
            direct.append(said)  # its words went, also where it has left the memory
        elif is_lost:
            lost.append(said)
    went = [*(said.text for said in direct), *_taken_unseen(story, withdrawn, wordless)]
    went += [
        word for message in people.messages if message.id in withdrawn for word, _ in message.words
    ]  # it may have been recalled
    taken_out = {word for text in went for word in NAMED.findall(text)}
    gone_texts = (*went, *(one.text for one in people.messages if one.id in withdrawn))
    shares = {run for text in went for run in _shares_in(text)}
    hands_on_common = any(shares_run(COMMON, text) for text in gone_texts)  # a receipt quotes what a reminder says
    postponed = {one.text for one in history.values() if one.offer.is_postponed and one.text}
    told = {text for text in postponed if any(text in one for one in went)}
    while repeating := [
        outcome
        for outcome in lost
        if not taken_out.isdisjoint(NAMED.findall(outcome.text))
        or (hands_on_common and shares_run(COMMON, outcome.text))
        or not shares.isdisjoint(_shares_in(outcome.text))
        or any(text in outcome.text for text in told)
    ]:
        taken_out.update(
            word for outcome in repeating for word in NAMED.findall(outcome.text)
        )  # what it repeats besides may go as well
        shares |= {run for outcome in repeating for run in _shares_in(outcome.text)}
        told |= {text for text in postponed if any(text in one.text for one in repeating)}
        lost = [one for one in lost if one not in repeating]
    for _ in lost:
        yield "I4: an answer lost its words although it neither named a withdrawn message nor repeated one"


def _shares_in(text: str) -> set[str]:
    """Return the runs that tell whose an amount is: of "・Dan → Eve: ¥333", for example, those with the sign "¥"."""
    return {run for run in Runs.of(text).folded if "¥" in run}
