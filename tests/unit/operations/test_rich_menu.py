"""The areas and pictures of the menu, against LINE's limits.  Source: LINE, Messaging API reference, "Rich menu object"."""

import pytest

from operations.rich_menu.menu import HEIGHT, WIDTH, menu_of, picture_of
from shared.line.commands import parse_command
from shared.locales.language_file import LOCALES
from simulator.line.image_size import image_size


@pytest.mark.parametrize("locale", LOCALES)
def test_every_area_sends_a_command_that_can_be_typed(locale: str) -> None:
    areas = menu_of(locale).areas

    assert len(areas) == 6
    assert all(parse_command(area.text) is not None for area in areas)
    assert len({area.text for area in areas}) == 6


@pytest.mark.parametrize("locale", LOCALES)
def test_areas_cover_the_picture_without_overlap(locale: str) -> None:
    areas = menu_of(locale).areas

    assert sum(area.width * area.height for area in areas) == WIDTH * HEIGHT
    assert len({(area.x, area.y) for area in areas}) == 6
    assert all(area.x + area.width <= WIDTH and area.y + area.height <= HEIGHT for area in areas)


@pytest.mark.parametrize("locale", LOCALES)
def test_labels_and_pictures_are_within_lines_limits(locale: str) -> None:
    menu, png = menu_of(locale), picture_of(locale).read_bytes()

    assert len(menu.bar) <= 14
    assert all(0 < len(area.label) <= 20 for area in menu.areas)
    assert image_size(png) == (WIDTH, HEIGHT)
    assert len(png) <= 1024 * 1024
