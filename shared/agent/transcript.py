r"""The chat as lines of a prompt.  A line that begins with `[` was written by this system; no person's text can begin such a line.

    [Yuki | 2026-11-22 12:00] words of a person, over any number of lines
    [you | 2026-11-22 12:01] words of the bot
    [note] a remark of this system, without words of people
    [note] Sun 2026-11-22: a day of the conversation; the lines of that day follow, with hours only: [Yuki | 12:00]
    [recap | until 2026-11-20 08:00], [filed]: data from people's words

Within data, controls and other characters without use in any script are removed, line breaks of every kind become `\n`, and a bracket, or a
character like a bracket, at the beginning of a line is escaped: `\[`. Names in headers have neither brackets nor bars
(`shared/line/display_names.py`).
"""

import datetime as dt
import re
from typing import Final

from shared.agent.moment import weekday_of
from shared.agent.token_estimate import estimated_tokens, within_tokens
from shared.late_patterns import late
from shared.line.graphemes import boundary_before
from shared.line.readable import readable

MESSAGE_TOKENS: Final = 1_500
"""Tokens of one earlier message or answer; a message that the turn answers may be longer."""
ASKED_TOKENS: Final = 6_000
DAY_NOTE_TOKENS: Final = 6
"""Tokens of a day's note."""
_DAY_NOTE: Final = late(re.compile, r"\[note\] \w{3} \d{4}-\d\d-\d\d:")
_BREAKS: Final = late(re.compile, r"\r\n|[\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_LOOKS_LIKE_BRACKET: Final = "[\uff3b\u2045\u27e6\u301a\u2772\ufe5d\u3014\u298b\u27ec"
_CLOSING: Final = "]\uff3d\u2046\u27e7\u301b\u2773\ufe5e\u3015\u298c\u27ed"
_ROUND: Final = str.maketrans({**dict.fromkeys(_LOOKS_LIKE_BRACKET, "("), **dict.fromkeys(_CLOSING, ")")})
# Characters that show nothing, or a space: a bracket after such characters is still escaped
_INVISIBLE: Final = (
    r"[\t \u00a0\u1680\u2000-\u200f\u202a-\u202f\u205f-\u206f\u3000\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    r"\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]"
)
_HEADER: Final = late(re.compile, rf"^({_INVISIBLE}*+)([{re.escape(_LOOKS_LIKE_BRACKET)}])", re.MULTILINE)
_PLACEHOLDER: Final = late(re.compile, r"\[([^\n]*)\]")


def words(text: str, *, limit_tokens: int = MESSAGE_TOKENS) -> str:
    r"""Return words of a person or a model as data, in which no line passes for a header: `words("[note] 1")` is `\[note] 1`."""
    return _HEADER.sub(_escape, _BREAKS.sub("\n", readable(shortened(text, limit_tokens=limit_tokens))))


def placeholder(text: str, *, limit_tokens: int = MESSAGE_TOKENS) -> str:
    """Return the stand-in for a medium in one line, with the only brackets at its ends; for example, `[file: plan.pdf, 2 kB]`."""
    line = " ".join(readable(shortened(text, limit_tokens=limit_tokens)).split())
    match = _PLACEHOLDER.fullmatch(line)
    inner = match[1] if match else line
    return f"[{inner.translate(_ROUND)}]"


def header(name: str, time: str) -> str:
    """Return the header of a line by a member or the bot: `header("Yuki", "2026-11-22 12:00")` is `[Yuki | 2026-11-22 12:00]`."""
    return f"[{name} | {time}]"


def day_note(day: dt.date) -> str:
    """Return the line that precedes the lines of a day: `day_note(dt.date(2026, 11, 22))` is `[note] Sun 2026-11-22:`."""
    return f"[note] {weekday_of(day)} {day.isoformat()}:"


def is_day_note(line: str) -> bool:
    """Return whether the line is the note of a day; no line of a person's words is, because its bracket is escaped."""
    return _DAY_NOTE.fullmatch(line) is not None


def shortened(text: str, *, limit_tokens: int) -> str:
    """Return the text, or its beginning with a remark on the number of omitted characters."""
    if len(text) <= limit_tokens or estimated_tokens(text) <= limit_tokens:
        return text
    beginning = text[: boundary_before(text, len(within_tokens(text, limit_tokens)))]
    return f"{beginning.rstrip()} … ({len(text) - len(beginning)} more characters are left out here)"


def _escape(match: re.Match[str]) -> str:
    return f"{match[1]}\\{match[2]}"
