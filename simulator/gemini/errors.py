"""Errors in the format of Google's APIs: the body, its status names, and the details that clients read.

`RefusedError` carries an error from a rule to the app.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

TYPE_PREFIX = "type.googleapis.com/google.rpc."


@dataclass(frozen=True, slots=True, kw_only=True)
class GoogleError:
    """An error in Google's format: `{"error": {"code": 400, "message": "...", "status": "INVALID_ARGUMENT", "details": []}}`.

    Source: https://cloud.google.com/apis/design/errors; https://ai.google.dev/gemini-api/docs/troubleshooting.
    """

    code: int
    status: str
    message: str
    details: tuple[Mapping[str, object], ...] = ()

    def body(self) -> dict[str, object]:
        """Return the JSON body; `details` only if there are any."""
        error: dict[str, object] = {"code": self.code, "message": self.message, "status": self.status}
        if self.details:
            error["details"] = [dict(detail) for detail in self.details]
        return {"error": error}


class RefusedError(Exception):
    """The request breaks a rule of the server."""

    def __init__(self, error: GoogleError) -> None:
        super().__init__(error.message)
        self.error = error


def invalid_argument(message: str) -> RefusedError:
    """400: the request is invalid."""
    return RefusedError(GoogleError(code=400, status="INVALID_ARGUMENT", message=message))


def invalid_field(path: str, description: str) -> RefusedError:
    """400 with the field named in `google.rpc.BadRequest`, as for JSON that does not fit the request's message."""
    violation = {"field": path, "description": description}
    detail = {"@type": TYPE_PREFIX + "BadRequest", "fieldViolations": [violation]}
    return RefusedError(GoogleError(code=400, status="INVALID_ARGUMENT", message=description, details=(detail,)))


def invalid_api_key() -> RefusedError:
    """400 with reason API_KEY_INVALID: Google does not answer 401 to a wrong key."""
    message = "API key not valid. Please pass a valid API key."
    reason = {
        "@type": TYPE_PREFIX + "ErrorInfo",
        "reason": "API_KEY_INVALID",
        "domain": "googleapis.com",
        "metadata": {"service": "generativelanguage.googleapis.com"},
    }
    return RefusedError(GoogleError(code=400, status="INVALID_ARGUMENT", message=message, details=(reason,)))


def missing_api_key() -> RefusedError:
    """403: the Developer API was called without any credential."""
    message = (
        "Method doesn't allow unregistered callers (callers without established identity). "
        "Please use API Key or other form of API consumer identity to call this API."
    )
    return RefusedError(GoogleError(code=403, status="PERMISSION_DENIED", message=message))


def missing_bearer_token() -> RefusedError:
    """401: Vertex was called without an access token."""
    message = (
        "Request is missing required authentication credential. Expected OAuth 2 access token, login cookie or "
        "other valid authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project."
    )
    reason = {
        "@type": TYPE_PREFIX + "ErrorInfo",
        "reason": "CREDENTIALS_MISSING",
        "domain": "googleapis.com",
        "metadata": {"service": "aiplatform.googleapis.com"},
    }
    return RefusedError(GoogleError(code=401, status="UNAUTHENTICATED", message=message, details=(reason,)))


def not_found(message: str) -> RefusedError:
    """404: no such model, or no such method."""
    return RefusedError(GoogleError(code=404, status="NOT_FOUND", message=message))


def unimplemented() -> RefusedError:
    """501: Google has the method, the stand-in does not."""
    message = "Operation is not implemented, or supported, or enabled."
    return RefusedError(GoogleError(code=501, status="UNIMPLEMENTED", message=message))


def rate_limited(*, retry_delay_s: float) -> GoogleError:
    """429 with RetryInfo: `retryDelay` is a protobuf Duration, such as `17s` or `0.5s`."""
    message = (
        "You exceeded your current quota, please check your plan and billing details. "
        f"Please retry in {retry_delay_s:g}s."
    )
    retry = {"@type": TYPE_PREFIX + "RetryInfo", "retryDelay": f"{retry_delay_s:g}s"}
    return GoogleError(code=429, status="RESOURCE_EXHAUSTED", message=message, details=(retry,))


def internal() -> GoogleError:
    """500: an internal error."""
    message = "An internal error has occurred. Please retry or report in https://developers.generativeai.google/guide/troubleshooting"
    return GoogleError(code=500, status="INTERNAL", message=message)


def unavailable() -> GoogleError:
    """503: the model is overloaded."""
    return GoogleError(code=503, status="UNAVAILABLE", message="The model is overloaded. Please try again later.")
