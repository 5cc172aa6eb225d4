"""`google.pubsub.v1.Publisher` and `Subscriber` over gRPC.

gRPC answers UNIMPLEMENTED to all other methods (StreamingPull, Seek, snapshots, schemas, IAM).
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import grpc
from google.pubsub_v1 import types

from simulator.pubsub import errors
from simulator.pubsub.broker import Broker
from simulator.pubsub.grpc_codec import (
    apply_update,
    delivery_to_wire,
    message_from_wire,
    push_endpoint_from_wire,
    settings_from_wire,
    settings_to_wire,
)
from simulator.pubsub.limits import check_project_name

DEFAULT_PAGE_SIZE = 100

_STATUS = {
    errors.AlreadyExistsError: grpc.StatusCode.ALREADY_EXISTS,
    errors.FailedPreconditionError: grpc.StatusCode.FAILED_PRECONDITION,
    errors.InvalidArgumentError: grpc.StatusCode.INVALID_ARGUMENT,
    errors.NotFoundError: grpc.StatusCode.NOT_FOUND,
    errors.OutOfRangeError: grpc.StatusCode.OUT_OF_RANGE,
    errors.UnavailableError: grpc.StatusCode.UNAVAILABLE,
    errors.UnimplementedError: grpc.StatusCode.UNIMPLEMENTED,
}


def handlers(broker: Broker) -> "tuple[grpc.GenericRpcHandler[Any, Any], ...]":
    """Return the broker's handlers for a gRPC server."""
    publisher, subscriber = _Publisher(broker), _Subscriber(broker)
    return (
        _service(
            "google.pubsub.v1.Publisher",
            {
                "CreateTopic": (types.Topic, types.Topic, publisher.create_topic),
                "GetTopic": (types.GetTopicRequest, types.Topic, publisher.get_topic),
                "ListTopics": (types.ListTopicsRequest, types.ListTopicsResponse, publisher.list_topics),
                "DeleteTopic": (types.DeleteTopicRequest, None, publisher.delete_topic),
                "Publish": (types.PublishRequest, types.PublishResponse, publisher.publish),
            },
        ),
        _service(
            "google.pubsub.v1.Subscriber",
            {
                "CreateSubscription": (types.Subscription, types.Subscription, subscriber.create_subscription),
                "GetSubscription": (types.GetSubscriptionRequest, types.Subscription, subscriber.get_subscription),
                "ListSubscriptions": (
                    types.ListSubscriptionsRequest,
                    types.ListSubscriptionsResponse,
                    subscriber.list_subscriptions,
                ),
                "UpdateSubscription": (
                    types.UpdateSubscriptionRequest,
                    types.Subscription,
                    subscriber.update_subscription,
                ),
                "DeleteSubscription": (types.DeleteSubscriptionRequest, None, subscriber.delete_subscription),
                "ModifyPushConfig": (types.ModifyPushConfigRequest, None, subscriber.modify_push_config),
                "Pull": (types.PullRequest, types.PullResponse, subscriber.pull),
                "Acknowledge": (types.AcknowledgeRequest, None, subscriber.acknowledge),
                "ModifyAckDeadline": (types.ModifyAckDeadlineRequest, None, subscriber.modify_ack_deadline),
            },
        ),
    )


class _Publisher:
    def __init__(self, broker: Broker) -> None:
        self._broker = broker

    async def create_topic(self, request: types.Topic) -> types.Topic:
        self._broker.create_topic(request.name)
        return types.Topic(name=request.name)

    async def get_topic(self, request: types.GetTopicRequest) -> types.Topic:
        self._broker.check_topic(request.topic)
        return types.Topic(name=request.topic)

    async def list_topics(self, request: types.ListTopicsRequest) -> types.ListTopicsResponse:
        names, next_page_token = _page(self._broker.topics, request)
        return types.ListTopicsResponse(
            topics=[types.Topic(name=name) for name in names], next_page_token=next_page_token
        )

    async def delete_topic(self, request: types.DeleteTopicRequest) -> None:
        self._broker.delete_topic(request.topic)

    async def publish(self, request: types.PublishRequest) -> types.PublishResponse:
        messages = [message_from_wire(wire) for wire in request.messages]
        return types.PublishResponse(message_ids=self._broker.publish(request.topic, messages))


