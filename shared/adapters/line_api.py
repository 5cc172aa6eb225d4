"""The Messaging API of LINE, with the models of LINE's SDK: replies, pushes, presence, leaving, bot info."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from http import HTTPStatus
from typing import Any, Final, Literal, TypeVar

from pydantic.v1 import Field

from shared import logs
from shared.adapters.http_pool import FAILURES as NO_ANSWER
from shared.adapters.http_pool import NotConnectedError
from shared.adapters.line_bot_info import BotInfoApi, CachedBotInfo
from shared.adapters.line_calls import LineCalls
from shared.adapters.line_client import (
    FAILURES,
    HOST,
    INVALID,
    LOST_ANSWERS,
    TIMEOUT_S,
    LineClient,
    RefusalError,
    UnreadableAnswerError,
    raise_if_bot_is_refused,
)
from shared.adapters.line_sdk import (
    Action,
    ButtonsTemplate,
    MarkMessagesAsReadByTokenRequest,
    Message,
    MessageAction,
    PostbackAction,
    PushMessageRequest,
    QuickReply,
    QuickReplyItem,
    QuotaType,
    ReplyMessageRequest,
    ShowLoadingAnimationRequest,
    TemplateMessage,
    TextMessage,
    URIAction,
)
from shared.clock import Clock, SystemClock
from shared.errors import LineUnavailableError
from shared.line.cards.drawing import drawn
from shared.line.messaging import OutgoingMessage, PostbackButton, PushFate, ReplyFate, ReplyToken, SayButton
from shared.line.presence import SHOWN_S
from shared.line.quota import Quota
from shared.settings.secret import Secret

_NOT_A_MEMBER: Final = frozenset(
    {400, 404}
)  # the bot left the group, or the id is unknown; Source: LINE, "Leave group chat"
_Request = TypeVar("_Request")
_REFUSED: Final = ReplyFate(kind="refused")
_QUOTE_TOKEN_NAMES: Final = (
    "quotetoken",
    "quote token",
)  # error texts are not guaranteed; Source: LINE, "Error messages"
_QUOTA_SPENT: Final = (
    "monthly limit"  # only the text distinguishes this 429 from a rate limit; Source: LINE, "Error messages"
)


class DrawnMessage(Message):  # type: ignore[misc] # the SDK has no types
    """A Flex message whose contents are JSON already: the SDK's fifty models of Flex would add to every cold start."""

    alt_text: str = Field(alias="altText")
    contents: dict[str, Any]
    type: str = "flex"

    def to_dict(self) -> dict[str, Any]:
        quick_reply = {"quickReply": self.quick_reply.to_dict()} if self.quick_reply else {}
        return {"type": self.type, "altText": self.alt_text, "contents": self.contents, **quick_reply}


