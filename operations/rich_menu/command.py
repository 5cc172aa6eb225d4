"""The command `rich-menu`, for every way in which the bot is run."""

import argparse

from operations.adapters.rich_menus import SdkRichMenus
from operations.rich_menu.registration import remove_menu, show_menu


def carry_out_rich_menu(
    options: argparse.Namespace, *, channel_access_token: str, base_url: str | None, locale: str
) -> str:
    """Show or remove the menu; return a line that says so.  Raises: LineRefusedError, LineUnavailableError."""
    menus = SdkRichMenus(channel_access_token=channel_access_token, base_url=base_url)
    return remove_menu(menus) if options.remove else show_menu(menus, locale)
