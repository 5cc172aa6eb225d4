"""The endpoints about the account, its webhook and the content of messages.

Source: Messaging API reference, "Bot", "Webhook settings", "Content"; a wrong URL: linebot/webhook_test.go of line-bot-sdk-go 7.
"""

from datetime import UTC, datetime
from http import HTTPStatus
from typing import Final

from .calls import Answer, Call
from .channel import Channel
from .errors import Detail, bad_request, invalid_body, not_found, removed_content
from .media import Media
from .messages import Message

WEBHOOK_URL_CHARACTERS: Final = 500
_WITH_PREVIEW: Final = frozenset({"image", "video"})
_TRANSCODED: Final = frozenset({"video", "audio"})


async def bot_info(channel: Channel, _call: Call) -> Answer:
    """Return the profile of the account."""
    account = channel.account
    fields = {
        "userId": account.user_id,
        "basicId": account.basic_id,
        "displayName": account.display_name,
        "pictureUrl": account.picture_url,
        "chatMode": account.chat_mode,
        "markAsReadMode": account.mark_as_read_mode,
    }
    return Answer(body={name: value for name, value in fields.items() if value is not None})


async def get_webhook(channel: Channel, _call: Call) -> Answer:
    """Return the webhook's URL; with `keeps_webhook`, the URL most recently named by the bot."""
    return Answer(body={"endpoint": channel.named_webhook_url or channel.courier.webhook_url, "active": True})


async def set_webhook(channel: Channel, call: Call) -> Answer:
    """Deliver events to another URL; with `keeps_webhook`, only remember the URL. Unless strict, the channel accepts `http://` too."""
    endpoint = _check_url(channel, call.json().get("endpoint"))
    if channel.keeps_webhook:
        channel.named_webhook_url = endpoint
    else:
        channel.courier.webhook_url = endpoint
    channel.notify_listeners()
    return Answer()


async def test_webhook(channel: Channel, call: Call) -> Answer:
    """Deliver a request without events, by default to the webhook, else to the body's `endpoint`. Without an answer, `statusCode` is 0."""
    endpoint = call.json().get("endpoint") if call.body else None
    if endpoint is not None:
        _check_url(channel, endpoint)
    attempt = await channel.courier.verify(None if channel.keeps_webhook else endpoint)
    moment = datetime.fromtimestamp(call.at_ms / 1_000, UTC)
    return Answer(
        body={
            "success": attempt.status == HTTPStatus.OK,
            "timestamp": moment.strftime("%Y-%m-%dT%H:%M:%S.%f000Z"),
            "statusCode": attempt.status or 0,
            "reason": "OK" if attempt.is_accepted else attempt.reason.upper() if attempt.reason else "",
            "detail": str(attempt.status) if attempt.is_accepted else attempt.detail,
        }
    )


async def link_token(channel: Channel, call: Call) -> Answer:
    """Return a token for linking an account of the provider, for ten minutes.  Source: Messaging API reference, "Issue link token"."""
    person = channel.people.get(call.path_params["user_id"])
    if person is None or not person.has_consented:
        raise not_found()
    token = channel.ids.link_token()
    channel.link_tokens.issue(token, user_id=person.user_id, at_ms=call.at_ms)
    return Answer(body={"linkToken": token})


async def content(channel: Channel, call: Call) -> Answer:
    """Return the bytes: 202 during preparation, 404 for a message without content, 410 after an unsend."""
    _message, media = _media_of(channel, call)
    match media.status(call.at_ms):
        case "processing":
            return Answer(status=HTTPStatus.ACCEPTED, body=None)
        case "failed":
            raise not_found()
    return Answer(content=media.content, content_type=media.content_type)


async def preview(channel: Channel, call: Call) -> Answer:
    """Return a small image of an image or a video."""
    message, media = _media_of(channel, call)
    if message.type not in _WITH_PREVIEW:
        raise not_found()
    if media.status(call.at_ms) == "processing":
        return Answer(status=HTTPStatus.ACCEPTED, body=None)
    if media.preview is None and message.type == "video":
        raise not_found()
    image, content_type = (media.preview, "image/jpeg") if media.preview else (media.content, media.content_type)
    return Answer(content=image, content_type=content_type)


async def transcoding(channel: Channel, call: Call) -> Answer:
    """Return the state of a video or voice message, for example `{"status": "processing"}`; later `succeeded` or `failed`."""
    message, media = _media_of(channel, call)
    if message.type not in _TRANSCODED:
        raise bad_request("The message is neither a video nor an audio")
    return Answer(body={"status": media.status(call.at_ms)})


def _check_url(channel: Channel, endpoint: object) -> str:
    schemes = ("https://",) if channel.is_strict else ("https://", "http://")
    if not isinstance(endpoint, str) or not endpoint.startswith(schemes):
        raise bad_request("Invalid webhook endpoint URL")
    if len(endpoint) > WEBHOOK_URL_CHARACTERS:
        message = f"Size must be between 0 and {WEBHOOK_URL_CHARACTERS}"
        raise invalid_body((Detail(message=message, property="endpoint"),))
    return endpoint


def _media_of(channel: Channel, call: Call) -> tuple[Message, Media]:
    chat_and_message = channel.message(call.path_params["line_message_id"])
    if chat_and_message is None:
        raise not_found()
    message = chat_and_message[1]
    if message.is_unsent:
        raise removed_content()
    media = channel.media.get(message.line_message_id)
    if media is None:
        raise not_found()
    return message, media
