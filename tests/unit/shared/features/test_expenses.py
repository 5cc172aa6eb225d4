"""Expenses in a group: people write what was paid, the model understands, and all arithmetic is the code's."""

import json
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, Final

import pytest

from operations.conversations import exported
from operations.restoration import restore
from shared.adapters.memory import MemoryObjectStore
from shared.adapters.memory.line_people import HeldContent
from shared.adapters.memory.scripted_model import calling
from shared.agent.model import FunctionResponses
from shared.agent.overlay import Attempt
from shared.conversation.member_mark import mark_id
from shared.conversation.store import Conversation
from shared.expenses.expense import Expense, Settlement
from shared.expenses.staging import ExpenseOverlay
from shared.expenses.store import ExpenseStore
from shared.handlers.holdings import described, holdings_of
from shared.line.messaging import OutgoingMessage
from shared.line.phrases import Phrase, phrase
from shared.line.postback_data import SettlePress
from tests.support import push, recorded
from tests.support.chats import conversations_on, everything_in
from tests.support.late_presses import presses_late
from tests.support.people import Person
from tests.support.pushed import PushedWorker
from tests.support.tainted_chat import TaintedChat

SAYS = calling(("reply", {"message": "はい"}))
BEN, CHO = "U" + "8" * 32, "U" + "9" * 32


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(16) as threads:
        yield threads


@pytest.fixture
def ann(pool: ThreadPoolExecutor) -> Person:
    worker = PushedWorker(pool, currency="JPY")
    person = Person(worker, is_in_group=True)
    for user_id, name in ((recorded.USER, "Ann"), (BEN, "Ben"), (CHO, "Cho")):
        worker.profiles.names[user_id] = name
    for user_id in (BEN, CHO):
        person.asks("OK", SAYS, by=user_id)
    return person


def chat_of(person: Person) -> Conversation:
    return person.worker.conversations.of(person.events.chat_id)


def attempt_in(person: Person) -> Attempt:
    """Return the attempt of a later turn, on an instance that has cached nothing."""
    worker = person.worker
    chat = conversations_on(worker.store, chat_of(person).objects.reads, worker.clock).of(person.events.chat_id)
    return Attempt.at(chat, sequence=99, now_ms=0, amendments=chat.amendments.look())


def expenses(person: Person) -> list[Expense]:
    return [one for one in ExpenseStore(chat_of(person)).read_all() if isinstance(one, Expense) and not one.is_removed]


def pays(person: Person, words: str, *, by: str | None = None, **arguments: object) -> dict[str, Any]:
    return person.asks(words, calling(("add_expense", arguments)), SAYS, **({"by": by} if by else {}))


def result(person: Person) -> dict[str, Any]:
    """Return the result of the only function before the answer."""
    responses = person.worker.model.requests[-1].contents[-1]
    assert isinstance(responses, FunctionResponses)
    response = responses.responses[0].response
    found = response.get("output", response)
    assert isinstance(found, dict)
    return found


def shares(expense: Expense) -> dict[str, int]:
    return {expense.names[key]: minor for key, minor in expense.shares.items()}


def test_an_amount_is_divided_among_everybody_whom_the_bot_knows(ann: Person) -> None:
    pays(ann, "夕食6000円払った", what="夕食", amount="6000")

    (dinner,) = expenses(ann)
    assert shares(dinner) == {"Ann": 2_000, "Ben": 2_000, "Cho": 2_000}
    assert dinner.names[dinner.payer] == "Ann"
    assert "✓ 立替：「夕食」（¥6,000 ÷ 3: Ann、Ben、Cho、Annが支払い）" in ann.worker.said[-1]


def test_who_takes_no_part_bears_nothing(ann: Person) -> None:
    pays(ann, "夕食6000円、ベンは抜き", what="夕食", amount="6000", without=["Ben"])
    assert shares(expenses(ann)[0]) == {"Ann": 3_000, "Cho": 3_000}


def test_the_record_holds_no_id_of_line(ann: Person) -> None:
    pays(ann, "夕食6000円", what="夕食", amount="6000")
    stored = b"".join(
        one.data
        for listed in ann.worker.store.list("expenses/")
        if (one := ann.worker.store.read(listed.name)) is not None
    )
    assert recorded.USER.encode() not in stored
    assert json.loads(stored)["what"] == "夕食"


def test_a_balance_and_a_settlement_are_told_to_the_model(ann: Person) -> None:
    pays(ann, "夕食6000円", what="夕食", amount="6000")
    pays(ann, "タクシー900円", by=BEN, what="タクシー", amount="900")
    ann.asks("精算して", calling(("settle", {})), SAYS)

    assert result(ann)["transfers"] == [
        {"from": "Cho", "to": "Ann", "amount": "¥2,300"},  # a third of both amounts
        {"from": "Ben", "to": "Ann", "amount": "¥1,400"},  # 2,000 + 300 - 900
    ]
    assert described(holdings_of(chat_of(ann)), locale="en").endswith(", expenses 2")
    ann.asks("いくら？", calling(("balance", {})), SAYS)
    assert result(ann) == {"balances": [], "transfers": []}


def test_an_unsend_takes_the_expense_along(ann: Person) -> None:
    asked = pays(ann, "夕食6000円", what="夕食", amount="6000")
    ann.worker.withdraw(ann.events.chat_id, asked["message"]["id"])
    assert expenses(ann) == []
    assert "夕食" not in everything_in(ann.worker.store)


def test_a_redelivery_never_doubles_an_amount(ann: Person) -> None:
    event = pays(ann, "夕食6000円", what="夕食", amount="6000")
    ann.worker.deliver(event, thinks=[calling(("add_expense", {"what": "夕食", "amount": "6000"})), SAYS])
    assert len(expenses(ann)) == 1


def test_an_undo_takes_back_the_expense_and_the_settlement(ann: Person) -> None:
    pays(ann, "夕食6000円", what="夕食", amount="6000")
    ann.asks("精算して", calling(("settle", {})), SAYS)
    ann.asks("取り消して", calling(("undo_last_change", {})), SAYS)
    ann.asks("いくら？", calling(("balance", {})), SAYS)
    assert {one["name"]: one["amount"] for one in result(ann)["balances"]} == {
        "Ann": "¥4,000",
        "Ben": "-¥2,000",
        "Cho": "-¥2,000",
    }

    pays(ann, "タクシー900円", what="タクシー", amount="900")
    ann.asks("取り消して", calling(("undo_last_change", {})), SAYS)
    assert [one.what for one in expenses(ann)] == ["夕食"]


