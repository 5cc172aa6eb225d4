"""Search by meaning: vectors are made once, go with their entries, and no search fails for want of them."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from shared.clock import Deadline
from shared.conversation.amendments import Amendments
from shared.conversation.provenance import Provenance
from shared.errors import ModelRefusedError, ModelUnavailableError
from shared.knowledge.catalog import Catalog, Row
from shared.knowledge.embeddings import TEXTS_AT_ONCE, Embedded, EntryEmbeddings, Kind, closest_of
from shared.knowledge.entry_words import EntryWords
from shared.knowledge.schema import Category
from shared.metering import Metering, Usage
from shared.search.vectors import pack, unpack
from shared.storage.codec import encode
from tests.support.knowledge import FilingChat, message


class Meanings:
    """An embedder that knows which words mean the same: what has a word of a group points in the direction of the group."""

    name = "meanings"

    def __init__(self) -> None:
        self.asked: list[tuple[Kind, tuple[str, ...]]] = []
        self.meanwhile: Callable[[], object] = lambda: None
        self.fails_with: Exception | None = None
        self.has_time_for = TEXTS_AT_ONCE

    def embed(self, texts: Sequence[str], *, kind: Kind, deadline: Deadline) -> Embedded:
        del deadline
        self.asked.append((kind, tuple(texts)))
        if self.fails_with is not None:
            raise self.fails_with
        self.meanwhile()
        groups = (("合鍵", "スペアキー"), ("牛乳", "milk"), ("庭",))
        vectors = tuple(
            [float(any(word in text for word in group)) + 0.01 for group in groups]
            for text in texts[: self.has_time_for]
        )
        return Embedded(vectors=vectors, usage=Usage(prompt_tokens=7))


@pytest.fixture
def meanings() -> Meanings:
    return Meanings()


@pytest.fixture
def chat(meanings: Meanings) -> FilingChat:
    return FilingChat(embedder=meanings)


def vectors(chat: FilingChat) -> dict[str, str]:
    stored = chat.store.read(chat.conversation.names.entry("search.json"))
    assert stored is not None
    return {row["path"]: row["vector"] for row in json.loads(stored.data)["rows"]}


def first_similar(chat: FilingChat, query: str) -> str:
    return str(chat.begin().call("search_entries", query=query)["similar"][0]["path"])


def test_an_entry_is_found_by_what_it_means(chat: FilingChat) -> None:
    path = chat.file("合鍵を作る", name="合鍵")
    chat.file("牛乳を買う", name="牛乳")

    assert first_similar(chat, "スペアキー") == path


def test_literal_matches_stay_first(chat: FilingChat) -> None:
    literal = chat.file("スペアキーという曲", name="曲")
    close = chat.file("合鍵を作る", name="合鍵")

    result = chat.begin().call("search_entries", query="スペアキー")

    assert [one["path"] for one in result["entries"]] == [literal]
    assert [one["path"] for one in result["similar"]] == [close]


def test_only_entries_of_the_wanted_category_are_embedded(chat: FilingChat, meanings: Meanings) -> None:
    chat.file("合鍵を作る", name="合鍵", category="projects")
    path = chat.file("牛乳を買う", name="牛乳", category="ideas")

    result = chat.begin().call("search_entries", query="milk", category="ideas")

    assert [one["path"] for one in result["similar"]] == [path]
    assert [len(texts) for _, texts in meanings.asked] == [1, 1]
    assert "牛乳" in meanings.asked[1][1][0]


def test_an_entry_is_embedded_once(chat: FilingChat, meanings: Meanings) -> None:
    path = chat.file("合鍵を作る", name="合鍵")
    first_similar(chat, "スペアキー")
    first_similar(chat, "スペアキー")

    assert [kind for kind, _ in meanings.asked] == ["query", "document", "query"]
    assert vectors(chat)[path]


def test_a_changed_entry_is_embedded_anew(chat: FilingChat, meanings: Meanings) -> None:
    path = chat.file("合鍵を作る", name="合鍵")
    first_similar(chat, "スペアキー")
    chat.once("update_entry", message(9, "milk"), path=path, updates={"next_action": "milk"})
    assert vectors(chat)[path] == ""

    first_similar(chat, "牛乳")

    assert "milk" in meanings.asked[-1][1][0]


def test_a_withdrawn_entry_takes_its_vector_with_it(chat: FilingChat) -> None:
    path = chat.file("合鍵を作る", message(1, "合鍵を作る"), name="合鍵")
    first_similar(chat, "スペアキー")
    assert vectors(chat)[path]

    EntryWords().remove_withdrawn(chat.conversation, Amendments(withdrawn=frozenset({"m1"})))

    assert vectors(chat) == {}


def test_a_withdrawal_while_the_model_embeds_leaves_no_vector(chat: FilingChat, meanings: Meanings) -> None:
    chat.file("合鍵を作る", message(1, "合鍵を作る"), name="合鍵")
    kept = chat.file("牛乳を買う", message(2, "牛乳を買う"), name="牛乳")
    withdrawn = Amendments(withdrawn=frozenset({"m1"}))
    meanings.meanwhile = lambda: EntryWords().remove_withdrawn(chat.conversation, withdrawn)

    chat.begin().call("search_entries", query="スペアキー")

    assert vectors(chat).keys() == {kept}
    assert "合鍵" not in chat.words


def test_a_change_while_the_model_embeds_wins(chat: FilingChat, meanings: Meanings) -> None:
    path = chat.file("合鍵を作る", name="合鍵")
    turn = chat.begin()

    def change_once() -> None:
        meanings.meanwhile = lambda: None
        chat.once("update_entry", message(9, "milk"), path=path, updates={"next_action": "milk"})

    meanings.meanwhile = change_once

    turn.call("search_entries", query="スペアキー")

    assert vectors(chat)[path] == ""


@pytest.mark.parametrize("cause", [ModelUnavailableError("down"), ModelRefusedError("no")])
def test_without_an_embedding_the_search_goes_on(chat: FilingChat, meanings: Meanings, cause: Exception) -> None:
    path = chat.file("合鍵を作る", name="合鍵")
    meanings.fails_with = cause

    result = chat.begin().call("search_entries", query="合鍵")

    assert [one["path"] for one in result["entries"]] == [path]


def test_an_empty_query_asks_no_model(chat: FilingChat, meanings: Meanings) -> None:
    chat.file("合鍵を作る", name="合鍵")

    chat.begin().call("search_entries", query=" ")

    assert meanings.asked == []


def test_among_many_entries_only_those_count_that_are_closer_than_most() -> None:
    far = {f"admin/{number}.md": unpack(pack([1.0, 0.1 * (number % 3), 0.0])) for number in range(20)}
    near = {"admin/near.md": unpack(pack([0.0, 0.0, 1.0]))}
    asked = [unpack(pack([0.1, 0.0, 1.0]))]

    assert closest_of(far | near, asked).keys() == near.keys()
    assert closest_of({}, asked) == {}
    assert len(closest_of(dict(list(far.items())[:5]), asked)) == 5


def catalog_of_many(chat: FilingChat, count: int) -> Catalog:
    """The chat's catalog has so many rows without a vector, of ascending times."""
    rows = (
        Row(
            path=f"ideas/{number:03}.md",
            category=Category.IDEAS,
            name=f"庭 {number:03}",
            created_at=f"2026-11-22T10:{number:03}",
            updated_at=f"2026-11-22T10:{number:03}",
            generation=1,
            provenance=Provenance.of_sources(()),
        )
        for number in range(count)
    )
    catalog = Catalog(rows=tuple(rows))
    chat.store.create(chat.conversation.names.entry("search.json"), encode(catalog))
    return catalog


