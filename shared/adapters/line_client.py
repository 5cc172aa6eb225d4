"""The process's client of line-bot-sdk, and the client's errors.

Source: line-bot-sdk 3.27: no default timeout; `host` replaces both api.line.me and api-data.line.me; a POST whose answer was lost raises an
error of urllib3; a 200 without an expected field raises an error of pydantic.
"""

from http import HTTPStatus
from typing import Any, Final

import pydantic.v1
import urllib3

from shared.adapters.line_sdk import ApiClient, ApiException, Configuration
from shared.adapters.mortal_connections import expect_deaths
from shared.clock import Clock
from shared.errors import LineRefusedError
from shared.settings.secret import Secret

TIMEOUT_S: Final = (2.0, 5.0)  # to connect, to answer
LOST_ANSWERS: Final = (urllib3.exceptions.HTTPError, pydantic.v1.ValidationError)
FAILURES: Final = (ApiException, *LOST_ANSWERS)
_CONNECTIONS: Final = 64
_REFUSES_THE_BOT: Final = frozenset({401, 403})


class _Configuration(Configuration):  # type: ignore[misc]  # the SDK has no usable types
    """The SDK reads `access_token` for every call, so a changed token is used from the next call on."""

    def __init__(self, channel_access_token: Secret, *, host: str | None) -> None:
        super().__init__(host=host)
        self.channel_access_token = channel_access_token

    @property
    def access_token(self) -> str:
        return self.channel_access_token.value()

    @access_token.setter
    def access_token(self, _: object) -> None:
        """The SDK's initialiser sets it to None."""


class _Client(ApiClient):  # type: ignore[misc]  # likewise
    """Repeats a call that LINE refused because of the access token, if another token exists; a refused call had no effect."""

    def call_api(self, *arguments: Any, **options: Any) -> Any:  # noqa: ANN401 - the SDK's own signature
        try:
            return super().call_api(*arguments, **options)
        except ApiException as refusal:
            if refusal.status != HTTPStatus.UNAUTHORIZED or not self.configuration.channel_access_token.read_again():
                raise
        return super().call_api(*arguments, **options)


def line_client(*, channel_access_token: Secret, base_url: str | None, clock: Clock | None = None) -> ApiClient:
    """Return a client; no connection is opened.  `base_url` replaces both of LINE's hosts."""
    configuration = _Configuration(channel_access_token, host=base_url)
    configuration.connection_pool_maxsize = _CONNECTIONS
    configuration.retries = urllib3.Retry(0)  # callers decide what is retried
    client = _Client(configuration)
    expect_deaths(client.rest_client.pool_manager, clock=clock)
    return client


def raise_if_bot_is_refused(refusal: ApiException) -> None:
    """Raise LineRefusedError if LINE refuses the bot itself and not only this call."""
    if refusal.status in _REFUSES_THE_BOT:
        raise LineRefusedError("LINE refuses the bot's access token; check LINE_CHANNEL_ACCESS_TOKEN") from refusal
