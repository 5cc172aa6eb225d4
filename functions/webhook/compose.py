"""The composition root of the webhook: builds adapters from the environment, and an endpoint from the adapters."""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Final

from receive import Forwarding, Receive, WebhookEndpoint

from shared import logs
from shared.adapters.last_answer import LastAnswer
from shared.adapters.pubsub import PubSubEventBus, instance_channels, plain_channels
from shared.bus.messages import EventBus
from shared.clock import Clock, SystemClock
from shared.settings.secret import Secret
from shared.settings.webhook import WebhookSettings, webhook_settings

if TYPE_CHECKING:
    from flask import Request
    from request_body import RequestBody

    HookRoute = Callable[[Request, RequestBody], LastAnswer | None]

__all__ = ["LastAnswer", "compose"]

# For a whole delivery: LINE gives up after 2 s.  Source: LINE, "Check webhook error statistics"
PUBLISH_TIMEOUT_S: Final = 1.6
_FORWARDED_AT_ONCE: Final = 80  # as many as an instance takes requests


def compose(env: Mapping[str, str]) -> "tuple[WebhookEndpoint, HookRoute | None]":
    """Build the webhook, and what takes the notices of hooks: None, unless HOOKS is on.  Raises: SettingsError."""
    settings = webhook_settings(env)
    logs.configure()
    clock = SystemClock()
    forwarding = None
    if settings.forward_topic is not None:
        threads = ThreadPoolExecutor(_FORWARDED_AT_ONCE, thread_name_prefix="forward")
        forwarding = Forwarding(bus=_bus_on(settings, settings.forward_topic, clock), threads=threads)
    receive = Receive(
        bus=_bus_on(settings, settings.events_topic, clock),
        channel_secret=settings.channel_secret,
        clock=clock,
        forwarding=forwarding,
    )
    hooks = None if settings.hook_key is None else _hooks_on(receive.bus, settings.hook_key, clock)
    return WebhookEndpoint(receive=receive), hooks


def _hooks_on(bus: EventBus, key: Secret, clock: Clock) -> "HookRoute":
    """Return what takes notices; its result is None for a request of another path."""
    from notify import HookRequest, NotifyEndpoint  # noqa: PLC0415 - only with HOOKS=on, so that no cold start pays for it

    from shared.adapters.form_body import form_in  # noqa: PLC0415 - likewise
    from shared.hooks.rates import InstanceRates  # noqa: PLC0415 - likewise

    endpoint = NotifyEndpoint(bus=bus, key=key, rates=InstanceRates(clock), read_form=form_in)

    def answer(request: "Request", body: "RequestBody") -> LastAnswer | None:
        if not HookRequest.is_for(request.path):
            return None
        hook_request = HookRequest(
            method=request.method,
            path=request.path,
            query=request.query_string.decode("latin-1"),
            headers=request.headers,
            body=body,
        )
        answered = endpoint(hook_request, traceparent=request.headers.get("traceparent"))
        return LastAnswer(answered.text, answered.status, answered.headers)

    return answer


def _bus_on(settings: WebhookSettings, topic_id: str, clock: Clock) -> PubSubEventBus:
    host = settings.pubsub_emulator_host
    return PubSubEventBus(
        project_id=settings.project_id,
        topic_id=topic_id,
        timeout_s=PUBLISH_TIMEOUT_S,
        open_channel=plain_channels(host) if host else instance_channels(clock),
        clock=clock,
    )
