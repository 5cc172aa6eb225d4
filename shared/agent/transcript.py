r"""The chat as lines of a prompt.  A line that begins with `[` was written by this system; no text of a person can begin one.

    [Yuki | 2026-11-22 12:00] words of a person, over as many lines as they are
    [you | 2026-11-22 12:01] words of the bot
    [note] a remark of this system, which holds no words of people
    [recap | until 2026-11-20 08:00], [filed]: data that came from people's words

Within data, controls and other characters that no writing needs are left out, line breaks of every kind become `\n`, and a bracket with
which a line would begin, or that looks like one, is escaped: `\[`. Names in headers have neither brackets nor bars
(`shared/line/display_names.py`).
"""

import re
from typing import Final

from shared.agent.token_estimate import estimated_tokens, within_tokens
from shared.line.graphemes import boundary_before
from shared.line.readable import readable

MESSAGE_TOKENS: Final = 1_500
"""Tokens of one earlier message or answer; a message that the turn answers may be longer."""
ASKED_TOKENS: Final = 6_000
_BREAKS: Final = re.compile(r"\r\n|[\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_LOOKS_LIKE_BRACKET: Final = "[\uff3b\u2045\u27e6\u301a\u2772\ufe5d\u3014\u298b\u27ec"
_CLOSING: Final = "]\uff3d\u2046\u27e7\u301b\u2773\ufe5e\u3015\u298c\u27ed"
_ROUND: Final = str.maketrans({**dict.fromkeys(_LOOKS_LIKE_BRACKET, "("), **dict.fromkeys(_CLOSING, ")")})
# Characters that show nothing, or a space: what stands before a bracket does not hide it
_INVISIBLE: Final = (
    r"[\t \u00a0\u1680\u2000-\u200f\u202a-\u202f\u205f-\u206f\u3000\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    r"\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]"
)
_HEADER: Final = re.compile(rf"^({_INVISIBLE}*+)([{re.escape(_LOOKS_LIKE_BRACKET)}])", re.MULTILINE)
_PLACEHOLDER: Final = re.compile(r"\[([^\n]*)\]")


def words(text: str, *, limit_tokens: int = MESSAGE_TOKENS) -> str:
    """Return words of a person, or of a model, as data: no line of them can pass for a header."""
    return _HEADER.sub(_escape, _BREAKS.sub("\n", readable(shortened(text, limit_tokens=limit_tokens))))


def placeholder(text: str, *, limit_tokens: int = MESSAGE_TOKENS) -> str:
    """Return what stands for a medium, such as `[file: plan.pdf, 2 kB]`: one line, whose brackets are the first and the last character."""
    line = " ".join(readable(shortened(text, limit_tokens=limit_tokens)).split())
    found = _PLACEHOLDER.fullmatch(line)
    inner = found[1] if found else line
    return f"[{inner.translate(_ROUND)}]"


def header(name: str, time: str) -> str:
    """Return the header of what a member or the bot said."""
    return f"[{name} | {time}]"


def shortened(text: str, *, limit_tokens: int) -> str:
    """Return the text, or its beginning with a remark on how much was left out."""
    if len(text) <= limit_tokens or estimated_tokens(text) <= limit_tokens:
        return text
    kept = text[: boundary_before(text, len(within_tokens(text, limit_tokens)))]
    return f"{kept.rstrip()} … ({len(text) - len(kept)} more characters are left out here)"


def _escape(found: re.Match[str]) -> str:
    return f"{found[1]}\\{found[2]}"
