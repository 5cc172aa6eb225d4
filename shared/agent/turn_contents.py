"""The contents of a turn in the form of a request to the model: the prompt, notes on changes, and rounds of calls and results."""

import json
from collections.abc import Iterator, Sequence
from typing import Final

from shared.agent.media_parts import REFUSED
from shared.agent.model import (
    Content,
    FunctionDeclaration,
    FunctionResponse,
    FunctionResponses,
    Json,
    MixedContent,
    ModelContent,
    TextContent,
)
from shared.agent.registry import Registry
from shared.agent.request_budget import within_request
from shared.agent.result_budget import fitted
from shared.agent.transcript import words
from shared.agent.turn_context import TurnContext

_NOTE_TOKENS: Final = 500
_CHANGE: Final = "[earlier attempt] You have already called {tool} in this turn: {facts}. It holds; do not do it again."
_LEFT_OUT: Final[Json] = {
    "error": {"message": "The result cannot be shown to you. Go on without it, and say so.", "may_retry": False}
}


class TurnContents:
    """The contents of a turn's requests; of a round that is left out, a note states the changes.

    What was left out stays out, and notes on changes stay, also where another prompt replaces the first.
    """

    def __init__(self, prompt: tuple[Content, ...], registry: Registry, context: TurnContext) -> None:
        self.prompt = prompt
        self.has_called = False
        """Whether the model has called anything."""
        self._is_without_media = False
        self._changes: list[TextContent] = []
        self._rounds: list[Content] = []
        self._registry = registry
        self._context = context

    @property
    def has_media(self) -> bool:
        """Whether the prompt holds a medium."""
        return any(isinstance(one, MixedContent) for one in self.prompt)

    @property
    def has_results(self) -> bool:
        """Whether the newest round has read anything."""
        newest = self._rounds[-1] if self._rounds else None
        return isinstance(newest, FunctionResponses) and any(map(self._has_read, newest.responses))

    def append(self, answer: ModelContent, results: FunctionResponses) -> None:
        """Append a round: an answer, and the results of its calls."""
        self.has_called = True
        self._rounds += [answer, results]

    def begin_with(self, prompt: tuple[Content, ...]) -> None:
        """Replace the turn's prompt; media that were left out stay out."""
        self.prompt = self._fitting(prompt)

    def begins_with(self, prompt: tuple[Content, ...]) -> bool:
        """Whether `begin_with` of this prompt would change nothing."""
        return self.prompt == self._fitting(prompt)

    def leave_out_media(self) -> None:
        """Replace every medium by a note."""
        self._is_without_media = True
        self.prompt = self._fitting(self.prompt)

    def leave_out_results(self) -> None:
        """Replace each result that the newest round has read by an error; results of changes stay."""
        newest = self._rounds[-1]
        assert isinstance(newest, FunctionResponses)  # noqa: S101 - `has_results` says so
        self._rounds[-1] = FunctionResponses(
            responses=tuple(
                FunctionResponse(call=answer.call, response=_LEFT_OUT) if self._has_read(answer) else answer
                for answer in newest.responses
            )
        )

    def leave_out_rounds(self, contents: int | None = None) -> None:
        """Replace the first contents of the rounds, or all rounds, by notes on their changes."""
        dropped = self._rounds[:contents]
        self._rounds = self._rounds[len(dropped) :]
        self._changes += self._notes_on_changes(dropped)

    def within_request(
        self, system_instruction: str, declarations: Sequence[FunctionDeclaration], note: str | None
    ) -> tuple[Content, ...]:
        """Return the contents within the budget of a request, with notes on the changes of dropped rounds."""
        notes = [TextContent(role="user", texts=(note,))] if note else []
        while True:
            whole = (*self.prompt, *self._changes, *self._rounds, *notes)
            contents = within_request(system_instruction, declarations, whole)
            sent_ids = {id(one) for one in contents if isinstance(one, ModelContent)}
            left_out = sum(isinstance(one, ModelContent) and id(one) not in sent_ids for one in self._rounds)
            if not left_out:
                return contents
            self.leave_out_rounds(2 * left_out)  # each with the answers to its calls

    def _fitting(self, prompt: tuple[Content, ...]) -> tuple[Content, ...]:
        return tuple(map(_without_media, prompt)) if self._is_without_media else prompt

    def _has_read(self, answer: FunctionResponse) -> bool:
        tool = self._registry.find(answer.call.name, self._context)
        return "output" in answer.response and tool is not None and (tool.is_reading or bool(tool.outside))

    def _notes_on_changes(self, contents: Sequence[Content]) -> Iterator[TextContent]:
        """Yield a note on the changes of dropped rounds: the changes hold, so the model must not repeat them."""
        rounds = (one for one in contents if isinstance(one, FunctionResponses))
        notes = []
        for answer in (one for several in rounds for one in several.responses if "output" in one.response):
            tool = self._registry.find(answer.call.name, self._context)
            if tool is not None and not tool.is_reading:
                facts = fitted({"arguments": answer.call.args, **answer.response}, limit_tokens=_NOTE_TOKENS)
                notes.append(_CHANGE.format(tool=tool.name, facts=words(json.dumps(facts, ensure_ascii=False))))
        if notes:
            yield TextContent(role="user", texts=tuple(notes))


def _without_media(content: Content) -> Content:
    if not isinstance(content, MixedContent):
        return content
    texts = (part if isinstance(part, str) else REFUSED for part in content.parts)
    return TextContent(role="user", texts=tuple(texts))
