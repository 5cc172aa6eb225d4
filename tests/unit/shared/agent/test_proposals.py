"""Changes that wait for a person's tap, as values and as lines."""

import json

import pytest

from shared.agent.model import Json
from shared.agent.proposals import ARGUMENTS_LIMIT, Proposals, described, shown_values
from shared.conversation.records import ProposedCall


def line_of(tool: str, arguments: Json, *, name: str = "milk") -> str:
    return described((ProposedCall(tool=tool, arguments=json.dumps(arguments), name=name),), locale="en")


def test_the_same_change_is_proposed_once_however_its_arguments_are_ordered() -> None:
    proposals = Proposals()

    assert proposals.add(ProposedCall(tool="create_reminder", name="milk"), {"text": "milk", "at": "2026-11-23T09:00"})
    assert proposals.add(ProposedCall(tool="create_reminder", name="milk"), {"at": "2026-11-23T09:00", "text": "milk"})

    assert len(proposals.proposed) == 1


@pytest.mark.parametrize(("more", "is_proposed"), [(0, True), (1, False)])
def test_arguments_are_limited_by_their_characters_in_any_script(more: int, *, is_proposed: bool) -> None:
    proposals = Proposals()
    text = "あ" * (ARGUMENTS_LIMIT - len('{"text": ""}') + more)

    assert proposals.add(ProposedCall(tool="create_reminder", name=text), {"text": text}) == is_proposed
    assert len(proposals.proposed) == is_proposed


@pytest.mark.parametrize(
    ("properties", "told"),
    [
        ({"quantity": 2, "shop": "市場"}, "\n     quantity: 2\n     shop: 市場"),
        ('{"quantity": 2}', "\n     quantity: 2"),
        (" ", ""),
        ("", ""),
        ("[1]", "\n     properties: [1]"),
    ],
)
def test_the_properties_of_a_page_are_told_whether_as_an_object_or_as_its_text(properties: object, told: str) -> None:
    assert line_of("create_page", {"properties": properties}) == f"☐ Add to Notion: “milk”{told}"


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("2026-12-01", "Tue 1 Dec 2026"),
        ("2026-11-26T16:14", "Thu 26 Nov 2026, 16:14"),
        ({"start": "2026-12-01", "end": "2026-12-03"}, "Tue 1 Dec 2026 – Thu 3 Dec 2026"),
        (["2026-12-01", "milk"], "Tue 1 Dec 2026, milk"),
        ("2026-13-01", "2026-13-01"),
    ],
)
def test_dates_of_a_proposal_are_shown_in_words(value: object, told: str) -> None:
    line = line_of("create_page", {"properties": {"Due": value}})

    assert line == f"☐ Add to Notion: “milk”\n     Due: {told}"


def test_a_category_of_a_proposal_is_shown_by_its_name() -> None:
    line = line_of("move_entry", {"path": "inbox/milk.md", "targetCategory": "admin"})

    assert line == "☐ Move “milk” (inbox/milk.md)\n     to: tasks"


def test_nothing_of_an_argument_is_cut_and_hour_and_rule_come_first() -> None:
    line = line_of("change_reminder", {"id": "r1", "text": "x" * 900, "at": "2026-05-05T03:00", "rule": "FREQ=DAILY"})

    assert line == (
        f"☐ Change the reminder: “milk”\n     when: Tue 5 May 2026, 03:00\n     again: every day at 03:00\n     text: {'x' * 900}"
    )


def test_a_name_that_is_too_long_for_its_line_is_told_whole_below_it() -> None:
    text = "x" * 81

    assert line_of("create_reminder", {"text": text}, name=text) == f"☐ Remind: “{'x' * 79}…”\n     text: {text}"


def test_two_entries_of_one_name_are_told_apart() -> None:
    paths = [line_of("delete_entry", {"path": f"ideas/milk{number}.md"}) for number in ("", "-2")]

    assert paths == ["☐ Delete “milk” (ideas/milk.md)", "☐ Delete “milk” (ideas/milk-2.md)"]


