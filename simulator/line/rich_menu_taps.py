"""People's taps on the areas of a rich menu."""

from .errors import ImpossibleActionError
from .messages import JsonObject
from .rich_menus import Tap
from .user_messages import UserMessages


class RichMenuTaps(UserMessages):
    """Taps raise ImpossibleActionError where the person's chat shows no such menu."""

    def tap_rich_menu(self, user_id: str, area: int) -> JsonObject:
        """The person taps an area of the menu.  Returns: `{"action", "webhook_event_id"}`; no event for a link and the like.

        A switch shows the menu of the alias and causes a postback with the result.
        Source: Messaging API reference, "Rich menu switch action", "Postback event".
        """
        menu = self.rich_menus.shown_to(user_id)
        areas = menu.body.get("areas", []) if menu is not None else []
        if menu is None or not 0 <= area < len(areas):
            raise ImpossibleActionError("the chat shows no rich menu with such an area")
        action = areas[area]["action"]
        self.rich_menus.note_tap(Tap(rich_menu_id=menu.rich_menu_id, area=area, user_id=user_id, at_ms=self.now_ms()))
        return {"action": action, "webhook_event_id": self.carry_out(user_id, user_id, action)}

    def carry_out(self, user_id: str, chat_id: str, action: JsonObject) -> str | None:
        """Carry out the action.  Returns: the id of the resulting event; None for a link and the like."""
        match action["type"]:
            case "message":
                return self.say(user_id, chat_id, action["text"]).webhook_event_id
            case "postback":
                shown = action.get("displayText") or action.get("text")
                return self.press(user_id, chat_id, action["data"], display_text=shown).webhook_event_id
            case "richmenuswitch":
                params = self._switch(user_id, action["richMenuAliasId"])
                return self.press(user_id, chat_id, action["data"], params=params).webhook_event_id
            case _:
                return None

    def _switch(self, user_id: str, alias: str) -> JsonObject:
        menu = self.rich_menus.menus.get(self.rich_menus.aliases.get(alias, ""))
        if menu is None:
            return {"newRichMenuAliasId": alias, "status": "RICHMENU_ALIAS_ID_NOTFOUND"}
        self.rich_menus.linked[user_id] = menu.rich_menu_id
        self.notify_listeners()
        return {"newRichMenuAliasId": alias, "status": "SUCCESS"}
