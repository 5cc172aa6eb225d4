"""The object store on Cloud Storage: its JSON API over google-auth's credentials and a pool of connections.

Records are a few kilobytes, so the client code decides the cost of a call: the client library takes ten times the CPU time of the request
itself (docs/adr/20261122-storage-over-its-json-api.md). Media go through the library, whose transfers are made for large objects.

Source: Cloud Storage JSON API v1, "Objects: get, insert, delete, list"; "Upload objects" (multipart/related, metadata first);
"Retry strategy" (408, 429, 5xx and broken connections; a write with a precondition is idempotent); "Request preconditions" (412, 304;
a deletion of a missing object is a 404, with a precondition and without);
"Data validation" (crc32c is the base64 of its big-endian bytes).
"""

import base64
import random
import secrets
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeVar
from urllib.parse import quote, urlencode, urlsplit

import google_crc32c
import msgspec

from shared.adapters.http_pool import FAILURES, Answer, HttpPool
from shared.clock import Clock, Deadline, SystemClock
from shared.errors import StorageUnavailableError
from shared.storage.object_store import ListedObject, StoredObject

if TYPE_CHECKING:
    from google.auth.credentials import Credentials

    from shared.adapters.gcs_library import LibraryObjectStore

_HOST: Final = "https://storage.googleapis.com"
_SCOPES: Final = ("https://www.googleapis.com/auth/devstorage.read_write",)
_CONNECT_TIMEOUT_S: Final = 2.0
_ANSWER_TIMEOUT_S: Final = 5.0
_FIRST_PAUSE_S: Final = 0.3
_LONGEST_PAUSE_S: Final = 1.0
_TOO_MANY: Final = 429
_UNAUTHORIZED: Final = 401
_RETRIED: Final = frozenset({408, _TOO_MANY, 500, 502, 503, 504})
_DONE: Final = frozenset({200, 204})
_GONE: Final = 404
_OTHER_GENERATION: Final = 412
_LOST: Final = frozenset({_GONE, _OTHER_GENERATION})
_UNCHANGED: Final = 304
_MEDIA: Final = "media/"
_CONTENT_TYPES: Final = {".json": "application/json", ".md": "text/markdown; charset=utf-8"}
_BOUNDARY_BYTES: Final = 16
_Answer = TypeVar("_Answer")


class _Item(msgspec.Struct):
    name: str
    generation: str


class _Page(msgspec.Struct):
    """A page of a listing; an empty page has no items."""

    items: tuple[_Item, ...] = ()
    nextPageToken: str = ""  # noqa: N815 - as on the wire


class _Written(msgspec.Struct):
    generation: str


class _RefusedError(Exception):
    """An answer that is neither success nor expected by the caller, for example a 403."""

    def __init__(self, status: int) -> None:
        super().__init__(f"it answered {status}")
        self.status = status


class _UnauthorisedError(Exception):
    """No valid token; `may_pass` if the next attempt may get one."""

    def __init__(self, *, may_pass: bool) -> None:
        super().__init__("Google's credentials gave no token")
        self.may_pass = may_pass


class _DamagedError(Exception):
    """An object or an answer was damaged on its way."""