def search(chat: FilingChat, meanings: Meanings, catalog: Catalog) -> dict[str, float]:
    embeddings = EntryEmbeddings(embedder=meanings, metering=Metering(clock=chat.clock), clock=chat.clock)
    return embeddings.closest(chat.conversation, catalog.rows, ["庭"])


def test_a_search_embeds_the_newest_of_many_entries_and_the_next_one_the_rest(
    chat: FilingChat, meanings: Meanings
) -> None:
    search(chat, meanings, catalog_of_many(chat, TEXTS_AT_ONCE + 1))

    assert [path for path, vector in vectors(chat).items() if not vector] == ["ideas/000.md"]


def test_a_search_keeps_as_many_vectors_as_there_was_time_for(chat: FilingChat, meanings: Meanings) -> None:
    meanings.has_time_for = 2

    close = search(chat, meanings, catalog_of_many(chat, 5))

    assert [path for path, vector in vectors(chat).items() if vector] == ["ideas/003.md", "ideas/004.md"]
    assert set(close) == {"ideas/003.md", "ideas/004.md"}


@pytest.mark.parametrize("is_gone", [True, False])
def test_a_catalog_that_went_or_changed_while_the_model_embeds_is_not_written(
    chat: FilingChat, meanings: Meanings, *, is_gone: bool
) -> None:
    catalog, name = catalog_of_many(chat, 2), chat.conversation.names.entry("search.json")
    changed = encode(replace(catalog, rows=tuple(replace(row, generation=2) for row in catalog.rows)))

    def change() -> None:
        meanings.meanwhile = lambda: None
        chat.store.delete(name)
        if not is_gone:
            chat.store.create(name, changed)
        versions.extend(one.generation for one in chat.store.list(name))

    versions: list[int] = []
    meanings.meanwhile = change

    search(chat, meanings, catalog)

    assert [one.generation for one in chat.store.list(name)] == versions


def test_few_entries_all_count_and_so_do_many_that_are_equally_close() -> None:
    near, asked = {"admin/near.md": unpack(pack([0.0, 1.0]))}, [unpack(pack([0.0, 1.0]))]
    far = {f"admin/{number}.md": unpack(pack([1.0, 0.1])) for number in range(9)}
    equal = {f"admin/{number}.md": asked[0] for number in range(10)}

    assert closest_of(far | near, asked).keys() == near.keys()
    assert len(closest_of(dict(list(far.items())[:8]) | near, asked)) == 9
    assert closest_of(equal, asked).keys() == equal.keys()


def test_an_entry_is_as_close_as_to_the_closest_of_the_queries() -> None:
    known = {"ideas/garden.md": unpack(pack([1.0, 0.0]))}

    close = closest_of(known, [unpack(pack([0.0, 1.0])), unpack(pack([1.0, 0.0]))])

    assert close["ideas/garden.md"] == pytest.approx(1.0)
