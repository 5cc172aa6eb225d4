"""The environment of `make serve`."""

from pathlib import Path

import pytest

from selfhost.settings import serve_settings
from shared.access.admission import Access
from shared.settings.reader import SettingsError

ENV = {"LINE_CHANNEL_SECRET": "s", "LINE_CHANNEL_ACCESS_TOKEN": "t", "GEMINI_API_KEY": "k"}


def test_three_secrets_are_enough() -> None:
    settings = serve_settings(ENV)

    assert (settings.port, settings.admin_port, str(settings.folder)) == (8080, 8081, "data")
    assert settings.public_url is None
    assert (settings.worker.access, settings.unsend.access) == (Access.INVITED, Access.INVITED)


def test_the_public_address_has_no_slash_at_its_end() -> None:
    settings = serve_settings({**ENV, "PUBLIC_URL": "https://bot.example.com/"})

    assert settings.public_url == "https://bot.example.com"


def test_backups_stand_beside_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    backups = [serve_settings({**ENV, "DATA": path}).backups for path in ("data", "/srv/bot/data/", ".")]

    assert backups == [Path("data-backups"), Path("/srv/bot/data-backups"), Path(f"{tmp_path}-backups")]


def test_a_missing_key_is_not_told_to_be_replaced_by_vertex_ai() -> None:
    with pytest.raises(SettingsError, match="GEMINI_API_KEY is not set;") as raised:
        serve_settings({**ENV, "GEMINI_API_KEY": ""})

    assert "VERTEX" not in str(raised.value)


def test_google_clouds_settings_have_no_effect() -> None:
    settings = serve_settings({**ENV, "GOOGLE_GENAI_USE_VERTEXAI": "true", "TRACING": "on", "HISTORY_BUCKET": "a/b"})

    assert not settings.worker.gemini.reads_buckets
    assert not settings.worker.is_traced


@pytest.mark.parametrize(
    ("env", "fault"),
    [
        ({"PUBLIC_URL": "https://bot.example.com/line"}, "PUBLIC_URL has a path"),
        ({"PUBLIC_URL": "http://bot.example.com"}, "PUBLIC_URL begins with http"),
        ({"PUBLIC_URL": "bot.example.com"}, "PUBLIC_URL is no http"),
        ({"PORT": "80", "ADMIN_PORT": "80"}, "ADMIN_PORT are the same"),
        ({"PORT": "0"}, "PORT is '0'"),
        ({"BACKUP_DAYS": "30"}, "BACKUP_DAYS is '30'"),
        ({"LINE_CHANNEL_SECRET": ""}, "LINE Developers console, the channel's Basic settings"),
        ({"GEMINI_API_KEY": ""}, "aistudio.google.com/apikey"),
    ],
)
def test_a_fault_is_named(env: dict[str, str], fault: str) -> None:
    with pytest.raises(SettingsError, match=fault) as raised:
        serve_settings({**ENV, **env})

    assert "\n" not in str(raised.value)


def test_every_fault_is_named_once() -> None:
    with pytest.raises(SettingsError) as raised:
        serve_settings({"LEASE_S": "1", "PORT": "x"})

    text = str(raised.value)
    for name in (
        "LINE_CHANNEL_SECRET is not",
        "LINE_CHANNEL_ACCESS_TOKEN is not",
        "GEMINI_API_KEY is not",
        "LEASE_S is",
        "PORT is",
    ):
        assert text.count(name) == 1
