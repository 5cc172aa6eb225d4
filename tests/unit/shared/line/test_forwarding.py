"""What another system answers that gets the same deliveries."""

import pytest

from shared.adapters.memory import FixedClock
from shared.clock import Deadline
from shared.line.events import parse_event
from shared.line.forwarding import Owned
from tests.support.people import ChatEvents

OWNED = Owned.of(["postback:shop=", "word:予約", "word:ORDER"])


def owns(owned: Owned, event: dict[str, object]) -> bool:
    return owned.owns(parse_event(event, deadline=Deadline.after(FixedClock(), 1)))


@pytest.mark.parametrize(
    ("text", "is_owned"),
    [("予約したい", True), ("  ｏｒｄｅｒ 12", True), ("Order", True), ("明日の予約", False), ("hello", False)],
)
def test_a_word_owns_the_texts_that_begin_so_in_any_width_and_case(text: str, is_owned: bool) -> None:
    assert owns(OWNED, ChatEvents(is_group=False).text(text)) is is_owned


@pytest.mark.parametrize(("data", "is_owned"), [("shop=1", True), ("shop", False), ("late:e1", False)])
def test_a_prefix_owns_presses(data: str, is_owned: bool) -> None:
    assert owns(OWNED, ChatEvents(is_group=True).event("postback", postback={"data": data})) is is_owned


@pytest.mark.parametrize("is_group", [True, False])
def test_a_kind_of_chats_is_owned_whole(is_group: bool) -> None:
    owned = Owned.of(["chats:groups" if is_group else "chats:one-on-one"])

    assert owns(owned, ChatEvents(is_group=is_group).text("hello"))
    assert not owns(owned, ChatEvents(is_group=not is_group).text("hello"))


def test_without_rules_nothing_is_owned() -> None:
    assert not owns(Owned(), ChatEvents(is_group=False).event("postback", postback={"data": ""}))
    assert not owns(Owned(), ChatEvents(is_group=False).text(""))


@pytest.mark.parametrize("rule", ["shop=", "postback:", "word: ", "chats:rooms", ""])
def test_a_rule_of_another_form_is_refused(rule: str) -> None:
    with pytest.raises(ValueError, match=rule.strip() or "^$"):
        Owned.of([rule])
