import ast
from textwrap import dedent

import pytest

from tests.simulation.rules import (
    Always,
    Bypass,
    DropArgument,
    DropClause,
    DropItem,
    Hasten,
    Instead,
    Never,
    Once,
    Postpone,
    ReplaceConstant,
    Return,
    Rule,
    Skip,
    Within,
)


def changed(rule: Rule, source: str) -> str:
    tree = ast.parse(dedent(source)).body[0]
    return ast.unparse(ast.fix_missing_locations(rule.apply(tree)))


def same(source: str) -> str:
    return ast.unparse(ast.parse(dedent(source)))


def test_never_makes_the_condition_that_holds_the_name_false() -> None:
    source = """
        def lend(self, book):
            if self.catalogue.is_lent(book):
                return None
            return self.rare if book.is_rare else self.common
    """

    assert changed(Never("is_lent"), source) == same(source).replace("self.catalogue.is_lent(book)", "False")
    assert changed(Never("is_rare"), source) == same(source).replace("book.is_rare", "False")


def test_always_makes_the_condition_that_holds_the_name_true() -> None:
    source = """
        def lent(self):
            while self.is_open:
                yield [book for book in self.books if book.is_lent]
    """

    assert changed(Always("is_open"), source) == same(source).replace("self.is_open", "True")
    assert changed(Always("is_lent"), source) == same(source).replace("book.is_lent", "True")


def test_a_condition_without_a_name_is_the_only_one() -> None:
    assert changed(Never(), "def f(x):\n    return 1 if x else 2") == same("def f(x):\n    return 1 if False else 2")


@pytest.mark.parametrize("name", ["is_lent", "book.is_lent", "late", "None"])
def test_a_condition_holds_last_parts_of_dotted_names_and_constants(name: str) -> None:
    source = "def f(self):\n    if self.book.is_lent == 'late' or None in self.books:\n        pass"

    assert changed(Never(name), source) == same("def f(self):\n    if False:\n        pass")


@pytest.mark.parametrize("name", ["lent", "k.is_lent", "self.is_lent"])
def test_a_condition_does_not_hold_other_parts_of_names(name: str) -> None:
    with pytest.raises(LookupError, match="matches 0 times"):
        changed(Never(name), "def f(self):\n    if self.book.is_lent:\n        pass")


def test_a_clause_is_dropped_from_a_condition() -> None:
    source = "def f(book):\n    return book.is_old and book.is_rare and (not book.is_lent)"

    assert changed(DropClause("is_rare"), source) == same("def f(book):\n    return book.is_old and (not book.is_lent)")


def test_of_two_clauses_the_other_one_stays() -> None:
    source = "def f(self):\n    return self.sweep() or self.is_known"

    assert changed(DropClause("sweep"), source) == same("def f(self):\n    return self.is_known")


@pytest.mark.parametrize("display", ["({})", "[{}]", "{{{}}}"])
def test_an_item_is_dropped_from_a_display(display: str) -> None:
    before, after = display.format("first, *book.notes, last"), display.format("first, last")

    assert changed(DropItem("notes"), f"def f(book):\n    return {before}") == same(f"def f(book):\n    return {after}")


def test_a_keyword_argument_is_dropped_from_a_call() -> None:
    source = "def f(book):\n    return replace(book, title='x', year=1) or replace(book, title='y')"

    assert changed(DropArgument("replace", "year"), source) == same(source).replace(", year=1", "")


def test_a_constant_is_replaced_only_by_value_and_type() -> None:
    source = "def f(book):\n    return (True, 1, 'True', None)"

    assert changed(ReplaceConstant(value=True, by=False), source) == same(source).replace("(True", "(False")
    assert changed(ReplaceConstant(value=None, by="x"), source) == same(source).replace("None", "'x'")


def test_a_bypassed_call_is_its_first_argument() -> None:
    source = "def f(self, book):\n    return self.keep(self.cleaned(book, self.notes))"

    assert changed(Bypass("cleaned"), source) == same("def f(self, book):\n    return self.keep(book)")


def test_a_statement_is_skipped_where_it_makes_the_call() -> None:
    source = """
        def f(self, book):
            found = self.drop(book)
            if self.drop(book):
                self.of.shelf.drop(book)
            found |= self.clean(book)
    """

    assert changed(Skip("drop"), source) == same(source).replace("self.of.shelf.drop(book)", "pass")
    assert changed(Skip("clean"), source) == same(source).replace("found |= self.clean(book)", "pass")


def test_one_of_several_statements_is_skipped_by_its_number() -> None:
    source = "def f(self):\n    if self.is_open:\n        self.drop(1)\n    else:\n        self.drop(2)"

    assert changed(Skip("drop", nth=1, of=2), source) == same(source).replace("self.drop(2)", "pass")
    with pytest.raises(LookupError, match=r"Skip\(call='drop', nth=1, of=3\) matches 2 times"):
        changed(Skip("drop", nth=1, of=3), source)


