"""The settings of a channel, and the file for several channels: `line-simulator --channels FILE`.

For example, the file may contain:

[{"name": "Shop", "channel_id": "1001", "secret": "s", "token": "t", "webhook": "http://127.0.0.1:8001/callback"}]
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from .json_body import MalformedJsonError, parse_json

DEFAULT_CHANNEL_ID: Final = "1234567890"
_NAMES: Final[Mapping[str, str]] = {
    "name": "bot_name",
    "channel_id": "channel_id",
    "secret": "channel_secret",
    "token": "channel_access_token",
    "webhook": "webhook_url",
}


class ChannelsError(ValueError):
    """The file with the channels cannot be read; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelSettings:
    """An official account with a Messaging API channel."""

    webhook_url: str
    channel_secret: str = field(repr=False)
    channel_access_token: str = field(repr=False)
    channel_id: str = DEFAULT_CHANNEL_ID
    bot_name: str = "My bot"


def read_channels(path: Path) -> tuple[ChannelSettings, ...]:
    """Return the channels of the file; ids and tokens differ.  Raises: ChannelsError."""
    try:
        entries = parse_json(path.read_bytes())
    except (OSError, MalformedJsonError) as error:
        raise ChannelsError(f"{path} cannot be read: {error}") from error
    if not isinstance(entries, list) or not entries:
        raise ChannelsError(f"{path} has to be a list of channels")
    channels = tuple(_channel(entry, f"channel {number} in {path}") for number, entry in enumerate(entries, start=1))
    for attribute in ("channel_id", "channel_access_token"):
        if len({getattr(channel, attribute) for channel in channels}) < len(channels):
            raise ChannelsError(f"two channels in {path} have the same {attribute}")
    return channels


def _channel(entry: Any, where: str) -> ChannelSettings:  # noqa: ANN401 - any JSON
    if not isinstance(entry, dict) or entry.keys() != _NAMES.keys():
        raise ChannelsError(f"{where} needs exactly {', '.join(_NAMES)}")
    if not all(isinstance(value, str) and value for value in entry.values()):
        raise ChannelsError(f"{where}: every value has to be a text")
    return ChannelSettings(**{_NAMES[name]: value for name, value in entry.items()})