class _Subscriber:
    def __init__(self, broker: Broker) -> None:
        self._broker = broker

    async def create_subscription(self, request: types.Subscription) -> types.Subscription:
        return settings_to_wire(self._broker.create_subscription(settings_from_wire(request)))

    async def get_subscription(self, request: types.GetSubscriptionRequest) -> types.Subscription:
        return settings_to_wire(self._broker.subscription(request.subscription).settings)

    async def list_subscriptions(self, request: types.ListSubscriptionsRequest) -> types.ListSubscriptionsResponse:
        settings = {each.name: each for each in self._broker.subscriptions}
        names, next_page_token = _page(tuple(settings), request)
        return types.ListSubscriptionsResponse(
            subscriptions=[settings_to_wire(settings[name]) for name in names], next_page_token=next_page_token
        )

    async def update_subscription(self, request: types.UpdateSubscriptionRequest) -> types.Subscription:
        before = self._broker.subscription(request.subscription.name).settings
        return settings_to_wire(self._broker.update_subscription(apply_update(before, request)))

    async def delete_subscription(self, request: types.DeleteSubscriptionRequest) -> None:
        self._broker.delete_subscription(request.subscription)

    async def modify_push_config(self, request: types.ModifyPushConfigRequest) -> None:
        before = self._broker.subscription(request.subscription).settings
        endpoint = push_endpoint_from_wire(request.push_config)
        self._broker.update_subscription(replace(before, push_endpoint=endpoint))

    async def pull(self, request: types.PullRequest) -> types.PullResponse:
        subscription = self._broker.subscription(request.subscription)
        deliveries = await subscription.pull(request.max_messages, wait=not request.return_immediately)
        return types.PullResponse(
            received_messages=[delivery_to_wire(delivery, subscription.settings) for delivery in deliveries]
        )

    async def acknowledge(self, request: types.AcknowledgeRequest) -> None:
        self._broker.subscription(request.subscription).acknowledge(request.ack_ids)

    async def modify_ack_deadline(self, request: types.ModifyAckDeadlineRequest) -> None:
        subscription = self._broker.subscription(request.subscription)
        subscription.modify_ack_deadline(request.ack_ids, float(request.ack_deadline_seconds))


_Answer = Callable[[Any], Awaitable[object]]  # each method has its own type of request
_Method = tuple[Any, Any, _Answer]  # types of request and response (None: google.protobuf.Empty), and the method


def _service(name: str, methods: Mapping[str, _Method]) -> "grpc.GenericRpcHandler[Any, Any]":
    return grpc.method_handlers_generic_handler(
        name,
        {
            method: grpc.unary_unary_rpc_method_handler(
                _with_status(answer),
                request_deserializer=request_type.deserialize,
                response_serializer=response_type.serialize if response_type is not None else _empty,
            )
            for method, (request_type, response_type, answer) in methods.items()
        },
    )


def _with_status(answer: _Answer) -> "Callable[[object, grpc.aio.ServicerContext[Any, Any]], Awaitable[object]]":
    async def respond(request: object, context: "grpc.aio.ServicerContext[Any, Any]") -> object:
        try:
            return await answer(request)
        except errors.PubSubError as error:
            await context.abort(_STATUS[type(error)], str(error))

    return respond


def _empty(_response: object) -> bytes:
    return b""  # a message without fields, on the wire


def _page(
    names: Sequence[str], request: types.ListTopicsRequest | types.ListSubscriptionsRequest
) -> tuple[Sequence[str], str]:
    """Return a page of the project's names. A page token is the last name of the previous page."""
    check_project_name(request.project)
    if request.page_size < 0:
        raise errors.InvalidArgumentError("The page size is negative.")
    ahead = [name for name in names if name.startswith(f"{request.project}/") and name > request.page_token]
    page = ahead[: request.page_size or DEFAULT_PAGE_SIZE]
    return page, page[-1] if len(page) < len(ahead) else ""
