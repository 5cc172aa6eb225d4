import datetime as dt
import zoneinfo

import pytest
import regex

from shared.adapters.memory import MemoryLineApi
from shared.handlers.calendar import GOOGLE_PAGE
from shared.line.bot_name import BotName
from shared.line.commands import Command
from shared.line.messaging import LABEL_LIMIT, OutgoingMessage, PostbackButton, SayButton, is_sendable
from shared.line.phrases import EXAMPLES, LocalePhrases, Phrase, phrase
from shared.line.utf16 import utf16_length
from shared.locales.language_file import LOCALES
from shared.locales.local_times import shown_moment
from shared.version import version

LONG_NAME = "名" * 20


def said(which: Phrase, locale: str, *, bot_name: str = LONG_NAME) -> str:
    counts = dict.fromkeys(
        ("messages", "entries", "media", "reminders", "turns", "tokens", "answers", "count", "words", "hour"), "9" * 5
    )
    counts |= {"minutes": "10080", "name": "名" * 20, "chat": "3f9a0c51d2b7", "cost": "99999"}
    counts["page"] = GOOGLE_PAGE
    counts["url"] = f"https://asia-northeast1-{'p' * 30}.cloudfunctions.net/webhook/hooks/notify"
    counts["until"] = "23:59"
    counts |= {"question": "問" * 100, "option": "選" * 40}
    counts |= {"languages": "Bahasa Indonesia・Tiếng Việt・繁體中文・English", "terms": "Aizuchi", "term": "名" * 40}
    counts |= dict.fromkeys(("erased", "spared", "things"), "メッセージ99999件、メモ99999件、リマインダー99999件")
    when = shown_moment(dt.datetime(2026, 11, 23, 9, 0), locale=locale, this_year=2025)  # noqa: DTZ001 - local
    return phrase(which, locale=locale, bot_name=bot_name, id="C" + "0" * 32, when=when, **counts)


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("which", Phrase)
def test_every_locale_has_every_text_short_and_complete(locale: str, which: Phrase) -> None:
    text = said(which, locale)

    assert 0 < len(regex.findall(r"\X", text)) <= 450
    assert text == text.strip()
    assert "{" not in text


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize(
    ("text", "label"),
    [
        (Phrase.RESET_QUESTION, Phrase.RESET_BUTTON),
        (Phrase.FORGET_QUESTION, Phrase.FORGET_BUTTON),
        (Phrase.LEAVE_QUESTION, Phrase.LEAVE_BUTTON),
        (Phrase.PAUSE_QUESTION, Phrase.PAUSE_BUTTON),
        (Phrase.RESUME_QUESTION, Phrase.RESUME_BUTTON),
        (Phrase.HANDOVER_QUESTION, Phrase.HANDOVER_BUTTON),
        (Phrase.STILL_THINKING, Phrase.SHOW_BUTTON),
        (Phrase.HOOK_QUESTION_NEXT, Phrase.HOOK_BUTTON),
        (Phrase.HOOK_QUESTION_NOW, Phrase.HOOK_BUTTON),
        (Phrase.HOOK_QUESTION_QUIET, Phrase.HOOK_BUTTON),
        (Phrase.TRANSLATION_QUESTION, Phrase.TRANSLATION_BUTTON),
        (Phrase.TRANSLATION_KEEP_QUESTION, Phrase.TRANSLATION_KEEP_BUTTON),
        (Phrase.TRANSLATION_DROP_QUESTION, Phrase.TRANSLATION_DROP_BUTTON),
        (Phrase.TRANSLATION_ON_FOR_ONE, Phrase.TRANSLATION_JOIN_BUTTON),
        (Phrase.TRANSLATION_IS_ON_FOR_ONE, Phrase.TRANSLATION_JOIN_BUTTON),
        (Phrase.TRANSLATION_OFF_QUESTION, Phrase.TRANSLATION_OFF_BUTTON),
        (Phrase.FORGET_MESSAGES_QUESTION, Phrase.FORGET_MESSAGES_BUTTON),
        (Phrase.CHANGE_QUESTION, Phrase.CHANGE_BUTTON),
        (Phrase.REMINDER_DONE, Phrase.CALENDAR_BUTTON),
        (Phrase.REMINDER_DONE, Phrase.REMINDER_DONE_BUTTON),
        (Phrase.REMINDER_DONE, Phrase.REMINDER_LATER_BUTTON),
        (Phrase.REMINDER_DONE, Phrase.REMINDER_HOUR_BUTTON),
        (Phrase.REMINDER_DONE, Phrase.REMINDER_TOMORROW_BUTTON),
    ],
)
def test_every_text_with_its_button_can_be_sent(locale: str, text: Phrase, label: Phrase) -> None:
    button = PostbackButton(label=said(label, locale), data="x", display_text=said(label, locale))
    decline = PostbackButton(label=said(Phrase.DECLINE_BUTTON, locale), data="y")

    assert is_sendable([OutgoingMessage(text=said(text, locale), button=button, decline=decline)])


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("which", [one for one in Phrase if one.endswith("_question")])
def test_every_question_says_until_when_its_buttons_work(locale: str, which: Phrase) -> None:
    assert "23:59" in said(which, locale)


