"""The default model without a server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from simulator.gemini.default_model import model as default_model

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.gemini.request import GenerateContentRequest


@pytest.fixture
def ask(
    body: Callable[..., dict[str, Any]], read: Callable[..., GenerateContentRequest]
) -> Callable[..., tuple[str, str]]:
    """Return the function that the model calls after the texts, and its text."""

    def ask(*texts: str, **changes: object) -> tuple[str, str]:
        answer = default_model.answer(read(body(*texts, **changes)))
        (part,) = answer.parts
        if isinstance(part, str):
            return "text", part
        (value,) = part.args.values()
        return part.name, str(value)

    return ask
