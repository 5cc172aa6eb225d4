"""The environment of functions/agent_worker."""

import zoneinfo
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Final

from shared.access.admission import Access
from shared.access.budgets import Limits
from shared.conversation.archive import ARCHIVE_DAYS
from shared.expenses.money import currency_code, is_currency
from shared.frozen import frozen
from shared.line.addressing import GroupPolicy
from shared.line.forwarding import MOST_RULES, Owned
from shared.line.ids import is_user_id
from shared.locales.language_file import LOCALES
from shared.reminders.delivery import Reminding
from shared.settings.notion import NotionSettings, notion_settings
from shared.settings.push import PushSettings, push_settings
from shared.settings.reader import EnvironmentReader, read_settings
from shared.settings.secret import Secret
from shared.settings.tool_servers import ToolServerSettings, tool_server_settings
from shared.turns.deferral import LateReply

TOOLSETS: Final = ("knowledge", "lists", "expenses", "polls", "notion", "web")
_CURRENCY_OF: Final = {"ja": "JPY", "zh-TW": "TWD", "th": "THB", "en": "USD"}
_IGNORED: Final = ("SETTLE_MS",)
_MOST: Final = 10**12
_LONGEST_NAME: Final = 100  # the name is part of every prompt and of fixed texts; LINE's own names have 20 characters
_THINKING_LEVELS: Final = ("minimal", "low", "medium", "high")


@frozen
class GeminiSettings:
    """Access to Gemini: by `api_key`; if `api_key` is None, on Vertex AI by project and `location`.

    `fallback_model` is asked if `model` does not answer.
    """

    api_key: Secret | None = field(repr=False)
    project_id: str
    location: str | None
    base_url: str | None
    model: str
    thinking_level: str
    fallback_model: str | None = None

    @property
    def reads_buckets(self) -> bool:
        """Whether the model reads media by their `gs://` address; only on Vertex AI."""
        return self.api_key is None


@frozen
class BotSettings:
    """The bot's name, locale and behaviour.

    `name` None: the account's display name is used. `persona` None: the built-in persona is used. `is_rich`: lists are drawn as cards.
    """

    name: str | None
    locale: str
    time_zone: zoneinfo.ZoneInfo
    persona: str | None
    group_policy: GroupPolicy
    late_reply: LateReply
    is_rich: bool


@frozen
class AgentWorkerSettings:
    """The settings of functions/agent_worker.  LINE is asked to test the webhook every `heartbeat_minutes`; 0: never.

    `currency` and `notion` are set if `toolsets` names expenses and notion. A thought that is classified with less than
    `confidence_threshold` is filed in the inbox: with 0.6, a confidence of 0.55 goes to the inbox. Archives reach back `archive_days`; 0:
    nothing is archived. `ignored`: settings of earlier releases that are set, and have no effect. `hook_key`
    None: hooks are off. `feeds_url`: where functions/feeds is reached; None: below the webhook's address.
    """

    project_id: str
    history_bucket: str
    storage_emulator_host: str | None
    channel_access_token: Secret = field(repr=False)
    line_api_base_url: str | None
    gemini: GeminiSettings
    toolsets: tuple[str, ...]
    currency: str | None
    has_polls: bool
    notion: NotionSettings | None
    tool_servers: tuple[ToolServerSettings, ...]
    bot: BotSettings
    confidence_threshold: float
    archive_days: int
    has_embeddings: bool
    is_traced: bool
    ignored: tuple[str, ...]
    lease_s: float
    heartbeat_minutes: int
    push: PushSettings | None
    hook_key: Secret | None = field(repr=False)
    has_calendar: bool
    feeds_url: str | None = field(repr=False)
    reminding: Reminding
    reminder_pushes_per_day: int
    operator_user_id: str | None = field(repr=False)
    handover_minutes: int
    owned_elsewhere: Owned
    access: Access
    limits: Limits
    clock_offset_file: Path | None


def agent_worker_settings(env: Mapping[str, str]) -> AgentWorkerSettings:
    """Read the environment of functions/agent_worker.  Raises: SettingsError."""
    return read_settings(env, _agent_worker)


