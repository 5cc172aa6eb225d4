import ast
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Self

import pytest

from tests.simulation.mutation import Mutation
from tests.simulation.mutations import MUTATIONS
from tests.simulation.rules import (
    Always,
    Bypass,
    DropArgument,
    Instead,
    Never,
    Return,
    Rule,
    Skip,
)


class Base:
    def name(self) -> str:
        return "base"


class Shelf(Base):
    limit = 3

    def __init__(self) -> None:
        self.books: list[str] = []

    def put(self, book: str, *, copies: int = 1) -> bool:
        if not copies:
            return True
        if len(self.books) + copies > self.limit:
            return False
        self.books.extend([book] * copies)
        return True

    def name(self) -> str:
        return f"{super().name()} shelf" if self.limit else ""

    @property
    def is_full(self) -> bool:
        return len(self.books) == self.limit

    @is_full.setter
    def is_full(self, value: bool) -> None:
        self.books = ["x"] * self.limit * value

    @classmethod
    def opened(cls) -> Self:
        shelf = cls()
        shelf.put("opened")
        return shelf

    @staticmethod
    def longest(*books: str) -> str:
        return max(books, key=len)

    @contextmanager
    def tidied(self) -> Iterator[list[str]]:
        self.books.sort()
        yield self.books
        self.books.clear()

    def fail(self) -> None:
        if self.limit:
            self.put("before")
        raise ValueError("a book fell")


def _counter(start: int) -> Callable[..., int]:
    def count(step: int = 1) -> int:
        return max(start, 0) + step

    return count


counts = _counter(-40)
first = lambda books: books[0] if books else None  # noqa: E731 - it has no definition


def mutation(function: str, rule: Rule) -> Mutation:
    return Mutation(f"{__name__}:{function}", rule, lacks="")


def put_below(shelf: Shelf, book: str) -> bool:
    return Shelf.put(shelf, f"below {book}")


def longest_reversed(books: tuple[str, ...], *, key: Callable[[str], int]) -> str:
    return max(books, key=key)[::-1]


def test_a_function_is_changed_until_the_block_ends() -> None:
    before = Shelf.put
    shelf = Shelf()

    with mutation("Shelf.put", Never("limit")).active():
        assert shelf.put("a", copies=9)

    assert not shelf.put("b")
    assert Shelf.put is before


def test_a_function_is_put_back_after_an_error() -> None:
    before = Shelf.put

    with pytest.raises(ValueError, match="a book fell"), mutation("Shelf.put", Never("limit")).active():
        raise ValueError("a book fell")

    assert Shelf.put is before


def test_a_property_stays_a_property_with_its_setter() -> None:
    shelf = Shelf()

    with mutation("Shelf.is_full", Return(value="never")).active():
        shelf.is_full = True
        full: Any = shelf.is_full

    assert full == "never"
    assert len(shelf.books) == shelf.limit


def test_a_class_method_stays_a_class_method() -> None:
    with mutation("Shelf.opened", Skip("put")).active():
        assert Shelf.opened().books == []
    assert Shelf.opened().books == ["opened"]


def test_a_static_method_stays_a_static_method() -> None:
    with mutation("Shelf.longest", DropArgument("max", "key")).active():
        assert Shelf().longest("bb", "c") == "c"


def test_a_context_manager_stays_a_context_manager() -> None:
    shelf = Shelf()
    shelf.books = ["b", "a"]

    with mutation("Shelf.tidied", Skip("sort")).active(), shelf.tidied() as books:
        assert books == ["b", "a"]

    assert shelf.books == []


def test_a_closure_keeps_its_variables_and_defaults() -> None:
    with mutation("counts", Bypass("max")).active():
        assert counts() == -39
    assert counts() == 1


def test_a_method_keeps_its_base_class() -> None:
    with mutation("Shelf.name", Always("limit")).active():
        assert Shelf().name() == "base shelf"


def test_a_changed_function_keeps_its_line_numbers() -> None:
    def place(shelf: Shelf) -> tuple[str, int | None]:
        with pytest.raises(ValueError, match="a book fell") as raised:
            shelf.fail()
        last = traceback.extract_tb(raised.tb)[-1]
        return last.filename, last.lineno

    before = place(Shelf())
    with mutation("Shelf.fail", Skip("put")).active():
        assert place(Shelf()) == before


def test_a_substitute_takes_the_owner_of_the_method_and_the_arguments() -> None:
    with mutation("Shelf.opened", Instead("shelf.put", put_below)).active():
        assert Shelf.opened().books == ["below opened"]


def test_a_substitute_of_a_function_takes_the_arguments() -> None:
    with mutation("Shelf.longest", Instead("max", longest_reversed)).active():
        assert Shelf.longest("a", "bc") == "cb"


@pytest.mark.parametrize(
    ("function", "rule", "says"),
    [
        ("Shelf.put", Never("is_lent"), r"Shelf\.put: Never\(name='is_lent'\) matches 0 times"),
        ("Shelf.put", Always("copies"), r"Shelf\.put: Always\(name='copies'\) matches 2 times"),
        ("Shelf.take", Never("is_lent"), r"Shelf\.take: there is no such function"),
        ("first", Never(), r"first: it is not defined by a `def`"),
    ],
)
def test_a_mutation_that_does_not_match_names_function_and_rule(function: str, rule: Rule, says: str) -> None:
    with pytest.raises(LookupError, match=says), mutation(function, rule).active():
        raise AssertionError("nothing is changed")


@pytest.mark.parametrize("name", MUTATIONS)
def test_a_mutation_of_the_catalogue_matches_the_product(name: str) -> None:
    before = ast.dump(MUTATIONS[name].definition())

    with MUTATIONS[name].active():
        after = ast.dump(MUTATIONS[name].rule.apply(MUTATIONS[name].definition()))

    assert after != before


@pytest.mark.parametrize("name", MUTATIONS)
def test_a_mutation_of_the_catalogue_names_no_local_variable(name: str) -> None:
    tree = MUTATIONS[name].definition()
    names = [one for one in ast.walk(tree) if isinstance(one, ast.Name)]
    arguments = {one.arg for one in ast.walk(tree) if isinstance(one, ast.arg)}
    variables = {one.id for one in names if isinstance(one.ctx, ast.Store)} - arguments

    for node in names:
        node.id = f"{node.id}_renamed" if node.id in variables else node.id

    MUTATIONS[name].rule.apply(tree)
