"""The unsend function that Pub/Sub pushes unsend events to."""

import os

import functions_framework
from compose import compose
from flask import Request

_endpoint = compose(os.environ)  # noqa: TID251 - the one place that reads the environment


@functions_framework.http
def unsend(request: Request) -> tuple[str, int]:
    """Answer 204 once the message is gone, 5xx to get the event again, 400 to what is no envelope."""
    return _endpoint(request.method, request.get_data(), traceparent=request.headers.get("traceparent"))
