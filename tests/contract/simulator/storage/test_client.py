"""The proxy and the server behind it as the real client sees them: the rules of Cloud Storage hold, and faults are what they are there."""

import gzip
import os
from collections.abc import Callable
from io import BytesIO
from typing import Any, Literal, TypeAlias

import httpx2
import pytest
from google.api_core import exceptions
from google.cloud.storage.exceptions import InvalidResponse

from simulator.storage import Call, Fault, Operation, StorageSwitches
from tests.contract.simulator.storage.emulator import Emulator

Blob: TypeAlias = Any  # the client library annotates nothing
Bucket: TypeAlias = Any

CHUNK_BYTES = 256 * 1024
NAME = "旅行/a%2Fb 🍣.json"
STALE = 1


@pytest.fixture
def blob(bucket: Bucket) -> Blob:
    """An object that is there, in a bucket with nothing else."""
    blob = bucket.blob(NAME)
    blob.upload_from_string(b"one", retry=None)
    return blob


def content(blob: Blob) -> bytes:
    return bytes(blob.bucket.blob(blob.name).download_as_bytes(retry=None))


def of_chunks(blob: Blob, **conditions: int) -> None:
    """Upload in a session of three requests."""
    blob.chunk_size = CHUNK_BYTES
    data = BytesIO(os.urandom(2 * CHUNK_BYTES + 1))
    blob.upload_from_file(data, size=2 * CHUNK_BYTES + 1, retry=None, **conditions)


def of_unknown_size(blob: Blob, **conditions: int) -> None:
    with blob.open("wb", chunk_size=CHUNK_BYTES, retry=None, **conditions) as file:
        file.write(b"x" * (CHUNK_BYTES + 1))


def at_once(blob: Blob, **conditions: int) -> None:
    blob.upload_from_string(b"two", retry=None, **conditions)


def patch(blob: Blob, **conditions: int) -> None:
    blob.metadata = {"色": "青"}
    blob.patch(retry=None, **conditions)


@pytest.mark.parametrize("upload", [at_once, of_chunks, of_unknown_size])
@pytest.mark.parametrize(
    "condition", [{"if_generation_match": 0}, {"if_generation_match": STALE}, {"if_metageneration_match": 7}]
)
def test_an_upload_keeps_its_conditions(blob: Blob, upload: Callable[..., None], condition: dict[str, int]) -> None:
    with pytest.raises((exceptions.PreconditionFailed, InvalidResponse), match="412"):
        upload(blob, **condition)

    assert content(blob) == b"one"


@pytest.mark.parametrize("upload", [at_once, of_chunks])
def test_what_is_there_unchanged_is_not_uploaded_again(blob: Blob, upload: Callable[..., None]) -> None:
    with pytest.raises(exceptions.NotModified):
        upload(blob, if_generation_not_match=blob.generation)

    assert content(blob) == b"one"


@pytest.mark.parametrize("upload", [at_once, of_chunks, of_unknown_size])
def test_an_upload_goes_on_where_its_condition_holds(blob: Blob, upload: Callable[..., None]) -> None:
    before = blob.generation

    upload(blob, if_generation_match=before)

    assert blob.bucket.get_blob(NAME).generation > before


def test_a_session_is_checked_again_when_it_ends(bucket: Bucket) -> None:
    blob = bucket.blob(NAME)
    session = blob.create_resumable_upload_session(if_generation_match=0)
    blob.upload_from_string(b"somebody else", retry=None)

    answer = httpx2.put(session, content=b"too late")

    assert answer.status_code == 412
    assert answer.json()["error"]["errors"][0]["reason"] == "conditionNotMet"
    assert content(blob) == b"somebody else"


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
def test_a_condition_that_does_not_hold_stops_everything(blob: Blob, ask: Callable[[Blob], object]) -> None:
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
def test_a_condition_that_holds_stops_nothing(blob: Blob, ask: Callable[[Blob], object]) -> None:
    ask(blob)


@pytest.mark.parametrize(
    "ask",
    [
        lambda blob: blob.reload(if_generation_not_match=blob.generation),
        lambda blob: blob.download_as_bytes(if_generation_not_match=blob.generation),
    ],
)
def test_what_has_not_changed_is_not_told_again(blob: Blob, ask: Callable[[Blob], object]) -> None:
    with pytest.raises(exceptions.NotModified):
        ask(blob)


@pytest.mark.parametrize("condition", [{}, {"if_generation_match": 5}, {"if_generation_not_match": 5}])
def test_what_is_not_there_is_not_found_whatever_the_condition(bucket: Bucket, condition: dict[str, int]) -> None:
    with pytest.raises(exceptions.NotFound):
        bucket.blob(NAME).delete(**condition)


def test_another_generation_is_not_deleted(blob: Blob) -> None:
    with pytest.raises(exceptions.NotFound, match="No such object"):
        blob.bucket.blob(NAME, generation=STALE).delete()

    assert content(blob) == b"one"
    blob.bucket.blob(NAME, generation=blob.generation).delete()
    assert not blob.exists()


