import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.errors import UnusableIdError
from shared.storage.object_names import (
    ENTRY_CATEGORIES,
    ENTRY_FILES,
    AmendedName,
    ObjectNames,
    admitted_id_in,
    invitation_name,
    is_entry_path,
    is_slug,
    usage_name,
    usage_prefix,
)

CHAT = "U" + "1" * 32
CHAT_IDS = st.from_regex(r"[UCR][0-9a-f]{32}", fullmatch=True)
IDS = st.from_regex(r"[0-9A-Za-z_-]{1,64}", fullmatch=True)


def names_of_id(names: ObjectNames, an_id: str) -> dict[str, str]:
    """Return the name of every object that an id below the chat can have, by the method that makes it."""
    made = (
        names.message,
        names.outcome,
        names.edited,
        names.call,
        names.call_result,
        names.medium,
        names.medium_label,
        names.reminder,
    )
    return {make.__name__: make(an_id) for make in made}


def test_every_object_of_a_chat_has_its_name() -> None:
    names = ObjectNames(CHAT)

    assert names_of_id(names, "x1") == {
        "message": f"journal/{CHAT}/x1.json",
        "outcome": f"journal/{CHAT}/x1.outcome.json",
        "edited": f"edited/{CHAT}/x1.json",
        "call": f"calls/{CHAT}/x1.json",
        "call_result": f"calls/{CHAT}/x1.result.json",
        "medium": f"media/{CHAT}/x1",
        "medium_label": f"media/{CHAT}/x1.json",
        "reminder": f"reminders/{CHAT}/x1.json",
    }
    assert (names.turn, names.watermark, names.snapshot, names.admission, names.members) == (
        f"turns/{CHAT}.json",
        f"erased/{CHAT}.json",
        f"snapshots/{CHAT}.json",
        f"admitted/{CHAT}.json",
        f"members/{CHAT}.json",
    )
    assert (names.reminders_prefix, names.archive_prefix) == (f"reminders/{CHAT}/", f"archive/{CHAT}/")
    assert names.entry("projects/庭.md") == f"entries/{CHAT}/projects/庭.md"
    assert names.entry("index.md") == f"entries/{CHAT}/index.md"


@given(CHAT_IDS, IDS)
def test_an_object_lies_below_the_prefix_of_its_kind(conversation_id: str, an_id: str) -> None:
    names = ObjectNames(conversation_id)

    assert names.message(an_id).startswith(names.journal_prefix)
    assert names.outcome(an_id).startswith(names.journal_prefix)
    assert names.edited(an_id).startswith(names.edited_prefix)
    assert names.call(an_id).startswith(names.calls_prefix)
    assert names.call_result(an_id).startswith(names.calls_prefix)
    assert names.medium(an_id).startswith(names.media_prefix)
    assert names.medium_label(an_id).startswith(names.media_prefix)
    assert names.reminder(an_id).startswith(names.reminders_prefix)


@given(CHAT_IDS, IDS)
def test_an_id_is_read_back_from_a_name_in_the_journal(conversation_id: str, an_id: str) -> None:
    names = ObjectNames(conversation_id)

    assert names.message_id_in(names.message(an_id)) == an_id
    assert names.outcome_id_in(names.outcome(an_id)) == an_id


@given(st.integers(0, 10**15 - 1), st.sampled_from(["edit", "withdrawal", "plan"]), IDS, IDS)
def test_the_name_of_an_amendment_says_what_it_was_made_of(written_ms: int, kind: str, an_id: str, digest: str) -> None:
    names, amended = ObjectNames(CHAT), AmendedName(written_ms=written_ms, kind=kind, id=an_id, digest=digest)

    assert names.amended_name_in(names.amended(amended)) == amended
    assert names.amended_since(written_ms) <= names.amended(amended) < names.amended_fold
    assert names.amended(amended).startswith(names.amended_prefix)


@pytest.mark.parametrize("kind", ["Edit", "", "a.b", "a/b", "a" * 33])
def test_no_amendment_has_a_kind_that_cannot_stand_in_a_name(kind: str) -> None:
    with pytest.raises(UnusableIdError):
        ObjectNames(CHAT).amended(AmendedName(written_ms=1, kind=kind, id="m1", digest="0"))


