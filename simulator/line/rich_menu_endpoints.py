"""The endpoints about rich menus.  Source: Messaging API reference, "Rich menu"."""

import re
from http import HTTPStatus
from typing import Final

from .calls import Answer, Call
from .channel import Channel
from .errors import Detail, LineError, bad_request, invalid_body, invalid_property, not_found
from .image_size import image_size
from .rich_menu_rules import check_rich_menu
from .rich_menus import ALIASES, MENUS, RichMenu

IMAGE_BYTES: Final = 1024 * 1024
BULK: Final = 500
_IMAGE_TYPES: Final = ("image/jpeg", "image/png")
_ALIAS: Final = re.compile(r"[0-9a-z_-]{1,32}")


async def create(channel: Channel, call: Call) -> Answer:
    """Keep the menu. A menu is shown with an image and a link, or as the default."""
    menu = check_rich_menu(call.json())
    if len(channel.rich_menus.menus) >= MENUS:
        raise bad_request("The maximum number of rich menus has been reached")
    rich_menu_id = channel.ids.rich_menu_id()
    channel.rich_menus.menus[rich_menu_id] = RichMenu(rich_menu_id=rich_menu_id, body=menu)
    return Answer(body={"richMenuId": rich_menu_id})


async def validate(_channel: Channel, call: Call) -> Answer:
    """Check the menu."""
    check_rich_menu(call.json())
    return Answer()


async def upload_image(channel: Channel, call: Call) -> Answer:
    """Set the menu's image, once: a PNG or JPEG of the menu's size.  The text for a wrong size is the stand-in's own."""
    menu = _menu(channel, call)
    content_type = call.headers.get("content-type", "").partition(";")[0].strip().lower()
    if content_type not in _IMAGE_TYPES:
        raise LineError(
            status=HTTPStatus.UNSUPPORTED_MEDIA_TYPE, message=f"The content type, {content_type}, is not supported"
        )
    if len(call.body) > IMAGE_BYTES:
        raise LineError(status=HTTPStatus.REQUEST_ENTITY_TOO_LARGE, message="Request body is too large")
    if not call.body:
        raise bad_request("The image is empty")
    if image_size(call.body) != (menu.body["size"]["width"], menu.body["size"]["height"]):
        raise bad_request("The image has not the size of the rich menu")
    if menu.image is not None:
        raise bad_request("An image has already been uploaded to the richmenu")
    channel.rich_menus.put_image(menu.rich_menu_id, call.body, content_type)
    channel.notify_listeners()
    return Answer()


async def download_image(channel: Channel, call: Call) -> Answer:
    """Return the image of the menu."""
    menu = _menu(channel, call)
    if menu.image is None:
        raise not_found()
    return Answer(content=menu.image, content_type=menu.content_type)


async def get(channel: Channel, call: Call) -> Answer:
    """Return the menu."""
    return Answer(body=_menu(channel, call).as_answer())


async def get_list(channel: Channel, _call: Call) -> Answer:
    """Return all menus."""
    return Answer(body={"richmenus": [menu.as_answer() for menu in channel.rich_menus.menus.values()]})


async def delete(channel: Channel, call: Call) -> Answer:
    """Remove the menu."""
    channel.rich_menus.delete(_menu(channel, call).rich_menu_id)
    return _notify_and_answer(channel)


async def set_default(channel: Channel, call: Call) -> Answer:
    """Show the menu to everybody without a linked menu."""
    channel.rich_menus.default_id = _with_image(_menu(channel, call)).rich_menu_id
    return _notify_and_answer(channel)


async def get_default(channel: Channel, _call: Call) -> Answer:
    """Return the id of the default menu."""
    if channel.rich_menus.default_id is None:
        raise not_found()
    return Answer(body={"richMenuId": channel.rich_menus.default_id})


async def clear_default(channel: Channel, _call: Call) -> Answer:
    """Show no default menu."""
    channel.rich_menus.default_id = None
    return _notify_and_answer(channel)


async def link(channel: Channel, call: Call) -> Answer:
    """Show the menu to one person."""
    user_id = _user_id(channel, call)
    channel.rich_menus.linked[user_id] = _with_image(_menu(channel, call)).rich_menu_id
    return _notify_and_answer(channel)


async def get_linked(channel: Channel, call: Call) -> Answer:
    """Return the id of the person's own menu."""
    rich_menu_id = channel.rich_menus.linked.get(_user_id(channel, call))
    if rich_menu_id is None:
        raise LineError(status=HTTPStatus.NOT_FOUND, message="the user has no richmenu")
    return Answer(body={"richMenuId": rich_menu_id})