@pytest.mark.parametrize("amount", ["0", "-5", "12.5", "たくさん"])
def test_what_is_no_amount_is_not_noted(ann: Person, amount: str) -> None:
    pays(ann, "夕食", what="夕食", amount=amount)
    assert expenses(ann) == []


def test_a_name_that_fits_two_members_is_asked_about(ann: Person) -> None:
    ann.worker.profiles.names["U" + "7" * 32] = "Benny"
    ann.asks("hello", SAYS, by="U" + "7" * 32)
    pays(ann, "be paid", what="taxi", amount="900", payer="be")
    assert expenses(ann) == []
    assert "ask which of them is meant" in str(result(ann))


def test_a_name_means_a_member_by_the_beginning_of_a_word_of_the_members_name(ann: Person) -> None:
    ann.worker.profiles.names["U" + "7" * 32] = "Sally Tanaka"
    ann.asks("hello", SAYS, by="U" + "7" * 32)
    pays(ann, "Al paid the taxi", what="taxi", amount="900", payer="Al")
    assert [one.names[one.payer] for one in expenses(ann)] == ["Al"]

    pays(ann, "Tana paid lunch", what="lunch", amount="900", payer="Tana")
    lunch = next(one for one in expenses(ann) if one.what == "lunch")
    assert lunch.names[lunch.payer] == "Sally Tanaka"


def test_where_nobody_else_is_known_the_bot_asks_who_shares(pool: ThreadPoolExecutor) -> None:
    alone = Person(PushedWorker(pool, currency="JPY"), is_in_group=False)
    pays(alone, "夕食6000円", what="夕食", amount="6000")
    assert expenses(alone) == []
    assert "ask who shares it" in str(result(alone))


def test_who_shares_is_asked_where_members_of_the_group_never_wrote(ann: Person) -> None:
    ann.worker.line.members[recorded.GROUP] = 5
    pays(ann, "夕食6000円", what="夕食", amount="6000")
    assert expenses(ann) == []
    assert "Only 3 of 5 members are known: " in str(result(ann))

    pays(ann, "3人で", what="夕食", amount="6000", among=["Ann", "Ben", "Cho"])
    assert shares(expenses(ann)[0]) == {"Ann": 2_000, "Ben": 2_000, "Cho": 2_000}


def test_members_who_are_named_once_are_known_like_those_who_wrote(ann: Person) -> None:
    ann.worker.line.members[recorded.GROUP] = 5
    pays(ann, "taxi with Dan", what="taxi", amount="900", among=["me", "Dan"])
    pays(ann, "dinner, without Eve", what="dinner", amount="4000", without=["Eve"])
    dinner = next(one for one in expenses(ann) if one.what == "dinner")
    assert shares(dinner) == {"Ann": 1_000, "Ben": 1_000, "Cho": 1_000, "Dan": 1_000}


def test_who_has_left_the_group_shares_no_further_amount_and_still_owes_the_earlier_ones(ann: Person) -> None:
    pays(ann, "タクシー900円", what="タクシー", amount="900")
    ann.worker.profiles.strangers = {CHO}
    pays(ann, "夕食6000円", what="夕食", amount="6000")
    dinner = next(one for one in expenses(ann) if one.what == "夕食")
    assert shares(dinner) == {"Ann": 3_000, "Ben": 3_000}

    ann.asks("いくら？", calling(("balance", {})), SAYS)
    assert {one["name"]: one["amount"] for one in result(ann)["balances"]}["Cho"] == "-¥300"


def test_a_member_who_came_for_one_who_left_is_asked_about(ann: Person) -> None:
    ann.worker.line.members[recorded.GROUP] = 3
    ann.worker.profiles.strangers = {CHO}
    pays(ann, "夕食6000円", what="夕食", amount="6000")
    assert expenses(ann) == []
    assert "Only 2 of 3 members are known: " in str(result(ann))
    assert "Cho" not in str(result(ann))


def test_nobody_else_is_asked_about_where_exact_amounts_are_the_whole(ann: Person) -> None:
    ann.worker.line.members[recorded.GROUP] = 5
    exact = [{"name": "Ben", "value": "400"}, {"name": "me", "value": "500"}]
    pays(ann, "夕食", what="夕食", amount="900", exact=exact)
    assert shares(expenses(ann)[0]) == {"Ben": 400, "Ann": 500}


def test_two_members_of_one_name_are_told_apart_and_asked_about(ann: Person) -> None:
    ann.worker.profiles.names["U" + "7" * 32] = "Ben"
    ann.asks("hello", SAYS, by="U" + "7" * 32)
    pays(ann, "taxi", what="taxi", amount="900", payer="Ben")
    assert "Ben …7777, Ben …8888: ask which of them" in str(result(ann))

    pays(ann, "taxi", what="taxi", amount="800", payer="Ben …7777")
    assert [one.names[one.payer] for one in expenses(ann)] == ["Ben …7777"]


def test_two_members_of_one_long_name_are_told_apart_in_receipts_and_balances(ann: Person) -> None:
    for user_id in ("U" + "6" * 32, "U" + "7" * 32):
        ann.worker.profiles.names[user_id] = "Bartholomew Longname"
        ann.asks("hello", SAYS, by=user_id)
    pays(ann, "taxi", what="taxi", amount="900", among=["Bartholomew Longname …7777", "Bartholomew Longname …6666"])
    assert "（¥900 ÷ 2: Bartholomew Longname …7777、Bartholomew Longname …6666、" in ann.worker.said[-1]
    ann.asks("いくら？", calling(("balance", {})), SAYS)
    assert {"Bartholomew Longname …7777: -¥450", "Bartholomew Longname …6666: -¥450"} <= {
        line.removeprefix("・") for line in ann.worker.said[-1].splitlines()
    }


def test_a_member_is_told_apart_from_somebody_of_that_name_who_never_wrote(ann: Person) -> None:
    pays(ann, "taxi with Dan", what="taxi", amount="900", among=["me", "Dan"])
    ann.worker.profiles.names["U" + "7" * 32] = "Dan"
    ann.asks("hello", SAYS, by="U" + "7" * 32)
    pays(ann, "dinner", what="dinner", amount="900", payer="Dan")
    assert "Dan (1), Dan (2): ask which of them" in str(result(ann))


