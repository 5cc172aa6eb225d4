"""Which bodies wait for their sender: gunicorn's own streams, as the webhook meets them."""

import io
import socket

import pytest
from gunicorn.http.body import Body, LengthReader  # type: ignore[import-untyped]
from gunicorn.http.unreader import SocketUnreader  # type: ignore[import-untyped]

from functions.webhook.request_body import ByteStream, RequestBody, is_buffered

BODY = b'{"destination": "U1", "events": []}'


def stream_of(sock: socket.socket, buffered: bytes) -> ByteStream:
    """Return gunicorn's stream of BODY, whose first bytes came together with the headers."""
    unreader = SocketUnreader(sock)
    unreader.unread(buffered)
    stream: ByteStream = Body(LengthReader(unreader, len(BODY)))
    return stream


@pytest.mark.parametrize(("missing", "waits"), [(0, False), (1, True), (len(BODY), True)])
def test_only_a_body_that_came_with_its_headers_needs_no_deadline(missing: int, *, waits: bool) -> None:
    ours, senders = socket.socketpair()
    with ours, senders:
        cut = len(BODY) - missing
        stream = stream_of(ours, BODY[:cut])

        assert is_buffered(stream, len(BODY)) is not waits

        senders.sendall(BODY[cut:])
        body = RequestBody(stream, {"gunicorn.socket": ours}, declared_bytes=len(BODY))
        assert body.read(1_000) == BODY


@pytest.mark.parametrize("stream", [io.BytesIO(BODY), object()])
def test_the_stream_of_another_server_counts_as_not_received(stream: object) -> None:
    assert not is_buffered(stream, len(BODY))


def test_a_body_of_unknown_length_counts_as_not_received() -> None:
    ours, senders = socket.socketpair()
    with ours, senders:
        assert not is_buffered(stream_of(ours, BODY), None)
