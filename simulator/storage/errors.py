"""Errors of Cloud Storage, with the texts of the JSON API.

Source: Cloud Storage, "HTTP status and error codes for JSON"; the text of 429 as sent by the service (grafana/mimir pull request 12086).
"""

import json
from http import HTTPStatus


class RefusedError(Exception):
    """Cloud Storage refuses the request."""

    def __init__(
        self, status: int, *, reason: str, message: str, domain: str = "global", location: str | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self._cause = {"message": message, "domain": domain, "reason": reason}
        if location is not None:
            self._cause |= {"locationType": "header", "location": location}

    def body(self) -> bytes:
        """Return the JSON body for the caller; a 304 has none."""
        if self.status == HTTPStatus.NOT_MODIFIED:
            return b""
        error = {"code": self.status, "message": self._cause["message"], "errors": [self._cause]}
        return json.dumps({"error": error}).encode()


def bad_parameter(name: str, value: str) -> RefusedError:
    """400: a numeric parameter is not a number."""
    return RefusedError(400, reason="invalid", message=f"Invalid value for parameter {name}: {value}")


def no_such_object(bucket: str, name: str) -> RefusedError:
    """404 for a missing object or a missing generation."""
    return RefusedError(404, reason="notFound", message=f"No such object: {bucket}/{name}")


def condition_not_met() -> RefusedError:
    """412: the object has another version than the request requires."""
    message = "At least one of the pre-conditions you specified did not hold."
    return RefusedError(412, reason="conditionNotMet", message=message, location="If-Match")


def not_modified() -> RefusedError:
    """304: the object still has the caller's version."""
    return RefusedError(304, reason="notModified", message="Not Modified")


def too_many_mutations(bucket: str, name: str) -> RefusedError:
    """429: the object was changed less than a second ago."""
    message = (
        f"The object {bucket}/{name} exceeded the rate limit for object mutation operations (create, update, and delete)."
        " Please reduce your request rate. See https://cloud.google.com/storage/docs/gcs429."
    )
    return RefusedError(429, reason="rateLimitExceeded", message=message, domain="usageLimits")


def service_error(status: int) -> RefusedError:
    """Return the error of a service failing with the status."""
    reason = "rateLimitExceeded" if status == HTTPStatus.TOO_MANY_REQUESTS else "backendError"
    return RefusedError(status, reason=reason, message=HTTPStatus(status).phrase)
