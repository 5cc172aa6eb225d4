"""What is on in a chat: on one card with switches, below the help and the greeting, and after a press of each button."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import pytest

from shared.adapters.memory.scripted_model import calling
from shared.calendars.store import CalendarStore
from shared.handlers.switches import MOST_ROWS, ShownSwitches
from shared.line.bot_name import BotName
from shared.line.cards.card import Card, CardButton, CardRow
from shared.line.messaging import is_sendable
from shared.line.phrases import LocalePhrases, Phrase, phrase
from shared.locales import LOCALES
from shared.reminders.delivery import Reminding
from shared.reminders.store import ReminderStore
from shared.translation.setting import TranslationSetting
from shared.translation.store import TranslationStore
from tests.support import recorded
from tests.support.calendars import calendar_port
from tests.support.chats import everything_in
from tests.support.hooks import hook_port, hooks_of, makes_hook
from tests.support.people import Person
from tests.support.phrases import japanese
from tests.support.pushed import PushedWorker

KEN: Final = "U" + "2" * 32
SAYS: Final = calling(("reply", {"message": "はい"}))
SUMMARY: Final = calling(
    (
        "create_reminder",
        {"text": "昨日のまとめ", "at": "2025-11-22T08:00", "rule": "FREQ=DAILY", "digest": "chat"},
    )
)
EXPENSE: Final = calling(("add_expense", {"what": "夕食", "amount": "6000", "among": ["ケン"]}))
POLL: Final = calling(("create_poll", {"question": "夕食は？", "options": ["カレー", "寿司"]}))
ITEM: Final = calling(("add_to_list", {"list": "買い物", "items": ["牛乳"]}))


class Chat(Person):
    """A chat in which everything can be on; in a group, Yuki writes, and Ken presses where another member is needed."""

    def __init__(self, pool: ThreadPoolExecutor, *, is_in_group: bool = True, **options: Any) -> None:  # noqa: ANN401 - fields of Options
        worker = PushedWorker(
            pool,
            **{
                "hooks": hook_port(),
                "calendar": calendar_port(),
                "reminding": Reminding.PUSH,
                "currency": "JPY",
                "has_lists": True,
                "has_polls": True,
                **options,
            },
        )
        super().__init__(worker, is_in_group=is_in_group)
        worker.profiles.names = {recorded.USER: "ユキ", KEN: "ケン"}

    def setting(self) -> TranslationSetting:
        return TranslationStore(self.worker.conversations.of(self.events.chat_id)).read()

    @property
    def card(self) -> Card:
        """The card of the last reply."""
        message = list(self.worker.line.replied.values())[-1][-1]
        assert is_sendable([message])
        assert message.card is not None
        return message.card

    def row(self, name: str) -> CardRow:
        """The row of this name on the last card."""
        return next(row for row in self.card.rows if row.text.startswith(name))

    def button(self, row_name: str, label: Phrase) -> CardButton:
        return next(button for button in self.row(row_name).buttons if button.label == japanese(label))

    def taps(self, button: CardButton, *, by: str | None = None) -> str:
        """Press the button; return what the bot says."""
        self.sends(self.events.event("postback", postback={"data": button.value}, by=by))
        return self.worker.said[-1]

    def begins_translation(self, *, is_for_all: bool = True) -> None:
        self.says("/translate ja th")
        self.sends(self.events.event("postback", postback={"data": self.newest_button}, by=KEN if is_for_all else None))

    def switches_everything_on(self) -> None:
        self.begins_translation(is_for_all=False)
        self.asks("毎朝8時に昨日のまとめ", SUMMARY, SAYS)
        makes_hook(self, "Backup")
        self.says("/calendar")
        self.asks("夕食6000円払った", EXPENSE, SAYS)
        self.asks("夕食の投票", POLL, SAYS)
        self.asks("買い物リストに牛乳", ITEM, SAYS)


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(16) as threads:
        yield threads


@pytest.fixture
def group(pool: ThreadPoolExecutor) -> Chat:
    return Chat(pool)


def test_the_settings_show_what_is_on_each_with_its_switches(group: Chat) -> None:
    group.switches_everything_on()

    group.says("/settings")

    assert group.card.title == japanese(Phrase.SWITCHES_TITLE)
    assert {row.text: (row.detail, len(row.buttons)) for row in group.card.rows} == {
        "リスト": ("残り1件", 0),
        "トークのまとめ": ("毎日 8:00", 1),
        "割り勘": ("精算前：1件", 0),
        "投票・出欠": ("受付中：1件", 0),
        "通知：Backup": ("次の発言のときに表示", 1),
        "翻訳": ("日本語・ไทย（頼んだ人の分だけ）", 2),
        "カレンダー": ("オン", 1),
    }
    assert "・翻訳: 日本語・ไทย（頼んだ人の分だけ）" in group.worker.said[-1]


def test_where_nothing_is_on_the_settings_say_how_to_begin(group: Chat) -> None:
    group.says("/設定")

    assert {row.text: row.detail for row in group.card.rows} == {
        "翻訳": japanese(Phrase.SWITCH_TRANSLATION_OFF),
        "カレンダー": "オフ",
    }


def test_a_deployment_without_switches_says_that_nothing_is_on(pool: ThreadPoolExecutor) -> None:
    friend = Chat(pool, is_in_group=False, hooks=None, calendar=None)

    friend.says("/settings")

    assert friend.worker.said[-1] == japanese(Phrase.SWITCHES_NONE)


@pytest.mark.parametrize("locale", LOCALES)
def test_the_rows_are_in_the_language_of_the_chat(group: Chat, locale: str) -> None:
    group.switches_everything_on()
    group.says(f"/language {locale}")

    group.says("/settings")

    assert group.card.title == phrase(Phrase.SWITCHES_TITLE, locale=locale, bot_name="Aizuchi")
    assert group.row(phrase(Phrase.SWITCH_TRANSLATION, locale=locale, bot_name="Aizuchi")).buttons


def test_without_cards_the_settings_are_text(pool: ThreadPoolExecutor) -> None:
    group = Chat(pool, is_rich=False)
    group.begins_translation()

    group.says("/settings")

    (message,) = list(group.worker.line.replied.values())[-1]
    assert message.card is None
    assert "・翻訳: 日本語・ไทย（全員）" in message.text


def test_a_press_ends_translation_and_pressed_again_it_stays_off(group: Chat) -> None:
    group.begins_translation()
    group.says("/settings")
    end = group.button("翻訳", Phrase.TRANSLATION_OFF_BUTTON)

    assert group.taps(end).startswith(japanese(Phrase.TRANSLATION_OFF))
    assert not group.setting().is_on
    assert group.taps(end, by=KEN) == japanese(Phrase.TRANSLATION_IS_OFF)
    assert not group.setting().is_on


def test_everybody_s_messages_still_take_another_member_s_press(group: Chat) -> None:
    group.begins_translation(is_for_all=False)
    group.says("/settings")
    join = group.button("翻訳", Phrase.TRANSLATION_JOIN_BUTTON)

    assert group.taps(join) == japanese(Phrase.TRANSLATION_NEEDS_ANOTHER)
    assert not group.setting().is_for_all
    assert "AI" in group.taps(join, by=KEN)
    assert group.setting().is_for_all
    assert "全員の発言を訳しています" in group.taps(join, by=KEN)


def test_a_press_does_not_join_what_was_changed_since_its_card(group: Chat) -> None:
    group.begins_translation(is_for_all=False)
    group.says("/settings")
    join = group.button("翻訳", Phrase.TRANSLATION_JOIN_BUTTON)
    group.says("/translate ja en")
    group.presses(group.newest_button)

    assert group.taps(join, by=KEN) == japanese(Phrase.SWITCH_CHANGED)

    assert (group.setting().languages, group.setting().is_for_all) == (("ja", "en"), False)


def test_a_redelivered_press_is_answered_once_and_says_the_same(group: Chat) -> None:
    group.begins_translation(is_for_all=False)
    group.says("/settings")
    data = group.button("翻訳", Phrase.TRANSLATION_JOIN_BUTTON).value
    press = group.events.event("postback", postback={"data": data}, by=KEN)
    TranslationStore(group.worker.conversations.of(group.events.chat_id)).update(
        lambda before: before.joined(at_ms=press["timestamp"])
    )  # a first delivery, whose worker died before it spoke

    group.sends(press)
    group.sends(press)

    assert group.worker.line.replies[press["replyToken"]][0].startswith("翻訳を始めました")


def test_a_press_cancels_a_summary_with_a_receipt(group: Chat) -> None:
    group.asks("毎朝8時に昨日のまとめ", SUMMARY, SAYS)
    group.says("/settings")
    cancel = group.button("トークのまとめ", Phrase.REMINDER_CANCEL_BUTTON)

    assert "✓" in group.taps(cancel)

    (reminder,) = ReminderStore(group.worker.conversations.of(group.events.chat_id)).read_all()
    assert not reminder.is_open
    assert group.taps(cancel) == japanese(Phrase.REMINDER_GONE)


def test_a_press_revokes_a_hook(group: Chat) -> None:
    makes_hook(group, "Backup")
    group.says("/settings")
    revoke = group.button("通知：Backup", Phrase.HOOK_REVOKE_BUTTON)

    group.taps(revoke)

    assert hooks_of(group) == ()
    assert group.taps(revoke) == japanese(Phrase.HOOK_GONE)


def test_presses_set_the_calendar_and_never_toggle_it(group: Chat) -> None:
    calendars = CalendarStore(group.worker.conversations.of(group.events.chat_id))
    group.says("/settings")
    on = group.button("カレンダー", Phrase.SWITCH_ON_BUTTON)
    group.taps(on)
    calendar = calendars.read()
    assert calendar is not None

    group.taps(on)
    assert calendars.read() == calendar
    group.says("/settings")
    off = group.button("カレンダー", Phrase.SWITCH_OFF_BUTTON)
    assert group.taps(off) == japanese(Phrase.CALENDAR_OFF)
    assert group.taps(off) == japanese(Phrase.CALENDAR_OFF)
    assert calendars.read() is None


def test_a_former_member_s_press_changes_nothing(group: Chat) -> None:
    group.begins_translation()
    group.says("/settings")
    end = group.button("翻訳", Phrase.TRANSLATION_OFF_BUTTON)
    group.worker.profiles.strangers.add(KEN)

    assert group.taps(end, by=KEN) == japanese(Phrase.PRESS_VOID)

    assert group.setting().is_on


@pytest.mark.parametrize(
    ("asked", "heading"),
    [
        ("/help", "いまオンになっているもの"),
        ("@Aizuchi 何ができる？", "いまオンになっているもの"),
        ("@Aizuchi What can you do?", "On in this chat"),
        ("@Aizuchi 你會做什麼？", "目前開啟的功能"),
        ("@Aizuchi ทำอะไรได้บ้าง", "ที่เปิดอยู่ในแชตนี้"),
    ],
)
def test_asked_what_it_can_do_the_bot_says_what_is_on_in_a_group(group: Chat, asked: str, heading: str) -> None:
    group.begins_translation()

    group.says(asked)

    assert heading in group.worker.said[-1]
    assert any(row.text.startswith(heading) and row.is_heading for row in group.card.rows)
    assert [button.label for row in group.card.rows for button in row.buttons]
    assert group.worker.model.requests == []
    examples = [button.value for button in group.card.buttons]
    assert all(value.startswith("say:") for value in examples)


def test_the_help_of_a_group_where_nothing_is_on_is_as_ever(group: Chat) -> None:
    group.says("/help")

    assert japanese(Phrase.SWITCHES_ON) not in group.worker.said[-1]
    assert all(not row.buttons for row in group.card.rows)


def test_in_a_chat_of_one_the_model_is_asked_what_it_can_do(pool: ThreadPoolExecutor) -> None:
    friend = Chat(pool, is_in_group=False)

    friend.says("何ができる？", SAYS)

    assert friend.worker.said[-1] == "はい"


def test_joining_anew_the_bot_says_what_is_on(group: Chat) -> None:
    group.begins_translation()

    group.sends(group.events.event("join"))

    assert "・翻訳: 日本語・ไทย（全員）" in group.worker.said[-1]
    end = group.button("翻訳", Phrase.TRANSLATION_OFF_BUTTON)
    assert group.taps(end).startswith(japanese(Phrase.TRANSLATION_OFF))


def test_the_name_of_a_withdrawn_hook_is_on_no_card(group: Chat) -> None:
    makes_hook(group, "Backup")
    (hook,) = hooks_of(group)
    (asked_id,) = hook.provenance.message_ids
    group.says("/settings")
    assert "Backup" in group.worker.said[-1]
    group.worker.withdraw(group.events.chat_id, asked_id, timestamp_ms=group.worker.clock.now_ms())

    group.says("/settings")

    assert "Backup" not in group.worker.said[-1]
    assert "Backup" not in everything_in(group.worker.store)


def test_of_many_switches_the_rest_is_counted(group: Chat) -> None:
    for number in range(MOST_ROWS):
        makes_hook(group, f"Hook {number}")
    group.says("/settings")

    assert len(group.card.rows) == MOST_ROWS + 1
    assert group.card.rows[-1].text == "ほか2件"


def test_a_card_without_rows_on_stays_as_it_is(group: Chat) -> None:
    card = Card(rows=(CardRow(text="hello"),))
    bot_name = BotName(account=group.worker.line, configured="Aizuchi")
    shown = ShownSwitches(switches=(), phrases=LocalePhrases(locale="ja", bot_name=bot_name))

    assert shown.added_to("hello", card, "en").card is card
