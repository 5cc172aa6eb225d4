"""The rules of Cloud Storage through the real client, the proxy and its server."""

import gzip
from collections.abc import Callable

import httpx2
import pytest
from google.api_core import exceptions
from google.cloud.storage.exceptions import InvalidResponse

from tests.contract.simulator.storage.blobs import (
    CHUNK_BYTES,
    NAME,
    Blob,
    Bucket,
    content,
    patch,
    upload_at_once,
    upload_in_chunks,
)
from tests.contract.simulator.storage.emulator import Emulator

STALE = 1


def upload_of_unknown_size(blob: Blob, **conditions: int) -> None:
    with blob.open("wb", chunk_size=CHUNK_BYTES, retry=None, **conditions) as file:
        file.write(b"x" * (CHUNK_BYTES + 1))


@pytest.mark.parametrize("upload", [upload_at_once, upload_in_chunks, upload_of_unknown_size])
@pytest.mark.parametrize(
    "condition", [{"if_generation_match": 0}, {"if_generation_match": STALE}, {"if_metageneration_match": 7}]
)
def test_an_upload_keeps_its_conditions(blob: Blob, upload: Callable[..., None], condition: dict[str, int]) -> None:
    with pytest.raises((exceptions.PreconditionFailed, InvalidResponse), match="412"):
        upload(blob, **condition)

    assert content(blob) == b"one"


@pytest.mark.parametrize("upload", [upload_at_once, upload_in_chunks])
def test_an_existing_object_is_not_created_again(blob: Blob, upload: Callable[..., None]) -> None:
    with pytest.raises(exceptions.NotModified):
        upload(blob, if_generation_not_match=blob.generation)

    assert content(blob) == b"one"


@pytest.mark.parametrize("upload", [upload_at_once, upload_in_chunks, upload_of_unknown_size])
def test_an_upload_succeeds_if_its_condition_holds(blob: Blob, upload: Callable[..., None]) -> None:
    before = blob.generation

    upload(blob, if_generation_match=before)

    assert blob.bucket.get_blob(NAME).generation > before


def test_a_session_is_checked_again_when_it_ends(bucket: Bucket) -> None:
    blob = bucket.blob(NAME)
    session = blob.create_resumable_upload_session(if_generation_match=0)
    blob.upload_from_string(b"another writer", retry=None)

    answer = httpx2.put(session, content=b"too late")

    assert answer.status_code == 412
    assert answer.json()["error"]["errors"][0]["reason"] == "conditionNotMet"
    assert content(blob) == b"another writer"


@pytest.mark.parametrize(
    "ask",
    [
        lambda blob: blob.delete(if_generation_match=STALE),
        lambda blob: blob.delete(if_metageneration_match=7),
        lambda blob: blob.reload(if_generation_match=STALE),
        lambda blob: blob.download_as_bytes(if_generation_match=STALE),
        lambda blob: blob.patch(if_generation_match=STALE),
        lambda blob: blob.patch(if_metageneration_match=7),
        lambda blob: blob.update(if_generation_match=STALE),
        lambda blob: blob.bucket.blob("new").rewrite(blob, if_generation_match=STALE),
        lambda blob: blob.bucket.blob("new").rewrite(blob, if_source_generation_match=STALE),
        lambda blob: blob.bucket.copy_blob(blob, blob.bucket, blob.name, if_generation_match=0),
        lambda blob: blob.bucket.blob("new").compose([blob], if_generation_match=STALE),
        lambda blob: blob.bucket.blob("new").compose([blob], if_source_generation_match=[STALE]),
    ],
)
def test_a_failed_condition_refuses_every_operation(blob: Blob, ask: Callable[[Blob], object]) -> None:
    before = blob.generation

    with pytest.raises(exceptions.PreconditionFailed, match="At least one of the pre-conditions"):
        ask(blob)

    assert content(blob) == b"one"
    assert blob.bucket.get_blob(NAME).generation == before
    assert not blob.bucket.blob("new").exists()


@pytest.mark.parametrize(
    "ask",
    [
        lambda blob: blob.reload(if_generation_match=blob.generation),
        lambda blob: blob.download_as_bytes(if_generation_match=blob.generation, if_metageneration_match=1),
        lambda blob: patch(blob, if_generation_match=blob.generation),
        lambda blob: blob.bucket.blob("new").rewrite(
            blob, if_generation_match=0, if_source_generation_match=blob.generation
        ),
        lambda blob: blob.bucket.blob("new").compose([blob], if_generation_match=0),
        lambda blob: blob.delete(if_generation_match=blob.generation),
    ],
)
def test_a_condition_that_holds_allows_every_operation(blob: Blob, ask: Callable[[Blob], object]) -> None:
    ask(blob)


@pytest.mark.parametrize(
    "ask",
    [
        lambda blob: blob.reload(if_generation_not_match=blob.generation),
        lambda blob: blob.download_as_bytes(if_generation_not_match=blob.generation),
    ],
)
def test_an_unchanged_object_is_not_sent_again(blob: Blob, ask: Callable[[Blob], object]) -> None:
    with pytest.raises(exceptions.NotModified):
        ask(blob)


@pytest.mark.parametrize("condition", [{}, {"if_generation_match": 5}, {"if_generation_not_match": 5}])
def test_an_absent_object_is_not_found_with_any_condition(bucket: Bucket, condition: dict[str, int]) -> None:
    with pytest.raises(exceptions.NotFound):
        bucket.blob(NAME).delete(**condition)


def test_another_generation_is_not_deleted(blob: Blob) -> None:
    with pytest.raises(exceptions.NotFound, match="No such object"):
        blob.bucket.blob(NAME, generation=STALE).delete()

    assert content(blob) == b"one"
    blob.bucket.blob(NAME, generation=blob.generation).delete()
    assert not blob.exists()


def test_compressed_content_is_downloaded_unchanged(bucket: Bucket) -> None:
    packed = gzip.compress("今日は".encode() * 100)
    blob = bucket.blob("packed")
    blob.content_encoding = "gzip"
    blob.upload_from_string(packed)

    assert blob.download_as_bytes(raw_download=True) == packed
    assert blob.download_as_bytes() == "今日は".encode() * 100


def test_links_point_to_the_proxy(emulator: Emulator, blob: Blob) -> None:
    assert blob.media_link.startswith(f"{emulator.url}/download/")
    assert blob.create_resumable_upload_session().startswith(f"{emulator.url}/upload/")


def test_part_of_an_object_can_be_read(blob: Blob) -> None:
    assert blob.download_as_bytes(start=1, end=1) == b"n"
