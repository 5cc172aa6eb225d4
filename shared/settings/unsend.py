"""The environment of functions/unsend."""

from collections.abc import Mapping
from dataclasses import dataclass

from shared.settings.push import PushSettings, push_settings
from shared.settings.reader import read_settings


@dataclass(frozen=True, slots=True, kw_only=True)
class UnsendSettings:
    """The settings of functions/unsend."""

    project_id: str
    history_bucket: str
    lease_s: float
    push: PushSettings | None


def unsend_settings(env: Mapping[str, str]) -> UnsendSettings:
    """Read the environment of functions/unsend.  Raises: SettingsError."""
    return read_settings(
        env,
        lambda settings: UnsendSettings(
            project_id=settings.required("GOOGLE_CLOUD_PROJECT"),
            history_bucket=settings.required("HISTORY_BUCKET"),
            lease_s=settings.lease_s(),
            push=push_settings(settings),
        ),
    )
