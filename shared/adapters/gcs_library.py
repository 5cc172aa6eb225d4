"""The object store through Cloud Storage's client library: for media, and next to the JSON API in the contract tests.

Timeouts and retries are set here, because the client's defaults (60 s an attempt, 120 s in all) are far longer than a chat's turn.
Source: google-cloud-storage 3.17, storage/retry.py and constants.py: uploads are retried with and without a precondition.
"""

import itertools
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Final

import requests
from google.api_core import exceptions
from google.auth.credentials import AnonymousCredentials, Credentials
from google.auth.exceptions import GoogleAuthError
from google.cloud import storage
from google.cloud.storage.exceptions import DataCorruption, InvalidResponse
from google.cloud.storage.retry import DEFAULT_RETRY

from shared.adapters.mortal_connections import expect_deaths
from shared.clock import Clock
from shared.errors import StorageUnavailableError
from shared.storage.object_store import ListedObject, StoredObject

_ATTEMPT_S: Final = (2.0, 5.0)  # to connect, to answer
_TOO_MANY: Final = 429
_RETRIES: Final = DEFAULT_RETRY.with_delay(initial=0.3, maximum=1.0)
_LOST: Final = frozenset({404, 412})
_WHOLE_BYTES: Final = 1024 * 1024
"""An object up to this size is written in one request; a larger object in parts of `_PART_BYTES`, one after another."""
_PART_BYTES: Final = 2 * 1024 * 1024
_CONTENT_TYPES: Final = {".json": "application/json", ".md": "text/markdown; charset=utf-8"}
_FAILURES: Final = (
    exceptions.GoogleAPIError,
    DataCorruption,
    InvalidResponse,
    GoogleAuthError,
    requests.RequestException,
    OSError,
)


