"""Registers the menu at LINE as the account's default menu, and takes it back."""

from collections.abc import Mapping
from typing import Protocol

from operations.rich_menu.menu import Menu, menu_of, picture_of
from shared.locales.language_file import LOCALES


class RichMenus(Protocol):
    """The account's rich menus.  Every method raises LineRefusedError or LineUnavailableError."""

    def create(self, menu: Menu) -> str:
        """Return the id of a new menu, which nobody sees yet.  Repeated: another menu."""
        ...

    def set_picture(self, rich_menu_id: str, png: bytes) -> None:
        """The menu has the picture.  LINE refuses a second picture."""
        ...

    def set_default(self, rich_menu_id: str) -> None:
        """Every 1:1 chat without a menu of its own shows the menu.  Repeated: no further effect."""
        ...

    def default_id(self) -> str | None:
        """Return the id of the default menu; None without one."""
        ...

    def clear_default(self) -> None:
        """No menu is the default.  Repeated: no further effect."""
        ...

    def names(self) -> Mapping[str, str]:
        """Return the names of all menus by their ids."""
        ...

    def delete(self, rich_menu_id: str) -> None:
        """The menu exists no more."""
        ...


def show_menu(menus: RichMenus, locale: str) -> str:
    """The account shows the menu of the locale, in place of any earlier menu of the bot; return a line that says so.

    Repeated: the menu is made anew, and the earlier one deleted; so is one that a broken run left behind. Menus of others stay.
    """
    earlier_ids = _own_ids(menus)
    menu = menu_of(locale)
    rich_menu_id = menus.create(menu)
    menus.set_picture(rich_menu_id, picture_of(locale).read_bytes())
    menus.set_default(rich_menu_id)
    for earlier_id in earlier_ids:
        menus.delete(earlier_id)
    return f"ok: the account shows the menu: {', '.join(area.text for area in menu.areas)}"


def remove_menu(menus: RichMenus) -> str:
    """The account shows no menu of the bot; return a line that says so.  Repeated: does nothing.  Menus of others stay."""
    own_ids = _own_ids(menus)
    if menus.default_id() in own_ids:
        menus.clear_default()
    for rich_menu_id in own_ids:
        menus.delete(rich_menu_id)
    return "ok: the menu is removed" if own_ids else "ok: there was no menu"


def _own_ids(menus: RichMenus) -> tuple[str, ...]:
    own_names = {menu_of(locale).name for locale in LOCALES}
    return tuple(rich_menu_id for rich_menu_id, name in menus.names().items() if name in own_names)
