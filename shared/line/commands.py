"""What people tell the bot to do without the model: `/reset`, `/exit`, `/bye`, `/forget`, `/id`, `/help`."""

import unicodedata
from collections.abc import Sequence
from enum import StrEnum

from shared.line.events import MessageContent
from shared.line.mentions import without_address


class Command(StrEnum):
    """The commands, by the word after the slash."""

    RESET = "reset"
    EXIT = "exit"
    BYE = "bye"
    FORGET = "forget"
    ID = "id"
    HELP = "help"


def command_of(content: MessageContent, *, bot_names: Sequence[str]) -> Command | None:
    """Return the command that a message is, also with a mention before or after it; None for anything else, such as an unknown `/x`."""
    return parse_command(without_address(content, bot_names=bot_names)) if content.type == "text" else None


def parse_command(text: str) -> Command | None:
    """Return the command that the whole text is, whatever the width and case of its letters."""
    visible = "".join(one for one in unicodedata.normalize("NFKC", text) if unicodedata.category(one) != "Cf")
    slash, word = visible.strip()[:1], visible.strip()[1:].casefold()
    return Command(word) if slash == "/" and word in set(Command) else None
