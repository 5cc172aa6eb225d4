"""The minimal webhook: publish the body, with the same bare messages as the webhook, and answer.

PUBLISHED_ATTRIBUTES is the JSON object of the webhook's attributes, for example `{"type": "message"}`.
"""

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
_attributes: dict[str, str] = json.loads(_env["PUBLISHED_ATTRIBUTES"])
_message, _request = PubsubMessage.pb(), PublishRequest.pb()
_client = PublisherClient(transport=PublisherGrpcTransport(channel=grpc.insecure_channel(_env["PUBSUB_EMULATOR_HOST"])))
_publish = cast("Callable[..., PublishResponse]", _client.transport.publish)
_metadata = (("x-goog-request-params", f"topic={_topic}"),)


@functions_framework.http
def floor(request: Request) -> tuple[str, int]:
    """Answer 200 once the body is on the topic."""
    message = _message(data=request.get_data(), attributes=_attributes)
    publish_request = PublishRequest.wrap(_request(topic=_topic, messages=[message]))
    _publish(publish_request, metadata=_metadata)
    return "OK", 200
