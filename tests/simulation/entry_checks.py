"""What a chat's entries hold in the end: what the committed outcomes staged, once, but for what was taken back."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import chain
from typing import Final

from shared.conversation.records import OutcomeKind, OutcomeRecord
from shared.knowledge.catalog import Catalog, Row
from shared.knowledge.embeddings import text_of
from shared.knowledge.tombstone import tombstone_in
from shared.search.vectors import pack
from shared.storage.codec import decode
from shared.storage.object_names import is_entry_path
from tests.simulation.mind import vector_of
from tests.simulation.people import COMMON, NAMED, People, gloss_of
from tests.simulation.world import WORD, World

_CATALOG: Final = "search.json"
_KEEPS_PATHS: Final = frozenset({"file", "note", "page", "recall", "forget", "remind", "cancel", "reword"})


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryStory:
    """One chat, and what was staged and applied in it.  `is_lost`: whether a delivery about a message became a dead letter in an outage."""

    people: People
    world: World
    is_lost: Callable[[str], bool]


def check_entries(story: EntryStory) -> Iterator[str]:
    """The entries are what the committed turns staged: each line once, none lost unless a message of its turn was taken back."""
    if any(story.is_lost(one.id) for one in story.people.messages):
        return
    world, prefix = story.world, f"entries/{story.people.conversation_id}/"
    files = {one.name.removeprefix(prefix): world.objects.read(one.name) for one in world.objects.list(prefix)}
    there = {
        path: one.data.decode()
        for path, one in files.items()
        if one is not None and is_entry_path(path) and tombstone_in(one.data) is None
    }
    wanted = _staged_entries(story)
    if not _has_taken_back(story.people) and there != wanted:
        if wanted.keys() - there.keys():
            yield "I6: an entry is missing"
        elif there.keys() - wanted.keys():
            yield "I6: an entry was not staged"
        else:
            yield "I6: an entry differs from what was staged"
    lines = Counter(line for text in there.values() for line in _lines(text))
    staged = Counter(line for text in wanted.values() for line in _lines(text))
    if any(count > max(staged[line], 1) for line, count in lines.items()):
        yield "I6: an entry holds a line twice"
    if not _has_taken_back(story.people) and not staged.keys() <= lines.keys():
        yield "I6: an entry never got its line"
    catalog = files.get(_CATALOG)
    yield from _check_rows(decode(Catalog, catalog.data).rows if catalog is not None else (), there.keys())
    if not _KEEPS_PATHS.issuperset(_verbs(story.people)):
        return  # a withdrawal may have given the entry another path, under which a later turn changed it
    kept = {word for one in story.people.messages if story.people.is_kept(one) for word, _ in one.words[-1:]}
    kept -= {word for one in story.people.messages if len(one.words) > 1 for word, _ in one.words}
    gone = staged.keys() - lines.keys() - _withdrawn_lines(story)
    proven = {line for line in gone if WORD.search(line)} | (gone & _paraphrased_alone(story))
    if any(set(WORD.findall(_literally(line))) <= kept for line in proven):
        yield "I6: an entry lost a line that nobody took back"


def _check_rows(rows: Sequence[Row], there: AbstractSet[str]) -> Iterator[str]:
    if {one.path for one in rows} != there:
        yield "I6: the catalog and the entries differ"
    if any(one.vector not in {"", pack(vector_of(text_of(one)))} for one in rows):
        yield "I4: the catalog has a vector of words that its entry has not"


def _verbs(people: People) -> set[str]:
    """Return what the bot was asked to do with words."""
    texts = (
        str(message["text"])
        for sent in people.messages
        if isinstance(message := sent.event.get("message"), dict) and "text" in message
    )
    return {word for text in texts for word in text.removesuffix(COMMON).split() if word.isalpha()}


def _carried_out(story: EntryStory) -> Iterator[OutcomeRecord]:
    """Yield the outcomes whose writes were carried out: committed in this chat and not given up for an unsend or a follow-up."""
    truth, chat = story.world.truth, story.people.conversation_id
    for owner, outcome in truth.staged:
        if owner == chat and (chat, outcome.webhook_event_id, outcome.sequence) not in truth.voided:
            yield outcome


def _staged_entries(story: EntryStory) -> dict[str, str]:
    """Return the entries that the committed turns leave, in the order of their commits."""
    wanted: dict[str, str] = {}
    for outcome in _carried_out(story):
        for write in outcome.writes:
            if is_entry_path(write.path):
                wanted.pop(write.path, None)
                if write.text is not None:
                    wanted[write.path] = write.text
    return wanted


def _paraphrased_alone(story: EntryStory) -> set[str]:
    """Return the lines that paraphrase and were staged for messages of which none was taken back, and none quotes."""
    taken_back = {one.id for one in story.people.messages if not story.people.is_kept(one) or len(one.words) > 1}
    quoting = {one.id for one in story.people.messages if one.quoted_id is not None}
    return {
        line
        for outcome in _carried_out(story)
        if not (taken_back | quoting).intersection(_asking_ids(story, outcome))
        for write in outcome.writes
        for line in _lines(write.text or "")
        if not WORD.search(line)
    }


def _asking_ids(story: EntryStory, outcome: OutcomeRecord) -> set[str]:
    """Return the messages that asked for the writes; a press that confirms a proposal asks for what the proposing answer's messages did."""
    recorded = story.world.truth.recorded.get(story.people.conversation_id, {})
    proposing = (recorded[root].answered_ids for root in outcome.answers if root in recorded)
    return {*outcome.answered_ids, *chain.from_iterable(proposing)}


def _literally(line: str) -> str:
    return line.replace(gloss_of("word"), "word")


def _withdrawn_lines(story: EntryStory) -> set[str]:
    """Return the lines of turns whose outcomes were withdrawn after a takeover, because their prompts held what was taken back."""
    truth, chat = story.world.truth, story.people.conversation_id
    recorded = truth.recorded.get(chat, {})
    return {
        line
        for owner, outcome in truth.staged
        if owner == chat
        and (there := recorded.get(outcome.webhook_event_id)) is not None
        and there.kind is OutcomeKind.WITHDRAWN
        for write in outcome.writes
        for line in _lines(write.text or "")
    }


def _has_taken_back(people: People) -> bool:
    """Whether anything that an entry may hold was withdrawn, edited or erased."""
    is_erased = people.erased_s >= 0 or people.erased_entries_s >= 0
    return is_erased or any(one.is_withdrawn or len(one.words) > 1 for one in people.messages)


def _lines(text: str) -> list[str]:
    """Return the lines of an entry, its fields and its notes, that people's words are in."""
    return [line for line in text.splitlines() if NAMED.search(line)]
