"""The remedy for each finish reason of an answer that cannot be used.

Source: Gemini API, `FinishReason`; the content that comes with each reason, and how often, from issues of the client libraries:
python-genai #1289 (empty STOP), #1789 and #1836 (MALFORMED_FUNCTION_CALL), #1818 (UNEXPECTED_TOOL_CALL).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from shared.agent.model import ModelResponse


@dataclass(frozen=True, slots=True, kw_only=True)
class Remedy:
    """The reaction to an answer that cannot be used; such an answer is never appended to the contents.

    Ask again, at most `retries` times in a turn: with a `note` to the model, in calling mode VALIDATED on the last retry, with a larger
    output limit, or from the turn's first contents (`start_over`). After that the model is unavailable or, if `refuses`, blocked.
    """

    trouble: str
    retries: int
    note: str | None = None
    validated_last: bool = False
    more_output: bool = False
    start_over: bool = False
    refuses: bool = False


_CALL_A_TOOL: Final = (
    "Nothing was sent: answer by calling one of the declared functions, `reply` or `skip` to end the turn."
)

_EMPTY: Final = Remedy(trouble="EMPTY", retries=2, note=_CALL_A_TOOL)
_TEXT_ONLY: Final = Remedy(trouble="TEXT_ONLY", retries=2, note=_CALL_A_TOOL)
_PROMPT_BLOCKED: Final = Remedy(trouble="PROMPT_BLOCKED", retries=0, refuses=True)
_DECIDED_BY_PARTS: Final = frozenset({"STOP", "TOO_MANY_TOOL_CALLS", "FINISH_REASON_UNSPECIFIED"})

_REMEDIES: Final[Mapping[str, Remedy]] = {
    remedy.trouble: remedy
    for remedy in (
        Remedy(trouble="MALFORMED_FUNCTION_CALL", retries=2, validated_last=True),
        Remedy(trouble="UNEXPECTED_TOOL_CALL", retries=2, note=_CALL_A_TOOL),
        Remedy(trouble="MISSING_THOUGHT_SIGNATURE", retries=1, start_over=True),
        Remedy(trouble="MALFORMED_RESPONSE", retries=1, start_over=True),
        Remedy(trouble="MAX_TOKENS", retries=1, more_output=True),
        Remedy(trouble="CONTINUATION", retries=1),
        Remedy(trouble="RECITATION", retries=1, refuses=True),
        Remedy(trouble="OTHER", retries=1, refuses=True),
        *(
            Remedy(trouble=reason, retries=0, refuses=True)
            for reason in ("SAFETY", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII", "LANGUAGE", "MODEL_ARMOR", "ESCALATION")
        ),
    )
}


def remedy_for(response: ModelResponse) -> Remedy | None:
    """Return None if the answer's calls can be run, else the remedy.

    An unknown reason is judged by the answer's parts, like STOP.
    """
    if response.block_reason is not None:
        return _PROMPT_BLOCKED
    known = _REMEDIES.get(response.finish_reason)
    if known is not None and response.finish_reason not in _DECIDED_BY_PARTS:
        return known
    if response.content is not None and response.calls:
        return None
    return _TEXT_ONLY if response.has_text else _EMPTY
