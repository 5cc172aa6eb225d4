"""Embeddings of entries: each stands in the entry's row of the catalog, and disappears with the row when the entry changes or is deleted.

A search makes the missing embeddings. A vector is put only into a row that still exists, with the generation at which the entry was read,
so nothing removed by a withdrawal comes back.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from statistics import fmean, pstdev
from typing import Final, Literal, Protocol

from shared import logs
from shared.clock import Clock, Deadline
from shared.conversation.store import Conversation
from shared.errors import LimitReachedError, ModelRefusedError, ModelUnavailableError, StorageUnavailableError
from shared.frozen import frozen
from shared.knowledge.catalog import NAME, Row
from shared.knowledge.entry_store import CATALOG_FILE, SWAP_ATTEMPTS, EntryStore
from shared.metering import Metering, Purpose, Usage
from shared.search.vectors import Vector, closeness, pack, unpack
from shared.storage.codec import encode
from shared.storage.compare_and_swap import update_by_swap

TEXTS_AT_ONCE: Final = 100
"""Source: Gemini API, "Embeddings": a batch has at most 100 texts, and gemini-embedding-001 reads 2,048 tokens of each."""
_CHARACTERS: Final = 2_000
_SECONDS: Final = 4.0  # for each search, which then goes on without embeddings
_CLOSEST: Final = 10  # rows found by closeness alone
_MANY: Final = 10
_DEVIATIONS: Final = 2.0

Kind = Literal["document", "query"]


@frozen
class Embedded:
    """The vectors of texts, in the same order, and the tokens spent; where time ran out, the vectors of the first texts only."""

    vectors: tuple[Sequence[float], ...] = field(repr=False)
    usage: Usage = field(default_factory=Usage)


class Embedder(Protocol):
    """Turns texts into vectors; texts of similar meaning get vectors close together."""

    @property
    def name(self) -> str:
        """The model's id in records and logs."""
        ...

    def embed(self, texts: Sequence[str], *, kind: Kind, deadline: Deadline) -> Embedded:
        """Return a vector for each text, at most `TEXTS_AT_ONCE`; where time runs out, for the first texts only, at least for the first.

        Raises: ModelUnavailableError, ModelRefusedError.
        """
        ...


@frozen
class EntryEmbeddings:
    """Compares queries with a chat's entries by meaning."""

    embedder: Embedder
    metering: Metering = field(repr=False)
    clock: Clock = field(repr=False)

    def closest(self, conversation: Conversation, rows: Sequence[Row], queries: Sequence[str]) -> dict[str, float]:
        """Return closeness by path, for example `{"people/sato.md": 0.83}`; nothing where the model or the bucket fails.

        A row's closeness is the closeness to the nearest query. Rows without a vector get a vector, the newest rows first, as many as time
        allows and at most `TEXTS_AT_ONCE` a search.
        """
        query_texts = [one for one in queries if one.strip()]
        if not query_texts or not rows:
            return {}
        deadline = Deadline.after(self.clock, _SECONDS)
        try:
            newest = sorted((row for row in rows if not row.vector), key=lambda row: row.updated_at, reverse=True)
            query_vectors = [
                unpack(pack(vector))
                for vector in self._embed([one[:_CHARACTERS] for one in query_texts], "query", deadline)
            ]
            new_vectors = self._vectors_of(newest[:TEXTS_AT_ONCE], deadline)
            self._store_vectors(conversation, rows, new_vectors)
        except (ModelUnavailableError, ModelRefusedError, StorageUnavailableError, LimitReachedError) as cause:
            logs.warning("embeddings_skipped", reason=type(cause).__name__)
            return {}
        vectors_by_path = {row.path: unpack(new_vectors.get(row.path, row.vector)) for row in rows}
        return closest_of(vectors_by_path, query_vectors)

    def _vectors_of(self, rows: Sequence[Row], deadline: Deadline) -> dict[str, str]:
        if not rows:
            return {}
        vectors = self._embed([text_of(row) for row in rows], "document", deadline)
        return {row.path: pack(vector) for row, vector in zip(rows, vectors, strict=False)}

    def _embed(self, texts: Sequence[str], kind: Kind, deadline: Deadline) -> tuple[Sequence[float], ...]:
        with self.metering.request(Purpose.EMBED, self.embedder.name) as request:
            embedded = self.embedder.embed(texts, kind=kind, deadline=deadline)
            request.usage = embedded.usage
        return embedded.vectors

    def _store_vectors(self, conversation: Conversation, rows: Iterable[Row], new_vectors: Mapping[str, str]) -> None:
        """Put the vectors of stored entries into unchanged rows of the catalog."""
        stored = {row.path: row.generation for row in rows if row.generation and new_vectors.get(row.path)}
        if not stored:
            return

        def with_vectors(data: bytes | None) -> bytes | None:
            catalog = EntryStore(conversation).catalog_in(data)
            fresh = {
                row.path: replace(row, vector=new_vectors[row.path])
                for row in catalog.rows
                if not row.vector and stored.get(row.path) == row.generation
            }
            return encode(catalog.with_rows(fresh, key=catalog.key)) if fresh and data is not None else None

        store, name = conversation.objects.store, conversation.names.entry(CATALOG_FILE)
        update_by_swap(store, name, with_vectors, what="the catalog of a chat", attempts=SWAP_ATTEMPTS)


def closest_of(vectors_by_path: Mapping[str, Vector], query_vectors: Sequence[Vector]) -> dict[str, float]:
    """Return each vector's closeness to the nearest query vector, by path, the closest first.

    The distance of two unrelated texts depends on the model. So of ten vectors or more, only outliers count: two standard deviations above
    the mean.
    """
    close = {
        path: max(closeness(vector, query) for query in query_vectors)
        for path, vector in vectors_by_path.items()
        if vector
    }
    if len(close) >= _MANY:
        least = fmean(close.values()) + _DEVIATIONS * pstdev(close.values())
        close = {path: value for path, value in close.items() if value >= least}
    return dict(sorted(close.items(), key=lambda item: -item[1])[:_CLOSEST])


def text_of(row: Row) -> str:
    """Return the entry's text for an embedding: the name, then the other texts."""
    other_texts = (text for name, text in row.searched_texts if name != NAME)
    return "\n".join((row.name, *other_texts))[:_CHARACTERS]
