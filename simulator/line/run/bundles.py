"""The file with the certificate authorities trusted by a system."""

import ssl
from pathlib import Path
from typing import Final

_FILES: Final = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/cert.pem",
)


def system_bundle() -> Path | None:
    """Return the file, for example `/etc/ssl/certs/ca-certificates.crt`; None without any of the usual files."""
    default_file = ssl.get_default_verify_paths().cafile
    candidates = [Path(path) for path in (*_FILES, default_file) if path]
    return next((path for path in candidates if path.is_file()), None)
