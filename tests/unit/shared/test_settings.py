import pytest

from shared.settings.agent_worker import agent_worker_settings
from shared.settings.reader import SettingsError
from shared.settings.unsend import unsend_settings
from shared.settings.webhook import webhook_settings

WEBHOOK = {"GOOGLE_CLOUD_PROJECT": "p", "EVENTS_TOPIC": "t", "LINE_CHANNEL_SECRET": "s"}
WORKER = {
    "GOOGLE_CLOUD_PROJECT": "p",
    "HISTORY_BUCKET": "b",
    "LINE_CHANNEL_ACCESS_TOKEN": "token",
    "GEMINI_API_KEY": "key",
}


def test_the_least_that_a_webhook_needs() -> None:
    settings = webhook_settings(WEBHOOK)

    assert settings.channel_secrets == ("s",)
    assert settings.pubsub_emulator_host is None


def test_two_secrets_while_one_is_being_changed() -> None:
    assert webhook_settings({**WEBHOOK, "LINE_CHANNEL_SECRET": " old , new "}).channel_secrets == ("old", "new")


@pytest.mark.parametrize("secrets", ["a,b,c", ",", " , "])
def test_no_secret_or_more_than_two_are_refused(secrets: str) -> None:
    with pytest.raises(SettingsError, match="LINE_CHANNEL_SECRET holds"):
        webhook_settings({**WEBHOOK, "LINE_CHANNEL_SECRET": secrets})


def test_one_message_names_everything_that_is_missing() -> None:
    with pytest.raises(SettingsError) as caught:
        agent_worker_settings({"GOOGLE_CLOUD_PROJECT": "  "})

    for name in ("GOOGLE_CLOUD_PROJECT", "HISTORY_BUCKET", "LINE_CHANNEL_ACCESS_TOKEN", "GEMINI_API_KEY"):
        assert f"{name} is not set" in str(caught.value)


def test_one_message_names_everything_that_is_malformed() -> None:
    odd = {
        "LINE_API_BASE_URL": "nowhere",
        "BOT_LOCALE": "xx",
        "BOT_TIME_ZONE": "Mars/Base",
        "GEMINI_THINKING_LEVEL": "deep",
    }

    with pytest.raises(SettingsError) as caught:
        agent_worker_settings({**WORKER, **odd})

    assert all(name in str(caught.value) for name in odd)


def test_the_defaults_of_a_worker() -> None:
    settings = agent_worker_settings(WORKER)

    assert settings.gemini.model == "gemini-3.5-flash-lite"
    assert settings.gemini.thinking_level == "low"
    assert settings.bot.locale == "ja"
    assert settings.bot.time_zone.key == "Asia/Tokyo"
    assert settings.bot.name is None


def test_vertex_needs_a_location_and_no_key() -> None:
    without_key = {name: value for name, value in WORKER.items() if name != "GEMINI_API_KEY"}

    settings = agent_worker_settings(
        {**without_key, "GOOGLE_GENAI_USE_VERTEXAI": "true", "GOOGLE_CLOUD_LOCATION": "global"}
    )

    assert settings.gemini.api_key is None
    assert settings.gemini.location == "global"
    with pytest.raises(SettingsError, match="GOOGLE_CLOUD_LOCATION is not set"):
        agent_worker_settings({**without_key, "GOOGLE_GENAI_USE_VERTEXAI": "true"})


def test_the_unsend_function_needs_a_bucket_only() -> None:
    assert unsend_settings({"GOOGLE_CLOUD_PROJECT": "p", "HISTORY_BUCKET": "b"}).history_bucket == "b"


def test_secrets_are_not_in_the_repr() -> None:
    settings = agent_worker_settings(
        {**WORKER, "LINE_CHANNEL_ACCESS_TOKEN": "hush-token", "GEMINI_API_KEY": "hush-key"}
    )

    assert "hush" not in repr(settings)


@pytest.mark.parametrize(
    ("value", "toolsets"),
    [("knowledge", ("knowledge",)), ("", ()), (" web, Notion ,", ("notion", "web")), (None, ("knowledge",))],
)
def test_toolsets_are_a_list_that_may_be_empty(value: str | None, toolsets: tuple[str, ...]) -> None:
    env = WORKER if value is None else {**WORKER, "TOOLSETS": value}

    assert agent_worker_settings(env).toolsets == toolsets


def test_an_unknown_toolset_and_a_threshold_out_of_bounds_are_named() -> None:
    with pytest.raises(SettingsError, match=r"TOOLSETS names 'chess'.*CONFIDENCE_THRESHOLD is '1.5'"):
        agent_worker_settings({**WORKER, "TOOLSETS": "knowledge,chess", "CONFIDENCE_THRESHOLD": "1.5"})


def test_a_thought_is_filed_from_six_tenths_on_unless_set_otherwise() -> None:
    assert agent_worker_settings(WORKER).confidence_threshold == 0.6
    assert agent_worker_settings({**WORKER, "CONFIDENCE_THRESHOLD": "0.8"}).confidence_threshold == 0.8
