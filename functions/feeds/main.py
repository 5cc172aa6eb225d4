"""The feeds function: serves the calendars of chats at their private addresses, read-only."""

import os

import functions_framework
from compose import compose
from flask import Request, Response

_endpoint = compose(os.environ)  # noqa: TID251 - the entry point reads the environment


@functions_framework.http
def feeds(request: Request) -> Response:
    """Answer 200 with an iCalendar file, 304 if the client has it, 404 for an unknown address, 503 while the bucket does not answer."""
    answer = _endpoint(request.method, request.path, if_none_match=request.headers.get("if-none-match"))
    return Response(answer.body, status=answer.status, headers=dict(answer.headers))
