from pathlib import Path

import pytest

from shared.access.admission import Access
from shared.access.budgets import Limits
from shared.line.addressing import GroupPolicy
from shared.reminders.delivery import Reminding
from shared.settings.agent_worker import agent_worker_settings
from shared.settings.reader import SettingsError, split_secrets
from shared.settings.unsend import unsend_settings
from shared.settings.webhook import webhook_settings
from shared.turns.deferral import LateReply

WEBHOOK = {"GOOGLE_CLOUD_PROJECT": "p", "EVENTS_TOPIC": "t", "LINE_CHANNEL_SECRET": "s"}
WORKER = {
    "GOOGLE_CLOUD_PROJECT": "p",
    "HISTORY_BUCKET": "b",
    "LINE_CHANNEL_ACCESS_TOKEN": "token",
    "GEMINI_API_KEY": "key",
}
UNSEND = {"GOOGLE_CLOUD_PROJECT": "p", "HISTORY_BUCKET": "b"}


def test_a_webhook_needs_a_project_a_topic_and_a_secret() -> None:
    settings = webhook_settings(WEBHOOK)

    assert settings.channel_secret.value() == "s"
    assert settings.pubsub_emulator_host is None


def test_a_webhook_takes_two_channel_secrets() -> None:
    secret = webhook_settings({**WEBHOOK, "LINE_CHANNEL_SECRET": " old , new "}).channel_secret

    assert split_secrets(secret.value()) == ("old", "new")


@pytest.mark.parametrize("secrets", ["a,b,c", ",", " , "])
def test_no_channel_secret_or_more_than_two_are_refused(secrets: str) -> None:
    with pytest.raises(SettingsError, match="LINE_CHANNEL_SECRET holds"):
        webhook_settings({**WEBHOOK, "LINE_CHANNEL_SECRET": secrets})


def test_an_error_names_every_missing_setting() -> None:
    with pytest.raises(SettingsError) as caught:
        agent_worker_settings({"GOOGLE_CLOUD_PROJECT": "  "})

    for name in ("GOOGLE_CLOUD_PROJECT", "HISTORY_BUCKET", "LINE_CHANNEL_ACCESS_TOKEN", "GEMINI_API_KEY"):
        assert f"{name} is not set" in str(caught.value)


@pytest.mark.parametrize(("env", "ignored"), [({}, ()), ({"SETTLE_MS": "many"}, ("SETTLE_MS",))])
def test_a_setting_of_an_earlier_release_is_accepted_and_has_no_effect(
    env: dict[str, str], ignored: tuple[str, ...]
) -> None:
    assert agent_worker_settings({**WORKER, **env}).ignored == ignored


def test_chats_are_by_invitation_unless_a_deployment_opens_them() -> None:
    assert agent_worker_settings(WORKER).access is Access.INVITED
    assert agent_worker_settings({**WORKER, "ACCESS": "Open"}).access is Access.OPEN


@pytest.mark.parametrize("name", ["Momo", "桃\u3000子", "👩\u200d🌾 farm", "m" * 100])
def test_the_bot_may_have_a_name_of_one_line(name: str) -> None:
    assert agent_worker_settings({**WORKER, "BOT_NAME": f" {name}\n"}).bot.name == name


@pytest.mark.parametrize("name", ["m" * 101, "Momo\nMina", "Momo\u2028Mina", "Momo\x00"])
def test_a_name_that_no_text_could_carry_is_refused(name: str) -> None:
    with pytest.raises(SettingsError, match="BOT_NAME must be one line of at most 100 characters"):
        agent_worker_settings({**WORKER, "BOT_NAME": name})


def test_without_a_word_about_access_every_unsend_leaves_a_tombstone() -> None:
    assert unsend_settings(UNSEND).access is Access.OPEN
    assert unsend_settings({**UNSEND, "ACCESS": "invited"}).access is Access.INVITED


def test_limits_are_whole_numbers_and_have_defaults() -> None:
    env = {"LIMIT_TURNS_PER_CHAT_DAY": "3", "LIMIT_TOKENS_PER_CHAT_DAY": "0"}

    limits = agent_worker_settings({**WORKER, **env}).limits

    assert (limits.turns_per_chat_day, limits.tokens_per_chat_day) == (3, 0)
    assert limits.tokens_per_day == Limits().tokens_per_day


