"""Commands that the bot carries out without the model: `/reset`, `/exit`, `/bye`, `/forget`, `/id`, `/help`."""

import unicodedata
from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from shared.line.events import MessageContent
from shared.line.mentions import without_address

_LONGEST: Final = 200  # code points, those that show nothing included


class Command(StrEnum):
    """The commands, by the word after the slash."""

    RESET = "reset"
    EXIT = "exit"
    BYE = "bye"
    FORGET = "forget"
    ID = "id"
    HELP = "help"


def command_of(content: MessageContent, *, bot_names: Sequence[str]) -> Command | None:
    """Return the message's command, with or without a mention of the bot; None for any other message, such as an unknown `/x`."""
    return parse_command(without_address(content, bot_names=bot_names)) if content.type == "text" else None


def parse_command(text: str) -> Command | None:
    """Return the command if it is the whole text, in any width and case of letters; else None."""
    if len(text.strip()) > _LONGEST:
        return None
    visible = "".join(
        character
        for character in unicodedata.normalize("NFKC", text.strip())
        if unicodedata.category(character) != "Cf"
    )
    slash, word = visible.strip()[:1], visible.strip()[1:].casefold()
    return Command(word) if slash == "/" and word in set(Command) else None
