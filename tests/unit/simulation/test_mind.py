from pathlib import Path

import pytest

import shared.locales
from shared.search.folding import fold
from shared.search.literal_runs import Signs
from tests.simulation.mind import HUM

LANGUAGE_FILES = sorted(Path(shared.locales.__file__).parent.glob("*.toml"))


@pytest.mark.parametrize("path", LANGUAGE_FILES, ids=lambda path: path.stem)
def test_no_fixed_text_says_what_a_model_says_that_repeats_nothing(path: Path) -> None:
    assert fold(HUM) not in fold(path.read_text(encoding="utf-8"))


def test_an_answer_that_says_what_such_a_model_says_repeats_it() -> None:
    signs = Signs()

    signs.add([HUM])

    assert signs.are_in([f"re1: {HUM}"])
