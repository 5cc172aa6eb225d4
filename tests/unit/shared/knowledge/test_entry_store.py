"""The entries of a chat as objects of the bucket."""

import pytest

from shared.errors import UnknownRecordVersionError
from shared.knowledge.catalog import Catalog
from shared.knowledge.entry_store import path_in
from shared.storage.codec import encode
from tests.support.knowledge import CHAT, FilingChat


@pytest.fixture
def chat() -> FilingChat:
    """A chat with an entry, a tombstone and an object that cannot be read."""
    chat = FilingChat()
    for name in ("garden", "yard"):
        chat.file(name, name=name)
    chat.once("delete_entry", path="projects/yard.md")
    chat.store.create(f"entries/{CHAT}/projects/broken.md", b"---")
    return chat


def test_an_entry_is_what_can_be_read_and_was_not_deleted(chat: FilingChat) -> None:
    paths = [f"projects/{name}.md" for name in ("garden", "yard", "broken", "none")]

    found = [None if one is None else one.path for one in chat.entries.entries(paths)]

    assert found == ["projects/garden.md", None, None, None]
    assert [chat.entries.stored(path) is not None for path in paths] == [True, False, True, False]
    assert [chat.entries.with_generation(path) is not None for path in paths] == [True, False, False, False]


def test_an_entry_comes_with_the_generation_of_its_object(chat: FilingChat) -> None:
    stored = chat.store.read(f"entries/{CHAT}/projects/garden.md")
    found = chat.entries.with_generation("projects/garden.md")

    assert stored is not None
    assert found is not None
    assert found[1] == stored.generation


def test_a_listing_has_tombstones_and_nothing_derived(chat: FilingChat) -> None:
    listed = [path_in(one.name) for one in chat.entries.list()]

    assert listed == ["projects/broken.md", "projects/garden.md", "projects/yard.md"]


def test_a_chat_that_filed_nothing_has_an_empty_catalog() -> None:
    assert FilingChat().entries.catalog() == Catalog()


@pytest.mark.parametrize("broken", [b"{", encode(Catalog(revision="x"))])
def test_a_catalog_that_cannot_be_read_is_made_anew_of_the_entries(chat: FilingChat, broken: bytes) -> None:
    assert [row.path for row in chat.entries.catalog_in(broken).rows] == ["projects/garden.md"]


def test_a_catalog_of_a_newer_release_is_an_error(chat: FilingChat) -> None:
    with pytest.raises(UnknownRecordVersionError):
        chat.entries.catalog_in(b'{"version": 99}')