class LineApi:
    """The calls of the agent worker; safe to share between threads."""

    def __init__(
        self,
        *,
        channel_access_token: Secret,
        base_url: str | None,
        bot_info: CachedBotInfo | None = None,
        clock: Clock | None = None,
    ) -> None:
        """`base_url` replaces both of LINE's hosts; `bot_info` is shared with other readers."""
        self.client = LineClient(channel_access_token, base_url or HOST, answer_s=TIMEOUT_S[1], clock=clock)
        self._calls = LineCalls(self.client)
        read = BotInfoApi(channel_access_token=channel_access_token, base_url=base_url).read
        self._bot_info = bot_info or CachedBotInfo(read, SystemClock())

    def reply(self, token: ReplyToken, messages: Sequence[OutgoingMessage]) -> ReplyFate:
        """Send the messages; again without their quotes if LINE refuses only a quote token.

        LINE sends nothing of a refused call. If the refused call spends the reply token, LINE refuses the second call, too.
        """
        fate = self._reply(token, messages)
        if fate is None and any(message.quote_token for message in messages):
            fate = self._reply(token, [replace(message, quote_token=None) for message in messages])
        return fate or _REFUSED

    def _reply(self, token: ReplyToken, messages: Sequence[OutgoingMessage]) -> ReplyFate | None:
        """Send the messages; None if LINE refuses only a quote token."""
        request = _build_request(
            lambda: ReplyMessageRequest(
                replyToken=token.value,
                messages=list(map(_message, messages)),
                notificationDisabled=all(message.is_silent for message in messages),
            )
        )
        if request is None:
            return _REFUSED
        try:
            response = self._calls.reply(request)
        except RefusalError as refusal:
            kind = _kind_of(refusal, "reply_not_accepted")
            return None if _is_about_quotes(refusal) else ReplyFate(kind=kind)
        except LOST_ANSWERS as cause:
            return ReplyFate(kind=_kind_of_loss(cause))
        return ReplyFate(kind="accepted", sent_message_ids=tuple(sent.id for sent in response.sent_messages))

    def push(self, to: str, messages: Sequence[OutgoingMessage], *, retry_key: str) -> PushFate:
        request = _build_request(lambda: PushMessageRequest(to=to, messages=list(map(_message, messages))))
        if request is None:
            return PushFate(kind="refused")
        try:
            response = self._calls.push(request, retry_key=retry_key)
        except RefusalError as refusal:
            if refusal.status == HTTPStatus.CONFLICT:
                return PushFate(kind="already_accepted", sent_message_ids=_ids_of_earlier_call(refusal))
            if (
                refusal.status == HTTPStatus.TOO_MANY_REQUESTS
                and _QUOTA_SPENT in refusal.body.decode(errors="replace").lower()
            ):
                return PushFate(kind="quota_spent")
            return PushFate(kind=_kind_of(refusal, "push_not_accepted"))
        except LOST_ANSWERS as cause:
            return PushFate(kind=_kind_of_loss(cause))
        return PushFate(kind="accepted", sent_message_ids=tuple(sent.id for sent in response.sent_messages))

    def push_quota(self) -> Quota | None:
        """Return the account's quota, for example `Quota(limit=200, used=12)`.

        Source: LINE, "Get the target limit for sending messages this month": `none` has no limit.
        """
        try:
            quota = self._calls.quota()
            if quota.type != QuotaType.LIMITED:
                return Quota(limit=None)
            used = self._calls.quota_consumption()
        except FAILURES as cause:
            _log_unanswered("quota_unavailable", cause)
            return None
        return Quota(limit=quota.value, used=used.total_usage)

    def member_count(self, conversation_id: str) -> int | None:
        is_group = conversation_id.startswith("C")
        ask = self._calls.group_member_count if is_group else self._calls.room_member_count
        try:
            return int(ask(conversation_id).count)
        except FAILURES as cause:
            _log_unanswered("member_count_unavailable", cause)
            return None

    def leave(self, conversation_id: str) -> None:
        is_group = conversation_id.startswith("C")
        try:
            if is_group:
                self._calls.leave_group(conversation_id)
            else:
                self._calls.leave_room(conversation_id)
        except RefusalError as refusal:
            if refusal.status in _NOT_A_MEMBER:
                return
            _kind_of(refusal, "chat_not_left")
            raise LineUnavailableError("LINE did not let the bot leave the chat") from refusal
        except NO_ANSWER as cause:
            raise LineUnavailableError("LINE could not be asked to let the bot leave the chat") from cause

    def display_name(self) -> str | None:
        info = self._bot_info.get()
        return info.display_name if info else None

    def marks_reads_by_hand(self) -> bool:
        info = self._bot_info.get()
        return info is not None and info.mark_as_read_mode == "manual"

    def show_loading(self, user_id: str) -> None:
        try:
            self._calls.show_loading(ShowLoadingAnimationRequest(chatId=user_id, loadingSeconds=SHOWN_S))
        except FAILURES as cause:
            logs.warning("loading_not_shown", error_type=type(cause).__name__)

    def mark_as_read(self, mark_as_read_token: str) -> None:
        try:
            self._calls.mark_as_read(MarkMessagesAsReadByTokenRequest(markAsReadToken=mark_as_read_token))
        except FAILURES as cause:
            logs.warning("not_marked_as_read", error_type=type(cause).__name__)


