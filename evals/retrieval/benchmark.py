"""Measures search on the set: recall at five by kind of query and by language, and the time of a search among many entries."""

import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean, median
from typing import Final

import msgspec

from shared.clock import Deadline, SystemClock
from shared.knowledge.catalog import Row, row_of
from shared.knowledge.embeddings import TEXTS_AT_ONCE, Embedder, Kind, closest_of, text_of
from shared.knowledge.entry import Entry, Note
from shared.knowledge.schema import FIELDS, Category, Value, fields_of, name_field
from shared.knowledge.search import find_matches
from shared.search.vectors import Vector, pack, unpack

SHOWN: Final = 5
MANY: Final = 1_000
_SECONDS: Final = 120.0
_FOLDER: Final = Path(__file__).parent
_MOMENT: Final = "2026-11-22T10:00:00+09:00"


class SetEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An entry of the set."""

    id: str
    category: Category
    name: str
    fields: dict[str, str | list[str]] = {}
    notes: str = ""


class Query(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A query and the ids of all matching entries."""

    ask: str
    find: list[str]
    kind: str
    language: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """The recall at five of each group of queries, for example `{"all": 0.93, "spelling": 0.8}`.

    `missed`: the queries with a missed answer. `noise`: the mean number of results for queries without an answer.
    """

    recall: Mapping[str, float]
    queries: Mapping[str, int]
    missed: Sequence[Query] = field(repr=False)
    noise: float


def read_set() -> tuple[list[SetEntry], list[Query]]:
    """Return the entries and the queries."""
    entries = msgspec.yaml.decode((_FOLDER / "entries.yaml").read_bytes(), type=list[SetEntry])
    queries = msgspec.yaml.decode((_FOLDER / "queries.yaml").read_bytes(), type=list[Query])
    return entries, queries


def row_for(entry: SetEntry) -> Row:
    """Return an entry's row of the catalog, with the path `people/yamada.md` for the id `yamada`, for example."""
    values: dict[str, Value] = {one.name: one.default for one in FIELDS[entry.category]}
    types = fields_of(entry.category)
    values |= {name: types[name].check(value) for name, value in entry.fields.items()}
    return row_of(
        Entry(
            category=entry.category,
            slug=entry.id,
            id=entry.id,
            created_at=_MOMENT,
            updated_at=_MOMENT,
            confidence=1.0,
            fields={**values, name_field(entry.category): entry.name},
            notes=(Note(text=entry.notes),) if entry.notes else (),
        )
    )


def measure(entries: Sequence[SetEntry], queries: Sequence[Query], embedder: Embedder | None = None) -> Figures:
    """Return how well search finds the entries by words and, with an embedder, by meaning."""
    rows = [row_for(one) for one in entries]
    closest = _closest(rows, queries, embedder) if embedder is not None else {}
    ids = {row.path: one.id for row, one in zip(rows, entries, strict=True)}
    recalls: defaultdict[str, list[float]] = defaultdict(list)
    missed: list[Query] = []
    noise: list[int] = []
    for query in queries:
        matches = find_matches(rows, [query.ask], closest=closest.get(query.ask))[:SHOWN]
        found_ids = [ids[one.row.path] for one in matches]
        if not query.find:
            noise.append(len(found_ids))
            continue
        recall = len(set(found_ids) & set(query.find)) / len(query.find)
        for group in ("all", query.kind, query.language):
            recalls[group].append(recall)
        if recall < 1:
            missed.append(query)
    return Figures(
        recall={group: fmean(values) for group, values in recalls.items()},
        queries={group: len(values) for group, values in recalls.items()},
        missed=missed,
        noise=fmean(noise) if noise else 0.0,
    )


def _closest(rows: Sequence[Row], queries: Sequence[Query], embedder: Embedder) -> dict[str, dict[str, float]]:
    """Return the closest rows of each query."""
    vectors = dict(
        zip([row.path for row in rows], _vectors([text_of(row) for row in rows], "document", embedder), strict=True)
    )
    query_texts = [query.ask for query in queries]
    return {
        ask: dict(closest_of(vectors, [vector]))
        for ask, vector in zip(query_texts, _vectors(query_texts, "query", embedder), strict=True)
    }


def _vectors(texts: Sequence[str], kind: Kind, embedder: Embedder) -> list[Vector]:
    batches = [texts[start : start + TEXTS_AT_ONCE] for start in range(0, len(texts), TEXTS_AT_ONCE)]
    deadline = Deadline.after(SystemClock(), _SECONDS)
    vectors = (vector for batch in batches for vector in embedder.embed(batch, kind=kind, deadline=deadline).vectors)
    return [unpack(pack(one)) for one in vectors]


def search_ms(entries: Sequence[SetEntry], queries: Sequence[Query], *, among: int = MANY) -> float:
    """Return the median CPU time of a search among so many entries, in milliseconds."""
    rows = [row_for(one) for one in entries]
    many = [rows[number % len(rows)] for number in range(among)]
    times_ms = []
    for query in queries:
        begun_s = time.thread_time()
        find_matches(many, [query.ask])
        times_ms.append((time.thread_time() - begun_s) * 1_000)
    return median(times_ms)
