r"""Removes what models write by mistake: escapes written twice, tags of HTML, citation marks, calls, thoughts, results.

For example, all of these go:

    買い物:\n- 牛乳   一行目<br>二行目   Tom &amp; Jerry   9時です[cite: 1]   {"clarificationNeeded": true}   THOUGHT: the user wants …

Code between backticks is unchanged, and so are escapes and tags in a text about escapes or tags ("改行は \n と書きます").
Source: reports of what Gemini writes: googleapis/python-genai #20, cline #303, gemini-cli #22466 (escapes), #14028 (LaTeX);
HanaokaYuzu/Gemini-API #148 (citation marks).
"""

import html
import json
import re
from collections.abc import Callable
from typing import Final

from shared.line.latex import without_latex
from shared.line.readable import readable

_CODE: Final = re.compile(r"(```.*?```|`[^`\n]+`)", re.DOTALL)
_CALLS: Final = re.compile(
    r"```(?:tool_code|tool_outputs?)\b.*?(?:```|\Z)|<(tool_call|tool_code|function_call|tool_response)>.*?(?:</\1>|\Z)"
    r"|^(?:tool_code|tool_outputs?)\s*\n\s*print\(.*?\)\s*$|^print\(default_api\..*\)\s*$|<\|[a-z_]{2,30}\|>",
    re.DOTALL | re.MULTILINE,
)
_THOUGHTS: Final = re.compile(
    r"<(think|thinking|thought|thoughts)>.*?(?:</\1>|\Z)|\A\s*(?:\*\*)?THOUGHTS?:[^\n]*(?:\n|\Z)"
    r"|\A\s*(?:THOUGHTS?|(?i:thoughts?)(?=[ \t]*\n\s*(?:The user|User |I (?:need|should|will|must|have)|Okay|ユーザー)))"
    r"[ \t]*\n.*?(?:\n[ \t]*\n|\Z)",
    re.DOTALL,
)
_EMPTY_CODE: Final = re.compile(r"```[a-z_]{0,12}[ \t]*\n\s*```")
_CITATIONS: Final = re.compile(
    r"[ \t]?\[cite:[\d\s,\-–]{0,60}\]|\[cite_(?:start|end)\]|:contentReference\[oaicite:\d+\](?:\{index=\d+\})?"
    r"|【\d+(?::\d+)?†[^】\n]{0,60}】|\[span_\d+\]\((?:start|end)_span\)"
)
_RESULT_KEYS: Final = (
    "alreadyFiled",
    "clarificationNeeded",
    "functionCall",
    "isPartial",
    "leftOut",
    "may_retry",
    "messages_each_time",
    "newPath",
    "oldPath",
    "suggestedCategory",
    "updatedFields",
    "wasSoBefore",
)
"""Keys that only results of functions have."""
_RESULT: Final = re.compile(
    rf"(?:```(?:json)?\s*)?\{{[^{{}}]*\"(?:{'|'.join(_RESULT_KEYS)})\"\s*:[^{{}}]*\}}(?:\s*```)?"
)
_WRAPPED: Final = re.compile(r"\s*(```(?:json)?\s*)?(\{.*\})(?:\s*```)?\s*", re.DOTALL)
_MESSAGE_KEYS: Final = ("message", "reply", "text", "response")
_SPEAKS_OF_CODE: Final = re.compile(
    r"(?<![a-z])(?:html|regex|regexp|escap(?:e|es|ed|ing)|backslash(?:es)?|newlines?|entit(?:y|ies)|tags?|latex|tex)(?![a-z])|正規表現|エスケープ|バックスラッシュ|改行|円記号|タグ|実体参照"
    r"|轉義|跳脫|反斜線|換行|標籤|แท็ก|ขึ้นบรรทัด|แบ็กสแลช",
    re.IGNORECASE,
)
_PATH: Final = re.compile(r"\b[A-Za-z]:\\|\\\\\w+\\")
_LINE_END: Final = re.compile(r"\\r?\\n|\\n")
_MEANT_LINE_END: Final = re.compile(r"[\s「『“\"'(]\\n[\s」』”\"')]|\\n(?:abla|eq|e|u|i|ot|eg|ewline|ewcommand|mid)\b")
_QUOTED: Final = re.compile(r'\\"([^"\\\n]*)\\"')
_ESCAPES: Final = re.compile(r"(?:\\u[0-9a-fA-F]{4}){2,}")
_ESCAPED_LINK: Final = re.compile(r"https?:\\/\\/[^\s\"]+")
_BREAK: Final = re.compile(r"(?<![ \t])[ \t]*<br\s?/?>[ \t]*\n?", re.IGNORECASE)
_PAIR: Final = re.compile(
    r"<(b|strong|i|em|u|s|p|div|span|font|ul|ol|small|sub|sup|mark|h[1-6])(?:\s[^<>]{0,100})?>([^<]*+)</\1>",
    re.DOTALL | re.IGNORECASE,
)
_ITEM: Final = re.compile(r"(?<!\s)\s*<li(?:\s[^<>]{0,100})?>\s*+([^<]*+)</li>\s*", re.DOTALL | re.IGNORECASE)
_DEEPEST: Final = 4  # nesting of tags
_BLOCKS: Final = frozenset({"p", "div", "ul", "ol", "h1", "h2", "h3", "h4", "h5", "h6"})
_ENTITY: Final = re.compile(r"&(?:#\d{1,6}|#[xX][0-9a-fA-F]{1,5}|[A-Za-z]{2,8});")


