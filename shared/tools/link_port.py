"""The port behind links: a model that reads pages and watches videos for a question, by requests of its own without functions."""

from dataclasses import field
from enum import StrEnum
from typing import Final, Protocol

from shared import logs
from shared.clock import Deadline
from shared.frozen import frozen
from shared.metering import Metering, Purpose, Usage

ANSWER_LIMIT: Final = 4_000  # characters of an answer about a page or a video


class LinkStatus(StrEnum):
    """What became of a page or a video."""

    READ = "read"
    UNSAFE = "unsafe"
    PAYWALL = "paywall"
    FAILED = "failed"


@frozen
class LinkAnswer:
    """The answer from a page or a video; `text` is empty unless the page was read."""

    status: LinkStatus
    text: str = field(default="", repr=False)
    usage: Usage = field(default_factory=Usage)


class LinkReader(Protocol):
    """Answers questions from pages and videos."""

    @property
    def name(self) -> str:
        """The id of the model that reads, for records and logs."""
        ...

    def read(self, address: str, question: str, deadline: Deadline) -> LinkAnswer:
        """Answer the question from the page at the address.  A page that was not retrieved is a status, never an answer from memory.

        Raises: ModelUnavailableError, if a later try may succeed; ModelBlockedError, if the question is not answered; ModelRefusedError.
        """
        ...

    def watch(self, video: str, question: str, minutes: int, deadline: Deadline) -> LinkAnswer:
        """Answer the question from the first minutes of the YouTube video, at low resolution.  A video that is not public is a status.

        Raises: as `read`.
        """
        ...


@frozen
class MeteredLinkReader:
    """A LinkReader with metered requests."""

    reader: LinkReader
    metering: Metering = field(repr=False)

    @property
    def name(self) -> str:
        return self.reader.name

    def read(self, address: str, question: str, deadline: Deadline) -> LinkAnswer:
        with self.metering.request(Purpose.LINK, self.reader.name) as request:
            answer = self.reader.read(address, question, deadline)
            request.usage = answer.usage
        logs.info("link_read", status=answer.status.value)
        return answer

    def watch(self, video: str, question: str, minutes: int, deadline: Deadline) -> LinkAnswer:
        with self.metering.request(Purpose.LINK, self.reader.name) as request:
            answer = self.reader.watch(video, question, minutes, deadline)
            request.usage = answer.usage
        logs.info("video_watched", status=answer.status.value)
        return answer
