"""Asks the model for one short text beside a turn, through one function: a recap, a description."""

from collections.abc import Sequence

from shared.agent.model import Content, FunctionDeclaration, Model, ModelRequest, Usage
from shared.agent.tools import load_schema


def asked_to_write(  # noqa: PLR0913 - what differs from one kind of text to the next
    model: Model,
    function: str,
    *,
    purpose: str,
    instruction: str,
    contents: Sequence[Content],
    max_output_tokens: int,
    timeout_s: float,
) -> tuple[tuple[str, ...], Usage]:
    """Return every `text` that the model has called `function` with, and what that took.  Raises: as `Model.generate` does."""
    declaration = FunctionDeclaration(
        name=function, description=purpose, parameters=load_schema(f"{function}.parameters")
    )
    response = model.generate(
        ModelRequest(
            system_instruction=instruction,
            declarations=(declaration,),
            contents=tuple(contents),
            max_output_tokens=max_output_tokens,
            timeout_s=timeout_s,
        )
    )
    texts = tuple(str(call.args.get("text", "")) for call in response.calls if call.name == function)
    return texts, response.usage
