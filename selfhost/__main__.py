"""`python -m selfhost`: serve until Ctrl-C."""

import asyncio
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from selfhost.env_file import with_env_file
from selfhost.process import serve
from selfhost.settings import serve_settings


def main(env: Mapping[str, str]) -> None:
    """Serve with this environment and the file `.env`.  Raises: SettingsError, DatabaseRefusedError."""
    asyncio.run(serve(serve_settings(with_env_file(env, Path(".env")))))


if __name__ == "__main__":
    main(os.environ)  # noqa: TID251 - the only place that reads the environment
    sys.exit(0)
