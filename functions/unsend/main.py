"""The unsend function: handles the unsend events that Pub/Sub pushes."""

import gc
import os

import functions_framework
from flask import Request

gc.disable()  # during the imports, as in functions/agent_worker

from compose import compose  # noqa: E402

_endpoint = compose(os.environ)  # noqa: TID251 - the entry point reads the environment
gc.freeze()
gc.enable()


@functions_framework.http
def unsend(request: Request) -> tuple[str, int]:
    """Answer 204 once the message is withdrawn, 5xx to have the event redelivered, 4xx to any sender or body but Pub/Sub's."""
    body = request.stream.read(_endpoint.body_limit_bytes + 1)  # one byte over the limit suffices to refuse the body
    return _endpoint(
        request.method,
        body,
        traceparent=request.headers.get("traceparent"),
        authorization=request.headers.get("authorization"),
    )
