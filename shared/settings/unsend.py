"""The environment of functions/unsend."""

from collections.abc import Mapping
from pathlib import Path

from shared.access.admission import Access
from shared.frozen import frozen
from shared.settings.push import PushSettings, push_settings
from shared.settings.reader import read_settings


@frozen
class UnsendSettings:
    """The settings of functions/unsend.

    With `access` "invited", an unsend in a chat without admission leaves no tombstone; without ACCESS every unsend leaves one.
    """

    project_id: str
    history_bucket: str
    storage_emulator_host: str | None
    lease_s: float
    push: PushSettings | None
    access: Access
    clock_offset_file: Path | None


def unsend_settings(env: Mapping[str, str]) -> UnsendSettings:
    """Read the environment of functions/unsend.  Raises: SettingsError."""
    return read_settings(
        env,
        lambda settings: UnsendSettings(
            project_id=settings.name("GOOGLE_CLOUD_PROJECT"),
            history_bucket=settings.name("HISTORY_BUCKET"),
            storage_emulator_host=settings.url("STORAGE_EMULATOR_HOST"),
            lease_s=settings.lease_s(),
            push=push_settings(settings),
            access=Access(settings.one_of("ACCESS", tuple(Access), default=Access.OPEN)),
            clock_offset_file=settings.clock_offset_file(),
        ),
    )