class GcsObjectStore:
    """Objects of one bucket; safe to share between threads."""

    def __init__(  # noqa: PLR0913 - the last four have defaults that only tests replace
        self,
        *,
        project_id: str,
        bucket: str,
        connections: int,
        emulator_host: str | None = None,
        retry_timeout_s: float = 10.0,
        answer_timeout_s: float = _ANSWER_TIMEOUT_S,
        clock: Clock | None = None,
        chance: random.Random | None = None,
    ) -> None:
        """`connections` stay open: one for each thread that reads.  `retry_timeout_s`: how late a last attempt may begin.

        `emulator_host`: the address of a stand-in, such as `http://127.0.0.1:4443`; None: Google's.
        """
        url = urlsplit(emulator_host or _HOST)
        self._origin = f"{url.scheme}://{url.netloc}"
        self._pool = HttpPool(
            self._origin,
            most_idle=connections,
            connect_timeout_s=_CONNECT_TIMEOUT_S,
            answer_timeout_s=answer_timeout_s,
            clock=clock,
        )
        self._authorisation = _Authorisation() if emulator_host is None else None
        self._objects_path = f"/storage/v1/b/{quote(bucket, safe='')}/o"
        self._retry_timeout_s = retry_timeout_s
        self._clock = clock or SystemClock()
        self._chance = chance or random.Random()  # noqa: S311 - spreads retries, is no secret
        self._library = _Library(
            project_id=project_id,
            bucket=bucket,
            emulator_host=emulator_host,
            retry_timeout_s=retry_timeout_s,
            credentials=lambda: self._authorisation.credentials if self._authorisation else None,
            clock=clock,
        )

    def read(self, name: str) -> StoredObject | None:
        if name.startswith(_MEDIA):
            return self._library.store.read(name)
        return self._persist(lambda: self._read_once(name))

    def read_again(self, name: str, cached: StoredObject) -> StoredObject | None:
        return self._persist(lambda: self._read_once(name, cached))

    def create(self, name: str, data: bytes) -> int | None:
        return self._write(name, data, generation=0)

    def create_from(self, name: str, pieces: Iterable[bytes]) -> bool:
        return self._library.store.create_from(name, pieces)

    def replace(self, name: str, data: bytes, *, generation: int) -> int | None:
        return self._write(name, data, generation=generation)

    def delete(self, name: str, *, generation: int | None = None) -> bool:
        condition = "" if generation is None else f"?ifGenerationMatch={generation}"
        path = f"{self._path_of(name)}{condition}"
        response = self._persist(lambda: self._ask("DELETE", path, expects=_DONE | _LOST))
        return response.status != _OTHER_GENERATION

    def list(self, prefix: str, *, since: str | None = None, before: str | None = None) -> tuple[ListedObject, ...]:
        query = {"prefix": prefix, "fields": "items(name,generation),nextPageToken"}
        if since is not None:
            query["startOffset"] = since
        if before is not None:
            query["endOffset"] = before
        objects: list[ListedObject] = []
        while True:
            page = self._persist(lambda: self._list_once(query))
            objects += (ListedObject(name=one.name, generation=int(one.generation)) for one in page.items)
            if not page.nextPageToken:
                return tuple(objects)
            query["pageToken"] = page.nextPageToken

    def close(self) -> None:
        """Close the connections."""
        self._pool.close()
        self._library.close()

    def _read_once(self, name: str, cached: StoredObject | None = None) -> StoredObject | None:
        path = f"/download{self._path_of(name)}?alt=media"
        if cached is not None:
            path += f"&ifGenerationNotMatch={cached.generation}"
        response = self._ask("GET", path, expects=_DONE | {_GONE, _UNCHANGED})
        if response.status == _UNCHANGED:
            return cached
        if response.status == _GONE:
            return None
        _check(response)
        return StoredObject(data=response.data, generation=_number(response.header("x-goog-generation")))

    def _list_once(self, query: Mapping[str, str]) -> _Page:
        response = self._ask("GET", f"{self._objects_path}?{urlencode(query)}", expects=_DONE)
        return msgspec.json.decode(response.data, type=_Page)

    def _write(self, name: str, data: bytes, *, generation: int) -> int | None:
        if name.startswith(_MEDIA):
            return self._library.store.write(name, data, generation=generation)
        suffix = name[name.rfind(".") :] if "." in name else ""
        content_type = _CONTENT_TYPES.get(suffix, "application/octet-stream")
        metadata = {"name": name, "contentType": content_type, "crc32c": _crc32c(data)}
        boundary = secrets.token_hex(_BOUNDARY_BYTES)  # random, so no object contains the boundary
        body = b"".join(
            (
                f"--{boundary}\r\ncontent-type: application/json; charset=UTF-8\r\n\r\n".encode(),
                msgspec.json.encode(metadata),
                f"\r\n--{boundary}\r\ncontent-type: {content_type}\r\n\r\n".encode(),
                data,
                f"\r\n--{boundary}--".encode(),
            )
        )
        path = f"/upload{self._objects_path}?uploadType=multipart&ifGenerationMatch={generation}&fields=generation"

        def write_once() -> int | None:
            try:
                response = self._ask("POST", path, body=body, boundary=boundary, expects=_DONE | _LOST)
            except _RefusedError as cause:
                if cause.status == _TOO_MANY and self._has_moved_on(name, generation):
                    return None  # a retry would lose the swap, after a wait behind a growing queue of writers
                raise
            if response.status in _LOST:
                return None
            return _number(msgspec.json.decode(response.data, type=_Written).generation)

        return self._persist(write_once)

    def _has_moved_on(self, name: str, generation: int) -> bool:
        """Whether the object certainly has another generation by now."""
        try:
            response = self._ask("GET", f"{self._path_of(name)}?fields=generation", expects=_DONE | {_GONE})
            newest = 0
            if response.status != _GONE:
                newest = _number(msgspec.json.decode(response.data, type=_Written).generation)
        except (_RefusedError, _DamagedError, _UnauthorisedError, msgspec.MsgspecError, *FAILURES):
            return False
        return newest != generation

    def _path_of(self, name: str) -> str:
        return f"{self._objects_path}/{quote(name, safe='')}"

    def _persist(self, ask: Callable[[], _Answer]) -> _Answer:
        """Return the answer; a request that may succeed later is retried after random pauses, of up to 0.3 s, 0.6 s, then 1 s.

        Raises: StorageUnavailableError.
        """
        deadline = Deadline.after(self._clock, self._retry_timeout_s)
        longest_s = _FIRST_PAUSE_S
        while True:
            try:
                return ask()
            except (
                _RefusedError,
                _DamagedError,
                _UnauthorisedError,
                msgspec.MsgspecError,
                *FAILURES,
            ) as cause:
                pause_s = self._chance.uniform(0.0, longest_s)
                if not _may_succeed_later(cause) or not deadline.pause(pause_s):
                    told = f": {cause}" if isinstance(cause, (_RefusedError, _UnauthorisedError)) else ""
                    raise StorageUnavailableError(f"Cloud Storage did not do what it was asked{told}") from cause
            longest_s = min(2 * longest_s, _LONGEST_PAUSE_S)

    def _ask(
        self, method: str, path: str, *, expects: frozenset[int], body: bytes | None = None, boundary: str = ""
    ) -> Answer:
        """Make one request.  Raises: _RefusedError, _UnauthorisedError, http_pool.FAILURES."""
        headers = {"content-type": f"multipart/related; boundary={boundary}"} if body is not None else {}
        response = self._ask_once(method, path, headers, body)
        if response.status == _UNAUTHORIZED and self._authorisation is not None:  # the token ended early
            self._authorisation.refresh()
            response = self._ask_once(method, path, headers, body)
        if response.status not in expects:
            raise _RefusedError(response.status)
        return response

    def _ask_once(self, method: str, path: str, headers: dict[str, str], body: bytes | None) -> Answer:
        if self._authorisation is not None:
            self._authorisation.apply(method, f"{self._origin}{path}", headers)
        return self._pool.ask(method, path, headers=headers, body=body)


