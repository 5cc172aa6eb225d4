"""Links: every text that LINE, the phone or a reader makes tappable, in any spelling that still leads to the target.

    https://a.example/x   www.a.example   a.example/x   a.com   //a.example   line://msg/text/x   mailto:a@b.example   tel:0312345678

Many names are written like a host: `plan.md`, `user.name`, `Node.js`, `ASP.NET` (`shared/agent/host_endings.py`).
Source: LINE Developers, "LINE URL scheme" (`https://line.me/R/`, formerly `line://`); Android, `android.util.Patterns.WEB_URL` and
`Linkify` (web addresses without a scheme, e-mail addresses, telephone numbers); Apple, `NSDataDetector` (the same); RFC 3986, section 3.1.
"""

import re
from collections.abc import Iterator
from typing import Final

from shared.agent.host_endings import names_a_host
from shared.late_patterns import late

ENDS: Final = ".,;:!?)]}'\"*_~`|"  # and the marks of Markdown, which are already removed from the reply
"""Characters that end a sentence rather than a link."""

_ON_THE_PHONE: Final = frozenset({"localhost", "127.0.0.1"})
_LABEL: Final = r"[0-9a-z_](?:[0-9a-z_-]{0,61}[0-9a-z_])?\."
# A link ends before the next link, also after a script without spaces: 「https://a.exampleとhttps://b.exampleを比べて」
_REST: Final = r"(?:(?!(?<=[^\x00-\x7f])https?://)[^\s<>\"'「」『』（）()\[\]{}、。，！？【】〈〉《》〔〕“”‘’])"  # noqa: RUF001 - ends of links
_PATH: Final = rf"(?:(?::[0-9]{{1,5}})?[/\\]{_REST}*|(?::[0-9]{{1,5}})?[?#](?=[!-~]){_REST}+|:[0-9]{{1,5}}(?![0-9]))"
_LINK: Final = late(
    re.compile,
    rf"(?:https?|ftps?|line|market|file|intent|javascript|data):[/\\]{{1,3}}(?![/\\]){_REST}+"
    rf"|(?<![0-9a-z+.-])[a-z][0-9a-z+.-]{{1,24}}:[/\\]{{2,3}}(?![/\\]){_REST}+"
    rf"|intent:[^\s#]{{0,200}}#Intent;{_REST}*"
    rf"|mailto:[0-9a-z+]{_REST}*|(?-i:tel|sms):[0-9+]{_REST}*"
    rf"|(?<![/\\0-9a-z])[/\\]{{2}}(?=[0-9a-z-]+\.[0-9a-z]){_REST}+"
    rf"|(?<![0-9a-z])www\.[0-9a-z-]+\.{_REST}+"
    rf"|(?<![0-9a-z])[0-9a-z._%+-]{{1,64}}@(?:[0-9a-z-]{{1,63}}\.){{1,8}}[a-z]{{2,24}}(?:\?{_REST}+)?"
    r"|(?<![0-9.])(?:[0-9]{1,3}\.){3}[0-9]{1,3}(?::[0-9]{1,5})?/(?![0-9]{1,2}(?![0-9a-z]))[!-~]" + rf"{_REST}*"
    rf"|(?<![0-9a-z_])(?<![0-9a-z_]\.)(?P<host>(?:{_LABEL}){{1,126}}[a-z]{{2,24}})(?![0-9a-z_]|[.-]+[0-9a-z_])(?P<path>{_PATH})?"
    rf"|(?<=[^\x00-\x7f])(?P<rest_of_host>\.[a-z]{{2,24}})[/\\][!-~]{_REST}*",  # of a host in another script
    re.IGNORECASE,
)
_SCHEME: Final = late(re.compile, r"[a-z][0-9a-z+.-]{1,24}:[/\\]{1,3}(?:www\.)?|www\.|[/\\]{2}", re.IGNORECASE)
_HOST: Final = late(re.compile, r"[^/\\?#:]*")
# Full-width letters and signs are read as their narrow forms, one character for one, so positions stay
_NARROW: Final = {
    code: code - 0xFEE0
    for code in range(0xFF01, 0xFF5F)
    if chr(code - 0xFEE0).isalnum() or chr(code - 0xFEE0) in ":/.?#=&-_%+@\\"
}
# Invisible characters, with which two links differ although they look the same
_INVISIBLE: Final = (
    r"\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e01ef"
)
_HIDDEN: Final = late(re.compile, rf"(?<=[!-~])[{_INVISIBLE}]+(?=[!-~])")
# Each with the full-width form
_DOTS, _COLONS, _SLASHES, _LETTERS = r".\uff0e", r":\uff1a", r"/\uff0f\\\uff3c", r"a-z\uff41-\uff5a"

