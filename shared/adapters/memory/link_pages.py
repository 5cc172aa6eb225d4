"""Pages in memory, in place of the model that reads them."""

from collections.abc import Mapping
from dataclasses import field

from shared.clock import Deadline
from shared.frozen import frozen
from shared.metering import Usage
from shared.tools.link_port import LinkAnswer, LinkStatus


@frozen
class MemoryLinkReader:
    """Answers every question about a page with the words of the page; other addresses are not retrieved.

    `pages`: the words, or the status of a page that cannot be read, by address. `asked`: the addresses and questions so far.
    """

    pages: Mapping[str, str | LinkStatus] = field(default_factory=dict, repr=False)
    asked: list[tuple[str, str]] = field(default_factory=list, repr=False)
    usage: Usage = field(default_factory=Usage)
    name: str = "pages"

    def read(self, address: str, question: str, deadline: Deadline) -> LinkAnswer:
        del deadline
        self.asked.append((address, question))
        return self._answer(address)

    def watch(self, video: str, question: str, minutes: int, deadline: Deadline) -> LinkAnswer:
        del minutes, deadline
        self.asked.append((video, question))
        return self._answer(video)

    def _answer(self, address: str) -> LinkAnswer:
        page = self.pages.get(address, LinkStatus.FAILED)
        if isinstance(page, LinkStatus):
            return LinkAnswer(status=page, usage=self.usage)
        return LinkAnswer(status=LinkStatus.READ, text=page, usage=self.usage)
