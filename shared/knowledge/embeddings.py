"""Embeddings of entries: each is kept in its entry's row of the catalog, so it goes with the row when the entry changes or is deleted.

They are made when a search first needs them. A vector is only put into a row that is still there, with the generation at which its entry
was read, so nothing that a withdrawal removed comes back.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean, pstdev
from typing import Final, Literal, Protocol

from shared import logs
from shared.clock import Clock, Deadline
from shared.conversation.store import Conversation
from shared.errors import LimitReachedError, ModelRefusedError, ModelUnavailableError, StorageUnavailableError
from shared.knowledge.catalog import NAME, Row
from shared.knowledge.entry_store import CATALOG_FILE, SWAP_ATTEMPTS, EntryStore
from shared.metering import Metering, Purpose, Usage
from shared.search.vectors import Vector, closeness, pack, unpack
from shared.storage.codec import encode
from shared.storage.compare_and_swap import update_by_swap

TEXTS_AT_ONCE: Final = 100
"""Source: Gemini API, "Embeddings": a batch has at most 100 texts, and gemini-embedding-001 reads 2,048 tokens of each."""
_CHARACTERS: Final = 2_000
_SECONDS: Final = 4.0  # of a search; without an answer the search goes on without embeddings
_CLOSEST: Final = 10  # rows that closeness alone may name
_MANY: Final = 10
_DEVIATIONS: Final = 2.0

Kind = Literal["document", "query"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedded:
    """The vectors of texts, in the texts' order, and the tokens that they cost; of fewer texts, the first ones, where time ran out."""

    vectors: tuple[Sequence[float], ...] = field(repr=False)
    usage: Usage = field(default_factory=Usage)


class Embedder(Protocol):
    """Turns texts into vectors that lie close together where the texts mean the same."""

    @property
    def name(self) -> str:
        """The model's id, as records and logs name it."""
        ...

    def embed(self, texts: Sequence[str], *, kind: Kind, deadline: Deadline) -> Embedded:
        """Return a vector for each of at most TEXTS_AT_ONCE texts, or for as many of them as there was time for, at least one.

        Raises: ModelUnavailableError, ModelRefusedError.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryEmbeddings:
    """Compares queries with the entries of a chat by what they mean."""

    embedder: Embedder
    metering: Metering = field(repr=False)
    clock: Clock = field(repr=False)

    def closest(self, conversation: Conversation, rows: Sequence[Row], queries: Sequence[str]) -> dict[str, float]:
        """Return how close the closest rows are to any of the queries, by path; nothing where the model or the bucket fails.

        Rows without a vector get one, as many as there is time for, at most TEXTS_AT_ONCE a search, the newest first.
        """
        wanted = [one for one in queries if one.strip()]
        if not wanted or not rows:
            return {}
        deadline = Deadline.after(self.clock, _SECONDS)
        try:
            newest = sorted((row for row in rows if not row.vector), key=lambda row: row.updated_at, reverse=True)
            asked = [unpack(pack(one)) for one in self._embed([one[:_CHARACTERS] for one in wanted], "query", deadline)]
            made = self._vectors_of(newest[:TEXTS_AT_ONCE], deadline)
            self._keep(conversation, rows, made)
        except (ModelUnavailableError, ModelRefusedError, StorageUnavailableError, LimitReachedError) as cause:
            logs.warning("embeddings_skipped", reason=type(cause).__name__)
            return {}
        known = {row.path: unpack(made.get(row.path, row.vector)) for row in rows}
        return closest_of(known, asked)

    def _vectors_of(self, rows: Sequence[Row], deadline: Deadline) -> dict[str, str]:
        if not rows:
            return {}
        vectors = self._embed([text_of(row) for row in rows], "document", deadline)
        return {row.path: pack(vector) for row, vector in zip(rows, vectors, strict=False)}

    def _embed(self, texts: Sequence[str], kind: Kind, deadline: Deadline) -> tuple[Sequence[float], ...]:
        with self.metering.request(Purpose.EMBED, self.embedder.name) as made:
            found = self.embedder.embed(texts, kind=kind, deadline=deadline)
            made.usage = found.usage
        return found.vectors

    def _keep(self, conversation: Conversation, rows: Iterable[Row], made: Mapping[str, str]) -> None:
        """Put the vectors of stored entries into those rows of the catalog that are unchanged."""
        stored = {row.path: row.generation for row in rows if row.generation and made.get(row.path)}
        if not stored:
            return

        def with_vectors(data: bytes | None) -> bytes | None:
            catalog = EntryStore(conversation).catalog_in(data)
            fresh = {
                row.path: replace(row, vector=made[row.path])
                for row in catalog.rows
                if not row.vector and stored.get(row.path) == row.generation
            }
            return encode(catalog.with_rows(fresh, key=catalog.key)) if fresh and data is not None else None

        store, name = conversation.objects.store, conversation.names.entry(CATALOG_FILE)
        update_by_swap(store, name, with_vectors, what="the catalog of a chat", attempts=SWAP_ATTEMPTS)


def closest_of(known: Mapping[str, Vector], asked: Sequence[Vector]) -> dict[str, float]:
    """Return how close the closest of the known vectors are to any of those that are asked for, the closest first.

    The distance of two unrelated texts depends on the model. So among many vectors only those count that are closer than most others.
    """
    close = {path: max(closeness(vector, one) for one in asked) for path, vector in known.items() if vector}
    if len(close) >= _MANY:
        least = fmean(close.values()) + _DEVIATIONS * pstdev(close.values())
        close = {path: value for path, value in close.items() if value >= least}
    return dict(sorted(close.items(), key=lambda item: -item[1])[:_CLOSEST])


def text_of(row: Row) -> str:
    """Return what is embedded of an entry: its name, then its other texts."""
    others = (text for name, text in row.folded.items() if name != NAME)
    return "\n".join((row.name, *others))[:_CHARACTERS]
