"""The object store on Cloud Storage.

Own timeouts and retries, because the client's defaults (60 s an attempt, 120 s in all) are far longer than a chat's turn.
Source: google-cloud-storage 3.17, storage/retry.py and constants.py: uploads are retried with and without a precondition.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import requests
from google.api_core import exceptions
from google.auth.exceptions import GoogleAuthError
from google.cloud import storage
from google.cloud.storage.exceptions import DataCorruption
from google.cloud.storage.retry import DEFAULT_RETRY

from shared.errors import StorageUnavailableError
from shared.storage.object_store import ListedObject, StoredObject

_ATTEMPT_S: Final = (2.0, 5.0)  # to connect, to answer
_RETRIES: Final = DEFAULT_RETRY.with_delay(initial=0.3, maximum=1.0)
_CONTENT_TYPES: Final = {".json": "application/json", ".md": "text/markdown; charset=utf-8"}


class GcsObjectStore:
    """Objects of one bucket; safe to share between threads.  STORAGE_EMULATOR_HOST is read by the client library itself."""

    def __init__(self, *, project_id: str, bucket: str, connections: int, retry_timeout_s: float = 10.0) -> None:
        """`connections` are kept open: as many as there are threads that read.  `retry_timeout_s` bounds when a last try begins."""
        client = storage.Client(project=project_id)
        pool = requests.adapters.HTTPAdapter(pool_connections=connections, pool_maxsize=connections)
        client._http.mount("https://", pool)  # noqa: SLF001 - the way that the library's maintainers give for a larger pool (issue 253)
        client._http.mount("http://", pool)  # noqa: SLF001
        client._bucket_metadata_cache = None  # type: ignore[assignment]  # noqa: SLF001 - else it looks at the bucket after every 404
        self._client = client
        self._bucket = client.bucket(bucket)
        self._retries = _RETRIES.with_timeout(retry_timeout_s)

    def read(self, name: str) -> StoredObject | None:
        with _translated():
            try:
                return self._retries(self._read_once)(name)  # every attempt begins anew
            except exceptions.NotFound:
                return None

    def create(self, name: str, data: bytes) -> int | None:
        return self._write(name, data, generation=0)

    def replace(self, name: str, data: bytes, *, generation: int) -> int | None:
        return self._write(name, data, generation=generation)

    def delete(self, name: str) -> None:
        with _translated():
            try:
                self._bucket.blob(name).delete(timeout=_ATTEMPT_S, retry=self._retries)
            except exceptions.NotFound:
                return

    def list(self, prefix: str) -> tuple[ListedObject, ...]:
        with _translated():
            blobs = self._client.list_blobs(
                self._bucket,
                prefix=prefix,
                fields="items(name,generation),nextPageToken",
                timeout=_ATTEMPT_S,
                retry=self._retries,
            )
            try:
                return tuple(ListedObject(name=blob.name, generation=int(blob.generation)) for blob in blobs)
            except exceptions.NotFound as cause:  # a bucket that is there and holds nothing has an empty listing
                raise StorageUnavailableError("there is no such bucket") from cause

    def _read_once(self, name: str) -> StoredObject:
        """Read without the client's own retry: after a broken answer it would go on with the generation that it began with."""
        blob = self._bucket.blob(name)
        data = blob.download_as_bytes(timeout=_ATTEMPT_S, retry=None)
        return StoredObject(data=data, generation=int(blob.generation))

    def _write(self, name: str, data: bytes, *, generation: int) -> int | None:
        blob = self._bucket.blob(name)
        suffix = name[name.rfind(".") :] if "." in name else ""
        with _translated():
            try:
                blob.upload_from_string(
                    data,
                    content_type=_CONTENT_TYPES.get(suffix, "application/octet-stream"),
                    if_generation_match=generation,
                    timeout=_ATTEMPT_S,
                    retry=self._retries,
                )
            except (exceptions.PreconditionFailed, exceptions.NotFound):
                return None
        return int(blob.generation)


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except (exceptions.PreconditionFailed, exceptions.NotFound):
        raise
    except (exceptions.GoogleAPIError, DataCorruption, GoogleAuthError, requests.RequestException, OSError) as cause:
        raise StorageUnavailableError("Cloud Storage did not do what it was asked") from cause
