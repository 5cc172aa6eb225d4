"""The rich menu, with LINE's own SDK on the wire to LINE's stand-in, by the commands of both ways to run the bot."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from operations.__main__ import run
from operations.adapters.rich_menus import SdkRichMenus
from operations.rich_menu.menu import menu_of
from selfhost.operator import command
from selfhost.settings import serve_settings
from shared import logs
from shared.locales.language_file import LOCALES
from simulator.line.harness import ACCESS_TOKEN, LineHarness
from simulator.line.rich_menus import RichMenu
from simulator.line.switches import Fault
from tests.support.serving import Served, served

RunCommand = Callable[..., int]


@pytest.fixture
def line() -> Iterator[LineHarness]:
    with LineHarness() as rehearsal:
        yield rehearsal


@pytest.fixture
def running(line: LineHarness) -> Iterator[Served]:
    with served(line.platform.app) as running:
        yield running


@pytest.fixture(params=["operations", "selfhost"])
def rich_menu(request: pytest.FixtureRequest, running: Served, tmp_path: Path) -> Iterator[RunCommand]:
    def run_command(*arguments: str, locale: str = "ja", token: str = ACCESS_TOKEN) -> int:
        env = {"LINE_API_BASE_URL": running.url, "LINE_CHANNEL_ACCESS_TOKEN": token, "BOT_LOCALE": locale}
        if request.param == "operations":
            return run(["rich-menu", *arguments], env)
        own = {"LINE_CHANNEL_SECRET": "hush", "GEMINI_API_KEY": "key", "DATA": str(tmp_path / "data")}
        return command(serve_settings({**env, **own}), ["rich-menu", *arguments])

    yield run_command
    logs.configure()  # otherwise later logs go to the captured stderr of this test, which is closed


def shown_to(line: LineHarness, person: str) -> RichMenu | None:
    return line.platform.rich_menus.shown_to(person)


@pytest.mark.parametrize("locale", LOCALES)
def test_everybody_sees_six_areas_in_the_bots_language(rich_menu: RunCommand, line: LineHarness, locale: str) -> None:
    assert rich_menu(locale=locale) == 0

    menu = shown_to(line, line.user_id)
    assert menu is not None
    assert menu.image is not None
    assert menu.body["chatBarText"] == menu_of(locale).bar
    assert [area["action"]["label"] for area in menu.body["areas"]] == [area.label for area in menu_of(locale).areas]


def test_a_tap_sends_the_command_of_its_area(rich_menu: RunCommand, line: LineHarness, running: Served) -> None:
    rich_menu()

    taps = [running.do(partial(line.platform.tap_rich_menu, line.user_id, area)) for area in range(6)]

    tapped = [tap["action"]["text"] for tap in taps]

    assert tapped == ["/notes", "/reminders", "/digest", "/usage", "/help", "/forget"]


def test_a_repeated_command_replaces_the_menu_and_another_language_too(
    rich_menu: RunCommand, line: LineHarness
) -> None:
    rich_menu()
    rich_menu()
    rich_menu(locale="th")

    menus = line.platform.rich_menus.menus
    assert [menu.body["name"] for menu in menus.values()] == ["aizuchi th"]


def test_the_menu_is_taken_back_and_others_menus_stay(
    rich_menu: RunCommand, line: LineHarness, capsys: pytest.CaptureFixture[str]
) -> None:
    body = {"size": {"width": 800, "height": 270}, "selected": True, "name": "shop", "chatBarText": "Shop", "areas": []}
    line.platform.rich_menus.menus["richmenu-shop"] = RichMenu(rich_menu_id="richmenu-shop", body=body)
    rich_menu()

    assert rich_menu("--remove") == 0
    assert rich_menu("--remove") == 0

    assert shown_to(line, line.user_id) is None
    assert list(line.platform.rich_menus.menus) == ["richmenu-shop"]
    assert capsys.readouterr().out.splitlines()[1:] == ["ok: the menu is removed", "ok: there was no menu"]


def test_a_menu_of_others_that_is_shown_stays_shown(rich_menu: RunCommand, line: LineHarness) -> None:
    rich_menu()
    menus = line.platform.rich_menus
    menus.menus["richmenu-shop"] = RichMenu(rich_menu_id="richmenu-shop", body={"name": "shop"}, image=b"png")
    menus.default_id = "richmenu-shop"

    rich_menu("--remove")

    assert menus.default_id == "richmenu-shop"


def test_what_a_broken_run_left_behind_is_deleted_by_the_next(
    rich_menu: RunCommand, line: LineHarness, running: Served, capsys: pytest.CaptureFixture[str]
) -> None:
    running.do(lambda: line.platform.faults.add(Fault(path="/v2/bot/richmenu/richmenu", error_status=500)))
    assert rich_menu() == 1
    running.do(line.platform.faults.clear)

    assert shown_to(line, line.user_id) is None
    assert rich_menu() == 0
    assert len(line.platform.rich_menus.menus) == 1
    printed = capsys.readouterr()
    assert "LINE answers 500; try again later" in printed.out + printed.err


def test_a_wrong_token_is_one_clear_error(rich_menu: RunCommand, capsys: pytest.CaptureFixture[str]) -> None:
    assert rich_menu(token="another") == 1

    printed = capsys.readouterr()
    assert "error: LINE refuses the access token" in printed.out + printed.err


def test_without_a_default_menu_there_is_no_id(running: Served) -> None:
    assert SdkRichMenus(channel_access_token=ACCESS_TOKEN, base_url=running.url).default_id() is None
