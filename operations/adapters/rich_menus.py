"""The account's rich menus through LINE's own SDK.  Source: line-bot-sdk 3.27, `MessagingApi`, `MessagingApiBlob`."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Final

import urllib3
from linebot.v3.messaging import (
    ApiClient,
    ApiException,
    Configuration,
    MessageAction,
    MessagingApi,
    MessagingApiBlob,
    RichMenuArea,
    RichMenuBounds,
    RichMenuRequest,
    RichMenuSize,
)

from operations.adapters.line_errors import translate_errors
from operations.rich_menu.menu import HEIGHT, WIDTH, Menu

_TIMEOUT_S: Final = (5.0, 30.0)  # to connect, to answer


class SdkRichMenus:
    """The menus of the access token's account; a RichMenus."""

    def __init__(self, *, channel_access_token: str, base_url: str | None) -> None:
        """`base_url` replaces both of LINE's hosts."""
        configuration = Configuration(access_token=channel_access_token, host=base_url)
        configuration.retries = urllib3.Retry(0)
        client = ApiClient(configuration)
        self._api, self._blob = MessagingApi(client), MessagingApiBlob(client)

    def create(self, menu: Menu) -> str:
        with translate_errors("the menu"):
            return str(self._api.create_rich_menu(_request(menu), _request_timeout=_TIMEOUT_S).rich_menu_id)

    def set_picture(self, rich_menu_id: str, png: bytes) -> None:
        with translate_errors("the menu's picture"):
            self._blob.set_rich_menu_image(
                rich_menu_id,
                body=bytearray(png),
                _headers={"Content-Type": "image/png"},
                _request_timeout=_TIMEOUT_S,
            )

    def set_default(self, rich_menu_id: str) -> None:
        with translate_errors("to show the menu"):
            self._api.set_default_rich_menu(rich_menu_id, _request_timeout=_TIMEOUT_S)

    def default_id(self) -> str | None:
        with translate_errors("to tell the default menu"):
            try:
                return str(self._api.get_default_rich_menu_id(_request_timeout=_TIMEOUT_S).rich_menu_id)
            except ApiException as refusal:
                if refusal.status == HTTPStatus.NOT_FOUND:
                    return None
                raise

    def clear_default(self) -> None:
        with translate_errors("to hide the menu"):
            self._api.cancel_default_rich_menu(_request_timeout=_TIMEOUT_S)

    def names(self) -> Mapping[str, str]:
        with translate_errors("to tell the menus"):
            answer = self._api.get_rich_menu_list(_request_timeout=_TIMEOUT_S)
            return {menu.rich_menu_id: menu.name for menu in answer.richmenus}

    def delete(self, rich_menu_id: str) -> None:
        with translate_errors("to delete the menu"):
            self._api.delete_rich_menu(rich_menu_id, _request_timeout=_TIMEOUT_S)


def _request(menu: Menu) -> RichMenuRequest:
    return RichMenuRequest(
        size=RichMenuSize(width=WIDTH, height=HEIGHT),
        selected=True,
        name=menu.name,
        chatBarText=menu.bar,
        areas=[
            RichMenuArea(
                bounds=RichMenuBounds(x=area.x, y=area.y, width=area.width, height=area.height),
                action=MessageAction(label=area.label, text=area.text),
            )
            for area in menu.areas
        ],
    )
