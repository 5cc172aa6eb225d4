r"""The filter language of subscriptions: text to an immutable expression (`expressions.py`).

Source: https://cloud.google.com/pubsub/docs/subscription-message-filter#filtering_syntax. In short:

    attributes:key                       has the attribute
    attributes.key = "v"                 has the attribute with the value
    attributes.key != "v"                the opposite: also matches messages without the attribute
    hasPrefix(attributes.key, "p")       has the attribute, with a value starting with "p"
    NOT x, -x, x AND y, x OR y, (x)      NOT binds tightest; AND next to OR needs parentheses; operators in capitals

Keys with other characters than letters, digits, `-` and `_` are quoted: `attributes."iana.org/tag"`. Quoted text may
contain the escapes `\\ \" \' \n \t \r \a \b \f \v \ooo \xhh \uhhhh \Uhhhhhhhh`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NoReturn

from simulator.pubsub.errors import InvalidArgumentError
from simulator.pubsub.expressions import And, Equals, Expression, Has, HasPrefix, Not, Or

MAX_FILTER_BYTES = 256

_TOKEN = re.compile(
    r"""(?P<space>\s+)
    | (?P<text>"(?:[^"\\\x00-\x1f]|\\.)*")
    | (?P<word>[A-Za-z0-9_][A-Za-z0-9_-]*)
    | (?P<sign>!=|[-=:.,()])""",
    re.VERBOSE,
)
_ESCAPE = re.compile(
    r"""\\(?:(?P<plain>[\\"'abfnrtv])
    | (?P<octal>[0-3][0-7]{2})
    | x(?P<hex>[0-9A-Fa-f]{2})
    | u(?P<short>[0-9A-Fa-f]{4})
    | U(?P<long>[0-9A-Fa-f]{8})
    | (?P<wrong>.))""",
    re.VERBOSE,
)
_PLAIN_ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_FIRST_SURROGATE, _LAST_SURROGATE, _LAST_CODE_POINT = 0xD800, 0xDFFF, 0x10FFFF


def parse_filter(text: str) -> Expression | None:
    """Return the expression of the text; None for the empty text, a filter for every message.

    For example, `parse_filter('attributes.type = "unsend"')`.

    Raises:
        InvalidArgumentError: the text is not a filter; the message names the character, counted from 1.
    """
    if not text:
        return None
    if len(text.encode()) > MAX_FILTER_BYTES:
        raise InvalidArgumentError(f"The filter has {len(text.encode())} bytes; the most is {MAX_FILTER_BYTES}.")
    return _Parser(text).parse()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Token:
    kind: Literal["text", "word", "sign", "end"]
    text: str
    at: int


class _Parser:
    """Parses a filter from left to right; `_next` is the next token."""

    def __init__(self, text: str) -> None:
        self._tokens = _tokens(text)
        self._next = next(self._tokens)

    def parse(self) -> Expression:
        expression = self._expression()
        if self._next.kind != "end":
            self._fail("AND, OR or the end")
        return expression

    def _expression(self) -> Expression:
        operands = [self._term()]
        operator = self._next
        if not (operator.kind == "word" and operator.text in ("AND", "OR")):
            return operands[0]
        while self._next.kind == "word" and self._next.text in ("AND", "OR"):
            if self._next.text != operator.text:
                raise _error(self._next.at, "AND and OR side by side need parentheses")
            self._advance()
            operands.append(self._term())
        return And(operands=tuple(operands)) if operator.text == "AND" else Or(operands=tuple(operands))

    def _term(self) -> Expression:
        token = self._next
        if token.text in ("NOT", "-"):
            self._advance()
            return Not(operand=self._term())
        if token.text == "(":
            self._advance()
            inner = self._expression()
            self._take(")")
            return inner
        if token.text == "hasPrefix":
            return self._has_prefix()
        if token.text != "attributes":
            self._fail("attributes, hasPrefix, NOT or a parenthesis")
        return self._comparison()

    def _has_prefix(self) -> Expression:
        self._advance()
        self._take("(")
        self._take("attributes")
        self._take(".")
        key = self._key()
        self._take(",")
        prefix = self._text()
        self._take(")")
        return HasPrefix(key=key, prefix=prefix)

    def _comparison(self) -> Expression:
        self._advance()
        if self._next.text == ":":
            self._advance()
            return Has(key=self._key())
        if self._next.text != ".":
            self._fail("'.' or ':'")
        self._advance()
        key = self._key()
        operator = self._next.text
        if operator not in ("=", "!="):
            self._fail("'=' or '!='")
        self._advance()
        equals = Equals(key=key, value=self._text())
        return equals if operator == "=" else Not(operand=equals)

    def _key(self) -> str:
        if self._next.kind == "text":
            return self._text()
        if self._next.kind != "word":
            self._fail("an attribute's key")
        return self._advance().text

    def _text(self) -> str:
        if self._next.kind != "text":
            self._fail("text in double quotes")
        token = self._advance()
        return _unescape(token)

    def _take(self, text: str) -> None:
        if self._next.text != text:
            self._fail(f"'{text}'")
        self._advance()

    def _advance(self) -> _Token:
        token = self._next
        if token.kind != "end":
            self._next = next(self._tokens)
        return token

    def _fail(self, expected: str) -> NoReturn:
        actual = f"'{self._next.text}'" if self._next.kind != "end" else "the end"
        raise _error(self._next.at, f"expected {expected}, found {actual}")


def _tokens(text: str) -> Iterator[_Token]:
    at = 0
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None:
            raise _error(at, "the quote is never closed" if text[at] == '"' else f"{text[at]!r} has no meaning here")
        match token.lastgroup:
            case "text" | "word" | "sign" as kind:
                yield _Token(kind=kind, text=token.group(), at=at)
        at = token.end()
    yield _Token(kind="end", text="", at=at)


def _unescape(token: _Token) -> str:
    def character(escape: re.Match[str]) -> str:
        match escape.lastgroup:
            case "plain":
                return _PLAIN_ESCAPES.get(escape["plain"], escape["plain"])
            case "octal":
                return chr(int(escape["octal"], 8))
            case "hex" | "short" | "long" as base:
                code = int(escape[base], 16)
                if code <= _LAST_CODE_POINT and not _FIRST_SURROGATE <= code <= _LAST_SURROGATE:
                    return chr(code)
        raise _error(token.at + 1 + escape.start(), f"{escape.group()} is no escape")

    return _ESCAPE.sub(character, token.text[1:-1])


def _error(at: int, problem: str) -> InvalidArgumentError:
    return InvalidArgumentError(f"The filter is wrong at character {at + 1}: {problem}.")
