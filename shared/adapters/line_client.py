"""The client of line-bot-sdk that a process shares, and the errors that it raises.

Source: line-bot-sdk 3.27: no default timeout; `host` replaces both api.line.me and api-data.line.me; a POST whose answer was lost raises an
error of urllib3; a 200 without an expected field raises an error of pydantic.
"""

from typing import Final

import pydantic.v1
import urllib3
from linebot.v3.messaging import ApiClient, ApiException, Configuration

from shared.errors import LineRefusedError

TIMEOUT_S: Final = (2.0, 5.0)  # to connect, to answer
LOST_ANSWERS: Final = (urllib3.exceptions.HTTPError, pydantic.v1.ValidationError)
FAILURES: Final = (ApiException, *LOST_ANSWERS)
_CONNECTIONS: Final = 64
_REFUSES_THE_BOT: Final = frozenset({401, 403})


def line_client(*, channel_access_token: str, base_url: str | None) -> ApiClient:
    """Return a client; no connection is opened.  `base_url` replaces both of LINE's hosts."""
    configuration = Configuration(access_token=channel_access_token, host=base_url)
    configuration.connection_pool_maxsize = _CONNECTIONS
    configuration.retries = urllib3.Retry(0)  # callers decide what is retried
    return ApiClient(configuration)


def raise_if_bot_is_refused(refusal: ApiException) -> None:
    """Raise LineRefusedError if LINE refuses the bot itself and not only this call."""
    if refusal.status in _REFUSES_THE_BOT:
        raise LineRefusedError("LINE refuses the bot's access token; check LINE_CHANNEL_ACCESS_TOKEN") from refusal
