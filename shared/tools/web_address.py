"""Web addresses: which of the links that people wrote may be read, and in which spelling.

The worker itself fetches nothing: Google's servers read the address. Even so only the addresses of public websites are passed on, so that
no address of a private network, no password and no query made by the model leaves the chat.
Source: WHATWG URL Standard, "host parser": a host whose last label is a number is an IPv4 address in any spelling (`0x7f.1`,
`2130706433`); RFC 6761, RFC 6762 and RFC 8375: the special-use names below; ICANN, "Name Collision Resources": home, corp, mail.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final
from urllib.parse import quote, urlsplit

from shared.agent.links import ENDS, address_of, has_no_scheme, links_in, narrowed

ADDRESS_LIMIT: Final = 2_000  # characters
_PORTS: Final = frozenset({None, 80, 443})
_PRIVATE: Final = frozenset(
    {
        *("corp", "home", "intern", "internal", "intranet", "invalid", "lan", "local", "localdomain", "localhost"),
        *("mail", "onion", "private", "test"),
    }
)
_PRIVATE_ZONES: Final = ("home.arpa",)
_NUMBER: Final = re.compile(r"[0-9]+|0x[0-9a-f]*", re.IGNORECASE)
_LABEL: Final = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_AFTER: Final = re.compile(r"[^\s()\[\]<>\"']*[(\['][^\s<>\"]{0,1000}")
_CLOSING: Final = re.compile(r"[)\]]")
_MOST_BRACKETS: Final = 8
_MARKS: Final = ENDS.replace(")", "").replace("]", "")
_PRINTABLE: Final = "".join(map(chr, range(0x21, 0x7F)))


class UnreadableAddressError(ValueError):
    """The address must not be read; the text is a sentence for the model."""


def address_in(texts: Iterable[str], link: str) -> str | None:
    """Return the link as a person wrote it in one of the texts, with a scheme; None: nobody wrote it.

    The model names a link in its own spelling; the person's is read, so that no word of the model becomes a part of the address.

    >>> address_in(["https://a.example/1を読んで"], "http://www.a.example/1")
    'https://a.example/1'
    >>> address_in(["see a.example/x"], "https://a.example/x?q=secret") is None
    True
    """
    common = _spelling(link)
    for text in texts:
        for spelling in _beginnings(text):
            if _spelling(spelling) == common:
                return f"https://{spelling}" if has_no_scheme(spelling) else spelling
    return None


def public_address(address: str) -> str:
    """Return the address in ASCII, if it belongs to a public website: `public_address("https://例え.jp/")` is `https://xn--r8jz45g.jp/`.

    Raises: UnreadableAddressError, for another scheme, credentials, a number or a private name as host, another port, a long address.
    """
    narrow = narrowed(address)
    if len(narrow) > ADDRESS_LIMIT or re.search(r"[\s\\\x00-\x1f\x7f]", narrow):
        raise UnreadableAddressError("The link is too long, or holds characters that no link has.")
    try:
        parts = urlsplit(narrow)
        host, port = (parts.hostname or "").rstrip("."), parts.port
        host = host.encode("idna").decode().lower()
    except ValueError:  # UnicodeError is one
        raise UnreadableAddressError("The link is malformed.") from None
    if parts.scheme not in {"http", "https"}:
        raise UnreadableAddressError("Only links that begin with http:// or https:// can be read.")
    if "@" in parts.netloc:
        raise UnreadableAddressError("A link with a user name or a password in it is not read.")
    if port not in _PORTS:
        raise UnreadableAddressError("A link with a port of its own is not read.")
    if not _is_public(host):
        raise UnreadableAddressError(
            "Only public websites are read: no IP addresses, and no names of a private network."
        )
    after_host = address[narrow.index(parts.netloc) + len(parts.netloc) :].partition("#")[0]
    path = quote(after_host, safe=_PRINTABLE)
    return f"{parts.scheme}://{host}{path if path.startswith('/') else f'/{path}'}"


def _is_public(host: str) -> bool:
    labels = host.split(".")
    is_name = len(labels) > 1 and all(map(_LABEL.fullmatch, labels)) and not _NUMBER.fullmatch(labels[-1])
    return is_name and labels[-1] not in _PRIVATE and not host.endswith(_PRIVATE_ZONES)


def _beginnings(text: str) -> Iterator[str]:
    """Yield each link of the text, and its beginnings before another script: a sentence may go on right after a link.

    A bracket or an apostrophe ends a link, so what stands behind comes as well: "https://a.example/Mercury_(planet)" is whole.
    """
    for link in links_in(text):
        yield link
        for place, character in enumerate(link):
            if not character.isascii() and place:
                yield link[:place].rstrip(ENDS)
        for written in re.finditer(re.escape(link), text):
            if (after := _AFTER.match(text, written.end())) is not None:
                yield link + after[0].rstrip(_MARKS)
                brackets = islice(_CLOSING.finditer(after[0]), _MOST_BRACKETS)
                yield from (link + after[0][: bracket.end()] for bracket in brackets)


def _spelling(link: str) -> str:
    """Return the common form of a link's spellings: no scheme, no `www.`, no last slash, percent-encoded, the host in lower case."""
    host, slash, path = address_of(link).partition("/")
    return f"{host.lower()}{slash}{quote(path, safe=_PRINTABLE)}"
