"""The environment of the commands, as `terraform output -raw operations_environment` prints it, plus LINE's token."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from shared.locales.language_file import LOCALES
from shared.settings.reader import read_settings


@dataclass(frozen=True, slots=True, kw_only=True)
class LineSettings:
    """Access to LINE.  LINE sends events to `webhook_url`, for example "https://webhook-abc.a.run.app"."""

    channel_access_token: str = field(repr=False)
    api_base_url: str | None
    webhook_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RichMenuSettings:
    """Access to LINE, and the bot's language, for example "ja"."""

    channel_access_token: str = field(repr=False)
    api_base_url: str | None
    locale: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HistorySettings:
    """The bucket of the chats."""

    project_id: str
    history_bucket: str
    storage_emulator_host: str | None
    lease_s: float
    handover_minutes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetterSettings:
    """The subscriptions of dead letters, and the topic for replays."""

    events_topic: str
    subscriptions: tuple[str, ...]
    pubsub_emulator_host: str | None


def line_settings(env: Mapping[str, str]) -> LineSettings:
    """Read the settings of `line-webhook`.  Raises: SettingsError."""
    return read_settings(
        env,
        lambda settings: LineSettings(
            channel_access_token=settings.required("LINE_CHANNEL_ACCESS_TOKEN"),
            api_base_url=settings.line_api_base_url(),
            webhook_url=settings.required("WEBHOOK_URL"),
        ),
    )


def rich_menu_settings(env: Mapping[str, str]) -> RichMenuSettings:
    """Read the settings of `rich-menu`.  Raises: SettingsError."""
    return read_settings(
        env,
        lambda settings: RichMenuSettings(
            channel_access_token=settings.required("LINE_CHANNEL_ACCESS_TOKEN"),
            api_base_url=settings.line_api_base_url(),
            locale=settings.one_of("BOT_LOCALE", LOCALES, default="ja"),
        ),
    )


def history_settings(env: Mapping[str, str]) -> HistorySettings:
    """Read the settings of all commands on chats.  Raises: SettingsError."""
    return read_settings(
        env,
        lambda settings: HistorySettings(
            project_id=settings.name("GOOGLE_CLOUD_PROJECT"),
            history_bucket=settings.name("HISTORY_BUCKET"),
            storage_emulator_host=settings.url("STORAGE_EMULATOR_HOST"),
            lease_s=settings.lease_s(),
            handover_minutes=settings.handover_minutes(),
        ),
    )


def dead_letter_settings(env: Mapping[str, str]) -> DeadLetterSettings:
    """Read the further settings of `dead-letters`.  Raises: SettingsError."""
    return read_settings(
        env,
        lambda settings: DeadLetterSettings(
            events_topic=settings.name("EVENTS_TOPIC"),
            subscriptions=tuple(
                name.strip() for name in settings.required("DEAD_LETTER_SUBSCRIPTIONS").split(",") if name.strip()
            ),
            pubsub_emulator_host=settings.optional_host("PUBSUB_EMULATOR_HOST"),
        ),
    )
