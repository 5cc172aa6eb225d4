"""A chat with entries on in-memory ports, and turns that call tools as a model does."""

import itertools
import zoneinfo
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, TypeVar

from hypothesis import strategies as st

from shared.adapters.memory import FixedClock, MemoryLineApi, MemoryObjectStore, ScriptedJsonModel
from shared.agent.model import JsonModel
from shared.agent.overlay import Attempt
from shared.agent.registry import Registry
from shared.agent.staged import Staged
from shared.agent.tools import ToolFault, load_schema
from shared.agent.turn_context import TurnContext
from shared.conversation.amendments import Amendments
from shared.conversation.provenance import Provenance, Source
from shared.conversation.records import Audit, MessageRecord, OutcomeKind, OutcomeRecord
from shared.conversation.store import Conversation, Conversations
from shared.errors import StorageUnavailableError
from shared.features.stored_features import writer_of
from shared.knowledge.classification import Classifier
from shared.knowledge.embeddings import Embedder, EntryEmbeddings
from shared.knowledge.entry import Entry, Note
from shared.knowledge.entry_editor import EntryEditor
from shared.knowledge.entry_store import EntryStore
from shared.knowledge.prompt_index import KnowledgeIndex
from shared.knowledge.schema import FIELDS, Category, Field, Value, plain_text
from shared.knowledge.staging import EntryOverlay
from shared.line.bot_name import BotName
from shared.metering import Metering
from shared.storage.object_store import ListedObject, ObjectStore, StoredObject
from shared.tools.core import core_tools
from shared.tools.knowledge import KnowledgeTools
from shared.tools.knowledge_queries import KnowledgeQueryTools
from shared.tools.undo import undo_tools
from tests.support.inline import InlineExecutor

CHAT = "U" + "1" * 32
TOKYO = zoneinfo.ZoneInfo("Asia/Tokyo")
MOMO = BotName(account=MemoryLineApi(), configured="Momo")
_T = TypeVar("_T")
SATO = Entry(
    category=Category.PEOPLE,
    slug="sato",
    id="sato",
    created_at="2026-11-20T10:00:00+09:00",
    updated_at="2026-11-21T10:00:00+09:00",
    confidence=0.9,
    fields={
        "name": "Sato",
        "context": "likes tea",
        "follow_ups": ("call", "a gift"),
        "related_projects": (),
        "last_touched": None,
        "tags": (),
    },
    field_message_ids={"name": ("m1",), "context": ("m2",), "follow_ups": ("m3",)},
    slug_message_ids=("m1",),
    notes=(Note(text="moved to Osaka", message_ids=("m4",)),),
    provenance=Provenance.of_sources(
        tuple(Source(line_message_id=f"m{number}", timestamp_ms=number) for number in range(1, 5))
    ),
)
"""An entry of which the name, each field and the note came from a message of their own."""


class OpenLease:
    """A lease that never ends."""

    is_over = False


def conversation_on(store: ObjectStore | None = None, chat: str = CHAT) -> Conversation:
    """Return a chat of the bucket, by default of an empty one."""
    bucket = store or MemoryObjectStore()
    return Conversations.on(bucket, reads=InlineExecutor(), clock=FixedClock(), lease_s=25.0).of(chat)


def message(number: int, text: str = "", *, at_ms: int | None = None) -> MessageRecord:
    """Return a message `m{number}`."""
    return MessageRecord(
        line_message_id=f"m{number}",
        webhook_event_id=f"e{number}",
        timestamp_ms=number * 1_000 if at_ms is None else at_ms,
        type="text",
        addressed=True,
        text=text,
    )


def found(
    category: str = "projects", confidence: float = 0.9, name: str = "庭の工事", **fields: object
) -> dict[str, object]:
    """Return a classification as a model answers it."""
    return {"category": category, "confidence": confidence, "name": name, **fields}


class WatchedStore(MemoryObjectStore):
    """A bucket that counts its reads and fails in one call.

    `fails_in` is how many calls succeed before it; None: none fails. With `after_effect` the call fails after its effect, else before it.
    """

    def __init__(self) -> None:
        super().__init__()
        self.reads = 0
        self.fails_in: int | None = None
        self.after_effect = False

    @property
    def has_failed(self) -> bool:
        """Whether the call that was to fail was made, or none was to fail."""
        return self.fails_in is None

    def read(self, name: str) -> StoredObject | None:
        self.reads += 1
        return self._attempt(lambda: super(WatchedStore, self).read(name))

    def create(self, name: str, data: bytes) -> int | None:
        return self._attempt(lambda: super(WatchedStore, self).create(name, data))

    def replace(self, name: str, data: bytes, *, generation: int) -> int | None:
        return self._attempt(lambda: super(WatchedStore, self).replace(name, data, generation=generation))

    def delete(self, name: str, *, generation: int | None = None) -> bool:
        return self._attempt(lambda: super(WatchedStore, self).delete(name, generation=generation))

    def list(self, prefix: str, *, since: str | None = None, before: str | None = None) -> tuple[ListedObject, ...]:
        return self._attempt(lambda: super(WatchedStore, self).list(prefix, since=since, before=before))

    def _attempt(self, call: Callable[[], _T]) -> _T:
        if self.fails_in is None:
            return call()
        self.fails_in -= 1
        if self.fails_in >= 0:
            return call()
        self.fails_in = None
        if self.after_effect:
            call()
        raise StorageUnavailableError("down")


