"""What the brain looks at, and what it can want: one scene a request, one intent a scene."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from simulator.gemini.conversation import Message
    from simulator.gemini.phrases import Language, Phrases
    from simulator.gemini.wire import FunctionCall, FunctionResponse, GenerateContentRequest

# Punctuation that ends words without changing them; the last ones are the full-width comma, ! and ?.
_ENDS = " \t\n.,!?~…。、〜ー\uff0c\uff01\uff1f"


@dataclass(frozen=True, slots=True, kw_only=True)
class Say:
    """A text for the chat."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StaySilent:
    """No text is due."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """A function to call first."""

    name: str
    args: Mapping[str, object]


Intent = Say | StaySilent | Use


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """What a rule sees: the messages, the last of them, and what came of the calls that were just made."""

    request: GenerateContentRequest
    messages: tuple[Message, ...]
    phrases: Phrases
    language: Language

    @property
    def words(self) -> str:
        """The words of the last message."""
        return self.messages[-1].words if self.messages else ""

    @property
    def bare_words(self) -> str:
        """The same casefolded, without punctuation at the ends."""
        return self.words.casefold().strip(_ENDS)

    @property
    def results(self) -> tuple[FunctionResponse, ...]:
        """The answers to the calls of the round before; empty in the first round."""
        return self.request.contents[-1].function_responses

    @property
    def calls(self) -> tuple[FunctionCall, ...]:
        """The calls that `results` answer."""
        return self.request.contents[-2].function_calls if self.results else ()

    def offers(self, name: str) -> bool:
        """Whether the model may call `name` here."""
        return any(function.name == name for function in self.request.callable_functions)
