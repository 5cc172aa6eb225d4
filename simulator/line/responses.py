"""Broken HTTP responses."""

from collections.abc import Sequence

from starlette.responses import Response
from starlette.types import Receive, Scope, Send


class CutResponse(Response):
    """The head of an answer and `sent`, a part of the body; then the server closes the connection.

    `headers` must promise more bytes than `sent` has: the server gives up on an incomplete answer. For example, `content-length: 100` with
    one byte sent.
    """

    def __init__(self, *, status: int, headers: Sequence[tuple[bytes, bytes]], sent: bytes = b"") -> None:
        super().__init__(status_code=status)
        self.raw_headers = list(headers)
        self._sent = sent

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - the signature of ASGI
        """Send the head and the part of the body, and leave the rest out."""
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        if self._sent:
            await send({"type": "http.response.body", "body": self._sent, "more_body": True})


def cut_json_response(content_type: str) -> CutResponse:
    """A 200 with only the first character of a JSON body."""
    headers = [(b"content-type", content_type.encode()), (b"content-length", b"1024")]
    return CutResponse(status=200, headers=headers, sent=b"{")