def test_of_two_people_who_are_answered_together_each_pays_what_they_wrote(ann: Person) -> None:
    ann.waits("夕食6000円払った", by=recorded.USER)
    both = calling(
        ("add_expense", {"what": "夕食", "amount": "6000"}), ("add_expense", {"what": "タクシー", "amount": "900"})
    )
    ann.asks("タクシー900円払った", both, SAYS, by=BEN)

    assert {one.what: one.names[one.payer] for one in expenses(ann)} == {"夕食": "Ann", "タクシー": "Ben"}


def test_where_either_of_two_people_may_have_paid_the_model_has_to_name_who_did(ann: Person) -> None:
    ann.waits("昨日の分、6000円払った", by=recorded.USER)
    ann.asks("おいしかったね", calling(("add_expense", {"what": "夕食", "amount": "6000"})), SAYS, by=BEN)
    assert expenses(ann) == []
    assert "pass the name of who paid" in str(result(ann))

    ann.waits("昨日の分、6000円払った", by=recorded.USER)
    named = calling(("add_expense", {"what": "夕食", "amount": "6000", "payer": "Ann"}))
    ann.asks("おいしかったね", named, SAYS, by=BEN)
    assert [one.names[one.payer] for one in expenses(ann)] == ["Ann"]


def changes(person: Person, **arguments: object) -> dict[str, int]:
    """Change the only expense; return its shares afterwards."""
    (expense,) = expenses(person)
    person.asks("直して", calling(("change_expense", {"id": expense.id, **arguments})), SAYS)
    return shares(expenses(person)[0])


def test_a_correction_of_the_amount_keeps_who_shares_it(ann: Person) -> None:
    pays(ann, "夕食6000円、ベンは抜き", what="夕食", amount="6000", without=["Ben"])
    assert changes(ann, amount="7000") == {"Ann": 3_500, "Cho": 3_500}
    assert changes(ann, without=["Cho"]) == {"Ann": 7_000}


def test_a_correction_of_other_things_keeps_unequal_shares(ann: Person) -> None:
    pays(ann, "夕食", what="夕食", amount="4000", weights=[{"name": "Ben", "value": "2"}])
    assert changes(ann, what="昼食", payer="Cho") == {"Ann": 1_000, "Ben": 2_000, "Cho": 1_000}
    assert expenses(ann)[0].what == "昼食"


def test_a_new_amount_of_unequal_shares_is_asked_about(ann: Person) -> None:
    pays(ann, "夕食", what="夕食", amount="4000", weights=[{"name": "Ben", "value": "2"}])
    assert changes(ann, amount="8000") == {"Ann": 1_000, "Ben": 2_000, "Cho": 1_000}
    assert "ask how the amount is divided" in str(result(ann))


def test_a_payer_who_took_no_part_takes_none_after_a_correction(ann: Person) -> None:
    pays(ann, "tickets for Ben, Cho and Dan", what="tickets", amount="1000", among=["Ben", "Cho", "Dan"])
    assert shares(expenses(ann)[0]) == {"Ann": 1, "Ben": 333, "Cho": 333, "Dan": 333}  # what does not divide
    assert changes(ann, without=["Cho"]) == {"Ben": 500, "Dan": 500}
    assert changes(ann, exact=[{"name": "Ben", "value": "400"}]) == {"Ben": 400, "Dan": 600}


def test_a_correction_of_who_shares_asks_where_the_shares_are_unequal(ann: Person) -> None:
    pays(ann, "夕食", what="夕食", amount="4000", weights=[{"name": "Ben", "value": "2"}])
    assert changes(ann, without=["Cho"]) == {"Ann": 1_000, "Ben": 2_000, "Cho": 1_000}
    assert "ask how the amount is divided" in str(result(ann))
    exact = [{"name": "Ann", "value": "1500"}, {"name": "Ben", "value": "2500"}]
    assert changes(ann, exact=exact) == {"Ann": 1_500, "Ben": 2_500}
    assert changes(ann, among=["Ann", "Cho"]) == {"Ann": 2_000, "Cho": 2_000}


def test_currencies_are_kept_apart(ann: Person) -> None:
    pays(ann, "夕食6000円", what="夕食", amount="6000")
    pays(ann, "taxi 30 dollars", by=BEN, what="taxi", amount="30", currency="usd")
    ann.asks("精算して", calling(("settle", {"currency": "USD"})), SAYS)
    assert result(ann)["transfers"] == [
        {"from": "Ann", "to": "Ben", "amount": "$10"},
        {"from": "Cho", "to": "Ben", "amount": "$10"},
    ]
    ann.asks("残りは？", calling(("list_expenses", {})), SAYS)
    assert [one["amount"] for one in result(ann)["expenses"]] == ["¥6,000"]


def test_an_amount_of_a_currency_without_small_coins_is_divided_into_whole_dollars(ann: Person) -> None:
    pays(ann, "晚餐1000元", what="晚餐", amount="1000", currency="TWD")
    assert shares(expenses(ann)[0]) == {"Ann": 33_400, "Ben": 33_300, "Cho": 33_300}
    assert "（NT$1,000: Ann NT$334、Ben NT$333、Cho NT$333、Annが支払い）" in ann.worker.said[-1]
    assert changes(ann, amount="2000") == {"Ann": 66_800, "Ben": 66_600, "Cho": 66_600}

    rate = {"amount": "1", "currency": "USD", "makes": "32.5", "into": "TWD"}
    pays(ann, "taxi 10 dollars", by=BEN, what="taxi", amount="10", currency="USD")
    ann.asks("1 dollar is 32.5", calling(("balance", {"rates": [rate]})), SAYS)
    assert [one["amount"] for one in result(ann)["balances"] if "." in one["amount"]] == []
    assert len(result(ann)["balances"]) == 3


def test_a_currency_by_another_code_that_people_write_is_the_same_currency(ann: Person) -> None:
    pays(ann, "晚餐900", what="晚餐", amount="900", currency="TWD")
    pays(ann, "NTD 300 taxi", by=BEN, what="taxi", amount="300", currency="ntd")
    ann.asks("結清 NTD", calling(("settle", {"currency": "NTD"})), SAYS)

    assert result(ann)["transfers"] == [
        {"from": "Cho", "to": "Ann", "amount": "NT$400"},
        {"from": "Ben", "to": "Ann", "amount": "NT$100"},
    ]


def test_cents_that_somebody_paid_are_divided_to_the_cent(ann: Person) -> None:
    pays(ann, "12.50元", what="gum", amount="12.50", currency="TWD")
    assert sorted(shares(expenses(ann)[0]).values()) == [416, 416, 418]


DOLLAR: Final = {"amount": "1", "currency": "USD", "makes": "150", "into": "JPY"}