def test_hours_are_those_of_the_bots_time_zone() -> None:
    bot_name = BotName(account=MemoryLineApi(name="Kinako"))
    phrases = LocalePhrases(locale="ja", bot_name=bot_name, time_zone=zoneinfo.ZoneInfo("Asia/Bangkok"))

    assert phrases.hour(1_763_700_000_000) == "11:40"


@pytest.mark.parametrize("locale", LOCALES)
def test_a_greeting_in_a_group_says_how_to_address_the_bot(locale: str) -> None:
    assert "@Momo" in said(Phrase.GREETING_GROUP, locale, bot_name="Momo")


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("which", [Phrase.GREETING_FRIEND, Phrase.GREETING_GROUP])
def test_a_greeting_points_to_the_help(locale: str, which: Phrase) -> None:
    assert "/help" in said(which, locale)


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize(
    "which", [Phrase.GREETING_FRIEND, Phrase.GREETING_GROUP, Phrase.HELP_FRIEND, Phrase.HELP_GROUP]
)
def test_people_are_told_that_a_model_reads_their_messages(locale: str, which: Phrase) -> None:
    assert "AI" in said(which, locale, bot_name="Momo")


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("which", [Phrase.HELP_FRIEND, Phrase.HELP_GROUP])
def test_the_help_shows_four_abilities_and_three_examples_before_anything_is_erased(locale: str, which: Phrase) -> None:
    before_erasures, _, _ = said(which, locale, bot_name="Momo").partition("/reset")

    assert len(regex.findall(r"(?m)^[・•]", before_erasures)) == 4
    assert len(regex.findall(r"(?m)^[「“].*[」”]$", before_erasures)) == 3


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("example", EXAMPLES)
def test_the_help_shows_the_examples_that_a_tap_sends(locale: str, example: Phrase) -> None:
    words = said(example, locale)

    assert words in said(Phrase.HELP_FRIEND, locale)
    assert is_sendable([OutgoingMessage(text="x", quick_replies=(SayButton(text=words),))])


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize(
    ("which", "examples"), [(Phrase.GREETING_FRIEND, 2), (Phrase.GREETING_GROUP, 1)], ids=["friend", "group"]
)
def test_a_greeting_gives_examples_before_erasures(locale: str, which: Phrase, examples: int) -> None:
    before_commands, _, _ = said(which, locale, bot_name="Momo").partition("/")

    quoted = regex.findall(r"[「“][^」”]+[」”]", before_commands)
    assert len([one for one in quoted if one.strip("「」“”") != "@Momo"]) == examples


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("which", [Phrase.HELP_FRIEND, Phrase.HELP_GROUP])
@pytest.mark.parametrize(
    "command", [one for one in Command if one not in {Command.START, Command.HANDOVER, Command.HOOK, Command.CALENDAR}]
)
def test_the_help_names_every_command(locale: str, which: Phrase, command: Command) -> None:
    # in a 1:1 chat /forget me asks what /forget asks, and /catchup has nobody to report
    is_for_groups = command in {Command.FORGET_ME, Command.CATCH_UP, Command.TRANSLATE}

    assert (f"/{command}" in said(which, locale)) is (which is Phrase.HELP_GROUP or not is_for_groups)


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("which", [Phrase.HELP_FRIEND, Phrase.HELP_GROUP])
def test_the_help_gives_the_version(locale: str, which: Phrase) -> None:
    assert f"(v{version()})" in said(which, locale)


def test_texts_differ_between_locales() -> None:
    for which in set(Phrase):
        assert len({said(which, locale) for locale in LOCALES}) == len(LOCALES)


def test_a_name_with_braces_is_filled_in_as_it_is() -> None:
    assert "{id}" in phrase(Phrase.HELP_GROUP, locale="en", bot_name="{id}")


def test_phrases_of_a_deployment_are_in_its_locale_with_its_bots_name() -> None:
    phrases = LocalePhrases(locale="ja", bot_name=BotName(account=MemoryLineApi(name="Kinako"), configured="Momo"))

    assert phrases.text(Phrase.GREETING_GROUP) == said(Phrase.GREETING_GROUP, "ja", bot_name="Momo")
    assert "U1" in phrases.text(Phrase.ID, id="U1")


@pytest.mark.parametrize(("locale", "word"), [("ja", "ブロック"), ("en", "block"), ("zh-TW", "封鎖"), ("th", "บล็อก")])
@pytest.mark.parametrize("which", [Phrase.GREETING_FRIEND, Phrase.HELP_FRIEND])
def test_a_person_is_told_that_a_block_erases(locale: str, word: str, which: Phrase) -> None:
    assert word in phrase(which, locale=locale, bot_name="Momo").casefold()


@pytest.mark.parametrize(
    "odd",
    [
        "データの写し",
        "済んだ",
        "済みにしました",
        "開いたまま",
        "代役",
        "の内容を実行しますか",
        "前の発言のあとに",
        "(UTC+9)",
    ],
)
def test_japanese_texts_are_as_a_native_writes_them(odd: str) -> None:
    assert not [which for which in Phrase if odd in said(which, "ja")]


@pytest.mark.parametrize("locale", LOCALES)
def test_the_line_of_a_cut_answer_and_its_button_are_short(locale: str) -> None:
    assert len(phrase(Phrase.GOES_ON, locale=locale, bot_name="")) <= 20
    assert utf16_length(phrase(Phrase.GO_ON_BUTTON, locale=locale, bot_name="")) <= LABEL_LIMIT
