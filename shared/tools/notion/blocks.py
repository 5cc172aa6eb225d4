"""Blocks from Markdown: headings, lists, to-dos, quotes, dividers and code become blocks of the same type, everything else paragraphs.

For example, `- [ ] milk` becomes a `to_do` block. Nested items become flat, and inline marks stay as text.
Source: Notion API reference, "Block" (types, languages of code) and "Request limits" (2,000 characters a text, 100 blocks a request).
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from shared.agent.model import Json
from shared.line.graphemes import split_at_graphemes
from shared.tools.notion.plain_values import plain_text
from shared.tools.notion.properties import TEXT_LIMIT

BLOCKS_A_REQUEST: Final = 100
_HEADING: Final = re.compile(r"(#{1,6})[ \t]+(.*)")
_TO_DO: Final = re.compile(r"[-*+][ \t]+\[([ xX])\][ \t]+(.*)")
_BULLET: Final = re.compile(r"(?:[-*+][ \t]+|・[ \t]*)(.*)")
_NUMBER: Final = re.compile(r"\d{1,9}[.)][ \t]+(.*)")
_QUOTE: Final = re.compile(r">[ \t]?(.*)")
_DIVIDER: Final = re.compile(r"(?:-[ \t]*+){3,}+|(?:\*[ \t]*+){3,}+|(?:_[ \t]*+){3,}+")
# Possessive: trying a run at several lengths would cost the cube of the length
_FENCE: Final = re.compile(r"(`{3,}+|~{3,}+)[ \t]*+([^\s`]*+)[^`]*+")
_DEEPEST_HEADING: Final = 3
_PLAIN: Final = "plain text"
# Languages of Notion that are common after a fence, and aliases
_LANGUAGES: Final = frozenset(
    {
        *("bash", "c", "c#", "c++", "clojure", "css", "dart", "diff", "docker", "elixir", "erlang", "fortran", "go", "graphql"),
        *("groovy", "haskell", "html", "java", "javascript", "json", "julia", "kotlin", "latex", "less", "lisp", "lua", "makefile"),
        *("markdown", "matlab", "mermaid", "nix", "objective-c", "ocaml", "pascal", "perl", "php", "powershell", "prolog", "protobuf"),
        *("python", "r", "ruby", "rust", "sass", "scala", "scheme", "scss", "shell", "solidity", "sql", "swift", "typescript"),
        *("vb.net", "verilog", "vhdl", "visual basic", "webassembly", "xml", "yaml"),
    }
)  # fmt: skip
_ALIASES: Final = {
    "py": "python",
    "js": "javascript",
    "ts": "typescript",
    "sh": "shell",
    "yml": "yaml",
    "cpp": "c++",
    "cs": "c#",
}


def blocks_of(markdown: str) -> tuple[Json, ...]:
    """Return the blocks, each of at most 2,000 characters, with every word of the text."""
    return tuple(_blocks(markdown.replace("\r\n", "\n").replace("\r", "\n").split("\n")))


def batches(blocks: Sequence[Json]) -> Iterator[Sequence[Json]]:
    """Yield the blocks in batches of at most BLOCKS_A_REQUEST."""
    for start in range(0, len(blocks), BLOCKS_A_REQUEST):
        yield blocks[start : start + BLOCKS_A_REQUEST]


def text_of(block: Json) -> str:
    """Return the words of a block from Notion, or of a block to be sent."""
    inner = block.get(str(block.get("type")))
    return plain_text(inner.get("rich_text")) if isinstance(inner, dict) else ""


def _blocks(lines: Sequence[str]) -> Iterator[Json]:
    paragraph: list[str] = []
    position = 0
    while position < len(lines):
        line = lines[position].strip()
        fence = _FENCE.fullmatch(line)
        block = None if fence else _line_block(line)
        if line and not fence and block is None:
            paragraph.append(lines[position].rstrip())
            position += 1
            continue
        yield from _texts("paragraph", "\n".join(paragraph))
        paragraph = []
        if fence:
            code, position = _code(lines, position + 1, fence[1])
            yield from _texts("code", code, language=_language(fence[2]))
            continue
        yield from block or ()
        position += 1
    yield from _texts("paragraph", "\n".join(paragraph))


def _line_block(line: str) -> list[Json] | None:
    """Return the blocks of a line with a marker, such as `# Title` or `- milk`; None for a line of a paragraph."""
    if _DIVIDER.fullmatch(line):
        return [{"type": "divider", "divider": {}}]
    if match := _HEADING.fullmatch(line):
        return _texts(f"heading_{min(len(match[1]), _DEEPEST_HEADING)}", match[2])
    if match := _TO_DO.fullmatch(line):
        return _texts("to_do", match[2], checked=match[1] in "xX")
    for pattern, type_ in ((_BULLET, "bulleted_list_item"), (_NUMBER, "numbered_list_item"), (_QUOTE, "quote")):
        if match := pattern.fullmatch(line):
            return _texts(type_, match[1])
    return None


def _code(lines: Sequence[str], start: int, fence: str) -> tuple[str, int]:
    """Return the code up to the closing fence, or to the end if no fence closes, and the position of the next line."""
    for end in range(start, len(lines)):
        closing = lines[end].strip()
        if len(closing) >= len(fence) and set(closing) == {fence[0]}:
            return "\n".join(lines[start:end]), end + 1
    return "\n".join(lines[start:]), len(lines)


def _language(tag: str) -> str:
    name = _ALIASES.get(tag.lower(), tag.lower())
    return name if name in _LANGUAGES else _PLAIN


def _texts(type_: str, text: str, **more: object) -> list[Json]:
    """Return a block, or several if the text is longer than TEXT_LIMIT."""
    return [
        {"type": type_, type_: {"rich_text": [{"type": "text", "text": {"content": piece}}], **more}}
        for piece in split_at_graphemes(text, limit_utf16=TEXT_LIMIT)
    ]
