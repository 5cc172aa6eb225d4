"""LINE's error bodies.  Source: Messaging API reference, "Error responses" and "Error messages"."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any


class ImpossibleActionError(Exception):
    """An action not offered by the LINE app, e.g. a message to a blocked account."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Detail:
    """The problem of one property, e.g. `May not be empty` at `messages[0].text`."""

    message: str
    property: str


@dataclass(eq=False, kw_only=True)
class LineError(Exception):
    """An answer other than 2xx, for example a 400 for an empty text; the request had no effect."""

    status: int
    message: str
    details: tuple[Detail, ...] = ()
    fields: dict[str, Any] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)

    def body(self) -> dict[str, Any]:
        """`{"message": ..., "details": [{"message": ..., "property": ...}]}`; `details` only if there are any.

        An error of OAuth has only `fields`, no message: `{"error": "invalid_request", "error_description": ...}`, for example.
        """
        body: dict[str, Any] = {"message": self.message} if self.message else {}
        if self.details:
            body["details"] = [
                {"message": detail.message} | ({"property": detail.property} if detail.property else {})
                for detail in self.details
            ]
        return body | self.fields


def invalid_body(details: Sequence[Detail]) -> LineError:
    """400 with the number of details in the message."""
    return LineError(
        status=HTTPStatus.BAD_REQUEST,
        message=f"The request body has {len(details)} error(s)",
        details=tuple(details),
    )


def invalid_message(index: int, details: Sequence[Detail]) -> LineError:
    """400 for the contents of a flex message, with paths such as `/body/contents/0/text`, or for a template.

    Source: github.com/line/line-bot-sdk-go/issues/657, github.com/line/line-bot-sdk-python/issues/314 and 38.
    """
    return LineError(
        status=HTTPStatus.BAD_REQUEST,
        message=f"A message (messages[{index}]) in the request body is invalid",
        details=tuple(details),
    )


def invalid_property(path: str, *details: Detail) -> LineError:
    """400 for an unreadable property, e.g. of another JSON type.

    Source: github.com/line/line-bot-sdk-python/issues/729: the path stands in quotes.
    """
    message = f"The property, '{path}', in the request body is invalid (line: -, column: -)"
    return LineError(status=HTTPStatus.BAD_REQUEST, message=message, details=details)


def bad_request(message: str) -> LineError:
    """400 with only a message, for example "The value for the 'to' parameter is invalid"."""
    return LineError(status=HTTPStatus.BAD_REQUEST, message=message)


def unauthorized() -> LineError:
    """401: the channel access token is missing or wrong."""
    return LineError(
        status=HTTPStatus.UNAUTHORIZED,
        message="Authentication failed due to the following reason: invalid token. "
        "Confirm that the access token in the authorization header is valid.",
    )


def not_for_this_account() -> LineError:
    """403: an endpoint for verified, premium or partner accounts."""
    return LineError(status=HTTPStatus.FORBIDDEN, message="Access to this API is not available for your account")


def not_found() -> LineError:
    """404 for an unknown path, person, chat or content; LINE does not say which."""
    return LineError(status=HTTPStatus.NOT_FOUND, message="Not found")


def removed_content() -> LineError:
    """410: the message was unsent."""
    return LineError(status=HTTPStatus.GONE, message="The content is gone")


def method_not_supported(method: str) -> LineError:
    """405: a path of LINE with an unknown method.  Source: github.com/line/line-bot-sdk-go/pull/356."""
    return LineError(status=HTTPStatus.METHOD_NOT_ALLOWED, message=f"The request method, '{method}', is not supported")


def monthly_limit_reached() -> LineError:
    """429 of the monthly quota; only the text differs from the rate limit's."""
    return LineError(status=HTTPStatus.TOO_MANY_REQUESTS, message="You have reached your monthly limit.")


def rate_limit_exceeded() -> LineError:
    """429 of the rate limit."""
    return LineError(
        status=HTTPStatus.TOO_MANY_REQUESTS, message="The API rate limit has been exceeded. Try again later."
    )
