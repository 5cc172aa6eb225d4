"""The environment of functions/webhook."""

from collections.abc import Mapping
from dataclasses import field

from shared.frozen import frozen
from shared.settings.reader import read_settings
from shared.settings.secret import Secret


@frozen
class WebhookSettings:
    """The settings of functions/webhook.

    `channel_secret` holds two, separated by a comma, while the secret is being changed. `forward_topic` None: deliveries go to no other
    system. `hook_key` None: hooks are off.
    """

    project_id: str
    events_topic: str
    forward_topic: str | None
    channel_secret: Secret = field(repr=False)
    hook_key: Secret | None = field(repr=False)
    pubsub_emulator_host: str | None


def webhook_settings(env: Mapping[str, str]) -> WebhookSettings:
    """Read the environment of functions/webhook.  Raises: SettingsError."""
    return read_settings(
        env,
        lambda settings: WebhookSettings(
            project_id=settings.name("GOOGLE_CLOUD_PROJECT"),
            events_topic=settings.name("EVENTS_TOPIC"),
            forward_topic=settings.optional_name("FORWARD_TOPIC"),
            channel_secret=settings.secrets("LINE_CHANNEL_SECRET", at_most=2),
            hook_key=settings.hook_key(),
            pubsub_emulator_host=settings.optional_host("PUBSUB_EMULATOR_HOST"),
        ),
    )
