"""Media of a bot on this machine: `http://` URLs of a loopback address, refused by LINE, but within a local phone's reach."""

import re
from typing import Any, Final

from .messages import JsonObject

MARK: Final = {"x-line-simulator": "local-media"}
PROPERTIES: Final = frozenset(
    {
        *("originalContentUrl", "previewImageUrl", "imageUrl", "thumbnailImageUrl"),
        *("baseUrl", "url", "previewUrl", "iconUrl"),
    }
)
_LOCAL: Final = re.compile(r"http://(localhost|127(\.[0-9]{1,3}){3}|\[::1\])(?=[:/]|$)", re.IGNORECASE)


def has_local_media(value: Any) -> bool:  # noqa: ANN401 - any JSON
    """Whether a message names media of this machine, for example `"originalContentUrl": "http://127.0.0.1:8000/a.png"`."""
    if isinstance(value, list):
        return any(has_local_media(item) for item in value)
    if isinstance(value, dict):
        return any(_is_local(name, item) or has_local_media(item) for name, item in value.items())
    return False


def as_if_https(body: JsonObject) -> JsonObject:
    """Return the body for LINE's rules: with `https://` in the URLs of local media.

    For example, `http://127.0.0.1:8000/a.png` becomes `https://127.0.0.1:8000/a.png`.
    """
    return {name: _with_https(name, value) for name, value in body.items()}


def _with_https(name: str, value: Any) -> Any:  # noqa: ANN401 - any JSON
    if isinstance(value, list):
        return [_with_https(name, item) for item in value]
    if isinstance(value, dict):
        return as_if_https(value)
    return f"https{value.removeprefix('http')}" if _is_local(name, value) else value


def _is_local(name: str, value: Any) -> bool:  # noqa: ANN401 - any JSON
    return name in PROPERTIES and isinstance(value, str) and _LOCAL.match(value) is not None
