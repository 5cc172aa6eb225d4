"""The rules for the shared lists of a chat, from plain sentences; lists in Notion have rules of their own (`list_tools.py`).

`パーティーリストに牛乳と卵` and `add milk and eggs to the party list` put things on a list, `パーティーリストを見せて` shows it, and
`clear the party list` clears what is ticked.
"""

from __future__ import annotations

import re
from typing import Final

from simulator.gemini.default_model.prompt import CallTool, Prompt

_JAPANESE: Final = r"(?P<list>[^\sにを]{1,20}?)リスト"
_ENGLISH: Final = r"(?:the|my|our) (?P<list>\w[\w -]{0,20}?) list"
_ADDITIONS: Final = (
    rf"{_JAPANESE}に(?P<items>[^を]{{1,80}})(?:を(?:追加し|入れ)て(?:ください)?)?",
    rf"(?:add|put) (?P<items>.{{1,80}}?) (?:to|on) {_ENGLISH}",
)
_LISTINGS: Final = (
    rf"{_JAPANESE}(?:を見せて|には何がある)",
    rf"show (?:me )?{_ENGLISH}",
    rf"what(?: is|['\u2019]s) on {_ENGLISH}",
)
_CLEARINGS: Final = (rf"{_JAPANESE}の済みを消して", rf"clear {_ENGLISH}")
_AND: Final = re.compile(r"と|、|,| and ")
TOOLS: Final = frozenset({"add_to_list", "show_list", "clear_list"})


def first_call(prompt: Prompt) -> CallTool | None:
    """Return the requested call of a tool for lists; None if the last message requests no such call, or the tool is not offered."""
    if shown := prompt.match(_LISTINGS):
        call = CallTool(name="show_list", args={"list": shown["list"]})
    elif cleared := prompt.match(_CLEARINGS):
        call = CallTool(name="clear_list", args={"list": cleared["list"]})
    elif added := prompt.match(_ADDITIONS):
        items = [item.strip() for item in _AND.split(added["items"]) if item.strip()]
        call = CallTool(name="add_to_list", args={"list": added["list"], "items": items})
    else:
        return None
    return call if prompt.offers(call.name) else None