def shares_two_currencies(ann: Person) -> None:
    pays(ann, "夕食6000円", what="夕食", amount="6000")
    pays(ann, "taxi 30 dollars", by=BEN, what="taxi", amount="30", currency="usd")


def test_a_balance_shows_what_its_turn_pays_afterwards_since_its_button_settles_that_too(ann: Person) -> None:
    pays(ann, "夕食6000円", what="夕食", amount="6000")
    taxi = ("add_expense", {"what": "タクシー", "amount": "900"})
    ann.asks("いくら？ あとタクシー900円払った", calling(("balance", {})), calling(taxi), SAYS)

    assert "Ann: +¥4,600" in ann.worker.said[-1]
    ann.presses(settle_button(ann))
    assert "Ben → Ann: ¥2,300" in ann.worker.said[-1]


def test_a_balance_that_its_turn_settles_afterwards_has_no_card(ann: Person) -> None:
    pays(ann, "夕食6000円", what="夕食", amount="6000")
    ann.asks("いくら？ 精算して", calling(("balance", {})), calling(("settle", {})), SAYS)

    assert "立替の残り" not in ann.worker.said[-1]
    assert "精算のしかた" in ann.worker.said[-1]


def test_an_undo_in_the_turn_of_a_settlement_takes_back_its_card(ann: Person) -> None:
    pays(ann, "夕食6000円", what="夕食", amount="6000")
    ann.asks("精算して。いや、取り消して", calling(("settle", {})), calling(("undo_last_change", {})), SAYS)

    assert "精算のしかた" not in ann.worker.said[-1]
    ann.asks("いくら？", calling(("balance", {})), SAYS)
    assert result(ann)["balances"]


def test_at_a_rate_that_people_say_two_currencies_are_settled_as_one(ann: Person) -> None:
    shares_two_currencies(ann)
    ann.asks("1ドル150円で精算して", calling(("settle", {"rates": [DOLLAR]})), SAYS)

    assert result(ann)["transfers"] == [
        {"from": "Cho", "to": "Ann", "amount": "¥2,500"},
        {"from": "Cho", "to": "Ben", "amount": "¥1,000"},
    ]
    assert newest_messages(ann)[-1].text == "精算のしかた\n・Cho → Ann: ¥2,500\n・Cho → Ben: ¥1,000\n・1 USD = 150 JPY"
    ann.asks("いくら？", calling(("balance", {})), SAYS)
    assert result(ann) == {"balances": [], "transfers": []}


def test_a_balance_at_a_rate_closes_nothing_and_one_currency_may_be_settled_in_another(ann: Person) -> None:
    shares_two_currencies(ann)
    ann.asks("1ドル150円だと？", calling(("balance", {"rates": [DOLLAR]})), SAYS)
    assert {one["name"]: one["amount"] for one in result(ann)["balances"]} == {
        "Ann": "¥2,500",
        "Ben": "¥1,000",
        "Cho": "-¥3,500",
    }

    ann.asks("ドルだけ150円で", calling(("settle", {"currency": "USD", "rates": [DOLLAR]})), SAYS)

    assert result(ann)["transfers"] == [
        {"from": "Ann", "to": "Ben", "amount": "¥1,500"},
        {"from": "Cho", "to": "Ben", "amount": "¥1,500"},
    ]
    assert [one.what for one in ExpenseOverlay(attempt_in(ann)).open()] == ["夕食"]


def test_a_rate_in_the_digits_of_another_script_is_said(ann: Person) -> None:
    shares_two_currencies(ann)
    ann.asks("ใช้เรต ๑ ดอลลาร์ ๑๕๐ เยน", calling(("settle", {"rates": [DOLLAR]})), SAYS)
    assert result(ann)["transfers"]


def test_a_rate_that_nobody_said_is_refused(ann: Person) -> None:
    shares_two_currencies(ann)
    ann.asks("円で精算して", calling(("settle", {"rates": [DOLLAR]})), SAYS)
    assert "Nobody has said this rate" in str(result(ann))
    assert not [one for one in ExpenseStore(chat_of(ann)).read_all() if isinstance(one, Settlement)]


def test_a_tap_settles_at_the_rate_that_its_question_shows(pool: ThreadPoolExecutor) -> None:
    chat = TaintedChat(pool, is_in_group=True, currency="JPY")
    chat.worker.profiles.names[recorded.USER] = "Ann"
    pays(chat.person, "taxi", what="taxi", amount="30", currency="USD", among=["Ben"])
    asked = chat.asks(calling(("settle", {"rates": [DOLLAR]})), text="1ドル150円で精算して")
    assert "☐ 精算：「Ben → Ann: ¥4,500」 レート: 1 USD = 150 JPY" in chat.sent_for(asked)

    chat.press()

    assert [one for one in ExpenseStore(chat_of(chat.person)).read_all() if isinstance(one, Settlement)]


def test_the_question_to_settle_lists_the_transfers_as_its_language_does(pool: ThreadPoolExecutor) -> None:
    chat = TaintedChat(pool, is_in_group=True, currency="JPY")
    chat.worker.profiles.names[recorded.USER] = "Ann"
    pays(chat.person, "dinner", what="dinner", amount="900", among=["me", "Ben", "Cho"])
    asked = chat.asks(calling(("settle", {})), text="精算して")
    assert "☐ 精算：「Ben → Ann: ¥300」、「Cho → Ann: ¥300」" in chat.sent_for(asked)


def test_somebody_who_never_wrote_is_added_by_name(ann: Person) -> None:
    pays(ann, "dinner with Dan", what="dinner", amount="900", among=["me", "Dan"])
    assert shares(expenses(ann)[0]) == {"Ann": 450, "Dan": 450}


def test_the_receipt_shows_who_bears_what_does_not_divide(ann: Person) -> None:
    pays(ann, "タクシー1000円", what="タクシー", amount="1000", payer="Ben")
    assert "（¥1,000: Ben ¥334、Cho ¥333、Ann ¥333、Benが支払い）" in ann.worker.said[-1]


def newest_messages(person: Person) -> Sequence[OutgoingMessage]:
    return list(person.worker.line.replied.values())[-1]


def test_a_balance_is_a_card_whose_transfers_can_be_copied(ann: Person) -> None:
    pays(ann, "夕食6000円", what="夕食", amount="6000")
    ann.asks("いまいくら？", calling(("balance", {})), SAYS)

    words, shown = newest_messages(ann)
    assert words.text == "はい"
    assert shown.text == written_balance()
    assert shown.card is not None
    settle, copy = shown.card.buttons
    assert (settle.label, SettlePress.read(settle.value) is not None) == ("精算する", True)
    assert (copy.action, copy.value) == ("copy", "Ben → Ann: ¥2,000\nCho → Ann: ¥2,000")


