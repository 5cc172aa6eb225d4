from dataclasses import FrozenInstanceError, dataclass, field, fields, replace
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.frozen import frozen


@frozen
class Note:
    """A class as the product has them, made by `frozen`."""

    kinds: ClassVar[int] = 2
    text: str = field(repr=False)
    ids: tuple[str, ...] = ()
    shown: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainNote:
    """The same class, made by `dataclass`."""

    kinds: ClassVar[int] = 2
    text: str = field(repr=False)
    ids: tuple[str, ...] = ()
    shown: int = field(default=0, compare=False)


@frozen
class LongNote(Note):
    pages: int


@frozen
class Nothing:
    pass


@frozen
class Folded:
    text: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Folded) and self.text.casefold() == other.text.casefold()

    def __repr__(self) -> str:
        return "folded"

    __hash__ = None  # type: ignore[assignment]


VALUES = st.tuples(st.sampled_from(["", "milk"]), st.sampled_from([(), ("1",)]), st.integers(0, 1))


@given(first=VALUES, second=VALUES)
def test_values_are_equal_and_hashed_as_those_of_dataclasses(
    first: tuple[str, tuple[str, ...], int], second: tuple[str, tuple[str, ...], int]
) -> None:
    note, other_note = (Note(text=text, ids=ids, shown=shown) for text, ids, shown in (first, second))
    plain, other_plain = (PlainNote(text=text, ids=ids, shown=shown) for text, ids, shown in (first, second))

    assert (note == other_note) == (plain == other_plain)
    assert hash(note) == hash(plain)
    assert repr(note) == repr(plain).replace("PlainNote", "Note")


def test_a_value_is_equal_to_no_value_of_another_class() -> None:
    note, long_note = Note(text="milk"), LongNote(text="milk", pages=2)

    assert note != long_note
    assert {note, Note(text="milk"), long_note} == {note, long_note}
    assert Nothing() == Nothing()
    assert hash(Nothing()) == hash(())


def test_a_subclass_compares_its_own_fields_too() -> None:
    assert LongNote(text="milk", pages=2) != LongNote(text="milk", pages=3)
    assert repr(LongNote(text="milk", pages=2)) == "LongNote(ids=(), shown=0, pages=2)"


def test_a_value_cannot_be_changed_but_copied_with_changes() -> None:
    note = Note(text="milk")

    with pytest.raises(FrozenInstanceError, match="text"):
        note.text = "eggs"  # type: ignore[misc]
    assert replace(note, text="eggs") == Note(text="eggs")
    assert [one.name for one in fields(note)] == ["text", "ids", "shown"]
    assert not hasattr(note, "__dict__")


def test_methods_that_a_class_has_itself_stay() -> None:
    assert Folded(text="Milk") == Folded(text="milk")
    assert repr(Folded(text="milk")) == "folded"
    with pytest.raises(TypeError, match="positional"):
        Note("milk")  # type: ignore[call-arg]