def test_what_is_stored_compressed_comes_back_as_it_was_sent(bucket: Bucket) -> None:
    packed = gzip.compress("今日は".encode() * 100)
    blob = bucket.blob("packed")
    blob.content_encoding = "gzip"
    blob.upload_from_string(packed)

    assert blob.download_as_bytes(raw_download=True) == packed
    assert blob.download_as_bytes() == "今日は".encode() * 100


def test_links_lead_back_to_the_proxy(emulator: Emulator, blob: Blob) -> None:
    assert blob.media_link.startswith(f"{emulator.url}/download/")
    assert blob.create_resumable_upload_session().startswith(f"{emulator.url}/upload/")


def test_part_of_an_object_can_be_read(blob: Blob) -> None:
    assert blob.download_as_bytes(start=1, end=1) == b"n"


@pytest.mark.parametrize(
    ("operation", "write"),
    [
        ("insert", at_once),
        ("insert", of_chunks),
        ("patch", lambda blob: blob.patch(retry=None)),
        ("rewrite", lambda blob: blob.rewrite(blob.bucket.blob("source"), retry=None)),
        ("compose", lambda blob: blob.compose([blob.bucket.blob("source")], retry=None)),
        ("delete", lambda blob: blob.delete(retry=None)),
    ],
)
def test_an_object_is_changed_once_a_second(
    emulator: Emulator, blob: Blob, operation: Operation, write: Callable[[Blob], object]
) -> None:
    blob.bucket.blob("source").upload_from_string(b"s")
    emulator.proxy.switches = StorageSwitches(one_write_a_second=True)
    at_once(blob.bucket.blob("fresh"))
    at_once(blob.bucket.blob("as fresh"))

    with pytest.raises(exceptions.TooManyRequests, match="exceeded the rate limit for object mutation operations"):
        write(blob.bucket.blob("fresh"))

    refused = emulator.proxy.requests[-1]
    assert (refused.operation, refused.name, refused.status) == (operation, "fresh", 429)


@pytest.mark.parametrize("fault", [{"error_status": 503}, {"error_status": 429}, {"answer": "unavailable"}])
@pytest.mark.parametrize(
    ("operation", "ask"),
    [
        ("insert", at_once),
        ("get", lambda blob: blob.reload(retry=None)),
        ("list", lambda blob: list(blob.bucket.list_blobs(retry=None))),
        ("delete", lambda blob: blob.delete(retry=None)),
        ("patch", lambda blob: blob.patch(retry=None)),
    ],
)
def test_a_fault_is_what_the_client_knows_from_the_real_service(
    emulator: Emulator, blob: Blob, operation: Operation, ask: Callable[[Blob], object], fault: dict[str, Any]
) -> None:
    emulator.proxy.faults.add(Fault(operation=operation, **fault))

    with pytest.raises((exceptions.ServiceUnavailable, exceptions.TooManyRequests)):
        ask(blob)


def test_an_error_before_the_effect_leaves_everything_as_it_was(emulator: Emulator, blob: Blob) -> None:
    emulator.proxy.faults.add(Fault(operation="delete", error_status=503))

    with pytest.raises(exceptions.ServiceUnavailable):
        blob.delete(retry=None)

    assert content(blob) == b"one"


@pytest.mark.parametrize("answer", ["cut", "unavailable"])
def test_an_answer_that_is_lost_had_its_effect(
    emulator: Emulator, blob: Blob, answer: Literal["cut", "unavailable"]
) -> None:
    emulator.proxy.faults.add(Fault(operation="insert", answer=answer))

    with pytest.raises((exceptions.ServiceUnavailable, OSError)):
        at_once(blob)

    assert content(blob) == b"two"
    assert [request.was_answered for request in emulator.proxy.requests if request.operation == "insert"] == [
        True,
        False,
    ]


def test_an_answer_without_a_body_can_be_lost_as_well(emulator: Emulator, blob: Blob) -> None:
    emulator.proxy.faults.add(Fault(operation="get", answer="cut"))

    with pytest.raises(OSError, match=r"IncompleteRead|Connection"):
        blob.reload(if_generation_not_match=blob.generation, retry=None)


def test_whoever_waits_for_a_request_is_called_before_and_after_it(emulator: Emulator, blob: Blob) -> None:
    seen: list[str] = []

    def writes(call: Call) -> bool:
        is_write = call.operation == "insert"  # the client looks at the bucket besides, whenever it likes
        seen.extend([call.name] if is_write else [])
        return is_write

    emulator.proxy.faults.add(
        Fault(
            rule=writes, nth=2, arrived=lambda: seen.append("arrived"), took_effect=lambda: seen.append("took effect")
        )
    )

    at_once(blob.bucket.blob("first"))
    at_once(blob.bucket.blob("second"))

    assert seen == ["first", "second", "arrived", "took effect"]