def written_balance() -> str:
    people = "・Ann: +¥4,000\n・Ben: -¥2,000\n・Cho: -¥2,000"
    return f"立替の残り\n{people}\n・精算のしかた\n・Ben → Ann: ¥2,000\n・Cho → Ann: ¥2,000"


def asks_balance(person: Person, **arguments: object) -> str:
    """Ask who owes what; return the data of the card's button."""
    person.asks("いまいくら？", calling(("balance", arguments)), SAYS)
    return settle_button(person)


def settle_button(person: Person) -> str:
    card = newest_messages(person)[-1].card
    assert card is not None
    return card.buttons[0].value


def settlements(person: Person) -> list[Settlement]:
    records = ExpenseStore(chat_of(person)).present()
    return [one for one in records if isinstance(one, Settlement)]


def test_a_press_settles_what_its_card_shows_once(ann: Person) -> None:
    pays(ann, "夕食6000円", what="夕食", amount="6000")
    pays(ann, "タクシー900円", by=BEN, what="タクシー", amount="900")
    button = asks_balance(ann)

    ann.presses(button, by=CHO)

    (settled,) = newest_messages(ann)
    assert (
        settled.text == "✓ 精算済み：「夕食」、「タクシー」\n\n精算のしかた\n・Cho → Ann: ¥2,300\n・Ben → Ann: ¥1,400"
    )
    assert settled.card is not None
    assert len(settlements(ann)[0].closes) == 2

    ann.presses(button, by=BEN)
    assert [one.text for one in newest_messages(ann)] == ["精算するものはもうありません。"]
    assert len(settlements(ann)) == 1


def test_a_press_that_is_delivered_twice_settles_once_and_is_answered_once(ann: Person) -> None:
    pays(ann, "夕食6000円", what="夕食", amount="6000")
    press = ann.events.event("postback", postback={"data": asks_balance(ann)})
    before = len(ann.worker.said)
    for _ in range(2):
        ann.sends(press)
    assert len(settlements(ann)) == 1
    assert len(ann.worker.said) == before + 1


def test_a_press_after_another_expense_settles_nothing_and_shows_the_card_anew(ann: Person) -> None:
    pays(ann, "夕食6000円", what="夕食", amount="6000")
    button = asks_balance(ann)
    pays(ann, "タクシー900円", by=BEN, what="タクシー", amount="900")

    ann.presses(button)

    (shown,) = newest_messages(ann)
    assert shown.text.startswith(
        "さきほどの表示のあとに変わったため、まだ精算していません。今はこうです：\n\n立替の残り\n・Ann: +¥3,700"
    )
    assert settlements(ann) == []

    ann.presses(settle_button(ann))
    assert len(settlements(ann)[0].closes) == 2


@pytest.mark.parametrize("is_removed", [False, True])
def test_a_press_after_a_change_of_what_its_card_shows_settles_nothing(ann: Person, *, is_removed: bool) -> None:
    pays(ann, "夕食6000円", what="夕食", amount="6000")
    asked = pays(ann, "タクシー900円", what="タクシー", amount="900")
    button = asks_balance(ann)
    if is_removed:
        ann.worker.withdraw(ann.events.chat_id, asked["message"]["id"])
    else:
        taxi = next(one for one in expenses(ann) if one.what == "タクシー")
        ann.asks("1200円だった", calling(("change_expense", {"id": taxi.id, "amount": "1200"})), SAYS)

    ann.presses(button)

    assert "まだ精算していません" in ann.worker.said[-1]
    assert settlements(ann) == []


def test_an_undo_takes_back_what_a_press_settled(ann: Person) -> None:
    pays(ann, "夕食6000円", what="夕食", amount="6000")
    ann.presses(asks_balance(ann))
    ann.asks("取り消して", calling(("undo_last_change", {})), SAYS)
    assert settlements(ann) == []
    assert len(ExpenseOverlay(attempt_in(ann)).open()) == 1


def test_a_press_below_the_balance_of_one_currency_settles_that_alone(ann: Person) -> None:
    shares_two_currencies(ann)
    ann.presses(asks_balance(ann, currency="USD"))
    assert [one.what for one in ExpenseOverlay(attempt_in(ann)).open()] == ["夕食"]


def test_a_balance_at_a_rate_has_no_button_that_settles(ann: Person) -> None:
    shares_two_currencies(ann)
    ann.asks("1ドル150円だと？", calling(("balance", {"rates": [DOLLAR]})), SAYS)
    card = newest_messages(ann)[-1].card
    assert card is not None
    assert [button.action for button in card.buttons] == ["copy"]


def test_the_button_below_a_balance_covers_what_the_same_turn_notes(ann: Person) -> None:
    dinner = {"what": "夕食", "amount": "6000"}
    ann.asks("夕食6000円払った、いくら？", calling(("add_expense", dinner)), calling(("balance", {})), SAYS)
    ann.presses(settle_button(ann))
    assert len(settlements(ann)) == 1


def test_a_forgotten_chat_keeps_no_settlement_of_a_press(ann: Person) -> None:
    pays(ann, "夕食6000円", what="夕食", amount="6000")
    ann.presses(asks_balance(ann))
    ann.sends(ann.events.text("/forget"))
    ann.presses(ann.newest_button)
    assert list(ann.worker.store.list("expenses/")) == []


@pytest.mark.parametrize("locale", ["en", "th", "zh-TW"])
def test_a_press_is_answered_in_the_chats_language(ann: Person, locale: str) -> None:
    pays(ann, "夕食6000円", what="夕食", amount="6000")
    button = asks_balance(ann)
    ann.sends(ann.events.text(f"/language {locale}"))
    ann.presses(button)
    assert phrase(Phrase.EXPENSES_TRANSFERS, locale=locale, bot_name="") in ann.worker.said[-1]


def test_where_cards_are_not_drawn_a_balance_is_written(pool: ThreadPoolExecutor) -> None:
    ann = Person(PushedWorker(pool, currency="JPY", is_rich=False), is_in_group=True)
    ann.worker.profiles.names[recorded.USER] = "Ann"
    pays(ann, "夕食6000円", what="夕食", amount="6000", among=["me", "Ben", "Cho"])
    ann.asks("いまいくら？", calling(("balance", {})), SAYS)
    assert "\n\n".join(one.text for one in newest_messages(ann)) == f"はい\n\n{written_balance()}"


