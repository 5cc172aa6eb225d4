"""Cut snippets from original texts, around words that a search found in the folded texts."""

from collections.abc import Sequence
from typing import Final

from shared.line.graphemes import cut, graphemes
from shared.search.folding import fold

SNIPPET_LIMIT: Final = 100
_BEFORE: Final = 20


def snippet(text: str, words: Sequence[str]) -> str:
    """Return about 100 UTF-16 units of the text, in one line and whole graphemes, around one of `words`.

    The first of `words` in the text counts; without any, the snippet is the beginning of the text. For example, the snippet for `["key"]`
    begins 20 graphemes before "key".
    """
    line = " ".join(text.split())
    folded = fold(line)
    at = next((place for one in words if (place := folded.find(fold(one))) >= 0), 0)
    clusters = graphemes(line)
    first, folded_length = 0, 0
    while first < len(clusters) and folded_length < at:
        folded_length += max(1, len(fold(clusters[first])))
        first += 1
    begin = max(0, first - _BEFORE)
    return ("…" if begin else "") + cut("".join(clusters[begin:]), limit_utf16=SNIPPET_LIMIT - 1)
