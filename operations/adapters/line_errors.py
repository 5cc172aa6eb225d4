"""Errors of LINE's SDK as errors of the operator's commands."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import urllib3
from linebot.v3.messaging import ApiException

from shared.errors import LineRefusedError, TransientError

_REFUSES_THE_TOKEN: Final = frozenset({401, 403})


class LineUnavailableError(TransientError):
    """LINE did not answer, or its answer does not match its API."""


@contextmanager
def translate_errors(refused: str) -> Iterator[None]:
    """Translate the errors of a call.  `refused` ends the text of a 4xx: "LINE answers 400 and refuses to tell about the bot".

    Raises: LineRefusedError, LineUnavailableError.
    """
    try:
        yield
    except ApiException as cause:
        status = int(cause.status or 0)
        if status in _REFUSES_THE_TOKEN:
            raise LineRefusedError("LINE refuses the access token; check LINE_CHANNEL_ACCESS_TOKEN") from cause
        if 400 <= status < 500:  # noqa: PLR2004 - 4xx
            raise LineRefusedError(f"LINE answers {status} and refuses {refused}") from cause
        raise LineUnavailableError(f"LINE answers {status}; try again later") from cause
    except (urllib3.exceptions.HTTPError, ValueError) as cause:  # pydantic's errors are ValueErrors
        raise LineUnavailableError("LINE cannot be reached, or answers what its API does not promise") from cause