def _log_unanswered(event: str, cause: Exception) -> None:
    """Log a question without an answer from LINE.  Raises: LineRefusedError, if LINE refuses the bot itself."""
    if isinstance(cause, RefusalError):
        _kind_of(cause, event)
    else:
        logs.warning(event, error_type=type(cause).__name__)


def _build_request(build: Callable[[], _Request]) -> _Request | None:
    """Return the request, or None if the SDK's validation refuses it."""
    try:
        return build()
    except INVALID as cause:
        logs.error("request_malformed", cause=cause)
        return None


def _message(message: OutgoingMessage) -> Message:
    quick_replies = _quick_reply(message.quick_replies) if message.quick_replies else None
    if (card := message.whole_card) is not None:
        return DrawnMessage(altText=message.text, contents=drawn(card), quickReply=quick_replies)
    if not message.is_template:
        return TextMessage(text=message.text, quoteToken=message.quote_token, quickReply=quick_replies)
    links = [URIAction(label=link.label, uri=link.uri) for link in message.links]
    buttons = [_postback(one) for one in (message.button, message.decline) if one is not None]
    template = ButtonsTemplate(text=message.text, actions=[*buttons, *links])
    return TemplateMessage(altText=message.text, template=template, quickReply=quick_replies)


def _quick_reply(buttons: Sequence[PostbackButton | SayButton]) -> QuickReply:
    return QuickReply(items=[QuickReplyItem(type="action", action=_quick_action(button)) for button in buttons])


def _quick_action(button: PostbackButton | SayButton) -> Action:
    if isinstance(button, SayButton):
        return MessageAction(label=button.label, text=button.text)
    return _postback(button)


def _postback(button: PostbackButton) -> PostbackAction:
    return PostbackAction(label=button.label, data=button.data, displayText=button.display_text)


def _is_about_quotes(refusal: RefusalError) -> bool:
    """Whether a 400 is about quote tokens and nothing else.

    Every entry of `{"message": ..., "details": [{"message": ..., "property": "messages[0].quoteToken"}]}` names such a property; without
    details the message does.
    """
    body = _body_of(refusal) if refusal.status == HTTPStatus.BAD_REQUEST else {}
    details = body.get("details")
    if isinstance(details, list) and details:
        return all(isinstance(one, dict) and str(one.get("property")).endswith(".quoteToken") for one in details)
    return any(name in str(body.get("message")).lower() for name in _QUOTE_TOKEN_NAMES)


def _body_of(refusal: RefusalError) -> Mapping[str, Any]:
    try:
        body = json.loads(refusal.body)
    except (TypeError, ValueError, RecursionError):
        return {}
    return body if isinstance(body, dict) else {}


def _kind_of(refusal: RefusalError, event: str) -> Literal["refused", "unknown", "not_sent"]:
    """Return the kind of the failure, logged as `event`: 400 is "refused", 429 "not_sent", 500 "unknown".

    Raises: LineRefusedError, if LINE refuses the bot itself, for example by 401.
    """
    status = refusal.status
    logs.warning(event, status=status, line_request_id=refusal.request_id)
    raise_if_bot_is_refused(refusal)
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return "not_sent"
    return "refused" if HTTPStatus.BAD_REQUEST <= status < HTTPStatus.INTERNAL_SERVER_ERROR else "unknown"


def _kind_of_loss(cause: Exception) -> Literal["accepted", "unknown", "not_sent"]:
    if isinstance(cause, UnreadableAnswerError):
        return "accepted"
    return "not_sent" if isinstance(cause, NotConnectedError) else "unknown"


def _ids_of_earlier_call(conflict: RefusalError) -> tuple[str, ...]:
    """Return the ids in `{"message": "The retry key is already accepted", "sentMessages": [{"id": ...}]}`; empty without ids."""
    sent = _body_of(conflict).get("sentMessages")
    bubbles = sent if isinstance(sent, list) else []
    return tuple(str(bubble["id"]) for bubble in bubbles if isinstance(bubble, dict) and "id" in bubble)
