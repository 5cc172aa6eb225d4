"""The unsend function: Pub/Sub pushes unsend events to it."""

import os

import functions_framework
from compose import compose
from flask import Request

_endpoint = compose(os.environ)  # noqa: TID251 - the entry point reads the environment


@functions_framework.http
def unsend(request: Request) -> tuple[str, int]:
    """Answer 204 once the message is withdrawn, 5xx to have the event redelivered, 400 to a body that is no envelope."""
    return _endpoint(request.method, request.get_data(), traceparent=request.headers.get("traceparent"))
