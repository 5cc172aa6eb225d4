"""The numbers before the paragraphs of a document."""

import pytest

from shared.files.numbering import Numbered, Numbering


def numbering_of(*levels: tuple[str, str], lists: str = "1") -> Numbering:
    """Return the numbering of one definition with these levels, each of a form and a text, and of lists that share it."""
    numbering = Numbering()
    numbering.start("abstractNum", {"abstractNumId": "0"})
    for number, (form, text) in enumerate(levels):
        numbering.start("lvl", {"ilvl": str(number)})
        for name, value in (("start", "1"), ("numFmt", form), ("lvlText", text)):
            numbering.start(name, {"val": value})
    for list_id in lists:
        numbering.start("num", {"numId": list_id})
        numbering.start("abstractNumId", {"val": "0"})
    return numbering


def numbers(numbering: Numbering, *places: tuple[str, int]) -> list[str]:
    return [numbering.before(Numbered(list_id=list_id, level=level)) for list_id, level in places]


def test_a_deeper_level_begins_anew_below_each_number() -> None:
    numbering = numbering_of(("decimal", "%1."), ("decimal", "%1.%2"))

    assert numbers(numbering, ("1", 0), ("1", 1), ("1", 1), ("1", 0), ("1", 1)) == ["1.", "1.1", "1.2", "2.", "2.1"]


def test_a_list_that_begins_anew_does_not_count_on() -> None:
    numbering = numbering_of(("decimal", "%1)"), lists="12")
    numbering.start("lvlOverride", {"ilvl": "0"})
    numbering.start("startOverride", {"val": "1"})

    assert numbers(numbering, ("1", 0), ("1", 0), ("2", 0), ("2", 0)) == ["1)", "2)", "1)", "2)"]


@pytest.mark.parametrize(
    ("form", "third", "twenty_third"),
    [
        ("decimal", "3", "23"),
        ("lowerLetter", "c", "w"),
        ("upperRoman", "III", "XXIII"),
        ("japaneseCounting", "三", "二十三"),
        ("decimalEnclosedCircle", "③", "23"),
        ("aiueo", "ウ", "ヌ"),
        ("iroha", "ハ", "ム"),
        ("thaiNumbers", "๓", "๒๓"),
        ("none", "", ""),
        ("hindiVowels", "3", "23"),
    ],
)
def test_a_number_is_written_in_the_form_of_its_level(form: str, third: str, twenty_third: str) -> None:
    written = numbers(numbering_of((form, "%1")), *[("1", 0)] * 23)

    assert (written[2], written[22]) == (third, twenty_third)


def test_a_bullet_is_a_hyphen() -> None:
    assert numbers(numbering_of(("bullet", "\uf0b7")), ("1", 0)) == ["-"]


def test_a_style_gives_its_list_to_the_styles_based_on_it() -> None:
    numbering = numbering_of(("decimal", "%1."))
    for name, attributes in (
        ("style", {"styleId": "List"}),
        ("numId", {"val": "1"}),
        ("style", {"styleId": "Own"}),
        ("basedOn", {"val": "List"}),
        ("style", {"styleId": "Loop"}),
        ("basedOn", {"val": "Loop"}),
    ):
        numbering.start(name, attributes)

    assert [numbering.before(Numbered(style=style)) for style in ("List", "Own", "Loop", "None")] == [
        "1.",
        "2.",
        "",
        "",
    ]


@pytest.mark.parametrize("place", [("9", 0), ("0", 0), ("1", 7)])
def test_a_paragraph_of_no_list_has_no_number(place: tuple[str, int]) -> None:
    assert numbers(numbering_of(("decimal", "%1.")), place) == [""]
