"""The composition root of the webhook: builds adapters from the environment, and an endpoint from the adapters."""

from collections.abc import Mapping
from typing import Final

from receive import Receive, WebhookEndpoint

from shared import logs
from shared.adapters.last_answer import LastAnswer
from shared.adapters.pubsub import PubSubEventBus, instance_channels, plain_channels
from shared.clock import SystemClock
from shared.settings.webhook import webhook_settings

__all__ = ["LastAnswer", "compose"]

# For a whole delivery: LINE gives up after 2 s.  Source: LINE, "Check webhook error statistics"
PUBLISH_TIMEOUT_S: Final = 1.6


def compose(env: Mapping[str, str]) -> WebhookEndpoint:
    """Build the webhook.  Raises: SettingsError."""
    settings = webhook_settings(env)
    logs.configure()
    clock = SystemClock()
    host = settings.pubsub_emulator_host
    bus = PubSubEventBus(
        project_id=settings.project_id,
        topic_id=settings.events_topic,
        timeout_s=PUBLISH_TIMEOUT_S,
        open_channel=plain_channels(host) if host else instance_channels(clock),
        clock=clock,
    )
    receive = Receive(bus=bus, channel_secret=settings.channel_secret, clock=clock)
    return WebhookEndpoint(receive=receive)
