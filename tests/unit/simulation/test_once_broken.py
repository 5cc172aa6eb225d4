import re
from pathlib import Path

from tests import simulation
from tests.simulation.__main__ import again
from tests.simulation.cut import Cut
from tests.simulation.once_broken import ONCE_BROKEN

README = Path(simulation.__path__[0]) / "README.md"
SEED = re.compile(r"\b\d{4,7}\b")


def test_what_once_broke_is_played_again_with_each_roll_of_chance() -> None:
    plays = again(3)

    assert plays[:4] == [
        (ONCE_BROKEN[0], Cut()),
        (ONCE_BROKEN[0], Cut(roll=1)),
        (ONCE_BROKEN[0], Cut(roll=2)),
        (ONCE_BROKEN[1], Cut()),
    ]
    assert len(plays) == 3 * len(ONCE_BROKEN)


def test_every_seed_that_the_readme_names_is_played_again() -> None:
    played = README.read_text(encoding="utf-8").partition("## What was played")[2].partition("These rows add up")[0]
    rows = [row.split(" | ") for row in played.splitlines() if row.startswith("| ") and row.count(" | ") == 3]
    commits = {int(commit) for row in rows for commit in SEED.findall(row[0])}

    named = {int(seed) for *_, what_was_fixed in rows for seed in SEED.findall(what_was_fixed)} - commits

    assert named
    assert named <= set(ONCE_BROKEN)
