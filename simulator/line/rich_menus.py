"""Rich menus: images, aliases, and the menu of a person's chat.

Source: docs/messaging-api/using-rich-menus: a menu linked to the person goes before the account's default menu.
"""

from dataclasses import dataclass, field, replace
from typing import Final

from .messages import JsonObject

MENUS: Final = 1_000
ALIASES: Final = 1_000
TAPS_KEPT: Final = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class RichMenu:
    """A menu; `body` is the bot's request. A menu without an image is not shown."""

    rich_menu_id: str
    body: JsonObject
    image: bytes | None = field(default=None, repr=False)
    content_type: str = ""

    def as_answer(self) -> JsonObject:
        """Return LINE's rich menu object."""
        return {"richMenuId": self.rich_menu_id, **self.body}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tap:
    """A tap of a person on an area, for the menu's statistics."""

    rich_menu_id: str
    area: int
    user_id: str
    at_ms: int


@dataclass(slots=True)
class RichMenus:
    """The account's menus, and the newest taps."""

    menus: dict[str, RichMenu] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    default_id: str | None = None
    linked: dict[str, str] = field(default_factory=dict)
    taps: list[Tap] = field(default_factory=list)

    def note_tap(self, tap: Tap) -> None:
        """Count a tap."""
        self.taps.append(tap)
        del self.taps[:-TAPS_KEPT]

    def put_image(self, rich_menu_id: str, image: bytes, content_type: str) -> None:
        """Set the menu's image."""
        self.menus[rich_menu_id] = replace(self.menus[rich_menu_id], image=image, content_type=content_type)

    def delete(self, rich_menu_id: str) -> None:
        """Remove the menu and all links; aliases stay and lead nowhere."""
        del self.menus[rich_menu_id]
        if self.default_id == rich_menu_id:
            self.default_id = None
        self.linked = {user_id: linked for user_id, linked in self.linked.items() if linked != rich_menu_id}

    def shown_to(self, user_id: str) -> RichMenu | None:
        """Return the menu in the person's 1:1 chat."""
        rich_menu_id = self.linked.get(user_id) or self.default_id
        return self.menus.get(rich_menu_id) if rich_menu_id else None
