"""Media inside a body: what is sent is what the body would be with base64 in it, and no more than a piece of that is ever held."""

import base64
import json
import tracemalloc

from hypothesis import given
from hypothesis import strategies as st

from shared.adapters.inline_media import InlineMedia

LARGE = bytes(range(256)) * 40_000


@given(st.lists(st.binary(max_size=100_000) | st.text(), max_size=6))
def test_a_body_is_sent_with_its_media_in_base64(parts: list[bytes | str]) -> None:
    media = InlineMedia()
    body = json.dumps([one if isinstance(one, str) else media.placeholder(one) for one in parts]).encode()

    sent = media.body(body)

    whole = [one if isinstance(one, str) else base64.urlsafe_b64encode(one).decode() for one in parts]
    assert json.loads(b"".join(sent)) == whole
    assert sent.size_bytes == len(b"".join(sent))


def test_a_text_that_was_a_placeholder_once_stays_a_text() -> None:
    earlier, media = InlineMedia().placeholder(b"x"), InlineMedia()
    body = json.dumps([earlier, media.placeholder(b"y")]).encode()

    assert json.loads(b"".join(media.body(body))) == [earlier, "eQ=="]


def test_a_body_without_media_is_sent_as_it_is() -> None:
    assert list(InlineMedia().body(b'{"contents": []}')) == [b'{"contents": []}']


def test_media_are_not_copied_to_be_sent() -> None:
    media = InlineMedia()
    body = media.body(json.dumps(media.placeholder(LARGE)).encode())

    tracemalloc.start()
    try:
        sent_bytes = sum(map(len, body))
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert sent_bytes == body.size_bytes > len(LARGE)
    assert peak_bytes < len(LARGE) / 20