class StallingStore(MemoryObjectStore):
    """A bucket in which `meanwhile` happens just before the next write of an entry takes effect."""

    def __init__(self) -> None:
        super().__init__()
        self.meanwhile: Callable[[], object] | None = None

    def replace(self, name: str, data: bytes, *, generation: int) -> int | None:
        self._let_happen(name)
        return super().replace(name, data, generation=generation)

    def delete(self, name: str, *, generation: int | None = None) -> bool:
        self._let_happen(name)
        return super().delete(name, generation=generation)

    def _let_happen(self, name: str) -> None:
        if name.startswith("entries/") and name.endswith(".md") and self.meanwhile is not None:
            happens, self.meanwhile = self.meanwhile, None
            happens()


class FilingChat:
    """A bucket with one chat's entries, and a model that classifies from a script."""

    def __init__(
        self,
        *,
        threshold: float = 0.6,
        locale: str = "ja",
        chat: str = CHAT,
        store: ObjectStore | None = None,
        classifies_with: JsonModel | None = None,
        embedder: Embedder | None = None,
    ) -> None:
        self.watched = WatchedStore()
        self.store: ObjectStore = store or self.watched
        self.conversation = conversation_on(self.store, chat)
        self.chat = chat
        self.clock = FixedClock()
        self.model = ScriptedJsonModel()
        self.entries = EntryStore(self.conversation)
        self.sequence = 0
        numbers = itertools.count(1)
        writing = KnowledgeTools(
            classifier=Classifier(
                model=classifies_with or self.model, schema=load_schema("classify_and_capture.classification")
            ),
            editor=EntryEditor(new_id=lambda: f"id-{next(numbers)}", threshold=threshold),
            time_zone=TOKYO,
        )
        embeddings = (
            EntryEmbeddings(embedder=embedder, metering=Metering(clock=self.clock), clock=self.clock)
            if embedder is not None
            else None
        )
        reading = KnowledgeQueryTools(time_zone=TOKYO, locale=locale, embeddings=embeddings)
        self.tools = {tool.name: tool for tool in (*writing.tools(), *undo_tools(), *reading.tools())}

    def begin(self, *messages: MessageRecord, earlier: Sequence[MessageRecord] = ()) -> "FilingTurn":
        """Begin a turn that answers the messages; like every turn, it reads the index for its prompt."""
        KnowledgeIndex(is_shown=True).read(self.conversation)
        return FilingTurn(self, messages or (message(self.sequence + 1),), tuple(earlier))

    def once(self, name: str, *messages: MessageRecord, **arguments: object) -> Any:  # noqa: ANN401 - JSON
        """Call one tool in a turn of its own and commit it."""
        turn = self.begin(*messages)
        result = turn.call(name, **arguments)
        turn.commit()
        return result

    def file(self, text: str = "庭の工事", *messages: MessageRecord, **classification: Any) -> str:  # noqa: ANN401 - fields of found()
        """Capture a text and return its path."""
        self.model.steps = [found(**classification)]
        path = self.once("classify_and_capture", *(messages or (message(self.sequence + 1, text),)), text=text)["path"]
        assert isinstance(path, str)
        return path

    def entry(self, path: str) -> Entry | None:
        return self.entries.entry(path)

    def apply(self, outcome: OutcomeRecord) -> None:
        """Apply what the outcome stages, under a lease that holds."""
        assert writer_of().apply(self.conversation, outcome, OpenLease())

    @property
    def paths(self) -> list[str]:
        """Return the paths of all entries, without tombstones."""
        paths = [one.name.removeprefix(f"entries/{self.chat}/") for one in self.entries.list()]
        return [path for path in paths if self.entries.stored(path) is not None]

    @property
    def words(self) -> str:
        """Return every name and body in the bucket, as one text."""
        return "\n".join(f"{one.name}\n{self.text(one.name)}" for one in self.store.list(""))

    def text(self, name: str) -> str:
        stored = self.store.read(name)
        return stored.data.decode() if stored else ""

    def file_text(self, path: str) -> str:
        return self.text(f"entries/{self.chat}/{path}")


