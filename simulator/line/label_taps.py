"""Taps by label: on the buttons of the bot's messages, on quick replies, and on the rich menu."""

from collections.abc import Iterator
from typing import Any, Final

from .chats import Chat
from .errors import ImpossibleActionError
from .messages import JsonObject
from .rich_menu_taps import RichMenuTaps

_ACTION_TYPES: Final = frozenset({"postback", "message", "uri", "datetimepicker", "clipboard", "richmenuswitch"})


class LabelTaps(RichMenuTaps):
    """Taps raise ImpossibleActionError where the chat shows no such button."""

    def tap(self, user_id: str, chat_id: str, label: str, *, value: str | None = None) -> JsonObject:
        """The person taps the newest button with the label.  Returns: `{"action", "webhook_event_id"}`; no event for a link.

        `value` is the choice in a date picker, e.g. `2026-01-31`. Quick replies disappear with the next message.
        Source: Messaging API reference, "Action objects", "Quick reply", "Postback event".
        """
        chat = self.chat(chat_id)
        for action in self._shown_actions(chat):
            if action.get("label") == label:
                return {"action": action, "webhook_event_id": self._follow(user_id, chat_id, action, value)}
        area = self._menu_area(user_id, chat_id, label)
        if area is None:
            raise ImpossibleActionError(f"the chat shows no button {label!r}")
        return self.tap_rich_menu(user_id, area)

    def _shown_actions(self, chat: Chat) -> Iterator[JsonObject]:
        messages = list(chat.messages)
        for index, message in enumerate(reversed(messages)):
            if message.sender_id != self.account.user_id or message.is_unsent:
                continue
            content = message.content
            if index == 0:
                yield from _actions(content.get("quickReply"))
            yield from _actions({name: value for name, value in content.items() if name != "quickReply"})

    def _menu_area(self, user_id: str, chat_id: str, label: str) -> int | None:
        menu = self.rich_menus.shown_to(user_id) if chat_id == user_id else None
        areas = menu.body.get("areas", []) if menu is not None else []
        return next((index for index, area in enumerate(areas) if area["action"].get("label") == label), None)

    def _follow(self, user_id: str, chat_id: str, action: JsonObject, value: str | None) -> str | None:
        if action["type"] != "datetimepicker":
            return self.carry_out(user_id, chat_id, action)
        if value is None:
            raise ImpossibleActionError("a date picker needs a value")
        params = {action["mode"]: value}
        return self.press(user_id, chat_id, action["data"], params=params).webhook_event_id


def _actions(value: Any) -> Iterator[JsonObject]:  # noqa: ANN401 - any JSON
    if isinstance(value, list):
        for item in value:
            yield from _actions(item)
    elif isinstance(value, dict):
        if value.get("type") in _ACTION_TYPES and "label" in value:
            yield value
        for item in value.values():
            yield from _actions(item)
