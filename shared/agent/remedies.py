"""The remedies for each trouble with the model, and the classification of failures.

The remedies of a trouble have an order: its first occurrence in a turn gets the first remedy, the next occurrence the next. An impossible
remedy is skipped: `WITHOUT_MEDIA` in a prompt without media, `OTHER_MODEL` without a second model still to be asked. An unusable answer is
never appended to the contents. After the last remedy the turn fails.

    the prompt is blocked ─▶ without the newest results ─▶ with only what is asked ─▶ and without what was read for it
    ─▶ without the newest results ─▶ without media ─▶ "I cannot answer that"

Source: Gemini API, `FinishReason`; the content and the frequency of each reason, from issues of the client libraries:
python-genai #1289 (empty STOP), #1789 and #1836 (MALFORMED_FUNCTION_CALL), #1818 (UNEXPECTED_TOOL_CALL), #1011 (MAX_TOKENS by thoughts).
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from shared.agent.model import ModelResponse
from shared.errors import ModelBlockedError, ModelRefusedError, ModelUnavailableError
from shared.frozen import frozen


class Remedy(StrEnum):
    """A change before the model is asked again."""

    AGAIN = "again"
    """Nothing; after a pause where the model did not answer."""
    NOTE = "note"
    """A note says to the model that nothing was sent."""
    ENDING = "ending"
    """Only the tools that end a turn are offered."""
    VALIDATED = "validated"
    """Calling mode VALIDATED instead of ANY."""
    MORE_OUTPUT = "more_output"
    """Twice the output tokens."""
    START_OVER = "start_over"
    """The rounds of the turn are replaced by notes on their changes."""
    WITHOUT_RESULTS = "without_results"
    """The results that the newest calls have read are left out."""
    ASKED_ONLY = "asked_only"
    """The prompt holds only the messages to answer, and what the code read for them, such as the missed lines of a `/catchup`."""
    UNREAD = "unread"
    """The same, without what the code read."""
    WITHOUT_MEDIA = "without_media"
    """A note replaces every medium."""
    OTHER_MODEL = "other_model"
    """The second model is asked for the rest of the turn."""


@frozen
class Trouble:
    """A way in which a request fails, and the remedies.

    `refuses`: the provider refuses to answer. `is_passing`: the trouble may pass, so without a second model the first model is asked again.
    `can_be_sent`: a reply in this trouble is sent, if the model gives no better one.
    """

    name: str
    remedies: tuple[Remedy, ...]
    note: str | None = None
    refuses: bool = False
    is_passing: bool = False
    can_be_sent: bool = False

    @property
    def error(self) -> ModelBlockedError | ModelUnavailableError:
        """The error of a turn after the last remedy."""
        if self.refuses:
            return ModelBlockedError(f"the model will not answer this: {self.name}")
        return ModelUnavailableError(f"the model gave no usable answer: {self.name}")


_CALL_A_TOOL: Final = (
    "Nothing was sent: answer by calling one of the declared functions, `reply` or `skip` to end the turn."
)
_BLANK: Final = (
    "Nothing was sent: as people would see it, your reply is empty, or only a link that neither a person nor a function gave. "
    "Answer in words."
)
_LINK: Final = (
    "Nothing was sent: your reply holds a link, or a name that reads as one, that neither a person nor a function gave, or many links of "
    "one site that only a page gave. People would not see it. Answer in whole sentences without it; where a function can find out, call "
    "it first."
)
_CLAIM: Final = (
    "Nothing was sent: your reply says that you set a reminder, keep a note or delete something, or will do so, but no function of this "
    "turn did that. Call the function, with `reply` beside it. If it was done before, or cannot be done, say that in your reply instead."
)
_FAILED: Final = (
    "Nothing was sent: your reply says that it is done, but the last function that should do it answered with an error. Read the error and "
    "call it again, with `reply` beside it; if it cannot be done, say in your reply what was not done."
)
_FEWER_CALLS: Final = (
    "Nothing was done: you made far too many calls at once. Call what you need next, a few functions at a time."
)
_REFUSED: Final = (
    Remedy.WITHOUT_RESULTS,
    Remedy.ASKED_ONLY,
    Remedy.UNREAD,
    Remedy.WITHOUT_RESULTS,  # a reading may bring back what was left out of the prompt
    Remedy.WITHOUT_MEDIA,
)

UNANSWERED: Final = Trouble(name="UNANSWERED", remedies=(Remedy.AGAIN, Remedy.OTHER_MODEL), is_passing=True)
"""No answer in time, 408, 5xx, or a body that cannot be read."""
RATE_LIMITED: Final = Trouble(name="RATE_LIMITED", remedies=(Remedy.OTHER_MODEL, Remedy.AGAIN), is_passing=True)
"""The provider asks for a pause, which a second model need not make."""
REQUEST_REFUSED: Final = Trouble(name="REQUEST_REFUSED", remedies=(Remedy.WITHOUT_MEDIA, Remedy.OTHER_MODEL))
"""400: most often a medium that cannot be decoded.  Source: google-gemini/gemini-cli #27244, GeminiWithFiles #7."""
MODEL_REFUSED: Final = Trouble(name="MODEL_REFUSED", remedies=(Remedy.OTHER_MODEL,))
"""401, 403, 404: the key or the model's name is at fault, not what is asked."""
PROMPT_BLOCKED: Final = Trouble(name="PROMPT_BLOCKED", remedies=_REFUSED, refuses=True)
BLANK: Final = Trouble(name="BLANK", remedies=(Remedy.NOTE, Remedy.OTHER_MODEL), note=_BLANK)
"""A reply that is empty as plain text."""
STRANGE_LINK: Final = Trouble(name="STRANGE_LINK", remedies=(Remedy.NOTE,), note=_LINK, can_be_sent=True)
"""A reply that would lose a link; without a better reply it is sent without the link."""
UNBACKED_CLAIM: Final = Trouble(name="UNBACKED_CLAIM", remedies=(Remedy.NOTE,), note=_CLAIM, can_be_sent=True)
"""A reply that claims a deed without its call; without a better reply it is sent."""

