"""Markdown as plain text for LINE: emphasis without markers, links as `text (url)`, lists and headings on separate lines.

For example, `**Bold** [LINE](https://line.me)` -> `Bold LINE (https://line.me)`. No word is lost, and text without markup is unchanged.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from markdown_it.rules_block.table import escapedSplit
from markdown_it.token import Token

from shared.frozen import frozen
from shared.line.markdown_rules import MAX_NESTING, chat_markdown, label_budget

_RULE_MARKS: Final = 3  # Source: CommonMark, "Thematic breaks"
_LANGUAGE: Final = re.compile(r"[A-Za-z0-9+#.-]{1,20}")


@frozen
class _Block:
    """A block of the plain text, and the source lines of the block."""

    text: str
    lines: tuple[int, int]


def plain_text(markdown: str) -> str:
    """Return the text without Markdown.  A text nested to MAX_NESTING is unchanged, as are links after hundreds of open brackets."""
    lines = markdown.replace("\r\n", "\n").replace("\r", "\n")
    tokens = chat_markdown().parse(lines, label_budget(lines))
    if any(token.level >= MAX_NESTING - 1 for token in tokens):
        return markdown
    return _join(_Walk(source=lines.split("\n")).blocks(tokens)) or markdown.strip()


@dataclass(slots=True)
class _Walk:
    """The state of a walk over the tokens: the current lines, list items and table rows.

    `markers` are the markers of the enclosing list items; each marker becomes spaces once shown on a line. `rows` holds the cells of the
    open row.
    """

    source: Sequence[str]
    lines: tuple[int, int] = (0, 0)
    markers: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
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
                case "inline" if self.rows:
                    self.rows[-1].append(_words(token))
                case "hr":
                    yield self._block(self._rule(token))
                case "inline" | "fence" | "code_block":
                    yield self._block(_leaf(token))
                case _:
                    pass

    def _rule(self, token: Token) -> str:
        """Return a rule as written; within a list item, whose line begins with the item's marker, only its first marks."""
        return token.markup[:_RULE_MARKS] if self.markers else self.source[self.lines[0]].strip()

    def _item(self, token: Token) -> Iterator[_Block]:
        if token.nesting == 1:
            number = f"{token.info}{token.markup}" if token.info else token.markup.replace("*", "-")
            self.markers.append(f"{number} ")
            return
        if self.markers[-1].strip():  # an item without text
            self.lines = (self.lines[0], self.lines[0] + 1)
            self.markers[-1] = self.markers[-1].replace("-", token.markup)
            block = self._block("")
            yield replace(block, text=block.text.rstrip())
        self.markers.pop()

    def _row(self, token: Token) -> Iterator[_Block]:
        match token.type:
            case "tr_open":
                self.rows.append([])
            case "tr_close":
                cells = self.rows.pop()
                block = self._block(" | ".join([*cells, *self._surplus(len(cells))]))
                # The head includes the delimiter row below it
                yield replace(block, lines=(block.lines[0], block.lines[1] + self.is_head))
            case _:
                self.is_head = token.type == "thead_open"

    def _surplus(self, columns: int) -> Iterator[str]:
        """Yield the cells of a row beyond the columns of the head; the parser leaves such cells out."""
        if self.is_head:
            return
        cells = [cell.strip() for cell in escapedSplit(self.source[self.lines[0]].strip())]
        begin = columns + (not cells[0])
        surplus = cells[begin : len(cells) - (not cells[-1])]
        if any(surplus):
            (inline,) = chat_markdown().parseInline(" | ".join(surplus), label_budget(self.source[self.lines[0]]))
            yield _words(inline)

    def _block(self, text: str) -> _Block:
        if not self.markers:
            return _Block(text=text, lines=self.lines)
        *outer, marker = self.markers
        # An outer item may begin with an inner item, so that both markers stand on the same line
        begin = "".join(outer_marker if outer_marker.strip() else "  " for outer_marker in outer) + marker
        margin = " " * min(len(marker), 3)
        self.markers = [*("  " for _ in outer), margin]
        first, *further = text.split("\n")
        continued = (self._margin(number) + line for number, line in enumerate(further, start=self.lines[0] + 1))
        return _Block(text="\n".join((begin + first, *continued)), lines=self.lines)

    def _margin(self, line: int) -> str:
        """Return the margin of a further line of an item: none if the source has none, for example in `- eggs`, `Thank you!`."""
        is_lazy = line < self.lines[1] and not self.source[line].startswith((" ", "\t"))
        return "" if is_lazy else "".join(self.markers)


def _leaf(token: Token) -> str:
    match token.type:
        case "fence":
            info = (
                "" if _LANGUAGE.fullmatch(token.info.strip()) and token.content.strip() else f"{token.info.strip()}\n"
            )
            return (info + token.content).strip("\n")
        case "code_block":
            return "    " + token.content.rstrip("\n").replace("\n", "\n    ")
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
                links.append((len(words), str(token.attrs["href"])))
            case "link_close":
                start, url = links.pop()
                words[start:] = [_link("".join(words[start:]), url)]
            case "image":
                words.append(_link(_words(token), str(token.attrs["src"])))
            case _:
                words.append(token.content)
    return "".join(words)


def _link(text: str, url: str) -> str:
    shown = url.removeprefix("mailto:").removeprefix("tel:")
    is_its_own_text = text.strip().rstrip("/") in {"", shown.rstrip("/"), url.rstrip("/")}
    return shown if is_its_own_text else f"{text} ({url})"


def _join(blocks: Iterator[_Block]) -> str:
    """Join the blocks: adjacent lines stay adjacent, a blank line separates other blocks."""
    text, line = "", 0
    for block in blocks:
        first_line, end_line = block.lines
        gap = "" if not text else "\n" if first_line <= line else "\n\n"
        text += gap + block.text
        line = end_line
    return text