# What every link has before it is read: a dot in a name, a slash after a slash or a colon, a letter before a colon and no space after it;
# or something to be read differently first. A pattern that begins with a set is searched several times as fast as one with alternatives.
# Letters are those of the links, for which a Kelvin sign is a letter, too
_MAY_BE_LINK: Final = late(
    re.compile,
    rf"[{_DOTS}{_COLONS}{_SLASHES}{_INVISIBLE}](?:(?<=[{_DOTS}])(?i:[0-9{_LETTERS}\uff10-\uff19\uff0d-])|(?<=[{_COLONS}{_SLASHES}])[{_SLASHES}]"
    rf"|(?<=(?i:[{_LETTERS}])[{_COLONS}])\S|(?<=[{_INVISIBLE}]))",
)


def without_hidden_characters(text: str) -> str:
    """Return the text without invisible characters between two ASCII characters, where no script needs them."""
    return _HIDDEN.sub("", text)


def narrowed(text: str) -> str:
    """Return the text with full-width characters narrowed, as links are read.  Each character keeps its position."""
    return text.translate(_NARROW)


def link_after(place: int, narrow: str, *, is_strict: bool) -> tuple[int, int] | None:
    """Return the start and end of the first link at or after `place` in a `narrowed` text, without punctuation at the end; or None."""
    while (match := _LINK.search(narrow, place)) is not None:
        if _is_link(match, is_strict=is_strict):
            return match.start(), match.start() + len(match[0].rstrip(ENDS))
        place = match.end()
    return None


def links_in(text: str, *, is_strict: bool = True) -> list[str]:
    """Return the links in the text, as written, without punctuation at their ends: `links_in("see a.com/1.")` is `["a.com/1"]`."""
    return [link for line in text.split("\n") for link in _links_in_line(line, is_strict=is_strict)]


def _links_in_line(line: str, *, is_strict: bool) -> Iterator[str]:
    """Yield the links of a line; no link goes over the end of a line."""
    if _MAY_BE_LINK.search(line) is None:
        return
    line = without_hidden_characters(line)
    narrow, place = narrowed(line), 0
    while (span := link_after(place, narrow, is_strict=is_strict)) is not None:
        start, place = span
        yield line[start:place]


def is_link(text: str) -> bool:
    """Whether the text begins with a link, in the strict reading."""
    match = _LINK.match(narrowed(text))
    return match is not None and _is_link(match, is_strict=True)


def _is_link(match: re.Match[str], *, is_strict: bool) -> bool:
    """Whether a match is a link: without a scheme, the ending of the host decides."""
    host = match["host"] or match["rest_of_host"]
    if host is None:
        return host_of(match[0].rstrip(ENDS)) not in _ON_THE_PHONE
    return names_a_host(
        host, has_path=match["path"] is not None or match["rest_of_host"] is not None, is_strict=is_strict
    )


def address_of(link: str) -> str:
    """Return the link without scheme, `www.` and last slash: `address_of("https://www.a.example/x/")` is `a.example/x`."""
    return _SCHEME.sub("", narrowed(link), count=1).rstrip("/")


def has_no_scheme(link: str) -> bool:
    """Whether the link is written without a scheme."""
    return ":" not in narrowed(link).partition("/")[0] and not link.startswith(("/", "\\"))


def is_of_the_web(link: str) -> bool:
    """Whether the link has no scheme or a web scheme; all these spellings lead to the same address."""
    return has_no_scheme(link) or narrowed(link).lower().startswith(("https://", "http://"))


def host_of(link: str) -> str:
    """Return the host of a link, in lower case and without its port."""
    return _HOST.match(address_of(link))[0].lower()  # type: ignore[index]  # it matches anything
