"""The minimal webhook: publish the body, through the client that the webhook uses, and answer.

PUBLISHED_ATTRIBUTES is a JSON object, the attributes that the webhook would add.
"""

import json
import os

import functions_framework
import grpc
from flask import Request
from google.pubsub_v1 import PublisherClient, PubsubMessage
from google.pubsub_v1.services.publisher.transports import PublisherGrpcTransport

_env = os.environ  # noqa: TID251 - the one place that reads the environment
_topic = PublisherClient.topic_path(_env["GOOGLE_CLOUD_PROJECT"], _env["EVENTS_TOPIC"])
_attributes: dict[str, str] = json.loads(_env["PUBLISHED_ATTRIBUTES"])
_client = PublisherClient(transport=PublisherGrpcTransport(channel=grpc.insecure_channel(_env["PUBSUB_EMULATOR_HOST"])))


@functions_framework.http
def floor(request: Request) -> tuple[str, int]:
    """Answer 200 once the body is on the topic."""
    _client.publish(topic=_topic, messages=[PubsubMessage(data=request.get_data(), attributes=_attributes)])
    return "OK", 200
