"""Commands that the bot carries out without the model, such as `/reset`, `/forget me` or `/start CODE`."""

import unicodedata
from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from shared.line.events import MessageContent
from shared.line.mentions import without_address

_LONGEST: Final = 200  # code points, invisible characters included


class Command(StrEnum):
    """The commands, by the words after the slash."""

    RESET = "reset"
    EXIT = "exit"
    BYE = "bye"
    FORGET = "forget"
    FORGET_ME = "forget me"
    EXPORT_ME = "export me"
    START = "start"
    CATCH_UP = "catchup"
    USAGE = "usage"
    NOTES = "notes"
    REMINDERS = "reminders"
    DIGEST = "digest"
    ID = "id"
    HELP = "help"


def command_of(content: MessageContent, *, bot_names: Sequence[str]) -> Command | None:
    """Return the message's command, with or without a mention of the bot; None for any other message, such as an unknown `/x`."""
    return parse_command(without_address(content, bot_names=bot_names)) if content.type == "text" else None


def code_of(content: MessageContent, *, bot_names: Sequence[str]) -> str:
    """Return the words after `/start`: `/start 1234` -> "1234"; without words, ""."""
    words = _words(without_address(content, bot_names=bot_names))
    return words.partition(" ")[2] if words.partition(" ")[0] == Command.START else ""


def parse_command(text: str) -> Command | None:
    """Return the command if nothing else is in the text, in any width and case of letters; only `/start` takes further words.

    For example, "/Reset" in full-width letters is `Command.RESET`, and "/reset please" is no command.
    """
    words = _words(text)
    if words in set(Command):
        return Command(words)
    return Command.START if words.partition(" ")[0] == Command.START else None


def _words(text: str) -> str:
    """Return the words after the slash, without case and with single blanks; "" if the text is no command."""
    if len(text.strip()) > _LONGEST:
        return ""
    visible = "".join(
        character
        for character in unicodedata.normalize("NFKC", text.strip())
        if unicodedata.category(character) != "Cf"
    )
    slash, words = visible.strip()[:1], visible.strip()[1:].casefold()
    return " ".join(words.split()) if slash == "/" and words[:1].strip() else ""
