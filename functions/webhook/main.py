"""The webhook: LINE posts its deliveries to it."""

import os

import functions_framework
from compose import compose
from flask import Request
from receive import DELIVERY_LIMIT_BYTES

_endpoint = compose(os.environ)  # noqa: TID251 - the entry point reads the environment


@functions_framework.http
def webhook(request: Request) -> tuple[str, int]:
    """Answer 200 once every event of the delivery is on the bus."""
    body = request.stream.read(DELIVERY_LIMIT_BYTES + 1)  # one byte over the limit suffices to refuse the body
    return _endpoint(
        request.method,
        body,
        signature=request.headers.get("x-line-signature"),
        traceparent=request.headers.get("traceparent"),
    )