class _Authorisation:
    """Google's credentials of this process: the account of the function, or of `gcloud auth application-default login`."""

    def __init__(self) -> None:
        """Find the credentials.  The import takes an eighth of a second, and is made here, because a stand-in needs no credentials."""
        import certifi  # noqa: PLC0415
        import google.auth  # noqa: PLC0415
        import urllib3  # noqa: PLC0415
        from google.auth.transport.urllib3 import Request  # noqa: PLC0415

        from shared.adapters.mortal_connections import expect_deaths  # noqa: PLC0415

        self.credentials: Credentials
        self.credentials, _ = google.auth.default(scopes=_SCOPES)
        manager = urllib3.PoolManager(cert_reqs="CERT_REQUIRED", ca_certs=certifi.where(), retries=False)
        expect_deaths(manager)  # a token is asked for once an hour
        self._request = Request(manager)
        self._renewing = threading.Lock()

    def apply(self, method: str, url: str, headers: dict[str, str]) -> None:
        """Put a valid token into the headers.  Raises: _UnauthorisedError."""
        with _translated_auth_errors():
            if not self.credentials.valid:
                with self._renewing:  # one thread asks for a token, and the others wait
                    self.credentials.before_request(self._request, method, url, {})
            self.credentials.before_request(self._request, method, url, headers)

    def refresh(self) -> None:
        """Get another token for the next headers.  Raises: _UnauthorisedError."""
        with _translated_auth_errors():
            self.credentials.refresh(self._request)


@contextmanager
def _translated_auth_errors() -> Iterator[None]:
    from google.auth.exceptions import GoogleAuthError, TransportError  # noqa: PLC0415 - as above

    try:
        yield
    except GoogleAuthError as cause:
        raise _UnauthorisedError(may_pass=isinstance(cause, TransportError) or bool(cause.retryable)) from cause


@dataclass(slots=True, kw_only=True)
class _Library:
    """The store through the client library, which is imported with the first medium: the import takes a third of a second."""

    project_id: str
    bucket: str
    emulator_host: str | None
    retry_timeout_s: float
    credentials: "Callable[[], Credentials | None]"
    clock: Clock | None
    _store: "LibraryObjectStore | None" = None
    _building: threading.Lock = field(default_factory=threading.Lock)

    @property
    def store(self) -> "LibraryObjectStore":
        with self._building:
            if self._store is None:
                from shared.adapters.gcs_library import LibraryObjectStore  # noqa: PLC0415 - see above

                self._store = LibraryObjectStore(
                    project_id=self.project_id,
                    bucket=self.bucket,
                    emulator_host=self.emulator_host,
                    credentials=self.credentials(),
                    connections=_MEDIA_CONNECTIONS,
                    retry_timeout_s=self.retry_timeout_s,
                    clock=self.clock,
                )
            return self._store

    def close(self) -> None:
        if self._store is not None:
            self._store.close()


_MEDIA_CONNECTIONS: Final = 16


def _may_succeed_later(cause: Exception) -> bool:
    if isinstance(cause, _RefusedError):
        return cause.status in _RETRIED
    return cause.may_pass if isinstance(cause, _UnauthorisedError) else True


def _check(response: Answer) -> None:
    """Raise _DamagedError if the data do not match the server's checksum."""
    hashes = response.header("x-goog-hash")
    sums = (one.strip().partition("=") for one in hashes.split(","))
    expected = next((value for name, _, value in sums if name == "crc32c"), None)
    if expected is not None and expected != _crc32c(response.data):
        raise _DamagedError("the object arrived damaged")


def _crc32c(data: bytes) -> str:
    return base64.b64encode(google_crc32c.value(data).to_bytes(4, "big")).decode()


def _number(text: str | None) -> int:
    try:
        return int(text or "")
    except ValueError as cause:
        raise _DamagedError("the answer tells no generation") from cause
