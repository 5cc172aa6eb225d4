"""The minimal webhook: check LINE's signature, parse the body once, publish the bytes as one bare message, and answer.

No webhook may lack the check of the signature, and none knows without parsing whether there is an event. PUBLISHED_ATTRIBUTES is the JSON
object of the webhook's attributes, for example `{"type": "message"}`.
"""

import base64
import hmac
import json
import os
from typing import TYPE_CHECKING, cast

import functions_framework
import grpc
from flask import Request
from google.pubsub_v1 import PublisherClient, PublishRequest, PublishResponse, PubsubMessage
from google.pubsub_v1.services.publisher.transports import PublisherGrpcTransport

if TYPE_CHECKING:
    from collections.abc import Callable

_env = os.environ  # noqa: TID251 - the one place that reads the environment
_topic = PublisherClient.topic_path(_env["GOOGLE_CLOUD_PROJECT"], _env["EVENTS_TOPIC"])
_secret = _env["LINE_CHANNEL_SECRET"].encode()
_attributes: dict[str, str] = json.loads(_env["PUBLISHED_ATTRIBUTES"])
_message, _request = PubsubMessage.pb(), PublishRequest.pb()
_client = PublisherClient(transport=PublisherGrpcTransport(channel=grpc.insecure_channel(_env["PUBSUB_EMULATOR_HOST"])))
_publish = cast("Callable[..., PublishResponse]", _client.transport.publish)
_metadata = (("x-goog-request-params", f"topic={_topic}"),)


@functions_framework.http
def floor(request: Request) -> tuple[str, int]:
    """Answer 200 once the body is on the topic."""
    body = request.get_data()
    signature = base64.b64encode(hmac.digest(_secret, body, "sha256")).decode()
    if not hmac.compare_digest(signature, request.headers.get("x-line-signature", "")):
        return "the signature is wrong", 401
    if not json.loads(body)["events"]:
        return "OK", 200
    message = _message(data=body, attributes=_attributes)
    publish_request = PublishRequest.wrap(_request(topic=_topic, messages=[message]))
    _publish(publish_request, metadata=_metadata)
    return "OK", 200