class LibraryObjectStore:
    """Objects of one bucket; safe to share between threads."""

    def __init__(  # noqa: PLR0913 - an address, and how it is reached
        self,
        *,
        project_id: str,
        bucket: str,
        connections: int,
        emulator_host: str | None = None,
        credentials: Credentials | None = None,
        retry_timeout_s: float = 10.0,
        clock: Clock | None = None,
    ) -> None:
        """`connections` is the pool's size: one for each thread that reads.  `retry_timeout_s`: how late a last attempt may begin."""
        client = storage.Client(
            project=project_id,
            credentials=credentials or (AnonymousCredentials() if emulator_host else None),  # type: ignore[no-untyped-call]
            client_options={"api_endpoint": emulator_host} if emulator_host else None,
        )
        pool = requests.adapters.HTTPAdapter(pool_connections=connections, pool_maxsize=connections)
        expect_deaths(pool.poolmanager, clock=clock)
        client._http.mount("https://", pool)  # noqa: SLF001 - the maintainers' way to a larger pool (issue 253)
        client._http.mount("http://", pool)  # noqa: SLF001
        client._bucket_metadata_cache = None  # type: ignore[assignment]  # noqa: SLF001 - else every 404 costs a request for the bucket
        self._client = client
        self._bucket = client.bucket(bucket)  # type: ignore[no-untyped-call]
        self._retries = _RETRIES.with_timeout(retry_timeout_s)

    def read(self, name: str) -> StoredObject | None:
        with _translate_errors():
            try:
                return self._retries(self._read_once)(name)  # every attempt is a new download
            except exceptions.NotFound:
                return None

    def read_again(self, name: str, cached: StoredObject) -> StoredObject | None:
        with _translate_errors():
            try:
                return self._retries(self._read_once)(name, if_generation_not_match=cached.generation)
            except exceptions.NotFound:
                return None
            except exceptions.NotModified:
                return cached

    def create(self, name: str, data: bytes) -> int | None:
        return self.write(name, data, generation=0)

    def create_from(self, name: str, pieces: Iterable[bytes]) -> bool:
        arriving = iter(pieces)
        first = bytearray()
        for piece in arriving:
            first += piece
            if len(first) > _WHOLE_BYTES:
                break
        else:
            return self.create(name, bytes(first)) is not None
        return self._write_in_parts(name, itertools.chain((first,), arriving))

    def replace(self, name: str, data: bytes, *, generation: int) -> int | None:
        return self.write(name, data, generation=generation)

    def delete(self, name: str, *, generation: int | None = None) -> bool:
        with _translate_errors():
            try:
                self._bucket.blob(name).delete(if_generation_match=generation, timeout=_ATTEMPT_S, retry=self._retries)
            except exceptions.NotFound:
                return True
            except exceptions.PreconditionFailed:
                return False
        return True

    def list(self, prefix: str, *, since: str | None = None, before: str | None = None) -> tuple[ListedObject, ...]:
        with _translate_errors():
            blobs = self._client.list_blobs(  # type: ignore[no-untyped-call]
                self._bucket,
                prefix=prefix,
                start_offset=since,  # inclusive. Source: Cloud Storage JSON API, "Objects: list", startOffset
                end_offset=before,  # exclusive. Source: ibid., endOffset
                fields="items(name,generation),nextPageToken",
                timeout=_ATTEMPT_S,
                retry=self._retries,
            )
            try:
                return tuple(ListedObject(name=blob.name, generation=int(blob.generation)) for blob in blobs)
            except exceptions.NotFound as cause:  # an empty bucket has an empty listing
                raise StorageUnavailableError("there is no such bucket") from cause

    def _read_once(self, name: str, *, if_generation_not_match: int | None = None) -> StoredObject:
        """Read without the client's own retry, which resumes a broken download at the generation of its first attempt."""
        blob = self._bucket.blob(name)
        data = blob.download_as_bytes(if_generation_not_match=if_generation_not_match, timeout=_ATTEMPT_S, retry=None)
        return StoredObject(data=data, generation=int(blob.generation))

    def close(self) -> None:
        """Close the connections."""
        self._client.close()  # type: ignore[no-untyped-call]

    def write(self, name: str, data: bytes, *, generation: int) -> int | None:
        """Write the object if `generation` is stored (0: if no object exists), as `create` and `replace` do."""
        blob = self._bucket.blob(name)
        with _translate_errors():
            try:
                blob.upload_from_string(
                    data,
                    content_type=_content_type(name),
                    if_generation_match=generation,
                    timeout=_ATTEMPT_S,
                    retry=self._retries.with_predicate(lambda cause: self._may_still_win(name, generation, cause)),
                )
            except (exceptions.PreconditionFailed, exceptions.NotFound):
                return None
            except exceptions.TooManyRequests:
                if self._has_moved_on(name, generation):
                    return None
                raise
        return int(blob.generation)

    def _write_in_parts(self, name: str, pieces: Iterable[bytes | bytearray]) -> bool:
        """Create the object by a resumable upload; the client retries its parts."""
        blob = self._bucket.blob(name, chunk_size=_PART_BYTES)
        with _translate_errors():
            writer = blob.open(
                "wb",
                content_type=_content_type(name),
                if_generation_match=0,
                timeout=_ATTEMPT_S,
                retry=self._retries,
            )
            try:
                for piece in pieces:
                    writer.write(piece)
                writer.close()
            except BaseException as cause:  # also an error of the iterator of the pieces
                with suppress(*_FAILURES):
                    writer.terminate()  # otherwise garbage collection of the writer would complete the upload
                if isinstance(cause, DataCorruption):  # the upload was completed, and arrived damaged
                    self._delete_damaged(name)
                if isinstance(cause, InvalidResponse) and _status_in(cause) in _LOST:
                    return False
                raise
        return True

    def _delete_damaged(self, name: str) -> None:
        """Delete the object that was just completed; a later object of the same name stays."""
        blob = self._bucket.get_blob(name, timeout=_ATTEMPT_S, retry=self._retries)
        if blob is not None:
            self.delete(name, generation=int(blob.generation))

    def _may_still_win(self, name: str, generation: int, cause: Exception) -> bool:
        """Whether to repeat a write after this failure.

        Not after a 429 if the object has another generation: the write would lose, after waiting behind a growing queue of writers.
        """
        is_limited = isinstance(cause, exceptions.TooManyRequests) or _status_in(cause) == _TOO_MANY
        return _RETRIES._predicate(cause) and not (is_limited and self._has_moved_on(name, generation))  # noqa: SLF001 - the default's own

    def _has_moved_on(self, name: str, generation: int) -> bool:
        """Whether the object certainly has another generation by now."""
        try:
            newest = self._bucket.get_blob(name, timeout=_ATTEMPT_S, retry=None)
        except _FAILURES:
            return False
        return (int(newest.generation) if newest is not None else 0) != generation


def _content_type(name: str) -> str:
    suffix = name[name.rfind(".") :] if "." in name else ""
    return _CONTENT_TYPES.get(suffix, "application/octet-stream")


def _status_in(cause: Exception) -> int | None:
    """Return the status of a refused upload, for example 412; the client translates this exception only after the last attempt."""
    return cause.response.status_code if isinstance(cause, InvalidResponse) else None


@contextmanager
def _translate_errors() -> Iterator[None]:
    try:
        yield
    except (exceptions.PreconditionFailed, exceptions.NotFound, exceptions.NotModified):
        raise
    except _FAILURES as cause:
        raise StorageUnavailableError("Cloud Storage did not do what it was asked") from cause
