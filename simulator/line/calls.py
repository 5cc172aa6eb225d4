"""A request to LINE's API: the call, the answer, and the log entry."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Final

from .errors import Detail, LineError, bad_request, invalid_property
from .json_body import DuplicateFieldError, MalformedJsonError, parse_json
from .messages import JsonObject

BODY_BYTES: Final = 2 * 1024 * 1024
_UUID: Final = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A request. Header names are lower case."""

    method: str
    path: str
    path_params: Mapping[str, str]
    query: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str]
    body: bytes = field(repr=False)
    request_id: str
    at_ms: int

    def json(self) -> JsonObject:
        """Return the body as an object.

        Raises: LineError 413 above 2 MB, 415 for another content type, 400 for any body but a JSON object.
        Source: Messaging API reference, "Status codes", "Error messages".
        """
        if len(self.body) > BODY_BYTES:
            raise LineError(status=HTTPStatus.REQUEST_ENTITY_TOO_LARGE, message="Request body is too large")
        content_type = self.headers.get("content-type", "")
        if content_type.partition(";")[0].strip().lower() != "application/json":
            message = f"The content type, {content_type}, is not supported"
            raise LineError(status=HTTPStatus.UNSUPPORTED_MEDIA_TYPE, message=message)
        try:
            body = parse_json(self.body)
        except DuplicateFieldError as error:
            raise _duplicate_field(error) from error
        except MalformedJsonError as error:
            line, column = error.line or "-", error.column or "-"
            message = f"The request body could not be parsed as JSON (line: {line}, column: {column})"
            raise bad_request(message) from error
        if not isinstance(body, dict):
            raise bad_request("The request body could not be parsed as JSON (line: 1, column: 1)")
        return body

    def retry_key(self) -> str | None:
        """Return `X-Line-Retry-Key`.  Raises: LineError 400, unless the key is a UUID."""
        key = self.headers.get("x-line-retry-key")
        if key is not None and not _UUID.fullmatch(key):
            raise bad_request("The retry key is invalid")
        return key


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer. `has_effect`: the request changed something visible to people."""

    status: int = HTTPStatus.OK
    body: JsonObject | None = field(default_factory=dict)
    content: bytes | None = field(default=None, repr=False)
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    has_effect: bool = False

    def as_bytes(self) -> bytes:
        """Return the bytes of the body."""
        if self.content is not None:
            return self.content
        return b"" if self.body is None else json.dumps(self.body, ensure_ascii=False).encode()


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedRequest:
    """An entry of the log. `body` is None unless JSON was sent. `was_answered` is False if a fault lost the answer."""

    at_ms: int
    method: str
    path: str
    headers: Mapping[str, str] = field(repr=False)
    body: Any
    status: int
    answer: Any
    request_id: str
    has_effect: bool
    was_answered: bool = True


def _duplicate_field(error: DuplicateFieldError) -> LineError:
    """Source: developers.line.biz, news of 2022-12-06."""
    detail = Detail(message=f"Duplicate field '{error.name}'", property="")
    if error.path:
        return invalid_property(error.path, detail)
    message = "The request body could not be parsed as JSON (line: -, column: -)"
    return LineError(status=HTTPStatus.BAD_REQUEST, message=message, details=(detail,))
