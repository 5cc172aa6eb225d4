"""Names written like a host, and whether a name is read as a host: `a.com` and `a.md/x`, but not `plan.md`, `user.name`, `ASP.NET`.

Without a path, the usual reading accepts the common endings of hosts; the strict reading, for words of possible strangers, accepts all
endings of IANA's list. Source: `top_level_domains.txt`, of IANA.
"""

from functools import cache
from pathlib import Path
from typing import Final

_ENDINGS: Final = Path(__file__).with_name("top_level_domains.txt")
_OF_A_COUNTRY: Final = 2  # letters


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_WORDS: Final = _set("app club link live online page shop site store top")
_USUAL: Final = _WORDS | _set("biz cloud com dev edu gov icu info net org vip website xyz")
_UNUSUAL_COUNTRIES: Final = _set(
    "ad al am as at be by cl do et hm id in is it la li ma md me mk ml mm mr ms mt my na no om pa pl pm ps py re rs sa sc sh si so st tf "
    "to us va vi"
)
"""Endings of countries that are also words or ends of files."""
_FILES: Final = _set(
    "avi bak bash cfg conf cpp css csv dll doc docx env exe gif gz heic hpp htm html ini ipynb java jpeg jpg js json jsx kt lock log pdf "
    "php png ppt pptx rar rb scss sql svg swift tar tmp toml ts tsv tsx txt wav webp xls xlsx xml yaml yml"
)
"""Ends of files that end no host."""
_PRODUCTS: Final = _set(
    "ado.net amazon.co.jp amazon.com asp.net booking.com character.ai draw.io fast.ai hotels.com ml.net monday.com socket.io trip.com "
    "vb.net yahoo.co.jp"
)
"""Hosts that are the names of products; alone, such a host reveals nothing of a chat, and leads to the expected site."""


def names_a_host(name: str, *, has_path: bool, is_strict: bool) -> bool:
    """Whether a name with a dot is read as the host of a link without a scheme.

    For example, `names_a_host("plan.md", has_path=False, is_strict=False)` is False, and True with `is_strict=True`.
    """
    written = name.rpartition(".")[2]
    ending = written.lower()
    if has_path:
        return ending not in _FILES
    if name.lower() in _PRODUCTS:
        return False
    if is_strict:
        return ending in _iana_endings()
    if ending in _WORDS and written.istitle() and name[0].islower():  # a sentence without a following space: "done.Top"
        return False
    is_country = len(ending) == _OF_A_COUNTRY and ending in _iana_endings()
    return ending in _USUAL or (is_country and ending not in _UNUSUAL_COUNTRIES)


@cache
def _iana_endings() -> frozenset[str]:
    """Return the endings of hosts in IANA's list."""
    lines = _ENDINGS.read_text(encoding="ascii").splitlines()
    return _set(" ".join(line for line in lines if not line.startswith("#")))
