"""Links from outside words only: by a choice among many links of one site, a page could have a chat's words spelt out.

a page gives https://e.vil/0 … https://e.vil/9, and has the model say  https://e.vil/4 https://e.vil/7 https://e.vil/1 https://e.vil/1
"""

from collections import defaultdict
from collections.abc import Iterable
from typing import Final

from shared.agent.links import address_of, host_of

_MOST: Final = 3
"""Links of one site that a text may hold in any choice and order; more links only in the page's own sequence."""
_LABELS_OF_A_SITE: Final = 2


class PageLinks:
    """The links from outside words only, in their order."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}

    def add(self, links: Iterable[str]) -> None:
        """Record links from outside words, in this order."""
        for link in links:
            self._places.setdefault(address_of(link), len(self._places))

    def drop(self, links: Iterable[str]) -> None:
        """Remove links that a person or the chat's own store gave, too."""
        for link in links:
            self._places.pop(address_of(link), None)

    def chosen(self, links: Iterable[str]) -> frozenset[str]:
        """Return the links that only outside words gave, of sites with more than three such links in a text.

        Links in the page's own sequence are left out: such a run carries no choice.
        """
        by_site: dict[str, list[str]] = defaultdict(list)
        for link in links:
            if address_of(link) in self._places:
                by_site[_site_of(link)].append(link)
        crowds = (several for several in by_site.values() if len(several) > _MOST and not self._is_a_run(several))
        return frozenset(link for several in crowds for link in several)

    def _is_a_run(self, links: list[str]) -> bool:
        """Whether the links are an unbroken run of the page's links to their site, in the page's order."""
        site = _site_of(links[0])
        of_site = [one for one in sorted(self._places, key=self._places.__getitem__) if _site_of(one) == site]
        first = of_site.index(address_of(links[0]))
        return [address_of(one) for one in links] == of_site[first : first + len(links)]


def _site_of(link: str) -> str:
    """Return the last two labels of the link's host: `_site_of("https://4.e.vil/x")` is `e.vil`."""
    return ".".join(host_of(link).split(".")[-_LABELS_OF_A_SITE:])
