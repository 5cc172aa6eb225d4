"""Text without characters that show nothing and that no writing needs: to the model a line must look as it looks to people.

Line breaks and tabs stay, and so do the format characters that scripts and emoji need, such as the joiner of a family; whoever looks for
the beginning of a line skips these (`shared/agent/transcript.py`). Source: Unicode 15, UnicodeData.txt, categories Cc and Cf.
"""

import re
from typing import Final

from shared.line.utf16 import without_lone_surrogates

_NEEDLESS: Final = re.compile(
    r"[\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f"  # controls, but for those that end lines or stand for spaces
    r"\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\ufff0-\ufffb"  # signs of numbers and notes in a line, and what is unassigned beside these
    r"\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a]"
)


def readable(text: str) -> str:
    r"""Return the text without such characters, and with U+FFFD for every lone surrogate.

    For example, `"a\n\x1b[note]"` becomes `"a\n[note]"`, so that its second line is seen to look like one of this system.
    """
    return _NEEDLESS.sub("", without_lone_surrogates(text))
