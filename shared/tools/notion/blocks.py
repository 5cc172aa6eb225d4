"""Blocks from Markdown: headings, lists, to-dos, quotes, dividers and code become their block types, everything else paragraphs.

Nested items lose their nesting, and inline marks stay as text. Source: Notion API reference, "Block" (types, languages of code) and
"Request limits" (2,000 characters a text, 100 blocks a request).
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
# Possessive: a run that was tried at several lengths would cost the cube of its length
_FENCE: Final = re.compile(r"(`{3,}+|~{3,}+)[ \t]*+([^\s`]*+)[^`]*+")
_DEEPEST_HEADING: Final = 3
_PLAIN: Final = "plain text"
# Notion's languages that are common behind a fence, and their other names
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
    """Return the blocks, none with more than 2,000 characters; together they hold every word."""
    return tuple(_blocks(markdown.replace("\r\n", "\n").replace("\r", "\n").split("\n")))


def batches(blocks: Sequence[Json]) -> Iterator[Sequence[Json]]:
    """Yield the blocks in batches of as many as one request takes."""
    for start in range(0, len(blocks), BLOCKS_A_REQUEST):
        yield blocks[start : start + BLOCKS_A_REQUEST]


def text_of(block: Json) -> str:
    """Return the words of a block, as Notion returns it or as it is sent."""
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
    """Return the blocks of a line that is not part of a paragraph; None where it is."""
    if _DIVIDER.fullmatch(line):
        return [{"type": "divider", "divider": {}}]
    if found := _HEADING.fullmatch(line):
        return _texts(f"heading_{min(len(found[1]), _DEEPEST_HEADING)}", found[2])
    if found := _TO_DO.fullmatch(line):
        return _texts("to_do", found[2], checked=found[1] in "xX")
    for pattern, type_ in ((_BULLET, "bulleted_list_item"), (_NUMBER, "numbered_list_item"), (_QUOTE, "quote")):
        if found := pattern.fullmatch(line):
            return _texts(type_, found[1])
    return None


def _code(lines: Sequence[str], start: int, fence: str) -> tuple[str, int]:
    """Return the code up to its closing fence, or up to the end where there is none, and the position of the line after it."""
    for end in range(start, len(lines)):
        closing = lines[end].strip()
        if len(closing) >= len(fence) and set(closing) == {fence[0]}:
            return "\n".join(lines[start:end]), end + 1
    return "\n".join(lines[start:]), len(lines)


def _language(tag: str) -> str:
    name = _ALIASES.get(tag.lower(), tag.lower())
    return name if name in _LANGUAGES else _PLAIN


def _texts(type_: str, text: str, **more: object) -> list[Json]:
    """Return one block, or several where the text is too long for one."""
    return [
        {"type": type_, type_: {"rich_text": [{"type": "text", "text": {"content": piece}}], **more}}
        for piece in split_at_graphemes(text, limit_utf16=TEXT_LIMIT)
    ]
