"""The webhook that LINE posts its deliveries to."""

import os

import functions_framework
from compose import compose
from flask import Request
from receive import DELIVERY_LIMIT_BYTES

_endpoint = compose(os.environ)  # noqa: TID251 - the one place that reads the environment


@functions_framework.http
def webhook(request: Request) -> tuple[str, int]:
    """Answer 200 once every event of the delivery is on the bus."""
    body = request.stream.read(DELIVERY_LIMIT_BYTES + 1)  # one byte too many is enough to refuse it
    return _endpoint(
        request.method,
        body,
        signature=request.headers.get("x-line-signature"),
        traceparent=request.headers.get("traceparent"),
    )
