"""Draws the pictures of the menu: `python -m operations.rich_menu.drawing [FONT.woff2 ...]`.

The files beside this module were drawn so, with headless Chromium, Noto Sans CJK and Noto Sans Thai; draw them anew after a change of the
menu's texts. Fonts that the machine has are used without being named.
"""

import shutil
import sys
from base64 import b64encode
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Final

from playwright.sync_api import sync_playwright

from operations.rich_menu.menu import COLUMNS, COMMANDS, HEIGHT, ROWS, WIDTH, Area, menu_of, picture_of
from shared.line.commands import Command
from shared.locales.language_file import LOCALES

# Outlines on a square of 24, drawn with round lines
_ICONS: Final[Mapping[Command, str]] = {
    Command.NOTES: '<path d="M6 3h9l4 4v14H6z"/><path d="M15 3v4h4M9 11h7M9 14h7M9 17h4"/>',
    Command.REMINDERS: '<path d="M6 16V11a6 6 0 0 1 12 0v5l2 2H4z"/><path d="M10 21h4"/>',
    Command.DIGEST: (
        '<circle cx="12" cy="12" r="4"/>'
        '<path d="M12 3v2M12 19v2M3 12h2M19 12h2M5.6 5.6 7 7M17 17l1.4 1.4M5.6 18.4 7 17M17 7l1.4-1.4"/>'
    ),
    Command.USAGE: '<path d="M4 17a8 8 0 1 1 16 0"/><path d="M12 17l4-6M4 20h16"/>',
    Command.HELP: '<circle cx="12" cy="12" r="9"/><path d="M9.5 9.5a2.5 2.5 0 1 1 3.5 2.3c-.7.3-1 .8-1 1.7M12 17v.1"/>',
    Command.FORGET: '<path d="M5 7h14M9 7V4h6v3M7 7l1 14h8l1-14M10.5 11v6M13.5 11v6"/>',
}
_OPTIONS: Final = ["--no-sandbox", "--disable-gpu"]  # pages of this module only
_STYLE: Final = """
* { box-sizing: border-box; margin: 0 }
body { width: WIDTHpx; height: HEIGHTpx; background: #f4f7f5; font-family: "Noto Sans CJK JP", "Noto Sans Thai", sans-serif }
[lang=zh-TW] { font-family: "Noto Sans CJK TC", sans-serif }
main { display: grid; grid-template-columns: repeat(COLUMNS, 1fr); grid-template-rows: repeat(ROWS, 1fr); height: 100% }
section { display: flex; flex-direction: column; align-items: center; justify-content: center; border: 1px solid #dbe4de; gap: 14px }
svg { width: 118px; height: 118px; fill: none; stroke: #12724a; stroke-width: 1.5; stroke-linecap: round; stroke-linejoin: round }
b { font-size: 48px; line-height: 1.3; font-weight: 700; color: #15271e }
span { font-size: 30px; line-height: 1.2; color: #4b5f55 }
"""


def draw(fonts: Sequence[Path]) -> None:
    """Write the picture of every language."""
    style = _STYLE.replace("WIDTH", str(WIDTH)).replace("HEIGHT", str(HEIGHT))
    style = style.replace("COLUMNS", str(COLUMNS)).replace("ROWS", str(ROWS))
    style += "".join(map(_font_face, fonts))
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=chromium, args=_OPTIONS) as browser,
    ):
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        for locale in LOCALES:
            sections = "".join(map(_section, COMMANDS, menu_of(locale).areas))
            page.set_content(f"<style>{style}</style>")
            page.evaluate("Promise.all([...document.fonts].map(font => font.load()))")  # before a text needs a font
            page.evaluate("main => document.body.innerHTML = main", f"<main lang={locale}>{sections}</main>")
            page.screenshot(path=picture_of(locale))


def _section(command: Command, area: Area) -> str:
    icon = f'<svg viewBox="0 0 24 24">{_ICONS[command]}</svg>'
    return f"<section>{icon}<b>{escape(area.label)}</b><span>{escape(area.text)}</span></section>"


def _font_face(font: Path) -> str:
    source = f"data:font/woff2;base64,{b64encode(font.read_bytes()).decode()}"
    return f'@font-face {{ font-family: "Noto Sans Thai"; src: url({source}); font-weight: 400 700 }}\n'


if __name__ == "__main__":
    draw([Path(argument) for argument in sys.argv[1:]])
