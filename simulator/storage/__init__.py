"""Cloud Storage: fake-gcs-server behind a proxy. The proxy enforces rules ignored by fake-gcs-server, and injects faults."""

from simulator.storage.calls import Call, Operation
from simulator.storage.proxy import LoggedRequest, StorageProxy
from simulator.storage.server import create_bucket, storage_child
from simulator.storage.switches import Fault, Faults, StorageSwitches

__all__ = [
    "Call",
    "Fault",
    "Faults",
    "LoggedRequest",
    "Operation",
    "StorageProxy",
    "StorageSwitches",
    "create_bucket",
    "storage_child",
]
