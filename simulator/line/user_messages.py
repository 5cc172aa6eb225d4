"""People's actions in a chat: send, unsend and edit messages, and press buttons."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, Literal

from .channel import Channel
from .chats import Chat, ChatKind
from .errors import ImpossibleActionError
from .events import (
    QUOTABLE,
    WebhookEvent,
    edited_event,
    message_event,
    postback_event,
    unsend_event,
)
from .media import Media
from .mentions import ALL_MEMBERS, mention_object
from .messages import DeliveryState, JsonObject, Message
from .people import Bot, Friendship, Person

STICKER_KEYWORDS: Final = 15
MEDIA_KEPT: Final = 200
StickerResourceType = Literal[
    "STATIC",
    "ANIMATION",
    "SOUND",
    "ANIMATION_SOUND",
    "POPUP",
    "POPUP_SOUND",
    "CUSTOM",
    "MESSAGE",
    "NAME_TEXT",
    "PER_STICKER_TEXT",
]


class UserMessages(Channel):
    """Every action returns the resulting event.  Raises: ImpossibleActionError, if the LINE app does not offer the action."""

    def say(  # noqa: PLR0913 - a text has that many fields
        self,
        user_id: str,
        chat_id: str,
        text: str,
        *,
        mentioning: Sequence[str] = (),
        quoting: str | None = None,
        emojis: Sequence[JsonObject] = (),
    ) -> WebhookEvent:
        """The person sends a text, for example `say(user_id, group_id, "@Aizuchi hello", mentioning=(bot.user_id,))`.

        `mentioning`: user ids (the bot's among them) or "all", in the order of each `@name` in the text.
        `quoting`: the id of a message of the chat. `emojis`: LINE's own, `{"index", "length", "productId", "emojiId"}` each.
        """
        content = self._text_content(text, mentioning) | ({"emojis": list(emojis)} if emojis else {})
        return self.send(user_id, chat_id, content, quoting=quoting)

    def send_sticker(  # noqa: PLR0913 - a sticker has that many fields
        self,
        user_id: str,
        chat_id: str,
        *,
        package_id: str = "11537",
        sticker_id: str = "52002734",
        resource_type: StickerResourceType = "STATIC",
        keywords: Sequence[str] = (),
        text: str | None = None,
        quoting: str | None = None,
    ) -> WebhookEvent:
        """The person sends a sticker. `keywords`: at most 15. `text`: the words of a message sticker.  Source: webhook.yml."""
        if len(keywords) > STICKER_KEYWORDS:
            raise ImpossibleActionError(f"a sticker has at most {STICKER_KEYWORDS} keywords")
        sticker = {"packageId": package_id, "stickerId": sticker_id, "stickerResourceType": resource_type}
        content: JsonObject = {"type": "sticker"} | sticker | ({"keywords": list(keywords)} if keywords else {})
        content |= {"text": text} if text else {}
        return self.send(user_id, chat_id, content, quoting=quoting)

    def send_location(self, user_id: str, chat_id: str, **place: str | float) -> WebhookEvent:
        """The person sends a place: `latitude`, `longitude` and optionally `title` and `address`."""
        return self.send(user_id, chat_id, {"type": "location"} | place)

    def send_image(self, user_id: str, chat_id: str, media: Media) -> WebhookEvent:
        """The person sends an image."""
        return self.send(user_id, chat_id, {"type": "image", "contentProvider": {"type": "line"}}, media=media)

    def send_images(self, user_id: str, chat_id: str, images: Sequence[Media]) -> tuple[WebhookEvent, ...]:
        """The person sends several images at once: one event each, in one image set."""
        set_id = self.ids.reply_token().upper()
        return tuple(
            self.send(
                user_id,
                chat_id,
                {
                    "type": "image",
                    "contentProvider": {"type": "line"},
                    "imageSet": {"id": set_id, "index": index, "total": len(images)},
                },
                media=media,
            )
            for index, media in enumerate(images, start=1)
        )

    def send_video(self, user_id: str, chat_id: str, media: Media, *, duration_ms: int) -> WebhookEvent:
        """The person sends a video."""
        content = {"type": "video", "duration": duration_ms, "contentProvider": {"type": "line"}}
        return self.send(user_id, chat_id, content, media=media)

    def send_audio(self, user_id: str, chat_id: str, media: Media, *, duration_ms: int) -> WebhookEvent:
        """The person sends a voice message."""
        content = {"type": "audio", "duration": duration_ms, "contentProvider": {"type": "line"}}
        return self.send(user_id, chat_id, content, media=media)

    def send_file(self, user_id: str, chat_id: str, media: Media, *, file_name: str) -> WebhookEvent:
        """The person sends a file."""
        content = {"type": "file", "fileName": file_name, "fileSize": len(media.content)}
        return self.send(user_id, chat_id, content, media=media)

    def send(
        self, user_id: str, chat_id: str, content: JsonObject, *, media: Media | None = None, quoting: str | None = None
    ) -> WebhookEvent:
        """The person sends a message of any type; the platform adds id and tokens."""
        chat, person = self._member_chat(user_id, chat_id)
        if quoting is not None and chat.message(quoting) is None:
            raise ImpossibleActionError("the quoted message is not in this chat")
        now_ms = self.now_ms()
        message = Message(
            line_message_id=self.ids.line_message_id(now_ms),
            sender_id=user_id,
            timestamp_ms=now_ms,
            content=content,
            quote_token=self.ids.quote_token() if content["type"] in QUOTABLE else None,
            mark_as_read_token=self.ids.mark_as_read_token(),
            quoted_message_id=quoting,
            webhook_event_id=self.ids.webhook_event_id(now_ms),
            delivery=DeliveryState.SENDING,
        )
        chat.add(message)
        if media is not None:
            self.media[message.line_message_id] = media
            if len(self.media) > MEDIA_KEPT:
                del self.media[next(iter(self.media))]
        return self.emit(chat, message_event(message), by=person, message=message)

    def unsend(self, user_id: str, line_message_id: str) -> WebhookEvent:
        """The person unsends a message: the chat hides the message, and the content is deleted."""
        chat, message = self._find_own_message(user_id, line_message_id)
        chat.put(replace(message, is_unsent=True, content={"type": message.type}))
        self.media.pop(line_message_id, None)
        return self.emit(chat, unsend_event(line_message_id), by=self.person(user_id))

    def edit(self, user_id: str, line_message_id: str, text: str, *, mentioning: Sequence[str] = ()) -> WebhookEvent:
        """The person edits a text.  Source: line-bot-sdk 3.25.0, MessageEditedEvent: not in 1:1 chats with an account."""
        chat, message = self._find_own_message(user_id, line_message_id)
        if chat.kind is ChatKind.USER or message.type != "text":
            raise ImpossibleActionError("only texts in groups can be edited")
        edited = replace(message, is_edited=True, content=self._text_content(text, mentioning))
        chat.put(edited)
        return self.emit(chat, edited_event(edited), by=self.person(user_id))

    def press(
        self,
        user_id: str,
        chat_id: str,
        data: str,
        *,
        params: JsonObject | None = None,
        display_text: str | None = None,
    ) -> WebhookEvent:
        """The person presses a postback button. `display_text` is shown as the person's message, without a separate event."""
        chat, person = self._member_chat(user_id, chat_id)
        if display_text:
            now_ms = self.now_ms()
            chat.add(
                Message(
                    line_message_id=self.ids.line_message_id(now_ms),
                    sender_id=user_id,
                    timestamp_ms=now_ms,
                    content={"type": "text", "text": display_text},
                )
            )
        return self.emit(chat, postback_event(data, params), by=person)

    def _text_content(self, text: str, mentioning: Sequence[str]) -> JsonObject:
        if not text.strip():
            raise ImpossibleActionError("an empty text cannot be sent")
        content: JsonObject = {"type": "text", "text": text}
        if mentioning:
            content["mention"] = mention_object(text, [self._find_mentioned(user_id) for user_id in mentioning])
        return content

    def _member_chat(self, user_id: str, chat_id: str) -> tuple[Chat, Person]:
        chat, person = self.chat(chat_id), self.person(user_id)
        if user_id not in chat.member_ids:
            raise ImpossibleActionError("the person is not in this chat")
        if not chat.bot_is_member:
            raise ImpossibleActionError("the account is not in this chat")
        if chat.kind is ChatKind.USER and person.friendship is Friendship.BLOCKED:
            raise ImpossibleActionError("the person has blocked the account")
        return chat, person

    def _find_own_message(self, user_id: str, line_message_id: str) -> tuple[Chat, Message]:
        chat_and_message = self.message(line_message_id)
        if (
            chat_and_message is None
            or chat_and_message[1].sender_id != user_id
            or chat_and_message[1].is_unsent
            or chat_and_message[1].webhook_event_id is None
        ):
            raise ImpossibleActionError("the person has no such message")
        self._member_chat(user_id, chat_and_message[0].chat_id)
        return chat_and_message

    def _find_mentioned(self, user_id: str) -> Person | Bot | str:
        if user_id == self.account.user_id:
            return self.account
        return ALL_MEMBERS if user_id == ALL_MEMBERS else self.person(user_id)
