"""The composition root of the webhook: builds adapters from the environment, and an endpoint from the adapters."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from receive import Forwarding, Receive, WebhookEndpoint

from shared import logs
from shared.adapters.last_answer import LastAnswer
from shared.adapters.pubsub import PubSubEventBus, instance_channels, plain_channels
from shared.clock import SystemClock
from shared.settings.webhook import webhook_settings

__all__ = ["LastAnswer", "compose"]

# For a whole delivery: LINE gives up after 2 s.  Source: LINE, "Check webhook error statistics"
PUBLISH_TIMEOUT_S: Final = 1.6
_FORWARDED_AT_ONCE: Final = 80  # as many as an instance takes requests


def compose(env: Mapping[str, str]) -> WebhookEndpoint:
    """Build the webhook.  Raises: SettingsError."""
    settings = webhook_settings(env)
    logs.configure()
    clock = SystemClock()
    host = settings.pubsub_emulator_host

    def bus_on(topic_id: str) -> PubSubEventBus:
        return PubSubEventBus(
            project_id=settings.project_id,
            topic_id=topic_id,
            timeout_s=PUBLISH_TIMEOUT_S,
            open_channel=plain_channels(host) if host else instance_channels(clock),
            clock=clock,
        )

    forwarding = None
    if settings.forward_topic is not None:
        threads = ThreadPoolExecutor(_FORWARDED_AT_ONCE, thread_name_prefix="forward")
        forwarding = Forwarding(bus=bus_on(settings.forward_topic), threads=threads)
    receive = Receive(
        bus=bus_on(settings.events_topic),
        channel_secret=settings.channel_secret,
        clock=clock,
        forwarding=forwarding,
    )
    return WebhookEndpoint(receive=receive)