def _agent_worker(settings: EnvironmentReader) -> AgentWorkerSettings:
    toolsets = settings.several_of("TOOLSETS", TOOLSETS, default=("knowledge",))
    if "lists" in toolsets and "knowledge" not in toolsets:
        settings.faults.append("TOOLSETS names lists without knowledge, whose index shows them")
    return AgentWorkerSettings(
        project_id=settings.name("GOOGLE_CLOUD_PROJECT"),
        history_bucket=settings.name("HISTORY_BUCKET"),
        storage_emulator_host=settings.url("STORAGE_EMULATOR_HOST"),
        channel_access_token=settings.secret("LINE_CHANNEL_ACCESS_TOKEN"),
        line_api_base_url=settings.line_api_base_url(),
        gemini=_gemini(settings),
        toolsets=toolsets,
        currency=_currency(settings) if "expenses" in toolsets else None,
        has_polls="polls" in toolsets,
        notion=notion_settings(settings) if "notion" in toolsets else None,
        tool_servers=tool_server_settings(settings),
        confidence_threshold=settings.number("CONFIDENCE_THRESHOLD", default=0.6, least=0, most=1),
        archive_days=settings.whole_number("ARCHIVE_DAYS", default=ARCHIVE_DAYS, least=0, most=36_500),
        has_embeddings=settings.one_of("EMBEDDINGS", ("off", "on"), default="off") == "on",
        is_traced=settings.one_of("TRACING", ("off", "on"), default="off") == "on",
        ignored=tuple(name for name in _IGNORED if settings.optional(name) is not None),
        lease_s=settings.lease_s(),
        heartbeat_minutes=settings.whole_number("HEARTBEAT_MINUTES", default=0, least=0, most=30),
        push=push_settings(settings),
        hook_key=settings.hook_key(),
        has_calendar=settings.one_of("CALENDAR", ("off", "on"), default="off") == "on",
        feeds_url=settings.url("FEEDS_URL"),
        reminding=Reminding(settings.one_of("REMINDERS", tuple(Reminding), default=Reminding.PUSH)),
        reminder_pushes_per_day=settings.whole_number("REMINDER_PUSHES_PER_DAY", default=20, least=0, most=10_000),
        operator_user_id=_user_id(settings, "OPERATOR_USER_ID"),
        handover_minutes=settings.handover_minutes(),
        owned_elsewhere=_owned_elsewhere(settings),
        access=Access(settings.one_of("ACCESS", tuple(Access), default=Access.INVITED)),
        limits=_limits(settings),
        clock_offset_file=settings.clock_offset_file(),
        bot=BotSettings(
            name=settings.one_line("BOT_NAME", most=_LONGEST_NAME),
            locale=settings.one_of("BOT_LOCALE", LOCALES, default="ja"),
            time_zone=_time_zone(settings),
            persona=settings.optional("BOT_PERSONA"),
            group_policy=GroupPolicy(settings.one_of("GROUP_POLICY", tuple(GroupPolicy), default=GroupPolicy.MENTION)),
            late_reply=LateReply(settings.one_of("LATE_REPLY", tuple(LateReply), default=LateReply.BUTTON)),
            is_rich=settings.one_of("RICH", ("on", "off"), default="on") == "on",
        ),
    )


def _owned_elsewhere(settings: EnvironmentReader) -> Owned:
    name = "FORWARD_OWNS"
    rules = [rule.strip() for rule in (settings.optional(name) or "").split(",") if rule.strip()]
    try:
        if len(rules) <= MOST_RULES:
            return Owned.of(rules)
        settings.faults.append(f"{name} has {len(rules)} rules; at most {MOST_RULES} are taken")
    except ValueError as cause:
        settings.faults.append(
            f"{name} has the rule '{cause}'; a rule is postback:PREFIX, word:WORD, chats:one-on-one or chats:groups"
        )
    return Owned()


def _user_id(settings: EnvironmentReader, name: str) -> str | None:
    user_id = settings.optional(name)
    if user_id is not None and not is_user_id(user_id):
        settings.faults.append(f"{name} is no id of a user, U and 32 digits, as `/id` shows it in a 1:1 chat")
    return user_id


def _limits(settings: EnvironmentReader) -> Limits:
    def limit(name: str, default: int) -> int:
        return settings.whole_number(name, default=default, least=0, most=_MOST)

    usual = Limits()
    return Limits(
        turns_per_chat_day=limit("LIMIT_TURNS_PER_CHAT_DAY", usual.turns_per_chat_day),
        tokens_per_chat_day=limit("LIMIT_TOKENS_PER_CHAT_DAY", usual.tokens_per_chat_day),
        tokens_per_day=limit("LIMIT_TOKENS_PER_DAY", usual.tokens_per_day),
    )


def _currency(settings: EnvironmentReader) -> str:
    """Read the currency of amounts without a currency; by default that of BOT_LOCALE, such as JPY of ja."""
    locale = settings.one_of("BOT_LOCALE", LOCALES, default="ja")
    currency = currency_code(settings.optional("CURRENCY") or _CURRENCY_OF[locale])
    if not is_currency(currency):
        settings.faults.append(f"CURRENCY is {currency[:10]!r}; it must be a code such as JPY")
    return currency


def _gemini(settings: EnvironmentReader) -> GeminiSettings:
    on_vertex = settings.one_of("GOOGLE_GENAI_USE_VERTEXAI", ("true", "false", "1", "0"), default="false") in {
        "true",
        "1",
    }
    may_choose = settings.optional("GOOGLE_GENAI_USE_VERTEXAI") is None  # not on a machine of one's own
    instead = "GOOGLE_GENAI_USE_VERTEXAI=true" if may_choose else None
    return GeminiSettings(
        api_key=None if on_vertex else settings.secret("GEMINI_API_KEY", instead=instead),
        project_id=settings.optional("GOOGLE_CLOUD_PROJECT") or "",
        location=settings.required("GOOGLE_CLOUD_LOCATION") if on_vertex else None,
        base_url=settings.url("GEMINI_BASE_URL"),
        model=settings.optional("GEMINI_MODEL") or "gemini-3.5-flash-lite",
        thinking_level=settings.one_of("GEMINI_THINKING_LEVEL", _THINKING_LEVELS, default="low"),
        fallback_model=settings.optional("GEMINI_FALLBACK_MODEL"),
    )


def _time_zone(settings: EnvironmentReader) -> zoneinfo.ZoneInfo:
    name, default = "BOT_TIME_ZONE", "Asia/Tokyo"
    value = settings.optional(name) or default
    try:
        return zoneinfo.ZoneInfo(value)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        settings.faults.append(f"{name} is {value!r}; it must be a time zone such as {default}")
        return zoneinfo.ZoneInfo("UTC")
