import pytest

from shared.line.commands import Command, command_of, parse_command, words_after
from shared.line.events import MessageContent


@pytest.mark.parametrize("command", Command)
def test_a_command_is_its_word_after_a_slash(command: Command) -> None:
    assert parse_command(f"/{command}") is command


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("/new", Command.RESET),
        ("/Clear", Command.RESET),
        ("／リセット", Command.RESET),
        ("/ﾍﾙﾌﾟ", Command.HELP),
        ("/使い方", Command.HELP),
        ("/forget all", Command.FORGET),
        ("/Forget  Everything", Command.FORGET),
        ("/forget すべて", Command.FORGET),
        ("/forget 全部", Command.FORGET),
        ("/forget ทั้งหมด", Command.FORGET),
        ("/?", Command.HELP),
        ("/說明", Command.HELP),
        ("/วิธีใช้", Command.HELP),
        ("/メモ", Command.NOTES),
        ("/リマインダー", Command.REMINDERS),
    ],
)
def test_a_command_has_the_names_that_people_try(text: str, command: Command) -> None:
    assert parse_command(text) is command


@pytest.mark.parametrize(
    ("text", "is_addressed", "expected"),
    [
        ("ヘルプ", True, Command.HELP),
        ("ﾍﾙﾌﾟ", True, Command.HELP),
        ("Help", True, Command.HELP),
        ("Momo、ヘルプ", True, Command.HELP),
        ("ヘルプ", False, None),
        ("ヘルプして", True, None),
        ("help me", True, None),
        ("new", True, None),
        ("リセット", True, None),
    ],
)
def test_the_help_alone_needs_no_slash_if_the_bot_is_addressed(
    text: str, is_addressed: bool, expected: Command | None
) -> None:
    content = MessageContent(line_message_id="1", type="text", fields={"text": text})

    assert command_of(content, bot_names=["Momo"], is_addressed=is_addressed) is expected


@pytest.mark.parametrize("text", ["／ｒｅｓｅｔ", "/ｒeset", "  /RESET\n", "\u3000／Reset\u3000", "\ufeff/re\u200bset"])
def test_width_case_and_space_do_not_matter(text: str) -> None:
    assert parse_command(text) is Command.RESET


@pytest.mark.parametrize(
    "text",
    ["", "/", "reset", "/reset please", "/resetting", "// reset", "/ reset", "/x", "\\reset", "see /reset", "/res et"],
)
def test_any_other_text_is_no_command(text: str) -> None:
    assert parse_command(text) is None


@pytest.mark.parametrize(
    ("text", "is_mention", "expected"),
    [
        ("@Momo /exit", True, Command.EXIT),
        ("/exit @Momo", True, Command.EXIT),
        ("@Momo／ｂｙｅ", True, Command.BYE),
        ("＠momo /id", False, Command.ID),
        ("Momo、/help", False, Command.HELP),
        ("@Alice /exit", False, None),
        ("/exit", False, Command.EXIT),
    ],
)
def test_a_command_may_stand_with_the_bots_name(text: str, is_mention: bool, expected: Command | None) -> None:
    mention = {"index": text.index("@"), "length": 5, "isSelf": True, "type": "user"} if is_mention else None
    fields = {"text": text, "mention": {"mentionees": [mention]}} if mention else {"text": text}

    found = command_of(MessageContent(line_message_id="1", type="text", fields=fields), bot_names=["Momo"])

    assert found is expected


@pytest.mark.parametrize("text", ["/start ABCD-EFGH", "／ＳＴＡＲＴ　abcd-efgh", "/start\n abcd-efgh "])
def test_only_start_has_something_behind_it(text: str) -> None:
    content = MessageContent(line_message_id="1", type="text", fields={"text": text})

    assert command_of(content, bot_names=()) is Command.START
    assert words_after(Command.START, content, bot_names=()) == "abcd-efgh"


@pytest.mark.parametrize("text", ["/start", "/starting now", "/help abcd", "start abcd"])
def test_without_a_code_there_is_none(text: str) -> None:
    assert (
        words_after(
            Command.START, MessageContent(line_message_id="1", type="text", fields={"text": text}), bot_names=()
        )
        == ""
    )


def test_only_texts_are_commands() -> None:
    sticker = MessageContent(line_message_id="1", type="sticker", fields={"text": "/exit"})

    assert command_of(sticker, bot_names=["Momo"]) is None


def test_a_command_is_short_with_all_that_it_hides() -> None:
    assert parse_command("/help" + "\u200b" * 195) is Command.HELP
    assert parse_command("/help" + "\u200b" * 196) is None
