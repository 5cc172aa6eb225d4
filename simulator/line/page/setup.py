"""The settings for connecting a bot, for the first screen of the page."""

from dataclasses import dataclass, field

from ..messages import JsonObject
from ..platform import LinePlatform


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """The secret and the token shown on the page: a stand-in's, of no use anywhere else."""

    channel_secret: str = field(repr=False)
    channel_access_token: str = field(repr=False)

    def view(self, platform: LinePlatform) -> JsonObject:
        """Return `{"channel_id", "channel_secret", "channel_access_token", "webhook_url"}`."""
        return {
            "channel_id": platform.channel_id,
            "channel_secret": self.channel_secret,
            "channel_access_token": self.channel_access_token,
            "webhook_url": platform.courier.webhook_url,
        }