def without_artifacts(text: str) -> str:
    """Return the text without artifacts, perhaps blank.  For example, `"牛乳[cite: 1]"` -> `"牛乳"`."""
    text = _unwrapped(text)
    for pattern in (_CALLS, _EMPTY_CODE, _THOUGHTS, _RESULT, _CITATIONS):
        text = pattern.sub("", text)
    return _outside_code(text, _plain)


def _unwrapped(text: str) -> str:
    """Return the message in a JSON object with nothing but a message, "" for the result of a function, and any other text unchanged.

    For example, `{"message": "hi"}` -> "hi".
    """
    match = _WRAPPED.fullmatch(text)
    try:
        wrapped = json.loads(match[2]) if match is not None else None
    except (ValueError, RecursionError):
        return text
    if match is None or not isinstance(wrapped, dict):
        return text
    if not wrapped.keys().isdisjoint(_RESULT_KEYS):
        return ""
    key, value = next(iter(wrapped.items()), ("", None))
    is_message = len(wrapped) == 1 and key in _MESSAGE_KEYS and not match[1]
    return value if is_message and isinstance(value, str) else text


def _outside_code(text: str, change: Callable[[str, bool], str]) -> str:
    parts = _CODE.split(text)
    means_code = _SPEAKS_OF_CODE.search(text) is not None
    return "".join(part if index % 2 else change(part, means_code) for index, part in enumerate(parts))


def _plain(text: str, means_code: bool) -> str:  # noqa: FBT001 - the second of two values of one call
    if means_code:
        return text
    return _without_html(without_latex(_without_escapes(text)))


def _without_escapes(text: str) -> str:
    if "\\" not in text or _PATH.search(text) is not None:
        return text
    text = _ESCAPED_LINK.sub(lambda match: match[0].replace("\\/", "/"), text)
    text = _ESCAPES.sub(lambda match: _decoded(match[0]), text)
    if "\n" not in text and _MEANT_LINE_END.search(text) is None:
        text = _LINE_END.sub("\n", text)
    quotes = len(re.findall(r'\\"', text))
    if quotes and quotes % 2 == 0 and '"' not in text.replace('\\"', ""):
        text = _QUOTED.sub(r'"\1"', text)
    return text


def _decoded(escapes: str) -> str:
    units = bytes.fromhex(escapes.replace("\\u", ""))
    return readable(units.decode("utf-16-be", errors="replace"))


def _without_html(text: str) -> str:
    if "<" in text:
        text = _BREAK.sub("\n", text)
        for _ in range(_DEEPEST):
            text = _ITEM.sub(lambda match: f"\n- {match[1].strip()}\n", _PAIR.sub(_content, text))
    return _ENTITY.sub(lambda match: html.unescape(match[0]).replace("\u00a0", " "), text)


def _content(match: re.Match[str]) -> str:
    return f"\n{match[2].strip()}\n" if match[1].lower() in _BLOCKS else match[2]
