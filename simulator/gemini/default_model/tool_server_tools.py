"""The rules for the two tool servers of `make run ARGS=--mcp`: a sum, the next bus, and a seat that waits for a tap.

`when is the next bus from the harbour` calls `mcp_buses_next_bus`.
"""
# ruff: noqa: RUF001 -- full-width punctuation is how Japanese is written

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from simulator.gemini.default_model.prompt import CallTool, Decision, Prompt, Say

if TYPE_CHECKING:
    from collections.abc import Mapping

    from simulator.gemini.default_model.phrases import Language

_SUMS: Final = (
    r"サーバーで(?P<a>\d{1,9})と(?P<b>\d{1,9})を足して",
    r"let the server add (?P<a>\d{1,9}) and (?P<b>\d{1,9})",
)
_DEPARTURES: Final = (
    r"(?P<stop>駅|港)からの次のバスは(?:何時)?",
    r"when is the next bus from the (?P<stop>station|harbour)",
)
_BOOKINGS: Final = (
    r"(?P<stop>駅|港)からのバスを予約して",
    r"book a seat on the bus from the (?P<stop>station|harbour)",
)
_READING: Final = frozenset({"mcp_everything_get_sum", "mcp_buses_next_bus"})
_ANSWER: Final[Mapping[Language, str]] = {
    "ja": "接続したサーバーの答えです：{result}",
    "en": "The connected server answers: {result}",
}


def first_call(prompt: Prompt) -> CallTool | None:
    """Return the requested call of a served tool; None if the last message requests no such call, or the tool is not offered."""
    if added := prompt.match(_SUMS):
        call = CallTool(name="mcp_everything_get_sum", args={"a": int(added["a"]), "b": int(added["b"])})
    elif departure := prompt.match(_DEPARTURES):
        call = CallTool(name="mcp_buses_next_bus", args={"stop": departure["stop"]})
    elif booking := prompt.match(_BOOKINGS):
        call = CallTool(name="mcp_buses_book_seat", args={"stop": booking["stop"]})
    else:
        return None
    return call if prompt.offers(call.name) else None


def has_result(prompt: Prompt) -> bool:
    """Whether all calls of the last round only read, and succeeded."""
    return prompt.has_results_of(_READING)


def report(prompt: Prompt) -> Decision:
    """Say what the server answered."""
    return Say(text=_ANSWER[prompt.language].format(result=prompt.output.get("result", "")))
