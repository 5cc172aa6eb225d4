"""The agent worker: handles every event but unsends, pushed by Pub/Sub."""

import gc
import os

import functions_framework
from flask import Request

gc.disable()  # during the imports, a tenth of their time: no imported module is collected

from compose import compose  # noqa: E402

_endpoint = compose(os.environ)  # noqa: TID251 - the entry point reads the environment
gc.freeze()  # the collector skips the imported modules from now on
gc.enable()


@functions_framework.http
def agent_worker(request: Request) -> tuple[str, int]:
    """Answer 204 once the event is handled, 5xx to have the event redelivered, 4xx to any sender or body but Pub/Sub's."""
    body = request.stream.read(_endpoint.body_limit_bytes + 1)  # one byte over the limit suffices to refuse the body
    return _endpoint(
        request.method,
        body,
        traceparent=request.headers.get("traceparent"),
        authorization=request.headers.get("authorization"),
    )
