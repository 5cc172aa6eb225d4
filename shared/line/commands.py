"""Commands that the bot carries out without the model, such as `/reset`, `/forget me` or `/start CODE`."""

import unicodedata
from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from shared.line.addressing import without_address
from shared.line.events import MessageContent
from shared.line.language import shown_language
from shared.locales import LOCALES
from shared.locales.language_names import code_of

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
    PAUSE = "pause"
    RESUME = "resume"
    HANDOVER = "handover"
    CATCH_UP = "catchup"
    USAGE = "usage"
    NOTES = "notes"
    REMINDERS = "reminders"
    DIGEST = "digest"
    LANGUAGE = "language"
    ID = "id"
    HELP = "help"
    HOOK = "hook"
    CALENDAR = "calendar"
    TRANSLATE = "translate"
    SETTINGS = "settings"


_OTHER_NAMES: Final = {
    "new": Command.RESET,
    "clear": Command.RESET,
    "restart": Command.RESET,
    "リセット": Command.RESET,
    "重置": Command.RESET,
    "forget all": Command.FORGET,
    "forget everything": Command.FORGET,
    "forget すべて": Command.FORGET,
    "forget 全部": Command.FORGET,
    "forget ทุกอย่าง": Command.FORGET,
    "forget ทั้งหมด": Command.FORGET,
    "?": Command.HELP,
    "commands": Command.HELP,
    "ヘルプ": Command.HELP,
    "使い方": Command.HELP,
    "說明": Command.HELP,
    "使用說明": Command.HELP,
    "ช่วยเหลือ": Command.HELP,
    "วิธีใช้": Command.HELP,
    "memo": Command.NOTES,
    "メモ": Command.NOTES,
    "筆記": Command.NOTES,
    "บันทึก": Command.NOTES,
    "reminder": Command.REMINDERS,
    "翻訳": Command.TRANSLATE,
    "翻譯": Command.TRANSLATE,
    "แปล": Command.TRANSLATE,
    "リマインダー": Command.REMINDERS,
    "提醒": Command.REMINDERS,
    "カレンダー": Command.CALENDAR,
    "行事曆": Command.CALENDAR,
    "ปฏิทิน": Command.CALENDAR,
    "設定": Command.SETTINGS,
    "ตั้งค่า": Command.SETTINGS,
}
"""Names that people try after the slash."""
_WITH_WORDS: Final = (Command.START, Command.HANDOVER, Command.HOOK, Command.CALENDAR, Command.TRANSLATE)
_WITHOUT_SLASH: Final = frozenset({"help", "ヘルプ", "使い方", "使用說明", "วิธีใช้"})
_ASKED: Final = {
    "何ができる": "ja",
    "何ができるの": "ja",
    "何ができますか": "ja",
    "なにができる": "ja",
    "what can you do": "en",
    "你會做什麼": "zh-TW",
    "你可以做什麼": "zh-TW",
    "你能做什麼": "zh-TW",
    "ทำอะไรได้บ้าง": "th",
}
_ASKED_IN_GROUPS: Final = {unicodedata.normalize("NFKC", words): locale for words, locale in _ASKED.items()}
"""What a group asks the bot, and gets the help, which says what is on there; with the language of the answer."""
_ENDS: Final = " ?!。、.~"


def command_of(
    content: MessageContent, *, bot_names: Sequence[str], is_addressed: bool = False, is_in_group: bool = False
) -> Command | None:
    """Return the message's command, with or without a mention of the bot; None for any other message, such as an unknown `/x`.

    A message that addresses the bot (`is_addressed`) and is nothing but ヘルプ, or "help" in another language, asks for the help; in a
    group also 「何ができる」. In a 1:1 chat the model answers that.
    """
    if content.type != "text":
        return None
    text = without_address(content, bot_names=bot_names)
    words = _visible(text).casefold()
    is_asking = words in _WITHOUT_SLASH or (is_in_group and words.strip(_ENDS) in _ASKED_IN_GROUPS)
    return Command.HELP if is_addressed and is_asking else parse_command(text)


def locale_asked_in(text: str) -> str | None:
    """Return the language of a question that asks for the help: "@Aizuchi 何ができる" -> "ja"; None for a command."""
    words = _visible(text).casefold().strip(_ENDS)
    return next((locale for asked, locale in _ASKED_IN_GROUPS.items() if words.endswith(asked)), None)


def language_of_name(content: MessageContent) -> str | None:
    """Return the language of a command's own name: 「/使い方」 -> "ja"; None for a name such as "/help", and for another message.

    A command without a slash, such as 「使い方」, counts, too.
    """
    text = content.fields.get("text") if content.type == "text" else None
    _, slash, written = unicodedata.normalize("NFKC", text).rpartition("/") if isinstance(text, str) else ("", "", "")
    name = _words(f"/{written}").partition(" ")[0] if slash else _visible(written).casefold().rpartition(" ")[2]
    return shown_language([name]) if name in (_OTHER_NAMES if slash else _WITHOUT_SLASH) else None


def words_after(command: Command, content: MessageContent, *, bot_names: Sequence[str]) -> str:
    """Return the words after a command that takes words: `/start 1234` -> "1234"; without words, or for another command, "".

    By any name of the command: 「/カレンダー off」 -> "off".
    """
    name, _, further = _words(without_address(content, bot_names=bot_names)).partition(" ")
    return further if _OTHER_NAMES.get(name, name) == command else ""


def written_words(content: MessageContent, *, bot_names: Sequence[str]) -> tuple[str, ...]:
    """Return the words after a command as they were written: "/hook new Backup now" -> ("new", "Backup", "now")."""
    return tuple(_visible(without_address(content, bot_names=bot_names)).split()[1:])


def locale_of(text: str) -> str | None:
    """Return the locale after the command `Command.LANGUAGE`, for example "th" for "@Aizuchi /language th"; None without a locale.

    A name of the language will do: "/language 中文" -> "zh-TW".
    """
    return _locale_in(_words(f"/{unicodedata.normalize('NFKC', text).rpartition('/')[2]}"))


def parse_command(text: str) -> Command | None:
    """Return the command if nothing else is in the text, in any width and case; only those of `_WITH_WORDS` take more words.

    For example, "/Reset" in full-width letters is `Command.RESET`, as "/new" is, "/reset please" is no command, and "/language th" is
    `Command.LANGUAGE`.
    """
    words = _words(text)
    first, _, further = words.partition(" ")
    if further and _OTHER_NAMES.get(first) in _WITH_WORDS:
        return _OTHER_NAMES[first]
    if words in set(Command):
        return Command(words)
    if words in _OTHER_NAMES:
        return _OTHER_NAMES[words]
    if _locale_in(words) is not None:
        return Command.LANGUAGE
    return next((one for one in _WITH_WORDS if words.partition(" ")[0] == one), None)


def _locale_in(words: str) -> str | None:
    command, _, locale = words.partition(" ")
    if command != Command.LANGUAGE:
        return None
    code = code_of(locale)
    return code if code in LOCALES else None


def _words(text: str) -> str:
    """Return the words after the slash, without case and with single blanks; "" if the text is no command."""
    visible = _visible(text)
    slash, words = visible[:1], visible[1:].casefold()
    return " ".join(words.split()) if slash == "/" and words[:1].strip() else ""


def _visible(text: str) -> str:
    """Return the text in normal width, without invisible characters and outer blanks; "" if it is too long for a command."""
    if len(text.strip()) > _LONGEST:
        return ""
    normal = unicodedata.normalize("NFKC", text.strip())
    return "".join(character for character in normal if unicodedata.category(character) != "Cf").strip()