class FilingTurn:
    """One turn: an overlay, and tools whose arguments and responses are validated as the executor validates them."""

    def __init__(
        self, chat: FilingChat, messages: tuple[MessageRecord, ...], earlier: tuple[MessageRecord, ...]
    ) -> None:
        self._chat = chat
        self._messages = messages
        chat.sequence += 1
        self.sequence = chat.sequence
        attempt = Attempt.at(
            chat.conversation, sequence=chat.sequence, now_ms=chat.clock.now_ms(), amendments=Amendments()
        )
        self.overlay = EntryOverlay(attempt)
        self.context = TurnContext(
            conversation=chat.conversation,
            sequence=chat.sequence,
            now_ms=chat.clock.now_ms(),
            to_answer=messages,
            earlier=earlier,
            staged=Staged((self.overlay,)),
        )

    def call(self, name: str, **arguments: object) -> Any:  # noqa: ANN401 - JSON
        tool, registry = self._chat.tools[name], _registry()
        wrong = registry.faults_of_arguments(tool, arguments)
        if wrong is not None:
            return ToolFault(message=f"Wrong arguments: {wrong}.", may_retry=True)
        result = tool.run(arguments, self.context)
        if not isinstance(result, ToolFault):
            assert registry.faults_of_response(tool, result) is None  # type: ignore[arg-type]
        return result

    def outcome(self) -> OutcomeRecord:
        placement = self.overlay.placement
        return OutcomeRecord(
            webhook_event_id=self._messages[-1].webhook_event_id,
            timestamp_ms=1,
            kind=OutcomeKind.REPLIED,
            text="ok",
            provenance=self.overlay.provenance,
            writes=self.context.staged.changes(),
            sequence=self.sequence,
            audit=Audit(
                filed_paths=self.overlay.filed_paths,
                filed_confidence=placement.confidence if placement else None,
            ),
        )

    def commit(self) -> OutcomeRecord:
        outcome = self.outcome()
        self._chat.apply(outcome)
        return outcome


@cache
def _registry() -> Registry:
    """Return the registry of all tools, which is built once because that is slow."""
    return Registry((*core_tools(), *FilingChat().tools.values()))


LETTERS = st.text(st.characters(exclude_categories=["Cs", "Co", "Cn"]), max_size=30)
IDS = st.sampled_from([f"m{number}" for number in range(1, 6)])
ID_LISTS = st.lists(IDS, max_size=3, unique=True).map(lambda ids: tuple(sorted(ids)))
WORDS = st.one_of(
    LETTERS,
    st.sampled_from(
        [
            "庭の工事",
            "ガレージ",
            "garden fence",
            "---",
            "a: b",
            "- x",
            "| cell |",
            "null",
            "2026-01-01",
            "ไปตลาด",
            "한국어",
            "1:30",
            "!!python/x",
        ]
    ),
)


def values_of(field: Field) -> st.SearchStrategy[Value]:
    """Return values as a field stores them."""
    match field.kind:
        case "names":
            values: st.SearchStrategy[Value] = st.lists(WORDS, max_size=3).map(field.check)
        case "date":
            values = st.none() | st.dates().map(lambda day: day.isoformat())
        case "choice":
            values = st.sampled_from(field.choices)
        case _:
            values = WORDS.map(field.check)
    return values


@st.composite
def entries(draw: st.DrawFn, categories: Sequence[Category] = tuple(Category)) -> Entry:
    """Return entries as they may be stored, each field and note with its sources."""
    category = draw(st.sampled_from(categories))
    fields = {one.name: draw(values_of(one)) for one in FIELDS[category]}
    name = "suggested_name" if category is Category.INBOX else "name"
    fields[name] = fields[name] or "無題"
    texts = [clean for text in draw(st.lists(WORDS, max_size=3)) if (clean := plain_text(text))]
    notes = [Note(text=text, message_ids=draw(ID_LISTS)) for text in texts]
    words = {one.name: draw(ID_LISTS) for one in FIELDS[category] if one.holds_words}
    blank = Entry(
        category=category,
        slug=draw(st.sampled_from(["garden", "庭の工事", "a-2", "20261122110300-x"])),
        id=draw(st.sampled_from(["id-a", "id-b"])),
        created_at="2026-11-20T10:00:00+09:00",
        updated_at="2026-11-20T10:00:00+09:00",
        confidence=draw(st.floats(0, 1)),
        fields=fields,
        field_message_ids={one: ids for one, ids in words.items() if ids},
        slug_message_ids=draw(ID_LISTS),
        notes=tuple(notes),
        revision=draw(st.tuples(st.integers(0, 10**9), st.integers(0, 99))),
    )
    return blank.with_sources(
        Source(line_message_id=f"m{number}", timestamp_ms=number * 1_000) for number in range(1, 6)
    )
