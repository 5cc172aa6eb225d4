"""Pub/Sub's messages, as google-cloud-pubsub generates them, without the clients that an import of its package brings along.

`google.pubsub_v1` imports two clients with google-api-core, requests, cryptography and asyncio: 0.25 s of CPU time, of which the messages
take 0.05. While they are imported, an empty package stands in its place; whoever imports the package itself, before or later, gets
the whole one, with the same classes.
"""

import importlib.util
import sys
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from google.pubsub_v1.types import PublishRequest, PublishResponse, PubsubMessage

_PACKAGE: Final = "google.pubsub_v1"


def _messages() -> "tuple[type[PublishRequest], type[PublishResponse], type[PubsubMessage]]":
    is_loaded = _PACKAGE in sys.modules
    if not is_loaded:
        spec = importlib.util.find_spec(_PACKAGE)
        assert spec is not None  # noqa: S101 - the functions require it
        sys.modules[_PACKAGE] = importlib.util.module_from_spec(spec)
    try:
        from google.pubsub_v1.types.pubsub import (  # noqa: PLC0415 - see above
            PublishRequest,
            PublishResponse,
            PubsubMessage,
        )
    finally:
        if not is_loaded:
            del sys.modules[_PACKAGE]
    return PublishRequest, PublishResponse, PubsubMessage


_REQUEST, _RESPONSE, _MESSAGE = _messages()
Request: Final = _REQUEST.pb()
"""The bare protobuf messages: the package's wrappers around them take an eighth of a call's time."""
Response: Final = _RESPONSE.pb()
Message: Final = _MESSAGE.pb()