@pytest.mark.parametrize(
    "url",
    [
        "http://line.example.com",
        "HTTP://line.example.com",
        "http://localhost.example.com",
        "http://127.0.0.1@line.example.com",
    ],
)
def test_the_access_token_is_not_sent_in_the_clear(url: str) -> None:
    with pytest.raises(SettingsError, match="LINE_API_BASE_URL must be https"):
        agent_worker_settings({**WORKER, "LINE_API_BASE_URL": url})


@pytest.mark.parametrize(
    "url", ["https://line.example.com", "http://127.0.0.1:9", "http://localhost:9", "http://[::1]:9"]
)
def test_lines_api_is_reached_by_https_or_on_this_machine(url: str) -> None:
    assert agent_worker_settings({**WORKER, "LINE_API_BASE_URL": url}).line_api_base_url == url


def test_beside_an_emulator_lines_api_may_be_a_stand_in_elsewhere() -> None:
    env = {"LINE_API_BASE_URL": "http://line:8080", "STORAGE_EMULATOR_HOST": "http://storage:9"}

    assert agent_worker_settings({**WORKER, **env}).line_api_base_url == "http://line:8080"


def test_an_error_names_every_malformed_setting() -> None:
    odd = {
        "LINE_API_BASE_URL": "nowhere",
        "BOT_LOCALE": "xx",
        "BOT_TIME_ZONE": "Mars/Base",
        "GEMINI_THINKING_LEVEL": "deep",
        "GROUP_POLICY": "everybody",
        "LATE_REPLY": "never",
        "ACCESS": "friends",
        "LIMIT_TOKENS_PER_DAY": "-1",
        "FORWARD_OWNS": "chats:all",
        "HANDOVER_MINUTES": "0",
        "OPERATOR_USER_ID": "C" + "0" * 32,
        "REMINDERS": "sms",
        "REMINDER_PUSHES_PER_DAY": "-1",
    }

    with pytest.raises(SettingsError) as caught:
        agent_worker_settings({**WORKER, **odd})

    assert all(name in str(caught.value) for name in odd)


@pytest.mark.parametrize(
    "name",
    [
        "ARCHIVE_DAYS",
        "HEARTBEAT_MINUTES",
        "LIMIT_TOKENS_PER_CHAT_DAY",
        "LIMIT_TOKENS_PER_DAY",
        "LIMIT_TURNS_PER_CHAT_DAY",
        "REMINDER_PUSHES_PER_DAY",
    ],
)
def test_a_part_of_one_does_not_become_none_which_is_no_limit(name: str) -> None:
    with pytest.raises(SettingsError, match=f"{name} is '0.5'; it must be a whole number"):
        agent_worker_settings({**WORKER, name: "0.5"})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("GOOGLE_CLOUD_PROJECT", "my project"),
        ("HISTORY_BUCKET", "gs://bucket"),
        ("LINE_CHANNEL_ACCESS_TOKEN", "to\nken"),
        ("LINE_CHANNEL_ACCESS_TOKEN", "tök"),
        ("GEMINI_API_KEY", "key\x00"),
        ("GEMINI_BASE_URL", "https://h h"),
        ("PUSH_SERVICE_ACCOUNT", "push"),
    ],
)
def test_what_can_never_work_ends_a_worker_at_its_start(name: str, value: str) -> None:
    with pytest.raises(SettingsError, match=name):
        agent_worker_settings({**WORKER, **PUSH, name: value})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("EVENTS_TOPIC", "projects/p/topics/t"),
        ("LINE_CHANNEL_SECRET", "se\ncret"),
        ("LINE_CHANNEL_SECRET", "\udcff"),
        ("PUBSUB_EMULATOR_HOST", "http://localhost:8085"),
    ],
)
def test_what_can_never_work_ends_a_webhook_at_its_start(name: str, value: str) -> None:
    with pytest.raises(SettingsError, match=name):
        webhook_settings({**WEBHOOK, name: value})


def test_the_defaults_of_a_worker() -> None:
    settings = agent_worker_settings(WORKER)

    assert settings.gemini.model == "gemini-3.5-flash-lite"
    assert settings.gemini.thinking_level == "low"
    assert settings.bot.group_policy is GroupPolicy.MENTION
    assert settings.bot.late_reply is LateReply.BUTTON
    assert settings.bot.locale == "ja"
    assert settings.bot.time_zone.key == "Asia/Tokyo"
    assert settings.bot.name is None
    assert settings.archive_days == 365
    assert (settings.reminding, settings.reminder_pushes_per_day) == (Reminding.PUSH, 20)
    assert agent_worker_settings({**WORKER, "ARCHIVE_DAYS": "0"}).archive_days == 0
    assert not settings.has_embeddings
    assert not settings.is_traced
    assert agent_worker_settings({**WORKER, "TRACING": "on"}).is_traced
    assert agent_worker_settings({**WORKER, "EMBEDDINGS": "on"}).has_embeddings


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


