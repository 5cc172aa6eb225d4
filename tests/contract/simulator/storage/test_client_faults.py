"""Switches and faults of the proxy, as the real client sees them."""

from collections.abc import Callable
from typing import Any, Literal

import pytest
from google.api_core import exceptions

from simulator.storage import Call, Fault, Operation, StorageSwitches
from tests.contract.simulator.storage.blobs import Blob, content, upload_at_once, upload_in_chunks
from tests.contract.simulator.storage.emulator import Emulator


@pytest.mark.parametrize(
    ("operation", "write"),
    [
        ("insert", upload_at_once),
        ("insert", upload_in_chunks),
        ("patch", lambda blob: blob.patch(retry=None)),
        ("rewrite", lambda blob: blob.rewrite(blob.bucket.blob("source"), retry=None)),
        ("compose", lambda blob: blob.compose([blob.bucket.blob("source")], retry=None)),
        ("delete", lambda blob: blob.delete(retry=None)),
    ],
)
def test_an_object_can_change_once_a_second(
    emulator: Emulator, blob: Blob, operation: Operation, write: Callable[[Blob], object]
) -> None:
    blob.bucket.blob("source").upload_from_string(b"s")
    emulator.proxy.switches = StorageSwitches(one_write_a_second=True)
    upload_at_once(blob.bucket.blob("fresh"))
    upload_at_once(blob.bucket.blob("as fresh"))

    with pytest.raises(exceptions.TooManyRequests, match="exceeded the rate limit for object mutation operations"):
        write(blob.bucket.blob("fresh"))

    refused = emulator.proxy.requests[-1]
    assert (refused.operation, refused.name, refused.status) == (operation, "fresh", 429)


@pytest.mark.parametrize("fault", [{"error_status": 503}, {"error_status": 429}, {"answer": "unavailable"}])
@pytest.mark.parametrize(
    ("operation", "ask"),
    [
        ("insert", upload_at_once),
        ("get", lambda blob: blob.reload(retry=None)),
        ("list", lambda blob: list(blob.bucket.list_blobs(retry=None))),
        ("delete", lambda blob: blob.delete(retry=None)),
        ("patch", lambda blob: blob.patch(retry=None)),
    ],
)
def test_a_fault_is_an_error_of_the_client(
    emulator: Emulator, blob: Blob, operation: Operation, ask: Callable[[Blob], object], fault: dict[str, Any]
) -> None:
    emulator.proxy.faults.add(Fault(operation=operation, **fault))

    with pytest.raises((exceptions.ServiceUnavailable, exceptions.TooManyRequests)):
        ask(blob)


def test_an_error_before_the_effect_changes_nothing(emulator: Emulator, blob: Blob) -> None:
    emulator.proxy.faults.add(Fault(operation="delete", error_status=503))

    with pytest.raises(exceptions.ServiceUnavailable):
        blob.delete(retry=None)

    assert content(blob) == b"one"


@pytest.mark.parametrize("answer", ["cut", "unavailable"])
def test_a_request_with_a_lost_answer_has_its_effect(
    emulator: Emulator, blob: Blob, answer: Literal["cut", "unavailable"]
) -> None:
    emulator.proxy.faults.add(Fault(operation="insert", answer=answer))

    with pytest.raises((exceptions.ServiceUnavailable, OSError)):
        upload_at_once(blob)

    assert content(blob) == b"two"
    assert [request.was_answered for request in emulator.proxy.requests if request.operation == "insert"] == [
        True,
        False,
    ]


def test_an_answer_without_a_body_can_be_lost_as_well(emulator: Emulator, blob: Blob) -> None:
    emulator.proxy.faults.add(Fault(operation="get", answer="cut"))

    with pytest.raises(OSError, match=r"IncompleteRead|Connection"):
        blob.reload(if_generation_not_match=blob.generation, retry=None)


def test_fault_callbacks_run_before_and_after_the_request(emulator: Emulator, blob: Blob) -> None:
    seen: list[str] = []

    def writes(call: Call) -> bool:
        is_write = call.operation == "insert"  # the client also reads the bucket at any time
        seen.extend([call.name] if is_write else [])
        return is_write

    emulator.proxy.faults.add(
        Fault(
            rule=writes, nth=2, arrived=lambda: seen.append("arrived"), took_effect=lambda: seen.append("took effect")
        )
    )

    upload_at_once(blob.bucket.blob("first"))
    upload_at_once(blob.bucket.blob("second"))

    assert seen == ["first", "second", "arrived", "took effect"]
