"""The rules for expenses, from plain sentences.

`夕食6000円払った` and `I paid 60 for dinner, without Ken` note an amount, `タクシー3000円、私とケンで割り勘` one that two people share,
`誰がいくら` calls `balance`, and `精算して` calls `settle`.
"""

from __future__ import annotations

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
    rf"i paid {_AMOUNT} for {_WHAT}, for me and (?P<among>{_NAME})",
    rf"i paid {_AMOUNT} for {_WHAT}(?:, without (?P<without>{_NAME}))?",
)
_BALANCES: Final = (r"(?:今、?|いま)?誰がいくら(?:払う|払えばいい)?", r"who owes (?:what|whom)")
_SETTLEMENTS: Final = (r"精算して(?:ください)?", r"(?:let us |let's )?settle up")
_TOOLS: Final = frozenset({"add_expense", "balance", "settle"})
_ANSWER: Final[Mapping[Language, str]] = {"ja": "わかりました。", "en": "All right."}


def first_call(prompt: Prompt) -> CallTool | None:
    """Return the requested call of a tool for expenses; None if the last message requests no such call, or the tool is not offered."""
    if paid := prompt.match(_PAYMENTS):
        groups = {name: part.strip() for name, part in paid.groupdict().items() if part}
        call = CallTool(name="add_expense", args=_payment(groups))
    elif prompt.match(_BALANCES):
        call = CallTool(name="balance", args={})
    elif prompt.match(_SETTLEMENTS):
        call = CallTool(name="settle", args={})
    else:
        return None
    return call if prompt.offers(call.name) else None


def has_result(prompt: Prompt) -> bool:
    """Whether all calls of the last round were for expenses, and succeeded."""
    return prompt.has_results_of(_TOOLS)


def report(prompt: Prompt) -> Decision:
    """Say a few words: the product itself writes the receipt, the balances and the transfers below them."""
    return Say(text=_ANSWER[prompt.language])


def _payment(groups: Mapping[str, str]) -> dict[str, object]:
    """Return the arguments: `{"what": "taxi", "amount": "30", "among": "Ken"}` is shared by the person who writes and Ken."""
    return {
        "what": groups["what"],
        "amount": groups["amount"],
        **({"among": ["me", groups["among"]]} if "among" in groups else {}),
        **({"without": [groups["without"]]} if "without" in groups else {}),
    }
