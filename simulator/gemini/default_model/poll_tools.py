"""The rules for polls, from plain sentences.

`カレーと寿司で投票` and `Vote: curry or sushi` ask the group, `投票どうなってる` shows the standing, and `投票を締め切って`
closes the newest poll.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from simulator.gemini.default_model.prompt import CallTool, Decision, Prompt, Say

if TYPE_CHECKING:
    from collections.abc import Mapping

    from simulator.gemini.default_model.phrases import Language

_OPTION: Final = r".{1,30}?"
_QUESTIONS: Final = (
    rf"(?:(?P<question>.{{1,40}}?)は)?(?P<first>{_OPTION})(?:と|か)(?P<second>{_OPTION})で投票(?:して)?",
    rf"vote(?: on (?P<question>.{{1,40}}?))?: (?P<first>{_OPTION}) or (?P<second>{_OPTION})",
)
_STANDINGS: Final = (r"投票(?:は|、)?(?:今|いま)?どうなってる", r"how does the vote stand")
_ENDS: Final = (r"投票を締め切って", r"close the vote")
_TOOLS: Final = frozenset({"create_poll", "show_polls", "close_poll"})
_ANSWER: Final[Mapping[Language, str]] = {"ja": "どうぞ。", "en": "Here you are."}
_TITLE: Final[Mapping[Language, str]] = {"ja": "どちらにしますか", "en": "Which one?"}


def first_call(prompt: Prompt) -> CallTool | None:
    """Return the requested call of a tool for polls; None if the last message requests no such call, or the tool is not offered."""
    if asked := prompt.match(_QUESTIONS):
        question = asked["question"] or _TITLE[prompt.language]
        options = [asked["first"].strip(), asked["second"].strip()]
        call = CallTool(name="create_poll", args={"question": question, "options": options})
    elif prompt.match(_STANDINGS):
        call = CallTool(name="show_polls", args={})
    elif prompt.match(_ENDS):
        call = CallTool(name="close_poll", args={})
    else:
        return None
    return call if prompt.offers(call.name) else None


def has_result(prompt: Prompt) -> bool:
    """Whether all calls of the last round were for polls, and succeeded."""
    return prompt.has_results_of(_TOOLS)


def report(prompt: Prompt) -> Decision:
    """Say a few words: the product itself shows the card with the standing below them."""
    return Say(text=_ANSWER[prompt.language])
