"""The arguments of the command `rich-menu`."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse


def add_rich_menu(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command to a parser."""
    menu = commands.add_parser("rich-menu", help="show the menu of six areas below 1:1 chats, in the bot's language")
    menu.add_argument("--remove", action="store_true", help="take the menu back")
