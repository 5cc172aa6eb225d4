"""Files whose text stands in the prompt: the stand-in answers with the line of the file that is most like the question."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from simulator.gemini.default_model.prompt import Prompt, Say

if TYPE_CHECKING:
    from collections.abc import Iterator

_BEGINS = "[note] The words of the file"
_NOT_LINES = ("[note]", "== ")
_LEAST_LIKE = 2  # pairs of characters that a question and a line share


def has_file(prompt: Prompt) -> bool:
    """Whether the prompt holds a file, and the last thing that somebody sent is that file."""
    return bool(_lines(prompt)) and prompt.messages[-1].medium is not None


def tell_file(prompt: Prompt) -> Say:
    """Say how the file begins."""
    return Say(text=prompt.phrases.file.format(line=_lines(prompt)[0]))


def is_question(prompt: Prompt) -> bool:
    """Whether a line of the file is like the question."""
    return any(_likeness(line, prompt.words) >= _LEAST_LIKE for line in _lines(prompt))


def answer_question(prompt: Prompt) -> Say:
    """Say the line that is most like the question."""
    return Say(text=max(_lines(prompt), key=lambda line: _likeness(line, prompt.words)))


def _lines(prompt: Prompt) -> list[str]:
    return [line for line in _all_lines(prompt) if line.strip() and not line.startswith(_NOT_LINES)]


def _all_lines(prompt: Prompt) -> Iterator[str]:
    for content in prompt.request.contents:
        for part in content.parts:
            if part.text and part.text.startswith(_BEGINS):
                yield from part.text.splitlines()


def _likeness(line: str, question: str) -> int:
    return len(_pairs(line) & _pairs(question))


def _pairs(text: str) -> set[str]:
    folded = text.casefold()
    return {pair for pair in map("".join, pairwise(folded)) if pair.isalnum()}
