r"""The parser's rules for Markdown in chats.

CommonMark takes `2*3*4`, `(*^_^*)`, `^_^ ... ^_^` and `C:\_x` for markup, and does not take `**「重要」**です` for markup. People write
the former in chats, and models write the latter. So emphasis, escapes and code have rules of their own; the rest follows CommonMark.
"""

import re
import unicodedata
from bisect import bisect
from collections.abc import MutableMapping, Sequence
from functools import cache
from typing import Any, Final

from markdown_it import MarkdownIt
from markdown_it.helpers import parseLinkDestination, parseLinkLabel, parseLinkTitle
from markdown_it.rules_block import StateBlock
from markdown_it.rules_block.fence import fence
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.backticks import backtick
from markdown_it.rules_inline.state_inline import Delimiter

MAX_NESTING: Final = 60
_LABEL_BUDGET: Final = "label_budget"
_LEAST_BUDGET: Final = 50_000  # characters, ten times LINE's longest text
_READINGS: Final = 16
_NO_END: Final = -1  # the parser's own value for a text of a link that does not end
_BARE_URL: Final = re.compile(r"https?://[^\s<>「」『』（）、。\[\]]+")
_LINK: Final = re.compile(r"(?:https?|line)://|mailto:|tel:", re.IGNORECASE)
_RUNS: Final = {"*": (1, 2, 3), "_": (1,), "~": (2,)}  # the lengths of runs that are emphasis; `__init__` is none
_ESCAPED: Final = frozenset("*`#~|")
_FACE: Final = frozenset("(（")
_OPENING: Final = frozenset({"Ps", "Pi"})
_BOLD: Final = 2
_LABEL_ENDS: Final = (": ", "： ")  # models write `**Place: **Osaka`
_SIGNS: Final = frozenset({"Pd", "Po", "Sc"})
_OF_SENTENCES: Final = frozenset(",.:;!?、。，．：；！？｡､")
_BEFORE_WORDS: Final = frozenset("\"'`$#@&!+~_*\\")


def label_budget(markdown: str) -> MutableMapping[str, Any]:
    """Return the environment of a parse: the number of characters to be read in search of the ends of links' texts.

    The parser reads on from every `[` to the matching `]`, or to the end of the paragraph, at up to MAX_NESTING brackets a character.
    """
    return {_LABEL_BUDGET: _LEAST_BUDGET + _READINGS * len(markdown)}


class _Labels:
    """The parser's helpers, with a budget for reading the texts of links; a `[` beyond the budget is text."""

    parseLinkDestination = staticmethod(parseLinkDestination)  # noqa: N815 - the parser's own names
    parseLinkTitle = staticmethod(parseLinkTitle)  # noqa: N815

    @staticmethod
    def parseLinkLabel(state: StateInline, start: int, disableNested: bool = False) -> int:  # noqa: N802, N803, FBT001, FBT002
        if state.env[_LABEL_BUDGET] <= 0:
            return _NO_END
        end = parseLinkLabel(state, start, disableNested)
        state.env[_LABEL_BUDGET] -= (state.posMax if end == _NO_END else end) - start
        return end


class _ChatMarkdown(MarkdownIt):
    """Accepts as links only addresses that a phone can open, and leaves all addresses as written."""

    helpers: Any

    def normalizeLink(self, url: str) -> str:  # noqa: N802 - the parser's own name
        return url

    def normalizeLinkText(self, link: str) -> str:  # noqa: N802
        return link

    def validateLink(self, url: str) -> bool:  # noqa: N802
        return _LINK.match(url) is not None


@cache
def chat_markdown() -> MarkdownIt:
    """Return the parser.  HTML, entities, references, block quotes and setext headings are left as written."""
    parser = _ChatMarkdown("commonmark", {"html": False, "maxNesting": MAX_NESTING})
    parser.enable("table")
    parser.helpers = _Labels
    parser.disable(["blockquote", "lheading", "reference", "html_block", "html_inline", "entity"])
    parser.block.ruler.at("fence", _fence, {"alt": ["paragraph", "list"]})
    parser.inline.ruler.at("escape", _escape)
    parser.inline.ruler.at("backticks", _code)
    parser.inline.ruler.at("emphasis", _emphasis)
    parser.inline.ruler.before("escape", "bare_url", _bare_url)
    parser.inline.ruler2.at("balance_pairs", _pair)
    return parser


def _fence(state: StateBlock, first_line: int, end_line: int, silent: bool) -> bool:  # noqa: FBT001 - the parser's own signature
    """A fence of backticks begins code; `~~~` does not, because in chats it is a drawn-out vowel."""
    start = state.bMarks[first_line] + state.tShift[first_line]
    return state.src.startswith("`", start) and fence(state, first_line, end_line, silent)


