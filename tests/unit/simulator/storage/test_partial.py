import json

import pytest

from simulator.storage.answers import Answer
from simulator.storage.partial import partial_listing

LISTING = {
    "kind": "storage#objects",
    "items": [{"name": "a", "generation": "1", "size": "9"}, {"name": "b", "generation": "2"}],
    "prefixes": ["x/"],
    "nextPageToken": "t",
}
WHOLE = Answer(status=200, headers=((b"content-length", b"9"), (b"x", b"y")), body=json.dumps(LISTING).encode())


def test_a_listing_has_the_fields_that_were_asked_for() -> None:
    answer = partial_listing(b"/storage/v1/b/b/o?prefix=&fields=items(name%2Cgeneration)%2CnextPageToken", WHOLE)

    assert json.loads(answer.body) == {
        "items": [{"name": "a", "generation": "1"}, {"name": "b", "generation": "2"}],
        "nextPageToken": "t",
    }
    assert answer.headers == ((b"x", b"y"),)


@pytest.mark.parametrize(
    ("path", "answer"),
    [
        (b"/storage/v1/b/b/o?prefix=", WHOLE),
        (b"/o?fields=items", Answer(status=404, headers=(), body=b"")),
        (b"/o?fields=items", Answer(status=200, headers=((b"Content-Encoding", b"gzip"),), body=b"\x1f\x8b")),
    ],
    ids=["all fields", "a refusal", "compressed"],
)
def test_other_answers_stay_as_they_are(path: bytes, answer: Answer) -> None:
    assert partial_listing(path, answer) is answer
