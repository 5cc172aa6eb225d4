"""One client of line-bot-sdk for a process, and what its failures are.

Source: line-bot-sdk 3.27: no default timeout; `host` serves both api.line.me and api-data.line.me; a POST whose answer was lost raises
urllib3's error; a 200 without an expected field raises pydantic's.
"""

from typing import Final

import pydantic.v1
import urllib3
from linebot.v3.messaging import ApiClient, ApiException, Configuration

from shared.errors import LineRefusedError

TIMEOUT_S: Final = (2.0, 5.0)  # to connect, to answer
LOST: Final = (urllib3.exceptions.HTTPError, pydantic.v1.ValidationError)
FAILURES: Final = (ApiException, *LOST)
_CONNECTIONS: Final = 64
_REFUSES_THE_BOT: Final = frozenset({401, 403})


def line_client(*, channel_access_token: str, base_url: str | None) -> ApiClient:
    """Return a client that opens no connection yet.  `base_url` replaces both of LINE's hosts."""
    configuration = Configuration(access_token=channel_access_token, host=base_url)
    configuration.connection_pool_maxsize = _CONNECTIONS
    configuration.retries = urllib3.Retry(0)  # what is tried again is the caller's decision
    return ApiClient(configuration)


def check_the_bot_is_welcome(refusal: ApiException) -> None:
    """Raises: LineRefusedError, where LINE refuses the bot and not the call."""
    if refusal.status in _REFUSES_THE_BOT:
        raise LineRefusedError("LINE refuses the bot's access token; check LINE_CHANNEL_ACCESS_TOKEN") from refusal