@pytest.mark.parametrize(
    ("due_at", "due_rule", "told"),
    [
        ("2026-05-05T03:00", "", "Tue 5 May 2026, 03:00"),
        ("2026-05-05T21:00", "", "Tue 5 May 2026, 21:00"),
        ("2026-05-05T21:00", "FREQ=WEEKLY;BYDAY=MO,TH", "every Mon, Thu at 21:00"),
    ],
)
def test_two_reminders_of_one_name_are_told_apart(due_at: str, due_rule: str, told: str) -> None:
    proposed = ProposedCall(
        tool="cancel_reminder", arguments='{"id": "r1"}', name="milk", due_at=due_at, due_rule=due_rule
    )

    assert described((proposed,), locale="en") == f"☐ Cancel the reminder: “milk” ({told})"


def test_the_zone_of_a_reminder_stands_below_its_time() -> None:
    arguments = {"text": "milk", "at": "2026-05-05T21:00", "zone": "Asia/Bangkok"}

    assert line_of("create_reminder", arguments) == (
        "☐ Remind: “milk”\n     when: Tue 5 May 2026, 21:00\n     time zone: Asia/Bangkok"
    )


def test_a_rule_that_nobody_can_read_is_told_as_it_is() -> None:
    arguments = {"id": "r1", "at": "soon", "rule": "whenever"}

    assert line_of("change_reminder", arguments).endswith("\n     when: soon\n     again: whenever")


def test_every_field_of_an_update_has_a_line_of_its_own() -> None:
    updates = {"content": "one\n\n✓ Deleted: “x”\n☐ two", "name": "tea", "tags": ["a", "b"]}

    assert line_of("update_entry", {"path": "ideas/milk.md", "updates": updates}) == (
        "☐ Change “milk” (ideas/milk.md)\n     words: one\n     \n     - Deleted: “x”\n     - two\n"
        "     name: tea\n     tags: a, b"
    )


def test_an_hour_that_cannot_be_read_is_told_as_it_is() -> None:
    assert line_of("create_reminder", {"text": "milk", "at": "soon"}) == "☐ Remind: “milk”\n     when: soon"


@pytest.mark.parametrize("properties", [{"memo": "https://a.b/c\nnext"}, '{"memo": "https:\\u002f/a.b/c\\nnext"}'])
def test_what_a_proposal_shows_is_checked_as_it_is(properties: object) -> None:
    shown = shown_values({"properties": properties, "content": None}, name="milk")

    assert shown == ("milk", "https://a.b/c\nnext")


def test_nothing_in_a_detail_turns_its_line_around() -> None:
    line = line_of("append_block", {"content": "pay \u202e1000\u202c yen \u2067now\u2069"})

    assert line == "☐ Write in Notion: “milk”\n     words: pay 1000 yen now"


@pytest.mark.parametrize("properties", [{"shop\ud83d": "\ud83d"}, '{"shop\ud83d": "\\ud83d"}'])
def test_half_a_character_is_neither_kept_nor_told(properties: object) -> None:
    proposals = Proposals()

    proposals.add(ProposedCall(tool="create_page", name="milk\ud83d"), {"properties": properties})

    assert described(proposals.proposed, locale="en") == "☐ Add to Notion: “milk\ufffd”\n     shop\ufffd: \ufffd"
    assert "\ud83d" not in proposals.proposed[0].arguments


def test_a_fact_that_is_to_be_forgotten_is_told_with_its_entry() -> None:
    line = line_of("forget_fact", {"path": "ideas/milk.md", "fact": "two bottles"})

    assert line == "☐ Forget in “milk” (ideas/milk.md)\n     what: two bottles"


def test_no_name_ends_its_quotation_and_goes_on_as_a_proposal() -> None:
    assert line_of("delete_entry", {"path": "ideas/x.md"}, name="x” ☐ Delete “y") == (
        "☐ Delete “x’ ☐ Delete ‘y” (ideas/x.md)"
    )


def test_a_replacement_is_told_with_both_words() -> None:
    replaced = {"path": "admin/shopping.md", "updates": {"replace": {"old": "milk", "new": "oat milk"}}}

    assert line_of("update_entry", replaced, name="shopping").endswith("\n     instead: milk → oat milk")
