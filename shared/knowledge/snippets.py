"""Cut snippets from the original text, around what a search found in the folded one."""

from typing import Final

from shared.conversation.literal_runs import fold
from shared.knowledge.schema import cut
from shared.line.graphemes import graphemes

SNIPPET_LIMIT: Final = 100
_BEFORE: Final = 20


def snippet(text: str, query: str) -> str:
    """Return about a hundred units of the text around the first place that matches, in one line, whole graphemes only."""
    line = " ".join(text.split())
    at = fold(line).find(fold(query))
    clusters = graphemes(line)
    first, folded_length = 0, 0
    while first < len(clusters) and folded_length < at:
        folded_length += max(1, len(fold(clusters[first])))
        first += 1
    begin = max(0, first - _BEFORE)
    return ("…" if begin else "") + cut("".join(clusters[begin:]), limit=SNIPPET_LIMIT - 1)