def test_a_function_returns_a_value_at_once() -> None:
    assert changed(Return(value=False), "def f(self):\n    self.wait()\n    return True") == same(
        "def f(self): return False"
    )


def test_a_function_returns_a_value_instead_of_a_call() -> None:
    source = "def f(self):\n    if self.is_lent:\n        self.wait()\n    return None"

    assert changed(Return(value="lent", instead_of="wait"), source) == same(source).replace(
        "self.wait()", "return 'lent'"
    )


def test_a_loop_ends_after_its_first_pass() -> None:
    source = "def f(self):\n    for book in (self.newest, *self.spare):\n        continue"

    assert changed(Once("spare"), source) == same(source).replace(
        "(self.newest, *self.spare)", "[*(self.newest, *self.spare)][:1]"
    )


@pytest.mark.parametrize("place", ["is_lent", "due_ms", "books", "Found"])
def test_a_rule_is_applied_within_one_place(place: str) -> None:
    source = """
        def f(self):
            if self.is_lent:
                return None
            for book in self.books:
                yield None
            yield Found(None)
            yield None if self.due_ms else 1
            while None: pass
    """

    after = changed(Within(place, ReplaceConstant(value=None, by=0)), source)

    lines = zip(same(source).splitlines(), after.splitlines(), strict=True)
    assert [(one, other) for one, other in lines if one != other] == [
        {
            "is_lent": ("        return None", "        return 0"),
            "books": ("        yield None", "        yield 0"),
            "Found": ("    yield Found(None)", "    yield Found(0)"),
            "due_ms": ("    yield (None if self.due_ms else 1)", "    yield (0 if self.due_ms else 1)"),
        }[place]
    ]


def test_a_place_itself_can_be_replaced() -> None:
    source = "def f(self, book):\n    return max(book, 1)"

    assert changed(Within("max", Bypass("max")), source) == same("def f(self, book):\n    return book")


SOURCE_WITHOUT_MATCHES = "def f(self):\n    pass"
SOURCE_WITH_TWO = """
    def f(self):
        for book in self.name: pass
        for book in self.name: pass
        if name: pass
        if name: pass
        name(1, name=1)
        name(1, name=1)
        return (name and x, name and y)
"""


@pytest.mark.parametrize(
    "rule",
    [
        Never("name"),
        Always("name"),
        DropClause("name"),
        DropItem("name"),
        DropArgument("name", "name"),
        ReplaceConstant(value=1, by=2),
        Bypass("name"),
        Instead("name", print),
        Skip("name"),
        Return(value=None, instead_of="name"),
        Once("name"),
        Within("name", Never()),
    ],
    ids=lambda rule: type(rule).__name__,
)
def test_a_rule_that_does_not_match_exactly_once_raises(rule: Rule) -> None:
    tree = ast.parse(dedent(SOURCE_WITH_TWO)).body[0]

    with pytest.raises(LookupError, match="matches 0 times") as none:
        rule.apply(ast.parse(SOURCE_WITHOUT_MATCHES).body[0])
    with pytest.raises(LookupError, match=r"matches [2-9] times") as several:
        rule.apply(tree)

    assert str(none.value).startswith(str(rule))
    assert str(several.value).startswith(str(rule))
    assert ast.unparse(tree) == same(SOURCE_WITH_TWO)


def test_postpone_makes_the_call_last() -> None:
    source = """
        def lend(self, book):
            self.note(book)
            self.hand_over(book)
            return self.rest(book)
    """

    assert changed(Postpone("note"), source) == same(
        """
        def lend(self, book):
            self.hand_over(book)
            _returned = self.rest(book)
            self.note(book)
            return _returned
        """
    )


def test_postpone_leaves_a_function_that_returns_nothing_as_it_is_otherwise() -> None:
    source = """
        def lend(self, book):
            self.note(book)
            self.hand_over(book)
    """

    assert changed(Postpone("note"), source) == same(
        """
        def lend(self, book):
            self.hand_over(book)
            self.note(book)
        """
    )


def test_hasten_makes_the_call_before_another_one() -> None:
    source = """
        def lend(self, books):
            found = self.find(books)
            is_known = self.note(found)
            for book in found:
                self.shelf.drop(book)
            return is_known
    """

    assert changed(Hasten("shelf.drop", before="note"), source) == same(
        """
        def lend(self, books):
            found = self.find(books)
            for book in found:
                self.shelf.drop(book)
            is_known = self.note(found)
            return is_known
        """
    )


@pytest.mark.parametrize("rule", [Postpone("lose"), Hasten("lose", before="note"), Hasten("note", before="lose")])
def test_a_call_that_is_not_made_is_not_moved(rule: Rule) -> None:
    with pytest.raises(LookupError, match="matches 0 times"):
        changed(rule, "def lend(self):\n    self.note()\n    self.find()")
