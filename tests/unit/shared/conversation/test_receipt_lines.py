import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.agent.receipts import Deed, DeedKind, Place, receipt
from shared.conversation.provenance import Provenance
from shared.conversation.receipt_lines import compared_arguments, compared_path, compared_texts
from shared.conversation.records import Audit, Offer, OutcomeKind, OutcomeRecord, ProposedCall, StagedWrite
from shared.search.literal_runs import Signs

LOCALES = ("ja", "en", "zh-TW", "th")


@pytest.mark.parametrize("locale", LOCALES)
def test_of_a_receipt_only_its_names_are_compared(locale: str) -> None:
    deeds = [
        Deed(kind=DeedKind.FILED, name="flowers for Hana", place=Place.IDEAS),
        Deed(kind=DeedKind.PAGE_CREATED, name="二冊の本"),
        Deed(kind=DeedKind.PAGE_CREATED, name="tyres"),
    ]

    text = f"All right.\n\n{receipt(deeds, locale=locale)}"

    assert [one.strip() for one in compared_texts(text)] == ["All right.", "flowers for Hana", "二冊の本", "tyres"]


@pytest.mark.parametrize(("locale", "shown"), [("ja", "本『星の王子さま』を買う"), ("en", "本『星の王子さま』を買う")])
def test_a_name_with_quotation_marks_is_compared_whole(locale: str, shown: str) -> None:
    line = receipt([Deed(kind=DeedKind.PAGE_CREATED, name="本「星の王子さま」を買う")], locale=locale)

    assert compared_texts(line) == (shown,)


def test_a_proposal_is_a_line_of_the_code_too() -> None:
    assert compared_texts("Shall I?\n\n☐ Delete “lunch”\n☐ Delete “dinner”") == ("Shall I?\n", "lunch", "dinner")


def test_an_answer_without_receipt_is_compared_whole() -> None:
    for text in ("one\ntwo “three”", "✓done", " ✓ done", "✓ Done.", "✓ “”"):
        assert compared_texts(text) == (text,)


def test_no_text_has_nothing_to_compare() -> None:
    assert compared_texts("") == ()


@given(st.text(alphabet="a “”「」✓☐\n"))
def test_a_text_is_never_without_anything_to_compare(text: str) -> None:
    assert bool(compared_texts(text)) == bool(text)


@pytest.mark.parametrize(
    ("arguments", "compared"),
    [
        ('{"database_name": "shopping", "title": "tyres"}', ("tyres",)),
        ('{"page_id": "2f3b", "properties": {"Note": "ask Hana", "Price": 4711, "Done": true}}', ("ask Hana", "4711")),
        ('{"page_id": "2f3b", "properties": "{\\"Tags\\": [\\"garden\\", null]}"}', ("garden",)),
        ('{"page_id": "2f3b", "properties": "ask Hana"}', ("ask Hana",)),
        ('{"path": "ideas/lunch.md"}', ("lunch",)),
        ('{"path": "elsewhere"}', ("elsewhere",)),
        (
            '{"text": "lunch", "at": "2026-11-24T12:00", "rule": "FREQ=DAILY", "digest": "daily", "id": "r1"}',
            ("lunch",),
        ),
        ("", ()),
        ("ask Hana", ("ask Hana",)),
        ('{"text": ' + "[" * 1_000, ('{"text": ' + "[" * 1_000,)),
        ('{"properties": "' + "[" * 1_900 + '"}', ("[" * 1_900,)),
        ('{"properties": "' + "[" * 300 + "1" + "]" * 300 + '"}', ("1",)),
    ],
)
def test_of_the_arguments_of_a_proposed_call_only_values_are_compared(
    arguments: str, compared: tuple[str, ...]
) -> None:
    assert compared_arguments(arguments) == compared


@pytest.mark.parametrize("path", ["reminders/r4bdca11c5d", "undo.json", "notes.md/x"])
def test_a_path_that_is_no_entrys_is_compared_as_it_is(path: str) -> None:
    assert compared_path(path) == path


def test_two_answers_that_file_in_one_folder_repeat_nothing_of_each_other() -> None:
    def filing(name: str) -> OutcomeRecord:
        return OutcomeRecord(
            webhook_event_id=name,
            timestamp_ms=1,
            kind=OutcomeKind.SKIPPED,
            provenance=Provenance(),
            writes=(StagedWrite(path=f"projects/{name}.md", text=f"{name}, newer"),),
            audit=Audit(filed_paths=(f"projects/{name}.md",)),
        )

    signs = Signs()
    signs.add(filing("garden").words)

    assert filing("garden").words == ("garden", "garden, newer", "garden")
    assert not signs.are_in(filing("garage").words)
    assert signs.are_in(filing("kitchen-garden").words)


def test_two_proposals_in_one_database_repeat_nothing_of_each_other() -> None:
    def proposing(title: str) -> OutcomeRecord:
        call = ProposedCall(
            tool="create_page", name=title, arguments=f'{{"database_name": "shopping", "title": "{title}"}}'
        )
        return OutcomeRecord(
            webhook_event_id=title,
            timestamp_ms=1,
            kind=OutcomeKind.REPLIED,
            provenance=Provenance(),
            offer=Offer(proposes=(call,)),
        )

    signs = Signs()
    signs.add(proposing("tyres for Hana").words)

    assert not signs.are_in(proposing("二冊の本").words)
    assert signs.are_in(proposing("new tyres for Hana").words)
