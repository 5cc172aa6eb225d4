r"""Text without invisible characters that no writing needs: a line must look the same to the model as to people.

Line breaks and tabs stay, and so do the format characters of scripts and emoji: joiners, marks of direction, spaces without width,
variation selectors, the tags of a flag. Of several in a row the first stays, because a row can spell words that only a model reads.
Characters that turn a line around are removed. Readers of a line's beginning skip the remaining ones (`shared/agent/transcript.py`).
Source: Unicode 15, UnicodeData.txt, categories Cc and Cf; UAX #9, "Explicit Directional Embeddings", "Overrides", "Isolates"; UTS #51,
"Emoji Tag Sequence"; Unicode 15, section 23.4, "Variation Selectors": one follows a character.
"""

import re
from typing import Final

from shared.late_patterns import late
from shared.line.utf16 import without_lone_surrogates

_FLAG: Final = r"\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{2,6}\U000e007f"
_NEEDLESS: Final = late(
    re.compile,
    rf"({_FLAG})|"
    r"[\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f"  # controls, but for those that end lines or stand for spaces
    r"\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\ufff0-\ufffb"  # signs of numbers and notes in a line, and unassigned code points
    r"\u202a-\u202e\u2061-\u206f\ufeff\U000e0000-\U000e007f"  # marks that turn a line around, invisible operators, tags
    r"\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a]",
)
_ROW: Final = late(
    re.compile,
    r"[\u00ad\u061c\u180e\u200b-\u200f\u2060]{2,}|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2,}",
)


def readable(text: str) -> str:
    r"""Return the text without needless invisible characters, and with U+FFFD for every lone surrogate.

    For example, `"a\n\x1b[note]"` becomes `"a\n[note]"`, and the second line is recognised as an imitation of the system's lines.
    """
    if not text.isprintable():  # no needless character is printable
        text = _NEEDLESS.sub(r"\1", without_lone_surrogates(text))
    return _ROW.sub(lambda row: row[0][0], text)
