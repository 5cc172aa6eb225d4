"""What the model is told about itself and the chat."""

import re
from typing import Final

import pytest

from shared.agent.rules import RULES
from shared.line.commands import Command
from shared.tools.guides.knowledge import KNOWLEDGE_GUIDE
from shared.tools.guides.memory import MEMORY_GUIDE
from shared.tools.guides.reminders import REMINDERS_GUIDE

_EXAMPLES: Final = re.compile(r"alternatives: \[([^\]]*)\]")


@pytest.mark.parametrize("command", Command)
def test_the_model_is_told_every_command(command: Command) -> None:
    """Asked "how do I delete everything?", the model can only name what its instructions name."""
    assert re.search(rf"/{re.escape(command.value)}(?![a-z])", RULES) is not None


@pytest.mark.parametrize(
    "rule",
    [
        "ask them to quote it",
        "need the call in this very turn",
        "say who said what",
        "answer thanks and a goodbye as short as a sticker",
    ],
)
def test_the_rules_say_what_the_model_cannot_know(rule: str) -> None:
    assert rule in RULES


@pytest.mark.parametrize("guide", [KNOWLEDGE_GUIDE, MEMORY_GUIDE])
def test_the_examples_of_a_search_look_in_other_languages(guide: str) -> None:
    (alternatives,) = _EXAMPLES.findall(guide)

    assert re.search(r"[\u0e00-\u0e7f]", alternatives) is not None
    assert re.search(r"[\u4e00-\u9fff]", alternatives) is not None


def test_the_guides_say_what_tomorrow_means_after_midnight_and_what_the_inbox_is_not() -> None:
    assert "Between 0:00 and 4:00" in REMINDERS_GUIDE
    assert "A weekday that does not match the date" in REMINDERS_GUIDE
    assert "no mailbox" in KNOWLEDGE_GUIDE