def test_a_settlement_names_what_it_closes_above_its_card(ann: Person) -> None:
    pays(ann, "夕食6000円", what="夕食", amount="6000")
    pays(ann, "タクシー900円", by=BEN, what="タクシー", amount="900")
    ann.asks("精算して", calling(("settle", {})), SAYS)

    words, shown = newest_messages(ann)
    assert words.text == "はい\n\n✓ 精算済み：「夕食」、「タクシー」"
    assert shown.text == "精算のしかた\n・Cho → Ann: ¥2,300\n・Ben → Ann: ¥1,400"


def test_a_settlement_of_many_expenses_names_four_and_counts_the_others(ann: Person) -> None:
    for number in range(6):
        pays(ann, f"taxi {number}, 900 yen", what=f"taxi {number}", amount="900")
    ann.asks("settle up", calling(("settle", {})), calling(("reply", {"message": "Here you are."})))

    receipt = "✓ Settled: “taxi 0”, “taxi 1”, “taxi 2”, “taxi 3” and 2 more"
    assert newest_messages(ann)[0].text.endswith(receipt)

    ann.asks("undo that", calling(("undo_last_change", {})), calling(("reply", {"message": "As before."})))
    assert newest_messages(ann)[0].text.endswith(receipt.replace("Settled", "No longer settled"))


def test_a_settlement_shows_no_link_that_its_prompt_does_not_hold(ann: Person) -> None:
    pays(ann, "900 yen for https://stay.example/1 with Ben", what="https://stay.example/1", amount="900")
    ann.sends(ann.events.text("/reset"))
    ann.presses(ann.newest_button)
    ann.asks("settle up", calling(("settle", {})), calling(("reply", {"message": "Here you are."})))

    assert "✓ Settled: “" in newest_messages(ann)[0].text
    assert "stay.example" not in newest_messages(ann)[0].text


def test_what_is_read_from_outside_is_booked_only_by_a_tap_that_shows_all(pool: ThreadPoolExecutor) -> None:
    chat = TaintedChat(pool, is_in_group=True, currency="JPY")
    chat.worker.profiles.names[recorded.USER] = "Ann"
    bill = {"what": "夕食", "amount": "1000", "among": ["me", "Ben", "Cho"], "day": "2026-11-26"}
    asked = chat.asks(calling(("add_expense", bill)), text="このレシートを割り勘で")
    assert expenses(chat.person) == []
    told = chat.sent_for(asked)
    assert "☐ 立替：「夕食」" in told
    assert "負担: Ann 334、Ben 333、Cho 333" in told
    assert "支払った人: Ann" in told

    chat.press(by=BEN)

    assert [shares(one) for one in expenses(chat.person)] == [{"Ann": 334, "Ben": 333, "Cho": 333}]


def test_a_photo_of_a_receipt_makes_a_proposal_whose_tap_books_it_once(ann: Person) -> None:
    picture = ann.events.event("message", message={"type": "image", "contentProvider": {"type": "line"}})
    ann.worker.media.contents[picture["message"]["id"]] = HeldContent(
        data=b"\xff\xd8 a receipt", content_type="image/jpeg"
    )
    ann.sends(picture)
    bill = {"what": "居酒屋", "amount": "8400", "among": ["me", "Ben", "Cho"]}
    words = "@Aizuchi このレシート、3人で割り勘で"
    asked = ann.events.text(words, quotedMessageId=picture["message"]["id"])
    ann.sends(asked, calling(("add_expense", bill)), SAYS)

    assert expenses(ann) == []
    assert "☐ 立替：「居酒屋」" in ann.worker.said[-1]
    assert "負担: Ann 2,800、Ben 2,800、Cho 2,800" in ann.worker.said[-1]

    button = ann.newest_button
    for _ in range(2):
        ann.presses(button)

    assert [(one.what, one.minor, one.provenance.outside) for one in expenses(ann)] == [
        ("居酒屋", 8_400, frozenset({"media"}))
    ]


def test_own_words_beside_words_from_outside_are_booked_at_once(pool: ThreadPoolExecutor) -> None:
    chat = TaintedChat(pool, is_in_group=True, currency="JPY")
    dinner = {"what": "夕食", "amount": "6000", "among": ["me", "Ben"]}
    asked = chat.asks(calling(("add_expense", dinner)), text="夕食6,000円払った、私とBenで。あとページは？")
    assert "✓ 立替：「夕食」" in chat.sent_for(asked)
    (noted,) = expenses(chat.person)
    assert (noted.minor, noted.provenance.outside) == (6_000, frozenset())


@pytest.mark.parametrize(
    "beyond",
    [
        {"amount": "60000"},
        {"payer": "Mallory"},
        {"among": ["me", "Mallory"]},
        {"exact": [{"name": "Ben", "value": "5000"}]},
        {"currency": "USD"},
        {"day": "2020-01-01"},
        {"what": "夕食と家賃"},
    ],
)
def test_what_own_words_do_not_hold_waits_for_a_tap(pool: ThreadPoolExecutor, beyond: dict[str, object]) -> None:
    chat = TaintedChat(pool, is_in_group=True, currency="JPY")
    dinner = {"what": "夕食", "amount": "6000", "among": ["me", "Ben"], **beyond}
    asked = chat.asks(calling(("add_expense", dinner)), text="夕食6,000円払った、私とBenで")
    assert expenses(chat.person) == []
    assert "☐ 立替" in chat.sent_for(asked)


def test_a_tap_books_an_amount_that_more_people_share_than_a_person_would_name(pool: ThreadPoolExecutor) -> None:
    chat = TaintedChat(pool, is_in_group=True, currency="JPY")
    for number in range(31):
        user_id = f"U{number:032x}"
        chat.worker.profiles.names[user_id] = f"Member{number}"
        chat.person.sends(chat.events.text("hello", by=user_id))
    chat.asks(calling(("add_expense", {"what": "夕食", "amount": "6400"})), text="割り勘で")
    chat.person.presses(chat.person.newest_button)
    (dinner,) = expenses(chat.person)
    assert set(dinner.shares.values()) == {200}
    assert len(dinner.shares) == 32


