"""The rules for expenses, from plain sentences.

`夕食6000円払った` and `I paid 60 for dinner, without Ken` note an amount, `タクシー3000円、私とケンで割り勘` one that two people share,
`誰がいくら` calls `balance`, `精算して` and `1ドル150円で精算して` call `settle`. Beside a picture, `このレシート、私とケンで割り勘` notes
a receipt: no stand-in sees what a picture shows, so the picture's number of bytes counts as the total.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from simulator.gemini.default_model.prompt import CallTool, Decision, Prompt, Say

if TYPE_CHECKING:
    from collections.abc import Mapping

    from simulator.gemini.default_model.phrases import Language

_WHAT: Final = r"(?P<what>[^\d]{1,30}?)"
_AMOUNT: Final = r"(?P<amount>\d[\d,]{0,8}(?:\.\d\d)?)"
_NAME: Final = r".{1,20}?"
_PAYMENTS: Final = (
    rf"{_WHAT}{_AMOUNT}円、私と(?P<among>{_NAME})で割り勘",
    rf"{_WHAT}{_AMOUNT}円(?:を)?払った(?:よ)?(?:、(?P<without>{_NAME})は抜き(?:で)?)?",
    rf"i paid {_AMOUNT}(?: yen)? for {_WHAT}, for me and (?P<among>{_NAME})",
    rf"i paid {_AMOUNT}(?: yen)? for {_WHAT}(?:, without (?P<without>{_NAME}))?",
)
_RECEIPTS: Final = (
    rf"(?:この)?レシート(?:を|、)?私と(?P<among>{_NAME})で割り勘(?:で|にして)?",
    rf"(?:please )?split this receipt between me and (?P<among>{_NAME})",
)
_BYTES: Final = re.compile(r"([\d,]+) bytes")
_BALANCES: Final = (r"(?:今、?|いま)?誰がいくら(?:払う|払えばいい)?", r"who owes (?:what|whom)")
_RATED: Final = (
    r"1ドル(?P<makes>\d{1,6})円で精算して(?:ください)?",
    r"settle up at (?P<makes>\d{1,6}) yen (?:for|to) (?:a|the|1) dollar",
)
_SETTLEMENTS: Final = (r"精算して(?:ください)?", r"(?:let us |let's )?settle up")
TOOLS: Final = frozenset({"add_expense", "balance", "settle"})
_RECEIPT: Final[Mapping[Language, str]] = {"ja": "レシート", "en": "receipt"}
_ALL_SETTLED: Final[Mapping[Language, str]] = {"ja": "精算はすべて済んでいます。", "en": "Everything is settled."}


def first_call(prompt: Prompt) -> CallTool | None:
    """Return the requested call of a tool for expenses; None if the last message requests no such call, or the tool is not offered."""
    if paid := prompt.match(_PAYMENTS):
        groups = {name: part.strip() for name, part in paid.groupdict().items() if part}
        call = CallTool(name="add_expense", args=_payment(groups))
    elif (split := prompt.match(_RECEIPTS)) and (total := _total_of_a_picture(prompt)):
        call = CallTool(
            name="add_expense", args=_payment({"what": _RECEIPT[prompt.language], "amount": total} | split.groupdict())
        )
    elif rated := prompt.match(_RATED):
        rate = {"amount": "1", "currency": "USD", "makes": rated["makes"], "into": "JPY"}
        call = CallTool(name="settle", args={"rates": [rate]})
    elif prompt.match(_BALANCES):
        call = CallTool(name="balance", args={})
    elif prompt.match(_SETTLEMENTS):
        call = CallTool(name="settle", args={})
    else:
        return None
    return call if prompt.offers(call.name) else None


def is_settled(prompt: Prompt) -> bool:
    """Whether the last call asked for balances, and there are none: the product puts no card below the answer."""
    return prompt.has_results_of({"balance"}) and not prompt.output.get("balances")


def say_settled(prompt: Prompt) -> Decision:
    """Say that nobody owes anything."""
    return Say(text=_ALL_SETTLED[prompt.language])


def _total_of_a_picture(prompt: Prompt) -> str | None:
    """Return the number of bytes of the newest picture that the prompt holds, such as "1,024"; None: it holds none."""
    pictures = [message for message in prompt.messages if message.has_data and message.medium == "image"]
    size = _BYTES.search(pictures[-1].detail) if pictures else None
    return size[1] if size is not None else None


def _payment(groups: Mapping[str, str]) -> dict[str, object]:
    """Return the arguments: `{"what": "taxi", "amount": "30", "among": "Ken"}` is shared by the person who writes and Ken."""
    return {
        "what": groups["what"],
        "amount": groups["amount"],
        **({"among": ["me", groups["among"]]} if "among" in groups else {}),
        **({"without": [groups["without"]]} if "without" in groups else {}),
    }
