"""What the contract suite cannot show of the object store: tokens, and data that arrive damaged."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

import google.auth
import pytest
from google.auth import credentials
from google.auth.exceptions import RefreshError

from shared.adapters import gcs
from shared.adapters.gcs import GcsObjectStore
from shared.errors import StorageUnavailableError

GOOD: Final = {
    "x-goog-generation": "7",
    "x-goog-hash": "crc32c=yZRlqg==,md5=XrY7u+Ae7tCTyyK7j1rNww==",
}  # of `hello world`


class Bucket(ThreadingHTTPServer):
    """Answers every request with the next of `answers`, status and headers, or with the last one; `tokens` are those that were sent."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers: list[tuple[int, dict[str, str]]] = []
        self.tokens: list[str | None] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Bucket

    def do_GET(self) -> None:
        self.server.tokens.append(self.headers["authorization"])
        status, headers = self.server.answers.pop(0) if len(self.server.answers) > 1 else self.server.answers[0]
        body = b"hello world"
        self.send_response(status)
        for name, value in {**headers, "content-length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        return


class Tokens(credentials.Credentials):
    """Gives `token 1`, `token 2` and so on; none while it `fails`."""

    def __init__(self, *, fails: bool = False) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.count = 0
        self.fails = fails

    def refresh(self, request: Any) -> None:  # noqa: ANN401, ARG002 - as google-auth calls it
        if self.fails:
            raise RefreshError("no token", retryable=False)  # type: ignore[no-untyped-call]
        self.count += 1
        self.token = f"token {self.count}"


@pytest.fixture
def bucket() -> Iterator[Bucket]:
    server = Bucket()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def tokens(monkeypatch: pytest.MonkeyPatch, bucket: Bucket) -> Tokens:
    made = Tokens()
    monkeypatch.setattr(google.auth, "default", lambda scopes: (made, json.dumps(scopes)))
    monkeypatch.setattr(gcs, "_HOST", bucket.url)
    return made


@pytest.fixture
def store(bucket: Bucket, tokens: Tokens) -> Iterator[GcsObjectStore]:  # noqa: ARG001 - replaces Google's
    store = GcsObjectStore(project_id="p", bucket="b", connections=1, retry_timeout_s=0.0)
    yield store
    store.close()


def test_every_request_carries_a_token_that_is_fetched_once(bucket: Bucket, store: GcsObjectStore) -> None:
    bucket.answers = [(200, GOOD)]

    store.read("a")
    read = store.read("a")

    assert read is not None
    assert (read.data, read.generation) == (b"hello world", 7)
    assert bucket.tokens == ["Bearer token 1"] * 2


def test_a_token_that_ended_early_is_replaced(bucket: Bucket, store: GcsObjectStore) -> None:
    bucket.answers = [(401, {}), (200, GOOD)]

    assert store.read("a") is not None
    assert bucket.tokens == ["Bearer token 1", "Bearer token 2"]


def test_a_token_that_is_refused_again_makes_storage_unavailable(bucket: Bucket, store: GcsObjectStore) -> None:
    bucket.answers = [(401, {})]

    with pytest.raises(StorageUnavailableError, match="Cloud Storage"):
        store.read("a")
    assert bucket.tokens == ["Bearer token 1", "Bearer token 2"]


def test_without_a_token_storage_is_unavailable(bucket: Bucket, store: GcsObjectStore, tokens: Tokens) -> None:
    bucket.answers = [(200, GOOD)]
    tokens.fails = True

    with pytest.raises(StorageUnavailableError, match="Cloud Storage"):
        store.read("a")
    assert bucket.tokens == []


@pytest.mark.parametrize(
    "headers",
    [{**GOOD, "x-goog-hash": "crc32c=AAAAAA=="}, {"x-goog-hash": GOOD["x-goog-hash"]}, {"x-goog-generation": "seven"}],
    ids=["other data", "no generation", "no number"],
)
def test_an_object_that_arrives_damaged_is_not_read(
    bucket: Bucket, store: GcsObjectStore, headers: dict[str, str]
) -> None:
    bucket.answers = [(200, headers)]

    with pytest.raises(StorageUnavailableError, match="Cloud Storage"):
        store.read("a")