def test_a_press_of_nobody_books_nothing_and_is_answered_with_what_to_do(pool: ThreadPoolExecutor) -> None:
    chat = TaintedChat(pool, is_in_group=True, currency="JPY")
    chat.asks(calling(("add_expense", {"what": "夕食", "amount": "900", "among": ["me", "Ben"]})), text="割り勘で")
    press = chat.events.event("postback", postback={"data": chat.person.newest_button})
    del press["source"]["userId"]

    chat.person.sends(press)

    assert expenses(chat.person) == []
    assert chat.sent_for(press) == " ".join(phrase(Phrase.PRESS_UNNAMED, locale="ja", bot_name="").split())


@pytest.mark.parametrize("people", [{"among": ["Ben", "Cho"]}, {"payer": "Ben", "among": ["me", "Cho"]}])
def test_who_writes_without_an_id_is_asked_for_names(ann: Person, people: dict[str, object]) -> None:
    def writes(**arguments: object) -> None:
        event = ann.events.text("@Aizuchi 夕食6000円払った")
        del event["source"]["userId"]
        ann.sends(event, calling(("add_expense", {"what": "夕食", "amount": "6000", **arguments})), SAYS)

    writes(**people)
    assert expenses(ann) == []
    assert "write again with names" in str(result(ann))

    writes(payer="Ben", among=["Ben", "Cho"])
    assert [shares(one) for one in expenses(ann)] == [{"Ben": 3_000, "Cho": 3_000}]


def test_a_question_shows_every_transfer_of_a_settlement(pool: ThreadPoolExecutor) -> None:
    chat = TaintedChat(pool, is_in_group=True, currency="JPY")
    chat.worker.profiles.names[recorded.USER] = "Ann"
    names = [f"とても長い名前の友だち{number}" for number in range(6)]
    pays(chat.person, "夕食7000円", what="夕食", amount="7000", among=["me", *names])

    asked = chat.asks(calling(("settle", {})), text="精算して")

    transfers = "、".join(f"「{name} → Ann: ¥1,000」" for name in names)
    assert f"☐ 精算：{transfers}" in chat.sent_for(asked)


def test_an_undo_of_a_settlement_asks_with_each_expense_in_its_own_quotes(pool: ThreadPoolExecutor) -> None:
    chat = TaintedChat(pool, is_in_group=True, currency="JPY")
    chat.worker.profiles.names[recorded.USER] = "Ann"
    for what in ("夕食", "タクシー"):
        pays(chat.person, f"{what}1000円", what=what, amount="1000", among=["me", "Ben"])
    chat.asks(calling(("settle", {})), text="精算して")
    chat.press()

    asked = chat.asks(calling(("undo_last_change", {})), text="取り消して")

    assert "☐ 直前の変更を元に戻す：「夕食」、「タクシー」" in chat.sent_for(asked)


def test_a_tap_settles_only_the_expenses_that_its_question_showed(pool: ThreadPoolExecutor) -> None:
    chat = TaintedChat(pool, is_in_group=True, currency="JPY")
    chat.worker.profiles.names[recorded.USER] = "Ann"
    pays(chat.person, "夕食1000円", what="夕食", amount="1000", among=["me", "Ben"])
    asked = chat.asks(calling(("settle", {})), text="精算して")
    assert "☐ 精算：「Ben → Ann: ¥500」" in chat.sent_for(asked)
    added = replace(expenses(chat.person)[0], id="e0000000000", created=(99, 0), revision=(99, 0))
    ExpenseStore(chat_of(chat.person)).update(added.id, lambda _: added)

    chat.press()

    assert not [one for one in ExpenseStore(chat_of(chat.person)).read_all() if isinstance(one, Settlement)]


def test_a_tap_settles_what_its_question_showed(pool: ThreadPoolExecutor) -> None:
    chat = TaintedChat(pool, is_in_group=True, currency="JPY")
    pays(chat.person, "夕食1000円", what="夕食", amount="1000", among=["me", "Ben"])
    chat.asks(calling(("settle", {})), text="精算して")

    chat.press()

    (settlement,) = (one for one in ExpenseStore(chat_of(chat.person)).read_all() if isinstance(one, Settlement))
    assert settlement.closes == tuple(one.id for one in expenses(chat.person))


def test_a_tap_corrects_an_expense_with_another_name(pool: ThreadPoolExecutor) -> None:
    chat = TaintedChat(pool, is_in_group=True, currency="JPY")
    pays(chat.person, "夕食1000円", what="夕食", amount="1000", among=["me", "Ben"])
    correction = {"id": expenses(chat.person)[0].id, "what": "昼食", "amount": "900"}
    chat.asks(calling(("change_expense", correction)), text="直して")

    chat.press()

    (lunch,) = expenses(chat.person)
    assert (lunch.what, sorted(lunch.shares.values())) == ("昼食", [450, 450])


def test_a_settlement_that_another_member_asked_for_is_undone_by_a_tap(ann: Person) -> None:
    pays(ann, "夕食6000円", what="夕食", amount="6000")
    ann.asks("精算して", calling(("settle", {})), SAYS)
    ann.asks("取り消して", calling(("undo_last_change", {})), SAYS, by=BEN)
    assert [one for one in ExpenseStore(chat_of(ann)).read_all() if isinstance(one, Settlement) and not one.is_removed]

    ann.presses(ann.newest_button, by=BEN)

    assert "✓ 精算を取り消し：「夕食」" in ann.worker.said[-1]
    assert all(one.is_removed for one in ExpenseStore(chat_of(ann)).read_all() if isinstance(one, Settlement))


def test_a_lost_chat_comes_back_with_its_expenses(ann: Person) -> None:
    pays(ann, "夕食6000円", what="夕食", amount="6000")
    chat, empty = chat_of(ann), MemoryObjectStore()

    restore(empty, list(exported(ann.worker.store, chat.id)), clock=ann.worker.clock)

    restored = conversations_on(empty, chat.objects.reads, ann.worker.clock).of(chat.id)
    assert ExpenseStore(restored).read_all() == ExpenseStore(chat).read_all()


def test_forget_me_takes_what_a_member_told_and_leaves_what_others_told(ann: Person) -> None:
    pays(ann, "夕食6000円", what="夕食", amount="6000")
    pays(ann, "タクシー900円", by=BEN, what="タクシー", amount="900")

    ann.sends(ann.events.text("/forget me", by=BEN))

    assert [one.what for one in expenses(ann)] == ["夕食"]
    assert "タクシー" not in everything_in(ann.worker.store)


