"""Shared lists in a group: people name things, tick them by a tap, and clear what is ticked; each item is an entry of its own."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from shared.adapters.memory import FixedClock, MemoryNotion
from shared.adapters.memory.scripted_model import calling
from shared.agent.model import FunctionResponses
from shared.composition.ports import NotionPort
from shared.knowledge.entry import Entry
from shared.knowledge.entry_store import EntryStore
from shared.knowledge.schema import Category
from shared.line.cards.card import Card, CardRow
from shared.line.phrases import Phrase
from tests.support.chats import everything_in
from tests.support.late_presses import presses_late
from tests.support.notion import shopping_list
from tests.support.people import Person
from tests.support.phrases import english, japanese
from tests.support.pushed import PushedWorker
from tests.support.replies import card_of, sent, values_of
from tests.support.tainted_chat import UNDOES, TaintedChat

SAYS = calling(("reply", {"message": "はい"}))
BEN = "U" + "8" * 32


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(16) as threads:
        yield threads


@pytest.fixture
def ann(pool: ThreadPoolExecutor) -> Person:
    return Person(PushedWorker(pool, has_lists=True), is_in_group=True)


def items(person: Person) -> dict[str, str | None]:
    """Return the status of each item by its list and name, for example `買い物/牛乳`."""
    return {f"{one.fields['list']}/{one.name}": one.status for one in _entries(person)}


def _entries(person: Person) -> list[Entry]:
    store = EntryStore(person.worker.conversations.of(person.events.chat_id))
    entries = (store.entry(row.path) for row in store.catalog().rows if row.category is Category.ITEMS)
    return sorted((one for one in entries if one is not None), key=lambda entry: entry.name)


def adds(person: Person, words: str, *names: str, to: str | None = None, by: str | None = None) -> dict[str, Any]:
    arguments: dict[str, object] = {"items": list(names), **({"list": to} if to is not None else {})}
    return person.asks(words, calling(("add_to_list", arguments)), SAYS, by=by)


def shows(person: Person, name: str | None = None) -> Card:
    arguments = {} if name is None else {"list": name}
    messages = sent(person, person.asks("買うものは", calling(("show_list", arguments)), SAYS))
    (card,) = (message.card for message in messages if message.card is not None)
    return card


def row_of(card: Card, name: str) -> CardRow:
    return next(row for row in card.rows if row.text == name)


def tick_of(card: Card, name: str) -> str:
    (button,) = values_of(row_of(card, name), Phrase.TICK_BUTTON)
    return button


def ticks(person: Person, card: Card, name: str) -> dict[str, Any]:
    return person.presses(tick_of(card, name))


def button_of(card: Card, label: Phrase) -> str:
    return next(button.value for button in card.buttons if button.label in {japanese(label), english(label)})


def last_result(person: Person) -> Any:  # noqa: ANN401 - JSON
    responses = person.worker.model.requests[-1].contents[-1]
    assert isinstance(responses, FunctionResponses)
    return responses.responses[0].response


def prompt_of(person: Person) -> str:
    person.asks("こんにちは", SAYS)
    return person.worker.prompt()


def test_things_are_put_on_a_list_and_the_receipt_names_them(ann: Person) -> None:
    asked = adds(ann, "買い物リストに牛乳と卵", "牛乳", "卵", to="買い物リスト")

    assert items(ann) == {"買い物リスト/卵": "pending", "買い物リスト/牛乳": "pending"}
    assert "リストに追加：「牛乳」（買い物リスト）" in "".join(message.text for message in sent(ann, asked))


def test_a_list_is_found_by_its_name_without_the_word_for_a_list(ann: Person) -> None:
    adds(ann, "買い物リストに牛乳", "牛乳", to="買い物リスト")
    adds(ann, "買い物に卵", "卵", to="買い物")
    adds(ann, "パンも", "パン")

    assert set(items(ann)) == {"買い物リスト/卵", "買い物リスト/牛乳", "買い物リスト/パン"}


def test_without_a_name_among_several_lists_the_bot_has_to_ask(ann: Person) -> None:
    adds(ann, "買い物に牛乳", "牛乳", to="買い物")
    adds(ann, "旅行に傘", "傘", to="旅行")

    adds(ann, "パンも", "パン")

    message = last_result(ann)["error"]["message"]
    assert "買い物" in message
    assert "旅行" in message
    assert "パン" not in str(items(ann))


@pytest.mark.parametrize("tool", ["show_list", "clear_list"])
def test_a_list_that_was_emptied_is_not_taken_for_another(ann: Person, tool: str) -> None:
    adds(ann, "旅行に傘", "傘", to="旅行")
    adds(ann, "荷物に靴", "靴", to="荷物")

    ann.asks("買い物リストは？", calling((tool, {"list": "買い物リスト"})), SAYS)

    assert last_result(ann)["error"]["message"].startswith("No list has this name")


def test_an_open_item_is_not_doubled_and_a_ticked_one_is_open_again(ann: Person) -> None:
    adds(ann, "買い物に牛乳", "牛乳", to="買い物")
    adds(ann, "買い物に牛乳", "牛乳", to="買い物")
    assert last_result(ann)["output"]["alreadyThere"] == ["牛乳"]
    ticks(ann, shows(ann), "牛乳")

    adds(ann, "買い物に牛乳", "牛乳", to="買い物")

    assert items(ann) == {"買い物/牛乳": "pending"}


def test_the_same_thing_may_stand_on_two_lists(ann: Person) -> None:
    adds(ann, "買い物に電池", "電池", to="買い物")
    adds(ann, "旅行に電池", "電池", to="旅行")

    assert set(items(ann)) == {"買い物/電池", "旅行/電池"}


def test_a_list_is_in_the_order_in_which_people_added_to_it_even_within_a_second(ann: Person) -> None:
    adds(ann, "買い物に肉と炭", "肉", "炭", to="買い物")
    adds(
        ann, "add bread and candles", "bread", "candles", to="買い物"
    )  # at the same moment of a clock that stands still

    assert [row.text for row in shows(ann).rows] == ["肉", "炭", "bread", "candles"]


def test_two_additions_of_one_answer_keep_their_order(ann: Person) -> None:
    both = calling(
        ("add_to_list", {"items": ["肉"], "list": "買い物"}), ("add_to_list", {"items": ["bread"], "list": "買い物"})
    )
    ann.asks("買い物に肉とbread", both, SAYS)

    assert [row.text for row in shows(ann).rows] == ["肉", "bread"]


def test_the_card_of_a_list_ticks_and_clears(ann: Person) -> None:
    adds(ann, "買い物に牛乳と卵", "牛乳", "卵", to="買い物")
    card = shows(ann)
    assert (card.title, [row.text for row in card.rows]) == ("買い物（2件）", ["牛乳", "卵"])

    pressed = ticks(ann, card, "牛乳")
    assert [message.text for message in sent(ann, pressed)] == ["✓ 完了：「牛乳」（買い物）"]
    again = card_of(ann, ann.presses(button_of(card_of(ann, pressed), Phrase.LIST_BUTTON)))
    assert [(row.text, row.detail) for row in again.rows] == [("卵", ""), ("牛乳", "済み")]
    cleared = ann.presses(button_of(again, Phrase.LIST_CLEAR_BUTTON))

    assert [message.text for message in sent(ann, cleared)] == ["✓ 削除：「牛乳」（買い物）"]
    assert items(ann) == {"買い物/卵": "pending"}


def test_a_press_on_an_item_that_is_ticked_already_offers_its_list(ann: Person) -> None:
    adds(ann, "買い物リストに牛乳と卵", "牛乳", "卵", to="買い物リスト")
    card = shows(ann)
    ticks(ann, card, "牛乳")

    refused = card_of(ann, ticks(ann, card, "牛乳"))

    assert refused.title == japanese(Phrase.ENTRY_WAS_DONE)
    shown = card_of(ann, ann.presses(button_of(refused, Phrase.LIST_BUTTON)))
    assert [row.text for row in shown.rows] == ["卵", "牛乳"]


def test_the_card_of_a_list_shows_what_its_turn_adds_afterwards(ann: Person) -> None:
    adds(ann, "買い物リストに牛乳", "牛乳", to="買い物リスト")
    eggs = ("add_to_list", {"items": ["卵"], "list": "買い物リスト"})
    asked = ann.asks("買い物リストを見せて。卵も", calling(("show_list", {}), eggs), SAYS)

    (card,) = (message.card for message in sent(ann, asked) if message.card is not None)
    assert [row.text for row in card.rows] == ["牛乳", "卵"]


def test_a_list_that_its_turn_empties_afterwards_has_no_card(ann: Person) -> None:
    adds(ann, "買い物リストに牛乳", "牛乳", to="買い物リスト")
    ticks(ann, shows(ann), "牛乳")
    asked = ann.asks("買い物リストを見せて、済んだものは消して", calling(("show_list", {}), ("clear_list", {})), SAYS)

    assert items(ann) == {}
    assert all(message.card is None for message in sent(ann, asked))


def test_a_clear_leaves_what_was_ticked_or_put_back_after_its_card(ann: Person) -> None:
    adds(ann, "買い物に牛乳と卵とパン", "牛乳", "卵", "パン", to="買い物")
    card = shows(ann)
    for name in ("牛乳", "卵"):
        ticks(ann, card, name)
    old = shows(ann)
    ann.worker.clock.sleep(2)
    adds(ann, "買い物に牛乳", "牛乳", to="買い物")
    ticks(ann, card, "パン")

    ann.presses(button_of(old, Phrase.LIST_CLEAR_BUTTON))

    assert items(ann) == {"買い物/パン": "done", "買い物/牛乳": "pending"}


def test_a_clear_is_taken_back_in_one_step(ann: Person) -> None:
    adds(ann, "買い物に牛乳と卵", "牛乳", "卵", to="買い物")
    card = shows(ann)
    for name in ("牛乳", "卵"):
        ticks(ann, card, name)
    ann.asks("消して", calling(("clear_list", {})), SAYS)
    assert items(ann) == {}

    ann.asks("取り消して", calling(("undo_last_change", {})), SAYS)

    assert items(ann) == {"買い物/卵": "done", "買い物/牛乳": "done"}


def test_the_last_tick_is_answered_with_the_whole_list_and_its_clear_button(ann: Person) -> None:
    adds(ann, "買い物に牛乳と卵", "牛乳", "卵", to="買い物")
    card = shows(ann)
    ticks(ann, card, "牛乳")

    whole = card_of(ann, ticks(ann, card, "卵"))
    ann.presses(button_of(whole, Phrase.LIST_CLEAR_BUTTON))

    assert items(ann) == {}


def test_a_press_on_a_card_of_a_list_that_is_gone_says_so(ann: Person) -> None:
    adds(ann, "買い物に牛乳", "牛乳", to="買い物")
    whole = card_of(ann, ticks(ann, shows(ann), "牛乳"))
    clear = button_of(whole, Phrase.LIST_CLEAR_BUTTON)
    ann.presses(clear)

    again = ann.presses(clear)

    assert [message.text for message in sent(ann, again)] == [japanese(Phrase.LIST_GONE)]


def test_a_clear_of_nothing_ticked_says_so(ann: Person) -> None:
    adds(ann, "買い物に牛乳と卵", "牛乳", "卵", to="買い物")
    card = shows(ann)
    ticks(ann, card, "牛乳")
    clear = button_of(shows(ann), Phrase.LIST_CLEAR_BUTTON)
    ann.presses(clear)

    again = ann.presses(clear)

    assert [message.text for message in sent(ann, again)] == [japanese(Phrase.LIST_NOTHING_DONE)]
    assert items(ann) == {"買い物/卵": "pending"}


def test_a_withdrawal_takes_its_own_item_and_leaves_the_others(ann: Person) -> None:
    milk = adds(ann, "買い物に牛乳", "牛乳", to="買い物")
    adds(ann, "買い物に卵", "卵", to="買い物", by=BEN)

    ann.worker.withdraw(ann.events.chat_id, milk["message"]["id"])

    assert items(ann) == {"買い物/卵": "pending"}
    assert "牛乳" not in everything_in(ann.worker.store)


def test_a_list_whose_name_was_taken_back_keeps_what_others_put_there(ann: Person) -> None:
    first = adds(ann, "買い物に牛乳", "牛乳", to="買い物")
    adds(ann, "パンも", "パン", by=BEN)

    ann.worker.withdraw(ann.events.chat_id, first["message"]["id"])

    assert items(ann) == {"/パン": "pending"}
    assert "買い物" not in everything_in(ann.worker.store)
    assert shows(ann).title == "リスト（1件）"


def test_a_list_without_a_name_is_shown_and_cleared_beside_a_named_one(ann: Person) -> None:
    adds(ann, "パンも買わなきゃ", "パン")
    adds(ann, "旅行リストに傘", "傘", to="旅行")

    ann.asks("買うものは", calling(("show_list", {})), SAYS)
    assert "List" in last_result(ann)["error"]["message"]
    card = shows(ann, "List")
    ticks(ann, card, "パン")
    ann.asks("リストの買ったものは消して", calling(("clear_list", {"list": "リスト"})), SAYS)

    assert "| List | 0 |" not in prompt_of(ann)
    assert [row.text for row in card.rows] == ["パン"]
    assert items(ann) == {"旅行/傘": "pending"}


@pytest.mark.parametrize(
    ("first", "other"),
    [
        ("買い物リスト", "買い物のリスト"),
        ("購物清單", "購物的清單"),
        ("购物", "购物列表"),
        ("shopping", "shopping-list"),
        ("รายการซื้อของ", "ลิสต์ซื้อของ"),
    ],
)
def test_the_word_for_a_list_makes_no_second_list(ann: Person, first: str, other: str) -> None:
    adds(ann, f"{first} 牛乳", "牛乳", to=first)
    adds(ann, f"{other} 卵", "卵", to=other)

    assert set(items(ann)) == {f"{first}/牛乳", f"{first}/卵"}


def test_a_prompt_names_open_items_with_handles_and_a_call_ticks_one(ann: Person) -> None:
    adds(ann, "買い物に牛乳と卵", "牛乳", "卵", to="買い物")
    handles = {
        row.name: row.handle for row in EntryStore(ann.worker.conversations.of(ann.events.chat_id)).catalog().rows
    }

    assert f"| 買い物 | 2 | {handles['牛乳']} 牛乳; {handles['卵']} 卵 |" in prompt_of(ann)
    update = ("update_entry", {"path": handles["牛乳"], "updates": {"status": "done"}})
    bought = ann.asks("牛乳買った", calling(update, ("reply", {"message": "はい"})))

    assert items(ann) == {"買い物/卵": "pending", "買い物/牛乳": "done"}
    assert "✓ 完了：「牛乳」（買い物）" in "".join(message.text for message in sent(ann, bought))
    assert "牛乳;" not in prompt_of(ann)


def test_notes_name_the_lists_and_leave_their_items_out(ann: Person) -> None:
    ann.captures("電球")
    adds(ann, "買い物に牛乳", "牛乳", to="買い物")

    card = card_of(ann, ann.says("/notes"))
    (show,) = row_of(card, "買い物（1件）").buttons

    assert [row.text for row in card.rows] == ["用事", "電球", "リスト", "買い物（1件）"]
    assert [row.text for row in card_of(ann, ann.presses(show.value)).rows] == ["牛乳"]


def test_an_old_page_of_a_long_list_is_shown_by_its_button(ann: Person) -> None:
    adds(ann, "買い物に十四", *(f"品{number:02}" for number in range(14)), to="買い物")

    card = shows(ann)
    more = card_of(ann, ann.presses(button_of(card, Phrase.MORE_BUTTON)))

    assert (len(card.rows), [row.text for row in more.rows]) == (12, ["品12", "品13"])


def test_a_reply_may_stand_beside_an_addition(ann: Person) -> None:
    arguments = {"list": "買い物", "items": ["牛乳", "卵"]}

    ann.asks("買い物リストに牛乳と卵", calling(("add_to_list", arguments), ("reply", {"message": "はい"})))

    assert set(items(ann)) == {"買い物/卵", "買い物/牛乳"}
    assert len(ann.worker.model.requests) == 1


def test_a_list_of_notion_stays_what_it_is(pool: ThreadPoolExecutor) -> None:
    notion = MemoryNotion(FixedClock())
    port = NotionPort(api=notion, databases={"shopping": notion.add_database(shopping_list())}, conversations=None)
    person = Person(PushedWorker(pool, has_lists=True, notion=port), is_in_group=True)

    adds(person, "milk on the shopping list", "milk", to="Shopping list")

    assert "create_page" in last_result(person)["error"]["message"]
    assert items(person) == {}


def test_a_chat_without_access_to_notion_keeps_a_list_of_the_name(pool: ThreadPoolExecutor) -> None:
    port = NotionPort(
        api=MemoryNotion(FixedClock()), databases={"shopping": "id"}, conversations=frozenset({"C" + "0" * 32})
    )
    person = Person(PushedWorker(pool, has_lists=True, notion=port), is_in_group=True)

    adds(person, "milk on the shopping list", "milk", to="shopping")

    assert items(person) == {"shopping/milk": "pending"}


def test_after_outside_words_an_addition_waits_for_a_tap_that_shows_all(pool: ThreadPoolExecutor) -> None:
    chat = TaintedChat(pool, has_lists=True)

    asked = chat.asks(calling(("add_to_list", {"list": "party", "items": ["milk", "eggs"]})))
    assert items(chat.person) == {}
    assert "Put on the list: “milk”, “eggs” list: party" in chat.sent_for(asked)
    chat.press()

    assert items(chat.person) == {"party/eggs": "pending", "party/milk": "pending"}


def test_after_outside_words_the_askers_own_order_is_carried_out_at_once(pool: ThreadPoolExecutor) -> None:
    chat = TaintedChat(pool, has_lists=True)

    chat.asks(
        calling(("add_to_list", {"list": "party", "items": ["milk"]})),
        text="Add milk to the party list. What does the page say?",
    )

    assert items(chat.person) == {"party/milk": "pending"}


def test_after_outside_words_a_tap_clears_a_list_without_a_name_beside_a_named_one(pool: ThreadPoolExecutor) -> None:
    chat = TaintedChat(pool, has_lists=True)
    adds(chat.person, "we need milk", "milk")
    ticks(chat.person, shows(chat.person), "milk")
    adds(chat.person, "an umbrella for the trip", "umbrella", to="trip")

    chat.asks(calling(("clear_list", {"list": "the list"})))
    chat.press()

    assert items(chat.person) == {"trip/umbrella": "pending"}


def test_after_outside_words_a_tap_takes_a_rename_back(pool: ThreadPoolExecutor) -> None:
    chat = TaintedChat(pool, has_lists=True)
    adds(chat.person, "add milk", "milk", to="party")
    (milk,) = _entries(chat.person)
    rename = ("update_entry", {"path": milk.path, "updates": {"name": "oat milk"}})
    chat.person.asks("call it oat milk", calling(rename), SAYS)

    chat.asks(UNDOES)
    chat.press()

    assert items(chat.person) == {"party/milk": "pending"}


@pytest.mark.parametrize("status", ["done", "完了"])
def test_after_outside_words_the_askers_own_tick_is_carried_out_at_once(pool: ThreadPoolExecutor, status: str) -> None:
    chat = TaintedChat(pool, has_lists=True)
    adds(chat.person, "add milk", "milk", to="party")
    (milk,) = _entries(chat.person)

    chat.asks(calling(("update_entry", {"path": milk.path, "updates": {"status": status}})), text="I bought the milk.")

    assert items(chat.person) == {"party/milk": "done"}


def test_after_outside_words_a_clear_waits_for_a_tap_that_names_what_goes(pool: ThreadPoolExecutor) -> None:
    chat = TaintedChat(pool, has_lists=True)
    adds(chat.person, "add milk and eggs", "milk", "eggs", to="party")
    ticks(chat.person, shows(chat.person), "milk")

    asked = chat.asks(calling(("clear_list", {"list": "party"})))
    assert len(items(chat.person)) == 2
    assert "milk" in chat.sent_for(asked)
    chat.press()

    assert items(chat.person) == {"party/eggs": "pending"}


def test_a_chat_without_the_toolset_is_offered_no_list(pool: ThreadPoolExecutor) -> None:
    person = Person(PushedWorker(pool), is_in_group=True)

    person.asks("買い物リストに牛乳", SAYS)

    assert not {"add_to_list", "show_list", "clear_list"} & {
        one.name for one in person.worker.model.requests[-1].declarations
    }


def test_ticks_that_got_no_turn_are_told_of_once_below_the_next_answer(ann: Person) -> None:
    adds(ann, "買い物リストに牛乳と卵", "牛乳", "卵", to="買い物")
    card = shows(ann)
    for name in ("牛乳", "卵"):
        presses_late(ann, tick_of(card, name))

    answers = [ann.asks(words, SAYS) for words in ("やあ", "ねえ")]

    late = japanese(Phrase.LIST_PRESS_LATE)
    assert [ann.worker.outcome(event)["text"].count(late) for event in answers] == [1, 0]
    assert items(ann) == {"買い物/卵": "pending", "買い物/牛乳": "pending"}


def test_late_ticks_of_two_languages_are_told_of_once(ann: Person) -> None:
    adds(ann, "買い物リストに牛乳と卵", "牛乳", "卵", to="買い物")
    card = shows(ann)
    presses_late(ann, tick_of(card, "牛乳"))
    ann.says("/language en")
    presses_late(ann, tick_of(card, "卵"))

    told = ann.worker.outcome(ann.asks("やあ", SAYS))["text"]

    assert [told.count(text(Phrase.LIST_PRESS_LATE)) for text in (japanese, english)] == [0, 1]


def test_a_late_tick_of_what_has_changed_since_is_not_told_of(ann: Person) -> None:
    adds(ann, "買い物リストに牛乳と卵", "牛乳", "卵", to="買い物")
    presses_late(ann, tick_of(shows(ann), "牛乳"), age_ms=60_000)

    event = ann.asks("やあ", SAYS)

    assert japanese(Phrase.LIST_PRESS_LATE) not in ann.worker.outcome(event)["text"]


def test_a_late_tick_of_what_is_done_is_not_told_of(ann: Person) -> None:
    adds(ann, "買い物リストに牛乳と卵", "牛乳", "卵", to="買い物")
    milk = tick_of(shows(ann), "牛乳")
    ann.presses(milk)
    presses_late(ann, milk)

    event = ann.asks("やあ", SAYS)

    assert japanese(Phrase.LIST_PRESS_LATE) not in ann.worker.outcome(event)["text"]


@pytest.mark.parametrize(("label", "count"), [(Phrase.LIST_CLEAR_BUTTON, 1), (Phrase.LIST_BUTTON, 0)])
def test_a_late_press_of_a_list_is_told_of_if_it_was_to_clear(ann: Person, label: Phrase, count: int) -> None:
    adds(ann, "買い物リストに牛乳と卵", "牛乳", "卵", to="買い物")
    ticked = card_of(ann, ann.presses(tick_of(shows(ann), "牛乳")))
    presses_late(ann, button_of(shows(ann) if count else ticked, label))

    event = ann.asks("やあ", SAYS)

    assert ann.worker.outcome(event)["text"].count(japanese(Phrase.LIST_PRESS_LATE)) == count
    assert items(ann)["買い物/牛乳"] == "done"