def _bare_url(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - the parser's own signature
    """A bare URL is text, without markup inside."""
    scheme = next((candidate for candidate in ("https", "http") if state.src.endswith(candidate, 0, state.pos)), "")
    url = _BARE_URL.match(state.src, state.pos - len(scheme))
    if url is None:
        return False
    remainder = url[0].rstrip("*_~`)")[len(scheme) :]
    if not silent:
        state.pending += remainder
    state.pos += len(remainder)
    return True


def _escape(state: StateInline, silent: bool) -> bool:  # noqa: FBT001
    r"""A backslash before a markup character is removed; `¯\_(ツ)_/¯` and `\(^o^)/` keep their backslashes."""
    following = state.src[state.pos + 1 : state.pos + 2]
    if state.src[state.pos] != "\\" or not following:
        return False
    is_in_word = following == "_" and _is_word(_before(state)) and _is_word(state.src[state.pos + 2 : state.pos + 3])
    text = following if following in _ESCAPED or is_in_word else "\\"
    if not silent:
        state.pending += text
    state.pos += 2 if text == following else 1
    return True


def _code(state: StateInline, silent: bool) -> bool:  # noqa: FBT001
    """A backtick before a closing bracket is text, because it is part of a kaomoji."""
    if state.src[state.pos] == "`" and state.src[state.pos + 1 : state.pos + 2] in {")", "）"}:
        if not silent:
            state.pending += "`"
        state.pos += 1
        return True
    return backtick(state, silent)


def _emphasis(state: StateInline, silent: bool) -> bool:  # noqa: FBT001
    """A run of `*`, `_` or `~` becomes a token, which says whether the run may open or close emphasis."""
    marker = state.src[state.pos]
    if silent or marker not in _RUNS:
        return False
    end = state.pos
    while end < state.posMax and state.src[end] == marker:
        end += 1
    length = end - state.pos
    may_open, may_close = _role(marker, length, _before(state), state.src[end : min(end + 2, state.posMax)])
    if length == _BOLD:
        may_close = may_close or state.src.endswith(_LABEL_ENDS, 0, state.pos)
    state.push("text", "", 0).content = marker * length
    state.delimiters.append(
        Delimiter(
            marker=ord(marker), length=length, token=len(state.tokens) - 1, end=-1, open=may_open, close=may_close
        )
    )
    state.pos = end
    return True


def _role(marker: str, length: int, before: str, following: str) -> tuple[bool, bool]:
    """Return whether a run may open emphasis, and whether the run may close emphasis; `following` is two characters at most.

    For example, `_role("*", 1, "2", "3*")` -> `(False, False)`, so `2*3*4` has no emphasis.
    """
    if length not in _RUNS[marker]:
        return False, False
    after = following[:1]
    follows_words = before != "" and not before.isspace() and unicodedata.category(before) not in _OPENING
    if marker == "_":
        return not _is_word(before) and _is_word(after), follows_words and not _is_word(after)
    may_open = _begins_words(after) and not (_is_word(before) if marker == "~" else _is_ascii_word(before))
    if length == _BOLD:
        may_open = may_open or (_begins_with_sign(following) and not _is_ascii_word(before))
    if length > 1:
        return may_open, follows_words
    return may_open and before not in _FACE, follows_words and not _is_ascii_word(after)


def _begins_words(after: str) -> bool:
    category = unicodedata.category(after) if after else ""
    return category[:1] in {"L", "N"} or category == "So" or category in _OPENING or after in _BEFORE_WORDS


def _begins_with_sign(following: str) -> bool:
    """Whether a sign other than of a sentence stands before a word, as in `¥100`, `-3`, `※注意` and `/help`."""
    sign, word = following[:1], following[1:]
    if not word.isalnum() or sign in _OF_SENTENCES:
        return False
    category = unicodedata.category(sign)
    return category in _SIGNS or (category == "Sm" and not sign.isascii())


def _pair(state: StateInline) -> None:
    """Remove each opening run together with the next closing run of the same kind; other runs stay."""
    _pair_among(state, state.delimiters)
    for meta in filter(None, state.tokens_meta):
        _pair_among(state, meta["delimiters"])


def _pair_among(state: StateInline, delimiters: Sequence[Delimiter]) -> None:
    openers: dict[tuple[int, int], list[int]] = {}
    for index, run in enumerate(delimiters):
        kind = (run.marker, run.length)
        if run.close and openers.get(kind):
            opener = openers[kind].pop()
            for positions in openers.values():
                del positions[bisect(positions, opener) :]
            state.tokens[delimiters[opener].token].content = state.tokens[run.token].content = ""
        elif run.open:
            openers.setdefault(kind, []).append(index)


def _before(state: StateInline) -> str:
    return state.src[state.pos - 1] if state.pos else ""


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _is_ascii_word(character: str) -> bool:
    return character != "" and character.isascii() and (character.isalnum() or character in ")]_")