@pytest.mark.parametrize("is_pressed", [False, True])
def test_what_a_member_settled_stays_settled_for_the_others_after_forget_me(ann: Person, *, is_pressed: bool) -> None:
    pays(ann, "夕食6000円", what="夕食", amount="6000")
    if is_pressed:
        ann.asks("いくら？", calling(("balance", {})), SAYS)
        button = settle_button(ann)
        ann.sends(ann.events.event("postback", by=BEN, postback={"data": button}))
    else:
        ann.asks("精算して", calling(("settle", {})), SAYS, by=BEN)
    (settlement,) = settlements(ann)
    assert mark_id(BEN) in settlement.provenance.messages

    ann.sends(ann.events.text("/forget me", by=BEN))
    ann.asks("いくら？", calling(("balance", {})), SAYS)

    assert result(ann) == {"balances": [], "transfers": []}
    (settlement,) = settlements(ann)
    assert settlement.provenance.messages.keys() == {""}
    ann.confirms("/forget")
    assert settlements(ann) == []


def test_an_unsend_of_the_message_that_settled_opens_the_expenses_again(ann: Person) -> None:
    pays(ann, "夕食6000円", what="夕食", amount="6000")
    asked = ann.asks("精算して", calling(("settle", {})), SAYS, by=BEN)
    ann.worker.withdraw(ann.events.chat_id, asked["message"]["id"])
    assert [one.what for one in ExpenseOverlay(attempt_in(ann)).open()] == ["夕食"]


def test_forget_me_leaves_a_members_share_in_what_others_told_and_takes_the_display_name(ann: Person) -> None:
    ann.worker.profiles.names[BEN] = "Benedict"
    pays(ann, "夕食6000円", what="夕食", amount="6000")

    ann.sends(ann.events.text("/forget me", by=BEN))

    (dinner,) = expenses(ann)
    assert sorted(dinner.shares.values()) == [2_000, 2_000, 2_000]
    assert set(dinner.names.values()) == {"Ann", "Cho"}
    assert "Benedict" not in everything_in(ann.worker.store)
    forgotten = f"someone …{mark_id(BEN)[-4:]}"
    ann.asks("いくら？", calling(("balance", {})), SAYS)
    assert {one["name"]: one["amount"] for one in result(ann)["balances"]}[forgotten] == "-¥2,000"
    assert "Benedict" not in ann.worker.prompt()

    pays(ann, "タクシー900円", what="タクシー", amount="900")
    assert {frozenset(one.names.values()) for one in expenses(ann)} == {frozenset({"Ann", "Cho"})}
    assert sorted(next(one for one in expenses(ann) if one.what == "タクシー").shares.values()) == [450, 450]


def test_the_share_of_a_forgotten_member_can_be_named_and_the_name_returns_with_the_member(ann: Person) -> None:
    pays(ann, "夕食6000円", what="夕食", amount="6000")
    ann.sends(ann.events.text("/forget me", by=BEN))
    forgotten = f"someone …{mark_id(BEN)[-4:]}"

    pays(ann, "返してもらった", what="返済", amount="2000", payer=forgotten, among=["me"])
    ann.asks("いくら？", calling(("balance", {})), SAYS)
    assert {one["name"]: one["amount"] for one in result(ann)["balances"]} == {"Ann": "¥2,000", "Cho": "-¥2,000"}
    assert mark_id(BEN) not in next(one for one in expenses(ann) if one.what == "返済").names

    ann.asks("hello again", SAYS, by=BEN)
    ann.asks("一覧", calling(("list_expenses", {})), SAYS)
    assert result(ann)["expenses"][0]["payer"] == "Ben"


def test_forget_me_takes_the_display_name_also_where_no_message_of_the_member_is_stored(ann: Person) -> None:
    pays(ann, "夕食6000円", what="夕食", amount="6000")
    ann.confirms("/reset")
    ann.worker.clock.move(60)
    assert ann.worker.push(push.tick()) == 204
    assert "Ben" in expenses(ann)[0].names.values()

    ann.sends(ann.events.text("/forget me", by=BEN))

    assert "Ben" not in expenses(ann)[0].names.values()


def test_a_late_write_of_another_worker_brings_no_forgotten_name_back(ann: Person) -> None:
    pays(ann, "夕食6000円", what="夕食", amount="6000")
    (before,) = expenses(ann)
    ann.sends(ann.events.text("/forget me", by=BEN))
    late = replace(before, id="e0000000001")
    ExpenseStore(chat_of(ann)).update(late.id, lambda _: late)

    assert [set(one.names.values()) for one in ExpenseOverlay(attempt_in(ann)).open()] == [{"Ann", "Cho"}] * 2
    ann.worker.clock.move(60)
    assert ann.worker.push(push.tick()) == 204

    assert [set(one.names.values()) for one in expenses(ann)] == [{"Ann", "Cho"}] * 2


def test_a_turn_reads_no_expense_of_a_settled_period(ann: Person) -> None:
    pays(ann, "夕食6000円", what="夕食", amount="6000")
    (dinner,) = expenses(ann)
    ann.asks("精算して", calling(("settle", {})), SAYS)
    pays(ann, "タクシー900円", what="タクシー", amount="900")
    overlay = ExpenseOverlay(attempt_in(ann))
    read: list[str] = []
    ann.worker.store.before = lambda call, name: read.append(name) if call == "read" else None

    assert [one.what for one in overlay.open()] == ["タクシー"]
    assert not any(dinner.id in name for name in read)


def test_what_changes_expenses_is_not_done_in_silence(ann: Person) -> None:
    skips = calling(("skip", {"reason": "they know"}))

    event = ann.asks("夕食6000円払った", calling(("add_expense", {"what": "夕食", "amount": "6000"})), skips, SAYS)

    assert "6,000" in ann.worker.outcome(event)["text"]


def test_a_late_press_that_would_settle_is_told_of_below_the_next_answer(ann: Person) -> None:
    pays(ann, "夕食6000円", what="夕食", amount="6000")
    button = asks_balance(ann)
    presses_late(ann, button)

    events = [ann.asks("やあ", SAYS) for _ in range(2)]

    late = phrase(Phrase.EXPENSES_PRESS_LATE, locale="ja", bot_name="")
    assert [late in ann.worker.outcome(event)["text"] for event in events] == [True, False]
    assert settlements(ann) == []


def test_a_late_press_of_what_is_settled_is_not_told_of(ann: Person) -> None:
    pays(ann, "夕食6000円", what="夕食", amount="6000")
    button = asks_balance(ann)
    ann.presses(button)
    presses_late(ann, button)

    event = ann.asks("やあ", SAYS)

    assert phrase(Phrase.EXPENSES_PRESS_LATE, locale="ja", bot_name="") not in ann.worker.outcome(event)["text"]
