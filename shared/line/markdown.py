"""Markdown as the plain text that LINE shows: emphasis without markers, links as `text (url)`, lists and headings on separate lines.

No word is lost, and text that is no markup stays as it was written.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from markdown_it.token import Token

from shared.line.markdown_rules import MAX_NESTING, chat_markdown, label_budget

_PARSER: Final = chat_markdown()
_LANGUAGE: Final = re.compile(r"[A-Za-z0-9+#.-]{1,20}")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Block:
    """A block of the plain text, and the lines of the source that it comes from."""

    text: str
    lines: tuple[int, int]


def plain_text(markdown: str) -> str:
    """Return the text without Markdown.  A text that nests to MAX_NESTING stays as it is; after hundreds of open brackets, so do links."""
    lines = markdown.replace("\r\n", "\n").replace("\r", "\n")
    try:
        tokens = _PARSER.parse(lines, label_budget(lines))
    except RecursionError:
        return markdown
    if any(_is_too_deep(token) for token in tokens):
        return markdown
    return _join(_Walk(source=lines.split("\n")).blocks(tokens)) or markdown.strip()


def _is_too_deep(token: Token) -> bool:
    return token.level >= MAX_NESTING - 1 or any(child.level >= MAX_NESTING - 1 for child in token.children or ())


@dataclass(slots=True)
class _Walk:
    """The state of a walk over the tokens: the current lines, list items and table row.

    `markers` are the markers of the enclosing list items; each becomes spaces once a line has shown it.
    """

    source: Sequence[str]
    lines: tuple[int, int] = (0, 0)
    markers: list[str] = field(default_factory=list)
    row: list[str] | None = None
    is_head: bool = False

    def blocks(self, tokens: Sequence[Token]) -> Iterator[_Block]:
        """Yield the blocks in order."""
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
        elif (marker := self.markers.pop()).strip():  # an item without text
            margin = "  " * len(self.markers)
            self.lines = (self.lines[0], self.lines[0] + 1)
            yield _Block(text=margin + marker.rstrip().replace("-", token.markup), lines=self.lines)

    def _row(self, token: Token) -> Iterator[_Block]:
        match token.type:
            case "tr_open":
                self.row = []
            case "tr_close":
                block = self._block(" | ".join(self.row or ()))
                yield replace(
                    block, lines=(block.lines[0], block.lines[1] + self.is_head)
                )  # the delimiter row below the head
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
            info = (
                "" if _LANGUAGE.fullmatch(token.info.strip()) and token.content.strip() else f"{token.info.strip()}\n"
            )
            return (info + token.content).strip("\n")
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


def _join(blocks: Iterator[_Block]) -> str:
    """Join the blocks: adjacent lines stay adjacent, others get a blank line between them."""
    text, line = "", 0
    for block in blocks:
        first_line, end_line = block.lines
        gap = "" if not text else "\n" if first_line <= line else "\n\n"
        text += gap + block.text
        line = end_line
    return text
