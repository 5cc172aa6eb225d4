"""Objects of the real client, and uploads of each kind."""

import os
from io import BytesIO
from typing import Any, TypeAlias

Blob: TypeAlias = Any  # the client library annotates nothing
Bucket: TypeAlias = Any
CHUNK_BYTES = 256 * 1024
NAME = "旅行/a%2Fb 🍣.json"


def content(blob: Blob) -> bytes:
    return bytes(blob.bucket.blob(blob.name).download_as_bytes(retry=None))


def upload_in_chunks(blob: Blob, **conditions: int) -> None:
    """Upload in a resumable session of three requests."""
    blob.chunk_size = CHUNK_BYTES
    data = BytesIO(os.urandom(2 * CHUNK_BYTES + 1))
    blob.upload_from_file(data, size=2 * CHUNK_BYTES + 1, retry=None, **conditions)


def upload_at_once(blob: Blob, **conditions: int) -> None:
    blob.upload_from_string(b"two", retry=None, **conditions)


def patch(blob: Blob, **conditions: int) -> None:
    blob.metadata = {"色": "青"}
    blob.patch(retry=None, **conditions)
