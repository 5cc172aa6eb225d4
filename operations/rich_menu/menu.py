"""The rich menu in each of the bot's languages: six areas, each of which sends a command as the person's own message.

LINE shows a rich menu in 1:1 chats on phones only, so every area has a command that can be typed.
Source: LINE, "Use rich menus"; Messaging API reference, "Rich menu object": 1,200 x 810 pixels is one of LINE's sizes.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from shared.line.commands import Command
from shared.locales.language_file import language_file

WIDTH: Final = 1_200
HEIGHT: Final = 810
COLUMNS: Final = 3
ROWS: Final = 2
COMMANDS: Final = (
    Command.NOTES,
    Command.REMINDERS,
    Command.DIGEST,
    Command.USAGE,
    Command.HELP,
    Command.FORGET,
)
_FOLDER: Final = Path(__file__).parent


@dataclass(frozen=True, slots=True, kw_only=True)
class MenuTexts:
    """A language's words on the menu; `bar` opens and closes the menu."""

    bar: str
    notes: str
    reminders: str
    digest: str
    usage: str
    help: str
    forget: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Area:
    """A rectangle of the menu, in pixels; a tap sends `text`, for example "/reminders"."""

    x: int
    y: int
    width: int
    height: int
    label: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Menu:
    """The menu of a language."""

    name: str
    bar: str
    areas: tuple[Area, ...]


def menu_of(locale: str) -> Menu:
    """Return the menu in one of LOCALES: `menu_of("en").areas[0].text -> "/notes"`."""
    texts = language_file(locale).table("rich_menu", MenuTexts)
    width, height = WIDTH // COLUMNS, HEIGHT // ROWS
    areas = tuple(
        Area(
            x=index % COLUMNS * width,
            y=index // COLUMNS * height,
            width=width,
            height=height,
            label=getattr(texts, command.value),
            text=f"/{command.value}",
        )
        for index, command in enumerate(COMMANDS)
    )
    return Menu(name=f"aizuchi {locale}", bar=texts.bar, areas=areas)


def picture_of(locale: str) -> Path:
    """Return the PNG file of a language's menu, as `python -m operations.rich_menu.drawing` draws it."""
    return _FOLDER / f"{locale}.png"
