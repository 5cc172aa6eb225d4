"""The agent worker that Pub/Sub pushes every event but unsends to."""

import os

import functions_framework
from compose import compose
from flask import Request

_endpoint = compose(os.environ)  # noqa: TID251 - the one place that reads the environment


@functions_framework.http
def agent_worker(request: Request) -> tuple[str, int]:
    """Answer 204 once the event is dealt with, 5xx to get it again, 400 to what is no envelope."""
    return _endpoint(request.method, request.get_data(), traceparent=request.headers.get("traceparent"))
