import pytest

from shared.adapters.memory import MemoryLineApi
from shared.line.bot_name import BotName


@pytest.mark.parametrize(
    ("configured", "of_account", "shown", "every_name"),
    [
        ("Momo", "Kinako", "Momo", ("Momo", "Kinako")),
        ("Momo", "Momo", "Momo", ("Momo",)),
        ("Momo", None, "Momo", ("Momo",)),
        (None, "Kinako", "Kinako", ("Kinako",)),
        ("", "Kinako", "Kinako", ("Kinako",)),
        (None, None, "Aizuchi", ()),
        (None, "", "Aizuchi", ()),
        ("Momo, モモ、もも,", "Kinako", "Momo", ("Momo", "モモ", "もも", "Kinako")),
        (" , ", "Kinako", "Kinako", ("Kinako",)),
    ],
)
def test_a_configured_name_goes_before_that_of_the_account(
    configured: str | None, of_account: str | None, shown: str, every_name: tuple[str, ...]
) -> None:
    bot_name = BotName(account=MemoryLineApi(name=of_account), configured=configured)

    assert bot_name.shown == shown
    assert bot_name.all == every_name


def test_a_name_that_line_tells_later_is_used_from_then_on() -> None:
    line = MemoryLineApi(name=None)
    bot_name = BotName(account=line)
    before = bot_name.shown

    line.name = "Kinako"

    assert (before, bot_name.shown) == ("Aizuchi", "Kinako")
