import pytest

from operations.settings import dead_letter_settings, history_settings, line_settings, rich_menu_settings
from shared.settings.reader import SettingsError


def test_subscriptions_are_read_as_a_list() -> None:
    settings = dead_letter_settings({"EVENTS_TOPIC": "t", "DEAD_LETTER_SUBSCRIPTIONS": " a , b,"})

    assert settings.subscriptions == ("a", "b")


@pytest.mark.parametrize(
    ("read", "names"),
    [
        (line_settings, ["LINE_CHANNEL_ACCESS_TOKEN", "WEBHOOK_URL"]),
        (rich_menu_settings, ["LINE_CHANNEL_ACCESS_TOKEN"]),
        (history_settings, ["GOOGLE_CLOUD_PROJECT", "HISTORY_BUCKET"]),
        (dead_letter_settings, ["DEAD_LETTER_SUBSCRIPTIONS", "EVENTS_TOPIC"]),
    ],
)
def test_one_error_names_every_missing_setting(read: object, names: list[str]) -> None:
    assert callable(read)

    with pytest.raises(SettingsError) as caught:
        read({})

    assert all(f"{name} is not set" in str(caught.value) for name in names)


def test_repr_does_not_hold_the_token() -> None:
    assert "hush" not in repr(line_settings({"LINE_CHANNEL_ACCESS_TOKEN": "hush", "WEBHOOK_URL": "https://x"}))
