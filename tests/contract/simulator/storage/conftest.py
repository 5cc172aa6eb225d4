from collections.abc import Iterator

import pytest
from google.cloud import storage

from tests.contract.simulator.storage.blobs import NAME, Blob, Bucket
from tests.contract.simulator.storage.emulator import PROJECT_ID, Emulator, close, running_emulator


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulator]:
    with running_emulator(tmp_path_factory.mktemp("storage")) as emulator:
        yield emulator


@pytest.fixture(scope="session")
def client(running: Emulator) -> Iterator[storage.Client]:
    client = running.call_in_environment(lambda: storage.Client(project=PROJECT_ID))  # type: ignore[no-untyped-call]
    yield client
    close(client)


@pytest.fixture
def emulator(running: Emulator) -> Iterator[Emulator]:
    running.reset()
    yield running
    running.reset()


@pytest.fixture
def bucket(emulator: Emulator, client: storage.Client) -> storage.Bucket:
    """Return an empty bucket of the real client."""
    return storage.Bucket(client, emulator.new_bucket())  # type: ignore[no-untyped-call]


@pytest.fixture
def blob(bucket: Bucket) -> Blob:
    """Return the only object of a bucket."""
    blob = bucket.blob(NAME)
    blob.upload_from_string(b"one", retry=None)
    return blob