async def unlink(channel: Channel, call: Call) -> Answer:
    """Show the default menu to the person again."""
    channel.rich_menus.linked.pop(_user_id(channel, call), None)
    return _notify_and_answer(channel)


async def link_in_bulk(channel: Channel, call: Call) -> Answer:
    """Show the menu to several people; unknown people are passed over."""
    body = call.json()
    menu = channel.rich_menus.menus.get(_text(body.get("richMenuId"), "richMenuId"))
    if menu is None:
        raise not_found()
    _with_image(menu)
    for user_id in _user_ids(body.get("userIds")):
        if user_id in channel.people:
            channel.rich_menus.linked[user_id] = menu.rich_menu_id
    return _notify_and_answer(channel, HTTPStatus.ACCEPTED)


async def unlink_in_bulk(channel: Channel, call: Call) -> Answer:
    """Show the default menu to several people again."""
    for user_id in _user_ids(call.json().get("userIds")):
        channel.rich_menus.linked.pop(user_id, None)
    return _notify_and_answer(channel, HTTPStatus.ACCEPTED)


async def create_alias(channel: Channel, call: Call) -> Answer:
    """Give the menu a second name, for richmenuswitch actions."""
    body = call.json()
    alias, rich_menu_id = _text(body.get("richMenuAliasId"), "richMenuAliasId"), body.get("richMenuId")
    if not _ALIAS.fullmatch(alias):
        raise invalid_property("richMenuAliasId")
    if alias in channel.rich_menus.aliases:
        raise bad_request("conflict richmenu alias id")
    if len(channel.rich_menus.aliases) >= ALIASES:
        raise bad_request("The maximum number of rich menu aliases has been reached")
    channel.rich_menus.aliases[alias] = _known_id(channel, rich_menu_id)
    return Answer()


async def update_alias(channel: Channel, call: Call) -> Answer:
    """Let the alias stand for another menu."""
    alias = _alias(channel, call)
    channel.rich_menus.aliases[alias] = _known_id(channel, call.json().get("richMenuId"))
    return Answer()


async def get_alias(channel: Channel, call: Call) -> Answer:
    """Return the alias with the menu's id."""
    alias = _alias(channel, call)
    return Answer(body={"richMenuAliasId": alias, "richMenuId": channel.rich_menus.aliases[alias]})


async def get_aliases(channel: Channel, _call: Call) -> Answer:
    """Return all aliases."""
    aliases = channel.rich_menus.aliases.items()
    return Answer(body={"aliases": [{"richMenuAliasId": alias, "richMenuId": menu} for alias, menu in aliases]})


async def delete_alias(channel: Channel, call: Call) -> Answer:
    """Remove the alias."""
    del channel.rich_menus.aliases[_alias(channel, call)]
    return Answer()


def _menu(channel: Channel, call: Call) -> RichMenu:
    menu = channel.rich_menus.menus.get(call.path_params["rich_menu_id"])
    if menu is None:
        raise not_found()
    return menu


def _with_image(menu: RichMenu) -> RichMenu:
    if menu.image is None:
        raise bad_request("must upload richmenu image before applying it to user")
    return menu


def _user_id(channel: Channel, call: Call) -> str:
    user_id = call.path_params["user_id"]
    if user_id not in channel.people:
        raise invalid_property("userId")
    return user_id


def _user_ids(value: object) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(user_id, str) for user_id in value):
        raise invalid_property("userIds")
    if not 1 <= len(value) <= BULK:
        raise invalid_body((Detail(message=f"Size must be between 1 and {BULK}", property="userIds"),))
    return value


def _alias(channel: Channel, call: Call) -> str:
    alias = call.path_params["alias_id"]
    if alias not in channel.rich_menus.aliases:
        raise LineError(status=HTTPStatus.NOT_FOUND, message="richmenu alias not found")
    return alias


def _known_id(channel: Channel, value: object) -> str:
    rich_menu_id = _text(value, "richMenuId")
    if rich_menu_id not in channel.rich_menus.menus:
        raise bad_request("richmenu not found")
    return rich_menu_id


def _text(value: object, name: str) -> str:
    if not isinstance(value, str):
        raise invalid_property(name)
    return value


def _notify_and_answer(channel: Channel, status: int = HTTPStatus.OK) -> Answer:
    channel.notify_listeners()
    return Answer(status=status)
