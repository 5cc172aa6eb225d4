"""Answers of the storage proxy, and their HTTP responses: whole, cut, or an error."""

from dataclasses import dataclass
from http import HTTPStatus

from starlette.responses import Response

from simulator.line.responses import CutResponse
from simulator.storage.errors import RefusedError

Headers = tuple[tuple[bytes, bytes], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The status, headers and body of an answer, as bytes."""

    status: int
    headers: Headers
    body: bytes

    @property
    def is_success(self) -> bool:
        """Whether the status is 2xx."""
        return self.status // 100 == 2  # noqa: PLR2004 - the class of statuses


class WholeResponse(Response):
    """The answer with exactly the original headers."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.body, status_code=answer.status)
        self.raw_headers = list(answer.headers)
        if not any(key.lower() == b"content-length" for key, _ in answer.headers):
            self.raw_headers.append((b"content-length", str(len(answer.body)).encode()))


def cut_response(answer: Answer) -> CutResponse:
    """Half of the answer's body.  An answer without a body promises a body, because the head alone would be whole."""
    if not answer.body:
        return CutResponse(status=HTTPStatus.OK, headers=[(b"content-length", b"1")])
    whole = WholeResponse(answer)
    return CutResponse(status=answer.status, headers=whole.raw_headers, sent=answer.body[: len(answer.body) // 2])


def refusal(error: RefusedError) -> Answer:
    """Return the answer of an error."""
    body = error.body()
    headers: Headers = ((b"content-type", b"application/json; charset=UTF-8"),) if body else ()
    return Answer(status=error.status, headers=headers, body=body)
