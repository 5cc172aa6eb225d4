"""The environment of functions/feeds."""

from collections.abc import Mapping

from shared.frozen import frozen
from shared.settings.reader import read_settings


@frozen
class FeedsSettings:
    """The settings of functions/feeds."""

    project_id: str
    history_bucket: str
    storage_emulator_host: str | None


def feeds_settings(env: Mapping[str, str]) -> FeedsSettings:
    """Read the environment of functions/feeds.  Raises: SettingsError."""
    return read_settings(
        env,
        lambda settings: FeedsSettings(
            project_id=settings.name("GOOGLE_CLOUD_PROJECT"),
            history_bucket=settings.name("HISTORY_BUCKET"),
            storage_emulator_host=settings.url("STORAGE_EMULATOR_HOST"),
        ),
    )
