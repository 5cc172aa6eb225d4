"""LINE through its SDK, which is imported at the first call, or during the first reads: the import takes most of a second."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from shared.adapters.line_bot_info import BotInfoApi, CachedBotInfo
from shared.clock import Clock
from shared.frozen import frozen
from shared.line.media_content import LARGEST_BYTES, ArrivingContent, Unfetched
from shared.line.messaging import OutgoingMessage, PushFate, ReplyFate, ReplyToken
from shared.line.quota import Quota
from shared.line.webhook_check import WebhookCheck
from shared.settings.secret import Secret

if TYPE_CHECKING:
    from shared.adapters.line_api import LineApi
    from shared.adapters.line_media import LineMedia
    from shared.adapters.line_profiles import LineProfiles
    from shared.adapters.line_webhook import LineWebhook

_Kept = TypeVar("_Kept")


@frozen
class _Sdk:
    api: "LineApi"
    profiles: "LineProfiles"
    media: "LineMedia"
    webhook: "LineWebhook"


class SdkOnDemand:
    """The adapters on LINE's SDK; the first caller of `get` imports the SDK."""

    def __init__(self, *, channel_access_token: Secret, base_url: str | None, clock: Clock) -> None:
        """`base_url` replaces both of LINE's hosts."""
        self.bot_info = CachedBotInfo(
            BotInfoApi(channel_access_token=channel_access_token, base_url=base_url).read, clock
        )
        self._channel_access_token = channel_access_token
        self._base_url = base_url
        self._building = threading.Lock()
        self._built: _Sdk | None = None

    def get(self) -> _Sdk:
        """Return the adapters."""
        with self._building:
            if self._built is None:
                self._built = self._build()
            return self._built

    def _build(self) -> _Sdk:
        from shared.adapters import line_client, line_media, line_webhook  # noqa: PLC0415 - not before the first call
        from shared.adapters.line_api import LineApi  # noqa: PLC0415
        from shared.adapters.line_media import LineMedia  # noqa: PLC0415
        from shared.adapters.line_profiles import LineProfiles  # noqa: PLC0415
        from shared.adapters.line_webhook import LineWebhook  # noqa: PLC0415

        token, host = self._channel_access_token, self._base_url or line_client.HOST
        api = LineApi(channel_access_token=token, base_url=self._base_url, bot_info=self.bot_info)
        content_host = self._base_url or line_client.CONTENT_HOST
        return _Sdk(
            api=api,
            profiles=LineProfiles(api.client),
            media=LineMedia(line_client.LineClient(token, content_host, answer_s=line_media.ANSWER_S)),
            webhook=LineWebhook(line_client.LineClient(token, host, answer_s=line_webhook.ANSWER_S)),
        )


@dataclass(frozen=True, slots=True)
class LateLineApi:
    """`LineApi`, imported on demand; the bot's info is read without the SDK."""

    sdk: SdkOnDemand = field(repr=False)

    def reply(self, token: ReplyToken, messages: Sequence[OutgoingMessage]) -> ReplyFate:
        return self.sdk.get().api.reply(token, messages)

    def push(self, to: str, messages: Sequence[OutgoingMessage], *, retry_key: str) -> PushFate:
        return self.sdk.get().api.push(to, messages, retry_key=retry_key)

    def push_quota(self) -> Quota | None:
        return self.sdk.get().api.push_quota()

    def member_count(self, conversation_id: str) -> int | None:
        return self.sdk.get().api.member_count(conversation_id)

    def leave(self, conversation_id: str) -> None:
        self.sdk.get().api.leave(conversation_id)

    def show_loading(self, user_id: str) -> None:
        self.sdk.get().api.show_loading(user_id)

    def mark_as_read(self, mark_as_read_token: str) -> None:
        self.sdk.get().api.mark_as_read(mark_as_read_token)

    def display_name(self) -> str | None:
        info = self.sdk.bot_info.get()
        return info.display_name if info else None

    def marks_reads_by_hand(self) -> bool:
        info = self.sdk.bot_info.get()
        return info is not None and info.mark_as_read_mode == "manual"


@dataclass(frozen=True, slots=True)
class LateLineProfiles:
    """`LineProfiles`, imported on demand."""

    sdk: SdkOnDemand = field(repr=False)

    def display_name(self, conversation_id: str, user_id: str) -> str | None:
        return self.sdk.get().profiles.display_name(conversation_id, user_id)

    def is_member(self, conversation_id: str, user_id: str) -> bool | None:
        return self.sdk.get().profiles.is_member(conversation_id, user_id)

    def group_name(self, conversation_id: str) -> str | None:
        return self.sdk.get().profiles.group_name(conversation_id)


@dataclass(frozen=True, slots=True)
class LateLineMedia:
    """`LineMedia`, imported on demand."""

    sdk: SdkOnDemand = field(repr=False)

    def fetch(
        self, line_message_id: str, keep: Callable[[ArrivingContent], _Kept], *, at_most_bytes: int = LARGEST_BYTES
    ) -> _Kept | Unfetched:
        return self.sdk.get().media.fetch(line_message_id, keep, at_most_bytes=at_most_bytes)


@dataclass(frozen=True, slots=True)
class LateLineWebhook:
    """`LineWebhook`, imported on demand."""

    sdk: SdkOnDemand = field(repr=False)

    def check_webhook(self) -> WebhookCheck:
        return self.sdk.get().webhook.check_webhook()

    def webhook_address(self) -> str | None:
        return self.sdk.get().webhook.webhook_address()
