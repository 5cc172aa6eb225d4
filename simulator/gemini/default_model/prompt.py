"""The input of a rule, `Prompt`, and its output, a `Decision`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from simulator.gemini.default_model.phrases import PHRASES

if TYPE_CHECKING:
    from collections.abc import Iterable
    from collections.abc import Set as AbstractSet

    from simulator.gemini.default_model.phrases import Language, Phrases
    from simulator.gemini.default_model.transcript import Message
    from simulator.gemini.request import FunctionResponse, GenerateContentRequest

# Final punctuation without a meaning; at the end stand the full-width comma, ! and ?.
_ENDS = " \t\n.,!?~…。、〜ー\uff0c\uff01\uff1f"

_DIRECT = "[note] This is a 1:1 chat."


@dataclass(frozen=True, slots=True, kw_only=True)
class Say:
    """Send a text to the chat."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StaySilent:
    """Send nothing."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CallTool:
    """Call a function first."""

    name: str
    args: Mapping[str, object]


Decision = Say | StaySilent | CallTool


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A request in the form that rules read: people's messages, and the language of the last message."""

    request: GenerateContentRequest
    messages: tuple[Message, ...]
    language: Language

    @property
    def phrases(self) -> Phrases:
        """The patterns and texts of the language."""
        return PHRASES[self.language]

    @property
    def is_direct(self) -> bool:
        """Whether the prompt says that this is a 1:1 chat."""
        texts = (text for content in self.request.contents for text in content.texts)
        return any(text.startswith(_DIRECT) for text in texts)

    @property
    def words(self) -> str:
        """The words of the last message."""
        return self.messages[-1].words if self.messages else ""

    @property
    def bare_words(self) -> str:
        """The words in lower case, without punctuation at the ends."""
        return self.words.casefold().strip(_ENDS)

    @property
    def _sentence(self) -> str:
        """The words as written, without punctuation at the ends."""
        return self.words.strip(_ENDS)

    @property
    def results(self) -> tuple[FunctionResponse, ...]:
        """The responses to the calls of the round before; empty in the first round."""
        return self.request.contents[-1].function_responses

    @property
    def responses(self) -> tuple[FunctionResponse, ...]:
        """The responses to the calls of all rounds."""
        return tuple(response for content in self.request.contents for response in content.function_responses)

    def offers(self, name: str) -> bool:
        """Whether the model may call the function."""
        return any(function.name == name for function in self.request.callable_functions)

    def match(self, patterns: Iterable[str]) -> re.Match[str] | None:
        """Return the first full match of the words by a pattern, in any case; the groups are as written.

        For example, the pattern `add (?P<item>.+)` matches "Add Milk!" with the item "Milk".
        """
        matches = (re.fullmatch(pattern, self._sentence, re.IGNORECASE) for pattern in patterns)
        return next((match for match in matches if match is not None), None)

    def has_results_of(self, names: AbstractSet[str]) -> bool:
        """Whether all calls of the previous round were for the given functions, and succeeded."""
        return bool(self.results) and all(result.name in names and result.error is None for result in self.results)

    @property
    def output(self) -> Mapping[str, Any]:
        """The response to the last call."""
        response = self.results[-1].response
        return mapping(response.get("output", response))


def mapping(value: object) -> Mapping[str, Any]:
    """Return a JSON object unchanged and `{}` for any other value: `mapping({"a": 1})` is `{"a": 1}`, `mapping(None)` is `{}`."""
    return value if isinstance(value, Mapping) else {}
