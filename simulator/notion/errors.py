"""Notion's errors, with the API's texts.  Source: Notion API reference, "Status codes"; the texts: docs/notion-facts.md."""

from __future__ import annotations

from dataclasses import dataclass

_CODES = {
    400: "validation_error",
    401: "unauthorized",
    403: "restricted_resource",
    404: "object_not_found",
    409: "conflict_error",
    429: "rate_limited",
    500: "internal_server_error",
    503: "service_unavailable",
    529: "service_overload",
}


@dataclass(frozen=True, slots=True)
class NotionError(Exception):
    """An error answer."""

    status: int
    message: str
    code: str | None = None
    retry_after_s: int | None = None

    def body(self, request_id: str) -> dict[str, object]:
        """The JSON of the answer."""
        return {
            "object": "error",
            "status": self.status,
            "code": self.code or _CODES[self.status],
            "message": self.message,
            "request_id": request_id,
        }


def invalid_value(message: str) -> NotionError:
    """400: the body does not fit the parameters or the schema."""
    return NotionError(400, message)


def validation_error(message: str) -> NotionError:
    """400 for a body of a wrong shape or size, for example: body.children should be a non-empty array."""
    return NotionError(400, f"body failed validation: {message}")


def not_found(kind: str, identity: str) -> NotionError:
    """404 for an unknown id, or an object not shared with the integration: `not_found("page", page_id)`, for example."""
    return NotionError(
        404,
        f"Could not find {kind} with ID: {identity}. Make sure the relevant pages and databases are shared with your integration.",
    )