def test_group_policy_and_late_reply_can_be_set() -> None:
    bot = agent_worker_settings({**WORKER, "GROUP_POLICY": "Model", "LATE_REPLY": "push"}).bot

    assert (bot.group_policy, bot.late_reply) == (GroupPolicy.MODEL, LateReply.PUSH)


NOTION = {
    "TOOLSETS": "notion",
    "NOTION_TOKEN": "ntn_secret",
    "NOTION_DATABASES": '{"todo_list": "248104cd477e80fdb757e945d38000bd"}',
    "NOTION_CONVERSATIONS": f"U{'1' * 32}, C{'2' * 32}",
}


@pytest.mark.parametrize(
    ("value", "toolsets"),
    [(None, ("knowledge",)), ("", ()), (" , ", ()), ("web", ("web",)), (" Web,knowledge ,web", ("web", "knowledge"))],
)
def test_toolsets_are_named_one_by_one(value: str | None, toolsets: tuple[str, ...]) -> None:
    env = WORKER if value is None else {**WORKER, "TOOLSETS": value}

    assert agent_worker_settings(env).toolsets == toolsets


def test_lists_need_the_index_of_knowledge() -> None:
    with pytest.raises(SettingsError, match="TOOLSETS names lists without knowledge"):
        agent_worker_settings({**WORKER, "TOOLSETS": "lists"})

    assert agent_worker_settings({**WORKER, "TOOLSETS": "knowledge,lists"}).toolsets == ("knowledge", "lists")


def test_an_unknown_toolset_is_refused() -> None:
    with pytest.raises(
        SettingsError, match="TOOLSETS names calendar, maps; there are knowledge, lists, expenses, polls, notion, web"
    ):
        agent_worker_settings({**WORKER, "TOOLSETS": "web,calendar,maps"})


def test_notion_needs_a_token_databases_and_conversations() -> None:
    notion = agent_worker_settings({**WORKER, **NOTION}).notion

    assert notion is not None
    assert notion.databases == {"todo_list": "248104cd-477e-80fd-b757-e945d38000bd"}
    assert notion.conversations == frozenset({f"U{'1' * 32}", f"C{'2' * 32}"})
    assert notion.base_url is None
    assert "ntn_secret" not in repr(notion)


def test_a_star_stands_for_notion_in_every_chat() -> None:
    notion = agent_worker_settings({**WORKER, **NOTION, "NOTION_CONVERSATIONS": "*"}).notion

    assert notion is not None
    assert notion.conversations is None


def test_a_toolset_that_is_not_named_needs_no_settings() -> None:
    assert agent_worker_settings({**WORKER, "NOTION_DATABASES": "broken", "TOOLSETS": "web"}).notion is None


def test_an_error_names_every_missing_setting_of_notion() -> None:
    with pytest.raises(SettingsError) as caught:
        agent_worker_settings({"TOOLSETS": "notion"})

    for name in ("NOTION_TOKEN", "NOTION_DATABASES", "NOTION_CONVERSATIONS", "HISTORY_BUCKET"):
        assert f"{name} is not set" in str(caught.value)


@pytest.mark.parametrize(
    "databases", ["{", "[]", "{}", '{"a": 1}', '{"a": "x"}', '{"": "248104cd477e80fdb757e945d38000bd"}', "[" * 100_000]
)
def test_databases_that_cannot_be_used_are_refused(databases: str) -> None:
    with pytest.raises(SettingsError, match="NOTION_DATABASES must be a JSON object"):
        agent_worker_settings({**WORKER, **NOTION, "NOTION_DATABASES": databases})


@pytest.mark.parametrize("chats", [",", "everyone", "U123", f"U{'1' * 32},*"])
def test_notion_conversations_that_are_no_ids_are_refused(chats: str) -> None:
    with pytest.raises(SettingsError, match="NOTION_CONVERSATIONS must be ids of chats"):
        agent_worker_settings({**WORKER, **NOTION, "NOTION_CONVERSATIONS": chats})


def test_the_confidence_threshold_is_six_tenths_unless_set_otherwise() -> None:
    assert agent_worker_settings(WORKER).confidence_threshold == 0.6
    assert agent_worker_settings({**WORKER, "CONFIDENCE_THRESHOLD": "0.8"}).confidence_threshold == 0.8