@pytest.mark.parametrize(
    "file",
    [
        "~fold.json",
        "m1.json",
        "1.edit.m1.0.json",
        "000000000000001.edit.m1.0",
        "000000000000001.edit.m1.json",
        "000000000000001.edit.m/1.0.json",
    ],
)
def test_what_is_no_name_of_an_amendment_is_told(file: str) -> None:
    with pytest.raises(UnusableIdError):
        ObjectNames(CHAT).amended_name_in(f"amended/{CHAT}/{file}")


@given(st.lists(st.tuples(CHAT_IDS, IDS), min_size=2, max_size=2, unique=True))
def test_two_ids_never_share_an_object(ids: list[tuple[str, str]]) -> None:
    first, second = (set(names_of_id(ObjectNames(chat), an_id).values()) for chat, an_id in ids)

    assert first.isdisjoint(second)


@pytest.mark.parametrize(
    "conversation_id", ["", "..", "../x", f"{CHAT}/..", f"{CHAT}\n", "U1", "X" + "1" * 32, "U" + "٠" * 32]
)
def test_a_chat_id_that_is_not_lines_is_refused_at_once(conversation_id: str) -> None:
    with pytest.raises(UnusableIdError, match="no LINE id of a user, group or room"):
        ObjectNames(conversation_id)


@pytest.mark.parametrize("an_id", ["", "..", "a/b", "a.b", "a\n", "a" * 65, "日本"])
@pytest.mark.parametrize("method", ["message", "outcome", "edited", "call", "call_result", "medium", "medium_label"])
def test_an_id_that_is_not_lines_gets_no_name(method: str, an_id: str) -> None:
    with pytest.raises(UnusableIdError, match="no LINE id of an event or message"):
        getattr(ObjectNames(CHAT), method)(an_id)


@pytest.mark.parametrize(
    "path",
    [
        *("", "/", "garden.md", "projects/", "projects/.md", "projects/garden", "projects/garden.json"),
        *("projects/../x.md", "projects/a/b.md", "../index.md", "other/garden.md", "Projects/garden.md"),
        *("projects/a b.md", "projects/a.b.md", "projects/ｇ.md", "projects/a\u200b.md", f"projects/{'a' * 81}.md"),
    ],
)
def test_a_path_that_is_no_entry_gets_no_name(path: str) -> None:
    assert not is_entry_path(path)
    with pytest.raises(UnusableIdError, match="no path of an entry"):
        ObjectNames(CHAT).entry(path)


@given(st.text(max_size=100), st.sampled_from(ENTRY_CATEGORIES))
def test_a_slug_never_leaves_its_category(slug: str, category: str) -> None:
    path = f"{category}/{slug}.md"

    assert is_entry_path(path) is is_slug(slug)
    assert not is_slug(slug) or not set(slug) & set("/.\\\n ")


def test_a_slug_may_have_eighty_characters() -> None:
    assert [is_slug("a" * length) for length in (0, 1, 80, 81)] == [False, True, True, False]


def test_entries_and_derived_files_never_share_a_name() -> None:
    assert not any(map(is_entry_path, ENTRY_FILES))


def test_an_admission_is_told_by_its_name() -> None:
    assert admitted_id_in(ObjectNames(CHAT).admission) == CHAT


@pytest.mark.parametrize("name", ["", "admitted/", "admitted/x.json", f"admitted/{CHAT}/x.json"])
def test_a_name_that_no_admission_has_is_refused(name: str) -> None:
    with pytest.raises(UnusableIdError):
        admitted_id_in(name)


def test_an_invitation_lies_at_the_digest_of_its_code() -> None:
    assert invitation_name("0f") == "invitations/0f.json"
    with pytest.raises(UnusableIdError):
        invitation_name("../0f")


def test_what_an_instance_spent_lies_below_its_day() -> None:
    assert usage_prefix("2026-11-22") == "usage/2026-11-22/"
    assert usage_name("2026-11-22", "i-1") == "usage/2026-11-22/i-1.json"


@pytest.mark.parametrize("day", ["", "..", "2026/11/22", "2026-11-22/", "２０２６-11-22"])
def test_what_is_no_day_has_no_usage(day: str) -> None:
    with pytest.raises(UnusableIdError, match="no day"):
        usage_prefix(day)


def test_a_chats_id_is_not_in_the_repr() -> None:
    assert CHAT not in repr(ObjectNames(CHAT))
