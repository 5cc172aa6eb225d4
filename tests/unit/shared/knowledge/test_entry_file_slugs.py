import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.errors import UnusableIdError
from shared.knowledge.entry_file import SLUG_LIMIT, free_slug, slug_of
from shared.knowledge.schema import Category
from shared.storage.object_names import ENTRY_CATEGORIES, entry_name, is_entry_path, is_slug
from tests.support.knowledge import CHAT


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("ClientCo Integration", "clientco-integration"),
        ("庭の工事", "庭の工事"),
        ("ガレージの鍵、どこ？", "ガレージの鍵-どこ"),
        ("ｶﾞﾚｰｼﾞ", "ガレージ"),
        ("ไปตลาดน้ำ", "ไปตลาดน้\u0e4d\u0e32"),  # NFKC takes the last letter apart
        ("한국어 공부", "한국어-공부"),
        ("整理收件匣", "整理收件匣"),
        ("Ünïcode ÅÉ", "ünïcode-åé"),
        ("../../etc/passwd", "etc-passwd"),
        ("😀", "entry"),
        ("", "entry"),
        ("---", "entry"),
        ("a" * 80, "a" * 50),
    ],
)
def test_a_slug_keeps_the_letters_of_every_script(name: str, slug: str) -> None:
    assert slug_of(name) == slug


@settings(max_examples=500)
@given(st.text(max_size=80))
def test_whatever_a_name_is_its_slug_stands_in_an_objects_name(name: str) -> None:
    slug = slug_of(name)

    assert is_slug(slug)
    assert len(slug) <= SLUG_LIMIT
    assert slug_of(slug) == slug
    assert not set(slug) & set("/\\.\n\r\t #?%*[]")
    assert all(unicodedata.category(character)[0] in "LMN-P" for character in slug)
    for category in Category:
        assert entry_name(CHAT, f"{category}/{slug}.md") == f"entries/{CHAT}/{category}/{slug}.md"


@settings(max_examples=500)
@given(
    st.text(max_size=40)
    | st.sampled_from(
        [
            "../x.md",
            "people/../x.md",
            "people/x",
            "people/.md",
            "people//x.md",
            "people/x.md/y.md",
            "People/x.md",
            "people/x.md\n",
            "people/\u304b\u3099.md",
            "people/Ⅸ.md",
        ]
    )
)
def test_nothing_but_a_path_of_an_entry_becomes_a_name(path: str) -> None:
    if is_entry_path(path) or path in {"index.md", "search.json", "undo.json"}:
        assert entry_name(CHAT, path).count("/") <= 3
        return
    with pytest.raises(UnusableIdError, match="no path of an entry"):
        entry_name(CHAT, path)


def test_a_taken_slug_gets_the_first_free_number() -> None:
    taken = {"a", "a-2", "a-4"}

    assert free_slug("a", taken.__contains__) == "a-3"
    assert free_slug("b", taken.__contains__) == "b"


def test_the_categories_of_names_and_of_entries_are_the_same() -> None:
    assert tuple(Category) == ENTRY_CATEGORIES


def test_one_name_has_one_spelling() -> None:
    assert is_entry_path("people/\u304c.md")
    assert not is_entry_path("people/\u304b\u3099.md")
