from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from simulator.gemini.answers import CallPart
from simulator.gemini.default_model import model as default_model

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.gemini.request import GenerateContentRequest

TOOLS = [
    {"name": name, "parametersJsonSchema": {"type": "object"}} for name in ("add_expense", "balance", "settle", "reply")
]


@pytest.mark.parametrize(
    ("said", "name", "args"),
    [
        ("夕食6000円払ったよ", "add_expense", {"what": "夕食", "amount": "6000"}),
        ("夕食6,000円払った、ケンは抜きで", "add_expense", {"what": "夕食", "amount": "6,000", "without": ["ケン"]}),
        (
            "タクシー3000円、私とケンで割り勘",
            "add_expense",
            {"what": "タクシー", "amount": "3000", "among": ["me", "ケン"]},
        ),
        ("I paid 60 for dinner.", "add_expense", {"what": "dinner", "amount": "60"}),
        ("I paid 60 for dinner, without Ken", "add_expense", {"what": "dinner", "amount": "60", "without": ["Ken"]}),
        (
            "I paid 30.50 for the taxi, for me and Ken",
            "add_expense",
            {"what": "the taxi", "amount": "30.50", "among": ["me", "Ken"]},
        ),
        ("誰がいくら？", "balance", {}),
        ("Who owes what?", "balance", {}),
        ("精算して", "settle", {}),
        ("Let's settle up!", "settle", {}),
        (
            "1ドル150円で精算して",
            "settle",
            {"rates": [{"amount": "1", "currency": "USD", "makes": "150", "into": "JPY"}]},
        ),
    ],
)
def test_a_sentence_becomes_a_call(
    said: str,
    name: str,
    args: dict[str, object],
    body: Callable[..., dict[str, Any]],
    read: Callable[..., GenerateContentRequest],
) -> None:
    (part,) = default_model.answer(read(body(said, tools=[{"functionDeclarations": TOOLS}]))).parts

    assert isinstance(part, CallPart)
    assert (part.name, dict(part.args)) == (name, args)


@pytest.mark.parametrize(
    ("said", "what"),
    [("このレシート、私とケンで割り勘で", "レシート"), ("Please split this receipt between me and Ken", "receipt")],
)
def test_a_receipt_beside_a_picture_becomes_an_expense(
    said: str, what: str, body: Callable[..., dict[str, Any]], read: Callable[..., GenerateContentRequest]
) -> None:
    asked = body(said, tools=[{"functionDeclarations": TOOLS}])
    (without,) = default_model.answer(read(asked)).parts
    asked["contents"][-1]["parts"].insert(0, {"inlineData": {"mimeType": "image/png", "data": "A" * 1_600}})
    (part,) = default_model.answer(read(asked)).parts

    assert not isinstance(without, CallPart) or without.name != "add_expense"
    assert isinstance(part, CallPart)
    assert part.name == "add_expense"
    assert part.args["what"] == what
    assert part.args["amount"] == "1,200"
    assert str(part.args["among"]) == str(["me", "ケン" if what == "レシート" else "Ken"])


def test_without_the_tools_a_sentence_is_answered_in_words(
    body: Callable[..., dict[str, Any]], read: Callable[..., GenerateContentRequest]
) -> None:
    (part,) = default_model.answer(read(body("精算して", tools=[{"functionDeclarations": TOOLS[-1:]}]))).parts

    assert isinstance(part, CallPart)
    assert part.name == "reply"


@pytest.mark.parametrize(
    ("balances", "said"),
    [([], "精算はすべて済んでいます。"), ([{"name": "Ann", "amount": "¥300"}], "わかりました。")],
)
def test_balances_are_left_to_the_card_and_their_absence_is_said(
    balances: list[dict[str, str]],
    said: str,
    body: Callable[..., dict[str, Any]],
    read: Callable[..., GenerateContentRequest],
) -> None:
    called = {"role": "model", "parts": [{"functionCall": {"name": "balance", "args": {}}}]}
    response = {"name": "balance", "response": {"output": {"balances": balances}}}
    answered = {"role": "user", "parts": [{"functionResponse": response}]}
    asked = body("誰がいくら？", tools=[{"functionDeclarations": TOOLS}])
    asked["contents"] += [called, answered]

    (part,) = default_model.answer(read(asked)).parts

    assert isinstance(part, CallPart)
    assert part.args == {"message": said}