def test_a_confidence_threshold_out_of_bounds_is_refused() -> None:
    with pytest.raises(SettingsError, match=r"CONFIDENCE_THRESHOLD is '1.5'"):
        agent_worker_settings({**WORKER, "CONFIDENCE_THRESHOLD": "1.5"})


@pytest.mark.parametrize("lease_s", ["1", "10", "15.9", "61"])
def test_a_lease_that_ends_before_a_call_to_line_can_is_refused(lease_s: str) -> None:
    with pytest.raises(SettingsError, match=f"LEASE_S is '{lease_s}'; it must be a number from 16 to 60"):
        agent_worker_settings({**WORKER, "LEASE_S": lease_s})
    with pytest.raises(SettingsError, match="LEASE_S is"):
        unsend_settings({**UNSEND, "LEASE_S": lease_s})


def test_a_shorter_lease_serves_where_the_bucket_is_an_emulators() -> None:
    emulated = {"LEASE_S": "2", "STORAGE_EMULATOR_HOST": "http://127.0.0.1:9"}

    assert agent_worker_settings({**WORKER, **emulated}).lease_s == 2
    assert unsend_settings({**UNSEND, **emulated}).lease_s == 2


def test_only_a_local_stack_moves_its_clock() -> None:
    moved = {"CLOCK_OFFSET_FILE": "/tmp/clock"}  # noqa: S108 - is not opened
    local = {**moved, "STORAGE_EMULATOR_HOST": "http://127.0.0.1:9"}

    assert agent_worker_settings({**WORKER, **local}).clock_offset_file == Path("/tmp/clock")  # noqa: S108
    assert unsend_settings({**UNSEND, **local}).clock_offset_file == Path("/tmp/clock")  # noqa: S108
    for read, env in ((agent_worker_settings, WORKER), (unsend_settings, UNSEND)):
        assert read(env).clock_offset_file is None
        with pytest.raises(SettingsError, match="CLOCK_OFFSET_FILE moves the clock of a local stack only"):
            read({**env, **moved})


PUSH = {"PUSH_SERVICE_ACCOUNT": "push@p.iam.gserviceaccount.com", "PUSH_AUDIENCE": "https://worker.run.app"}


def test_push_tokens_are_checked_only_if_both_settings_are_there() -> None:
    for settings in (agent_worker_settings({**WORKER, **PUSH}), unsend_settings({**UNSEND, **PUSH})):
        assert settings.push is not None
        assert settings.push.service_account == PUSH["PUSH_SERVICE_ACCOUNT"]
        assert settings.push.audience == PUSH["PUSH_AUDIENCE"]
    assert agent_worker_settings(WORKER).push is None
    assert unsend_settings(UNSEND).push is None


@pytest.mark.parametrize("name", PUSH)
def test_one_push_setting_without_the_other_is_refused(name: str) -> None:
    with pytest.raises(SettingsError, match=f"{name} is not set"):
        unsend_settings({**UNSEND, **{other: value for other, value in PUSH.items() if other != name}})


SECRET_NAMES = ("LINE_CHANNEL_ACCESS_TOKEN", "GEMINI_API_KEY", "NOTION_TOKEN")


def test_every_secret_may_be_a_file(tmp_path: Path) -> None:
    for name in SECRET_NAMES:
        (tmp_path / name).write_text(f"hush {name}\n")
    env = {name: value for name, value in {**WORKER, **NOTION}.items() if name not in SECRET_NAMES}

    settings = agent_worker_settings(env | {f"{name}_FILE": str(tmp_path / name) for name in SECRET_NAMES})

    assert settings.notion is not None
    assert settings.gemini.api_key is not None
    held = (settings.channel_access_token, settings.gemini.api_key, settings.notion.token)
    assert tuple(secret.value() for secret in held) == tuple(f"hush {name}" for name in SECRET_NAMES)
    assert "hush" not in repr(settings)


def test_files_of_secrets_that_are_missing_or_empty_are_named(tmp_path: Path) -> None:
    (tmp_path / "empty").write_text("\n")
    files = {
        "LINE_CHANNEL_ACCESS_TOKEN_FILE": str(tmp_path / "empty"),
        "GEMINI_API_KEY_FILE": str(tmp_path / "nowhere"),
    }

    with pytest.raises(SettingsError) as caught:
        agent_worker_settings({"GOOGLE_CLOUD_PROJECT": "p", "HISTORY_BUCKET": "b", **files})

    assert all(f"{name} names a file that cannot be read, or holds no secret" in str(caught.value) for name in files)
