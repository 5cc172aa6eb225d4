r"""Markdown as the plain text that LINE shows: emphasis without its stars, links as `text (url)`, lists and headings on lines of their own.

Words are never lost, and what is no markup stays as it was written. CommonMark takes `2*3*4`, `(*^_^*)`, `^_^ ... ^_^` and `C:\_x` for
markup, and leaves `**「重要」**です` as it stands. Chats are full of the former and models of the latter, so emphasis, escapes and
code have rules of their own here; everything else follows CommonMark.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_block.fence import fence
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.backticks import backtick
from markdown_it.rules_inline.state_inline import Delimiter
from markdown_it.token import Token

MAX_NESTING: Final = 60
_BARE_URL: Final = re.compile(r"https?://[^\s<>「」『』（）、。\[\]]+")
_LINK: Final = re.compile(r"(?:https?|line)://|mailto:|tel:", re.IGNORECASE)
_RUNS: Final = {"*": (1, 2, 3), "_": (1,), "~": (2,)}  # how long a run may be that is emphasis; `__init__` is none
_ESCAPED: Final = frozenset("*`#~|")
_FACE: Final = frozenset("(（")
_OPENING: Final = frozenset({"Ps", "Pi"})
_BEFORE_WORDS: Final = frozenset("\"'`$#@&!+~_*\\")


class _ChatMarkdown(MarkdownIt):
    """Takes for a link only what a phone can open, and leaves its address as it was written."""

    def normalizeLink(self, url: str) -> str:  # noqa: N802 - the parser's own name
        return url

    def validateLink(self, url: str) -> bool:  # noqa: N802
        return _LINK.match(url) is not None


def chat_markdown() -> MarkdownIt:
    """Return a parser for what models write in chats: no HTML, no entities, no references, quotes and setext headings as they stand."""
    parser = _ChatMarkdown("commonmark", {"html": False, "maxNesting": MAX_NESTING}).enable("table")
    parser.disable(["blockquote", "lheading", "reference", "html_block", "html_inline", "entity"])
    parser.block.ruler.at("fence", _fence, {"alt": ["paragraph", "list"]})
    parser.inline.ruler.at("escape", _escape)
    parser.inline.ruler.at("backticks", _code)
    parser.inline.ruler.at("emphasis", _emphasis)
    parser.inline.ruler.before("escape", "bare_url", _bare_url)
    parser.inline.ruler2.at("balance_pairs", _pair)
    parser.inline.ruler2.disable(["emphasis"])
    return parser


def _fence(state: StateBlock, first_line: int, end_line: int, silent: bool) -> bool:  # noqa: FBT001 - the parser's own signature
    """Code stands between lines of backticks; `~~~` is a drawn-out vowel."""
    start = state.bMarks[first_line] + state.tShift[first_line]
    return state.src.startswith("`", start) and fence(state, first_line, end_line, silent)


def _bare_url(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - the parser's own signature
    """Nothing inside a bare URL is markup."""
    scheme = next((one for one in ("https", "http") if state.src.endswith(one, 0, state.pos)), None)
    found = _BARE_URL.match(state.src, state.pos - len(scheme)) if scheme and state.src[state.pos] == ":" else None
    if found is None:
        return False
    rest = found[0].rstrip("*_~`)")[len(scheme or "") :]
    if not silent:
        state.pending += rest
    state.pos += len(rest)
    return True


def _escape(state: StateInline, silent: bool) -> bool:  # noqa: FBT001
    r"""A backslash goes before what would be markup without it; `¯\_(ツ)_/¯` and `\(^o^)/` keep theirs."""
    following = state.src[state.pos + 1 : state.pos + 2]
    if state.src[state.pos] != "\\" or not following:
        return False
    is_in_word = following == "_" and _is_word(_before(state)) and _is_word(state.src[state.pos + 2 : state.pos + 3])
    kept = following if following in _ESCAPED or is_in_word else "\\"
    if not silent:
        state.pending += kept
    state.pos += 2 if kept == following else 1
    return True


def _code(state: StateInline, silent: bool) -> bool:  # noqa: FBT001
    """A backtick before a closing bracket is the cheek of a face."""
    if state.src[state.pos] == "`" and state.src[state.pos + 1 : state.pos + 2] in {")", "）"}:
        if not silent:
            state.pending += "`"
        state.pos += 1
        return True
    return backtick(state, silent)


def _emphasis(state: StateInline, silent: bool) -> bool:  # noqa: FBT001
    """A run of `*`, `_` or `~` is one token, and noted where it may open or close emphasis."""
    marker = state.src[state.pos]
    if silent or marker not in _RUNS:
        return False
    end = state.pos
    while end < state.posMax and state.src[end] == marker:
        end += 1
    length = end - state.pos
    may_open, may_close = _role(marker, length, _before(state), state.src[end] if end < state.posMax else "")
    state.push("text", "", 0).content = marker * length
    state.delimiters.append(
        Delimiter(
            marker=ord(marker), length=length, token=len(state.tokens) - 1, end=-1, open=may_open, close=may_close
        )
    )
    state.pos = end
    return True


def _role(marker: str, length: int, before: str, after: str) -> tuple[bool, bool]:
    """Whether a run may open emphasis, and whether it may close it."""
    if length not in _RUNS[marker]:
        return False, False
    follows_words = before != "" and not before.isspace() and unicodedata.category(before) not in _OPENING
    if marker == "_":
        return not _is_word(before) and _is_word(after), follows_words and not _is_word(after)
    may_open = _begins_words(after) and not (_is_word(before) if marker == "~" else _is_ascii_word(before))
    if length > 1:
        return may_open, follows_words
    return may_open and before not in _FACE, follows_words and not _is_ascii_word(after)


def _begins_words(after: str) -> bool:
    category = unicodedata.category(after) if after else ""
    return category[:1] in {"L", "N"} or category == "So" or category in _OPENING or after in _BEFORE_WORDS


def _pair(state: StateInline) -> None:
    """What opens and the next of the same kind that closes vanish; everything else stays."""
    _pair_among(state, state.delimiters)
    for meta in state.tokens_meta:
        if meta and "delimiters" in meta:
            _pair_among(state, meta["delimiters"])


def _pair_among(state: StateInline, delimiters: Sequence[Delimiter]) -> None:
    openers: dict[tuple[int, int], list[int]] = {}
    for index, run in enumerate(delimiters):
        kind = (run.marker, run.length)
        if run.close and openers.get(kind):
            opener = openers[kind].pop()
            for others in openers.values():
                while others and others[-1] > opener:
                    others.pop()
            state.tokens[delimiters[opener].token].content = state.tokens[run.token].content = ""
        elif run.open:
            openers.setdefault(kind, []).append(index)


def _before(state: StateInline) -> str:
    return state.src[state.pos - 1] if state.pos else ""


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _is_ascii_word(character: str) -> bool:
    return character != "" and character.isascii() and (character.isalnum() or character in ")]_")


_PARSER: Final = chat_markdown()
_LANGUAGE: Final = re.compile(r"[A-Za-z0-9+#.-]{1,20}")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Block:
    """A piece of the text and the lines of the source that it comes from."""

    text: str
    lines: tuple[int, int]


def plain_text(markdown: str) -> str:
    """Return the text without Markdown.  What nests deeper than anybody writes stays as it is."""
    lines = markdown.replace("\r\n", "\n").replace("\r", "\n")
    try:
        tokens = _PARSER.parse(lines)
    except RecursionError:
        return markdown
    if any(_is_too_deep(token) for token in tokens):
        return markdown
    return _joined(_Walk(source=lines.split("\n")).blocks(tokens)) or markdown.strip()


def _is_too_deep(token: Token) -> bool:
    return token.level >= MAX_NESTING - 1 or any(child.level >= MAX_NESTING - 1 for child in token.children or ())


@dataclass(slots=True)
class _Walk:
    """Where a walk over the tokens stands: in which lines, how deep in lists, in which row of a table.

    `markers` are those of the list items around; spaces once a line has shown them.
    """

    source: Sequence[str]
    lines: tuple[int, int] = (0, 0)
    markers: list[str] = field(default_factory=list)
    row: list[str] | None = None
    is_head: bool = False

    def blocks(self, tokens: Sequence[Token]) -> Iterator[_Block]:
        """Return what is to be read, in order."""
        for token in tokens:
            if token.map is not None and token.nesting >= 0:
                self.lines = (token.map[0], token.map[1])
            match token.type:
                case "list_item_open" | "list_item_close":
                    yield from self._item(token)
                case "thead_open" | "thead_close" | "tr_open" | "tr_close":
                    yield from self._row(token)
                case "inline" if self.row is not None:
                    self.row.append(_words(token))
                case "inline" | "fence" | "code_block" | "hr":
                    yield self._block(_leaf(token, self.source))
                case _:
                    pass

    def _item(self, token: Token) -> Iterator[_Block]:
        if token.nesting > 0:
            number = f"{token.info}{token.markup}" if token.info else token.markup.replace("*", "-")
            self.markers.append(f"{number} ")
        elif (marker := self.markers.pop()).strip():  # an item without words
            margin = "  " * len(self.markers)
            self.lines = (self.lines[0], self.lines[0] + 1)
            yield _Block(text=margin + marker.rstrip().replace("-", token.markup), lines=self.lines)

    def _row(self, token: Token) -> Iterator[_Block]:
        match token.type:
            case "tr_open":
                self.row = []
            case "tr_close":
                block = self._block(" | ".join(self.row or ()))
                yield replace(block, lines=(block.lines[0], block.lines[1] + self.is_head))  # the ruled line below
                self.row = None
            case _:
                self.is_head = token.nesting > 0

    def _block(self, text: str) -> _Block:
        if not self.markers:
            return _Block(text=text, lines=self.lines)
        margin, marker = "  " * (len(self.markers) - 1), self.markers[-1]
        self.markers[-1] = " " * min(len(marker), 3)
        return _Block(text=margin + marker + text.replace("\n", f"\n{margin}{self.markers[-1]}"), lines=self.lines)


def _leaf(token: Token, source: Sequence[str]) -> str:
    match token.type:
        case "fence":
            told = (
                "" if _LANGUAGE.fullmatch(token.info.strip()) and token.content.strip() else f"{token.info.strip()}\n"
            )
            return (told + token.content).strip("\n")
        case "code_block":
            return "    " + token.content.rstrip("\n").replace("\n", "\n    ")
        case "hr":
            return source[token.map[0]].strip() if token.map else token.markup
        case _:
            return _words(token)


def _words(inline: Token) -> str:
    words: list[str] = []
    links: list[tuple[int, str]] = []
    for token in inline.children or ():
        match token.type:
            case "softbreak" | "hardbreak":
                words.append("\n")
            case "link_open":
                links.append((len(words), str(token.attrGet("href") or "")))
            case "link_close":
                start, url = links.pop()
                words[start:] = [_link("".join(words[start:]), url)]
            case "image":
                words.append(_link(_words(token), str(token.attrGet("src") or "")))
            case _:
                words.append(token.content)
    return "".join(words)


def _link(text: str, url: str) -> str:
    shown = url.removeprefix("mailto:").removeprefix("tel:")
    is_its_own_text = text.strip().rstrip("/") in {"", shown.rstrip("/"), url.rstrip("/")}
    return shown if is_its_own_text else f"{text} ({url})"


def _joined(blocks: Iterator[_Block]) -> str:
    """Lines that followed each other still do; others are a blank line apart."""
    text, line = "", 0
    for block in blocks:
        first_line, end_line = block.lines
        gap = "" if not text else "\n" if first_line <= line else "\n\n"
        text += gap + block.text
        line = end_line
    return text