FAILED_CALL: Final = Trouble(name="FAILED_CALL", remedies=(Remedy.NOTE,), note=_FAILED, can_be_sent=True)
"""A reply that calls done what failed; without a better reply it is sent, and no receipt confirms it."""


def wrong_weekday(mismatch: str) -> Trouble:
    """Return the trouble with a weekday that is not its date's: `mismatch` is "Monday beside 2026-12-01, which is a Tuesday"."""
    note = f"Nothing was sent: your reply has {mismatch}. Reply again, with the date and the weekday that are meant."
    return Trouble(name="WRONG_WEEKDAY", remedies=(Remedy.NOTE,), note=note, can_be_sent=True)


EMPTY: Final = Trouble(name="EMPTY", remedies=(Remedy.AGAIN, Remedy.NOTE, Remedy.OTHER_MODEL), note=_CALL_A_TOOL)
TEXT_ONLY: Final = Trouble(name="TEXT_ONLY", remedies=(Remedy.ENDING, Remedy.OTHER_MODEL), note=_CALL_A_TOOL)
ENDLESS: Final = Trouble(name="ENDLESS", remedies=(Remedy.NOTE, Remedy.ENDING, Remedy.OTHER_MODEL), note=_FEWER_CALLS)
"""A loop of the model's own: an answer of 4 MB can hold 16,000 calls. No call is run, and the answer is not sent back."""
MOST_CALLS: Final = 64
"""Calls of an answer that is accepted; the first 16 are run."""

_DECIDED_BY_PARTS: Final = frozenset({"STOP", "TOO_MANY_TOOL_CALLS", "FINISH_REASON_UNSPECIFIED"})
_BY_FINISH_REASON: Final[Mapping[str, Trouble]] = {
    trouble.name: trouble
    for trouble in (
        Trouble(name="MALFORMED_FUNCTION_CALL", remedies=(Remedy.AGAIN, Remedy.VALIDATED, Remedy.OTHER_MODEL)),
        Trouble(
            name="UNEXPECTED_TOOL_CALL", remedies=(Remedy.NOTE, Remedy.ENDING, Remedy.OTHER_MODEL), note=_CALL_A_TOOL
        ),
        Trouble(name="MISSING_THOUGHT_SIGNATURE", remedies=(Remedy.START_OVER, Remedy.OTHER_MODEL)),
        Trouble(name="MALFORMED_RESPONSE", remedies=(Remedy.START_OVER, Remedy.OTHER_MODEL)),
        Trouble(name="MAX_TOKENS", remedies=(Remedy.MORE_OUTPUT, Remedy.MORE_OUTPUT, Remedy.OTHER_MODEL)),
        Trouble(name="CONTINUATION", remedies=(Remedy.AGAIN, Remedy.OTHER_MODEL)),
        Trouble(name="RECITATION", remedies=(Remedy.AGAIN, *_REFUSED), refuses=True),
        Trouble(name="OTHER", remedies=(Remedy.AGAIN, *_REFUSED), refuses=True),
        *(
            Trouble(name=reason, remedies=_REFUSED, refuses=True)
            for reason in ("SAFETY", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII", "LANGUAGE", "MODEL_ARMOR", "ESCALATION")
        ),
    )
}


def trouble_with(response: ModelResponse) -> Trouble | None:
    """Return None if the answer's calls can be run, else the trouble with the answer.

    An unknown finish reason is judged by the answer's parts, like STOP. For example, STOP with text but without calls is TEXT_ONLY.
    """
    if response.block_reason is not None:
        return PROMPT_BLOCKED
    trouble = _BY_FINISH_REASON.get(response.finish_reason)
    if trouble is not None and response.finish_reason not in _DECIDED_BY_PARTS:
        return trouble
    if len(response.calls) > MOST_CALLS:
        return ENDLESS
    if response.content is not None and response.calls:
        return None
    return TEXT_ONLY if response.text.strip() else EMPTY


def trouble_of(error: ModelUnavailableError | ModelRefusedError) -> Trouble:
    """Return the trouble behind an error of the adapter; for example, a 429 with `retry_after_s` is RATE_LIMITED."""
    if isinstance(error, ModelRefusedError):
        return REQUEST_REFUSED if error.is_about_request else MODEL_REFUSED
    return UNANSWERED if error.retry_after_s is None else RATE_LIMITED
