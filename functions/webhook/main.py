"""The webhook: receives the deliveries that LINE posts."""

import gc
import os

import functions_framework
from flask import Request

gc.disable()  # during the imports, as in functions/agent_worker

from compose import LastAnswer, compose  # noqa: E402
from request_body import RequestBody  # noqa: E402

_endpoint, _hooks = compose(os.environ)  # noqa: TID251 - the entry point reads the environment
gc.freeze()
gc.enable()


@functions_framework.http
def webhook(request: Request) -> tuple[str, int] | LastAnswer:
    """Answer 200 once every event of the delivery, or the notice of a hook, is on the bus."""
    body = RequestBody(request.stream, request.environ, declared_bytes=request.content_length)
    of_hook = _hooks(request, body) if _hooks is not None else None
    if of_hook is not None:
        return of_hook
    answer, status = _endpoint(
        request.method,
        body,
        signature=request.headers.get("x-line-signature"),
        traceparent=request.headers.get("traceparent"),
    )
    return LastAnswer(answer, status) if body.is_refused else (answer, status)
