"""Cut snippets from the original text, around what a search found in the folded one."""

from collections.abc import Sequence
from typing import Final

from shared.line.graphemes import cut, graphemes
from shared.search.folding import fold

SNIPPET_LIMIT: Final = 100
_BEFORE: Final = 20


def snippet(text: str, wanted: Sequence[str]) -> str:
    """Return about a hundred units of the text around the first place of the first wanted words that stand in it.

    One line, whole graphemes only; the beginning of the text where none of them stands in it.
    """
    line = " ".join(text.split())
    folded = fold(line)
    at = next((place for one in wanted if (place := folded.find(fold(one))) >= 0), 0)
    clusters = graphemes(line)
    first, folded_length = 0, 0
    while first < len(clusters) and folded_length < at:
        folded_length += max(1, len(fold(clusters[first])))
        first += 1
    begin = max(0, first - _BEFORE)
    return ("…" if begin else "") + cut("".join(clusters[begin:]), limit_utf16=SNIPPET_LIMIT - 1)
