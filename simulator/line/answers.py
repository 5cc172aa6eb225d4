"""The answers of the page and of the control API: JSON and refusals, with headers against foreign content."""

from http import HTTPStatus
from typing import Any, Final

from starlette.responses import JSONResponse, Response

HEADERS: Final = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": (
        "default-src 'self'; img-src 'self' data: https: http://127.0.0.1:* http://localhost:*; "
        "frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
    ),
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


def answer(body: Any, status: int = HTTPStatus.OK) -> Response:  # noqa: ANN401 - any JSON
    """Return the body as JSON."""
    return JSONResponse(body, status_code=status, headers=HEADERS)


def refusal(message: str, status: HTTPStatus) -> Response:
    """Return `{"message"}`."""
    return answer({"message": message}, status)
