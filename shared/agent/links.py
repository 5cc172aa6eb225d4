"""Links: whatever LINE, the phone below it or a reader makes tappable, in any spelling that still leads there.

    https://a.example/x   www.a.example   a.example/x   a.com   //a.example   line://msg/text/x   mailto:a@b.example   tel:0312345678

A name of a file, such as `plan.md`, is none, although `.md` ends names of hosts, too.
Source: LINE Developers, "LINE URL scheme" (`https://line.me/R/`, formerly `line://`); Android, `android.util.Patterns.WEB_URL` and
`Linkify` (web addresses without a scheme, e-mail addresses, telephone numbers); Apple, `NSDataDetector` (the same).
"""

import re
from typing import Final

ENDS: Final = ".,;:!?)]}'\"*_~`|"  # and the marks of Markdown, of which the reply has none left
"""What ends a sentence rather than a link."""

_SCHEMES: Final = "https?|ftps?|line|intent|market|file|javascript|data"
_ENDINGS: Final = (
    "com|net|org|info|biz|edu|gov|jp|tw|hk|cn|th|kr|uk|eu|fr|ru|io|app|dev|page|link|site|online|shop|store|xyz|top|club|live|"
    "co|ly|gg|tv|cc|ai"
)
"""Ends of hosts that are links without a path; others, which are also words or ends of files, are links only before a path."""
_LABELS: Final = r"(?<![0-9a-z_@.-])(?:[0-9a-z](?:[0-9a-z-]{0,61}[0-9a-z])?\.){1,8}"
# A link ends before another one that follows a script without spaces: 「https://a.exampleとhttps://b.exampleを比べて」
_REST: Final = r"(?:(?!(?<=[^\x00-\x7f])https?://)[^\s<>\"'「」『』（）()\[\]{}、。，])"  # noqa: RUF001 - ends of links
_LINK: Final = re.compile(
    rf"(?:{_SCHEMES}):[/\\]{{1,3}}(?![/\\]){_REST}+"
    rf"|(?:mailto|tel|sms):[0-9a-z+]{_REST}*"
    rf"|(?<![/\\0-9a-z])[/\\]{{2}}(?=[0-9a-z-]+\.[0-9a-z]){_REST}+"
    rf"|(?<![0-9a-z])www\.[0-9a-z-]+\.{_REST}+"
    rf"|(?<![0-9a-z])[0-9a-z._%+-]{{1,64}}@(?:[0-9a-z-]{{1,63}}\.){{1,8}}[a-z]{{2,24}}(?:\?{_REST}+)?"
    rf"|{_LABELS}(?:(?:{_ENDINGS})(?![0-9a-z_.-])(?:[/\\?#:]{_REST}*)?|[a-z]{{2,24}}(?::[0-9]{{1,5}})?[/\\?#]{_REST}+)",
    re.IGNORECASE,
)
_SCHEME: Final = re.compile(r"[a-z]{2,10}:[/\\]{1,3}(?:www\.)?|www\.|[/\\]{2}", re.IGNORECASE)
_HOST: Final = re.compile(r"[^/\\?#:]*")
# Full-width letters and signs are read as what they stand for; each is one character for one, so places stay
_NARROW: Final = {
    code: code - 0xFEE0
    for code in range(0xFF01, 0xFF5F)
    if chr(code - 0xFEE0).isalnum() or chr(code - 0xFEE0) in ":/.?#=&-_%+@\\"
}
# Characters that show nothing and make a link unlike one that is written the same
_HIDDEN: Final = re.compile(
    r"(?<=[!-~])[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]+(?=[!-~])"
)


def without_hidden_characters(text: str) -> str:
    """Return the text without characters that show nothing between two of ASCII, where no writing needs them."""
    return _HIDDEN.sub("", text)


def narrowed(text: str) -> str:
    """Return the text as links are read in it: what is full-width is narrow.  Places stay."""
    return text.translate(_NARROW)


def link_after(place: int, narrow: str) -> tuple[int, int] | None:
    """Return where the first link after a place of a `narrowed` text begins and ends, without punctuation at its end; None: nowhere."""
    found = _LINK.search(narrow, place)
    return (found.start(), found.start() + len(found[0].rstrip(ENDS))) if found is not None else None


def links_in(text: str) -> list[str]:
    """Return the links in the text, as they are written, without punctuation at their ends."""
    text = without_hidden_characters(text)
    narrow, place, links = narrowed(text), 0, list[str]()
    while (found := link_after(place, narrow)) is not None:
        start, place = found
        links.append(text[start:place])
    return links


def is_link(text: str) -> bool:
    """Whether the text begins with a link."""
    return _LINK.match(narrowed(text)) is not None


def address_of(link: str) -> str:
    """Return the link without its scheme and without `www.`, as people write it: `a.example/x` of `https://www.a.example/x`."""
    return _SCHEME.sub("", narrowed(link), count=1)


def has_no_scheme(link: str) -> bool:
    """Whether the link is written without a scheme."""
    return ":" not in narrowed(link).partition("/")[0] and not link.startswith(("/", "\\"))


def host_of(link: str) -> str:
    """Return the host that a link names, in lower case."""
    return _HOST.match(address_of(link))[0].lower()  # type: ignore[index]  # it matches anything
