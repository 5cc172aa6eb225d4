"""The values that fields of entries take."""

import pytest

from shared.knowledge.schema import LINE_LIMIT, LIST_LIMIT, TEXT_LIMIT, Field, InvalidValueError, Value, one_line

NAMES = Field(name="tags", kind="names", default=())


@pytest.mark.parametrize(
    ("field", "value", "kept"),
    [
        (Field(name="context"), " two\nlines\t", "two lines"),
        (Field(name="context"), "x" * (LINE_LIMIT + 1), "x" * (LINE_LIMIT - 1) + "…"),
        (Field(name="content", kind="text"), " two\r\nlines ", "two\nlines"),
        (Field(name="content", kind="text"), "x" * TEXT_LIMIT, "x" * TEXT_LIMIT),
        (Field(name="status", kind="choice", choices=("active", "done")), "done", "done"),
        (Field(name="status", kind="choice", choices=("active", "done")), "完了", "done"),
        (Field(name="status", kind="choice", choices=("active", "done")), " In progress ", "active"),
        (Field(name="status", kind="choice", choices=("pending", "done")), "เสร็จแล้ว", "done"),
        (Field(name="status", kind="choice", choices=("pending", "done")), "待辦", "pending"),
        (Field(name="due_date", kind="date"), "2026-12-24T10:00", "2026-12-24"),
        (Field(name="due_date", kind="date"), "", None),
        (NAMES, ["a\nb", " ", "c"], ("a b", "c")),
        (NAMES, ["x"] * LIST_LIMIT, ("x",) * LIST_LIMIT),
        (NAMES, None, ()),
    ],
)
def test_a_value_is_kept_as_its_kind_is(field: Field, value: object, kept: Value) -> None:
    assert field.check(value) == kept


@pytest.mark.parametrize(
    ("field", "value", "why"),
    [
        (Field(name="context"), 7, "context must be a text"),
        (Field(name="status", kind="choice", choices=("active", "done")), "late", "must be one of: active, done"),
        (Field(name="status", kind="choice", choices=("pending", "done")), "待ち", "must be one of: pending, done"),
        (Field(name="due_date", kind="date"), "tomorrow", "must be a date such as"),
        (NAMES, "x", "must be a list of texts"),
        (NAMES, [7], "must be a list of texts"),
        (NAMES, ["x"] * (LIST_LIMIT + 1), f"at most {LIST_LIMIT} items"),
    ],
)
def test_another_value_is_refused_with_what_is_wanted(field: Field, value: object, why: str) -> None:
    with pytest.raises(InvalidValueError, match=why):
        field.check(value)


def test_only_choices_hold_no_words_of_people() -> None:
    assert NAMES.holds_words
    assert not Field(name="status", kind="choice").holds_words


def test_a_line_has_no_control_characters_and_no_half_of_a_character() -> None:
    assert one_line("a\x00b\ud800\u2028c", limit=9) == "a b\ufffd c"
