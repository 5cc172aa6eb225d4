"""What groups use the bot for, each feature played by three people with phones of their own, in two languages."""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.phones import Phone, phones_of
from tests.browser.test_page import DOT
from tests.browser.test_taps import RunningStack
from tests.support.stacks import running_stack

KEN, SOMCHAI, ANN = "ケン", "สมชาย", "Ann"
_RESTS_MS: Final = 31_000
"""After this time without a turn of the bot, a message that is not for the bot may bring a summary."""
_STANDING_REST_MS: Final = 21_000
PAGES: Final = {KEN: "ja-JP", SOMCHAI: "en-US", ANN: "en-US"}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningStack]:
    with running_stack(tmp_path_factory.mktemp("groups"), more_env={"SETTLE_MS": "0"}) as (loop, stack):
        yield RunningStack(loop, stack)


@pytest.fixture(scope="module")
def phones(browser: Browser, running: RunningStack) -> Iterator[list[Phone]]:
    for name in PAGES:
        running.does(partial(running.stack.line.add_person, name))
    with phones_of(browser, running, PAGES) as opened:
        yield opened


def gather(phones: list[Phone], running: RunningStack, name: str) -> str:
    """The three people open a new group with the bot; return its id."""
    line = running.stack.line
    ids = {person.display_name: person.user_id for person in line.people.values()}
    chat = running.does(lambda: line.create_group(name, tuple(ids[phone.name] for phone in phones)))
    running.does(lambda: line.join(chat.chat_id))
    running.settles()
    for phone in phones:
        phone.enters(chat.chat_id)
    return chat.chat_id


def rest(running: RunningStack) -> None:
    """Every press so far was told, and so long ago that the next one is told at once."""
    running.settles()
    running.moves_clock(ms=_STANDING_REST_MS)


def test_two_people_write_their_own_languages_and_read_each_other(
    phones: list[Phone], running: RunningStack, tmp_path: Path
) -> None:
    gather(phones, running, "バンコク旅行")
    ken, somchai, ann = phones

    ken.says("/translate ja th")
    ken.sees("訳しますか", "ให้แปลข้อความของสมาชิก")
    ken.presses("翻訳を始める")
    somchai.sees("ほかのメンバーが下を押して", "ให้สมาชิกอีกคนกดด้านล่าง")
    somchai.takes_picture("group-translation-asked", tmp_path)
    somchai.presses("แปลของทุกคน")
    for phone in phones:
        phone.sees("翻訳を始めました", "เริ่มแปลแล้ว")

    ken.says("明日行く？")
    somchai.sees("ケン: พรุ่งนี้ไปไหม")
    somchai.says("ไปครับ")
    ken.sees("สมชาย: 行きます！")
    ken.says("15:30に駅の前で会いましょう")
    somchai.sees("เจอกัน 15:30 หน้าสถานีนะ")
    ken.takes_picture("group-translation", tmp_path)
    before = ann.bubbles.count()
    ann.says("See you there, I bring the tickets")
    running.settles()
    expect(ann.bubbles).to_have_count(before)  # English is none of the two languages


def test_three_people_note_what_they_paid_ask_who_owes_and_settle_by_a_tap(
    phones: list[Phone], running: RunningStack, tmp_path: Path
) -> None:
    gather(phones, running, "温泉旅行")
    ken, somchai, ann = phones
    ann.says("Dinner was great")
    somchai.says("อร่อยมาก")
    running.settles()  # from then on the bot knows the members

    ken.says("@夕食6000円払ったよ")
    ken.sees("✓ 立替：「夕食」（¥6,000 ÷ 3: ケン、")
    ann.says("@I paid 900 for the taxi, without ケン")
    ann.sees("✓ Expense: “the taxi” (¥900 ÷ 2: Ann, สมชาย, Ann paid)")
    somchai.says("@誰がいくら？")
    somchai.sees("立替の残り", "+¥4,000", "สมชาย → ケン", "¥2,450", "Ann → ケン", "¥1,550")
    ann.says("@Who owes what?")
    ann.sees("Open balances", "สมชาย → ケン", "How to settle up", "Copy")

    ann.presses("Settle up")
    ann.sees("✓ Settled: “夕食”, “the taxi”", "How to settle up")
    ken.presses("精算する")
    ken.sees("精算するものはもうありません。")
    ken.says("@誰がいくら？")
    ken.sees("精算はすべて済んでいます")
    ken.sends_picture(DOT)
    ken.quotes_newest_picture()
    ken.says("@これを見て")
    ken.sees("image/png")  # from then on, what the person did not order word by word waits for a tap
    ken.says("@お土産3000円払った")
    ken.sees("✓ 立替：「お土産」（¥3,000 ÷ 3")
    ann.says("@Settle up")
    somchai.sees("☐ Settle up", "สมชาย → ケン: ¥1,000", "Do it")
    somchai.presses("Do it")
    ann.sees("✓ Settled: “お土産”")
    ann.takes_picture("group-expenses-settled", tmp_path)


def test_two_people_fill_a_list_tick_it_at_once_and_clear_it(
    phones: list[Phone], running: RunningStack, tmp_path: Path
) -> None:
    gather(phones, running, "川でBBQ")
    ken, somchai, ann = phones
    ken.says("@BBQリストに肉と炭")
    ken.sees("✓ リストに追加：「肉」（BBQ）", "「炭」")
    ann.says("@add bread and candles to the BBQ list")
    ann.sees("✓ On the list: “bread” (BBQ)", "“candles”")
    ken.says("@BBQリストを見せて")
    ken.sees("BBQ（4件）", "肉", "炭", "bread", "candles")
    ann.sees("BBQ（4件）")
    ticks = [phone.page.locator(".flex-bubble", has_text="BBQ（4件）").get_by_role("button") for phone in (ken, ann)]

    ticks[0].nth(0).click()
    ticks[1].nth(2).click()

    for phone in phones:
        phone.sees("✓ 完了：「肉」")
        phone.sees("✓ Done: “bread”")
    ann.says("@show me the BBQ list")
    ann.sees("BBQ (2)", "Clear what is done")
    ann.takes_picture("group-list", tmp_path)
    ann.presses("Clear what is done")
    somchai.sees("✓ Deleted: “肉”", "“bread”")
    ken.presses("一覧を見る")
    ken.sees("BBQ（2件）", "炭", "candles")


def test_a_summary_of_the_day_comes_with_the_next_message_in_its_makers_language(
    phones: list[Phone], running: RunningStack, tmp_path: Path
) -> None:
    gather(phones, running, "朝の会")
    ken, somchai, ann = phones
    ken.says("集合は10時、駅の北口です")
    somchai.says("โอเค เจอกัน")
    ann.says("I bring the tea")
    ken.says("@毎朝8時に昨日のまとめを送って")
    ken.sees("✓ リマインダー：「昨日のまとめ」（毎日 8:00、そのあと最初のメッセージのときに伝えます）")
    ann.says("@Every day at 9 send us a summary of the day")
    ann.sees("✓ Reminder: “a summary of the day” (every day at 09:00, with the first message here after that)")

    ken.lets_time_pass("1日進める")
    running.settles()
    somchai.says("อรุณสวัสดิ์")
    for phone in phones:
        phone.sees(re.compile("^昨日のまとめ"), "- ケン: 集合は10時、駅の北口です", "- Ann: I bring the tea")
    running.settles()
    running.moves_clock(ms=_RESTS_MS)
    ann.says("Good morning")
    for phone in phones:
        phone.sees(re.compile("^a summary of the day"), "- สมชาย: โอเค เจอกัน")
    ann.takes_picture("group-summary", tmp_path)


def test_three_people_answer_for_two_places_wait_and_move_up(
    phones: list[Phone], running: RunningStack, tmp_path: Path
) -> None:
    gather(phones, running, "วันเสาร์")
    ken, somchai, ann = phones
    ken.says("土曜は空いてます")
    ann.says("I am free on Saturday, too")
    running.settles()  # from then on the bot knows their names and languages

    somchai.says("@พรุ่งนี้ 19:00 น. กินข้าวเย็นที่สยาม รับ 2 คน ใครไปบ้าง")
    for phone in phones:
        phone.sees("กินข้าวเย็น", "ที่ สยาม", "ไม่ไป", "ยังไม่ตอบ: ")
    ken.chooses("ไป")
    for phone in phones:
        phone.sees("1/2人 · ケン", "未回答：", "สมชาย")
    rest(running)
    ann.chooses("参加")
    for phone in phones:
        phone.sees("2 of 2 · ケン, Ann", "No answer yet: สมชาย")
    rest(running)
    somchai.chooses("I’m in")
    for phone in phones:
        phone.sees("2/2 คน · ケン, Ann", "รอคิว: สมชาย")
    rest(running)
    ken.chooses("ไม่ไป")
    for phone in phones:
        phone.sees("2/2人 · Ann、สมชาย", "1人 · ケン", "繰り上げ：สมชาย")
    ken.takes_picture("group-meeting", tmp_path)


def test_three_people_vote_see_who_has_not_and_close_the_poll(
    phones: list[Phone], running: RunningStack, tmp_path: Path
) -> None:
    gather(phones, running, "夕食")
    ken, somchai, ann = phones
    for phone, words in ((somchai, "หิวแล้ว"), (ann, "I am hungry")):
        phone.says(words)
    running.settles()
    ken.says("@夕食はカレーか寿司で投票")
    ann.sees("夕食", "カレー", "寿司", "未回答：")

    somchai.chooses("寿司")
    ann.sees("1 เสียง · สมชาย", "ยังไม่ตอบ: ")
    rest(running)
    ann.chooses("カレー")
    ken.sees("1 vote · Ann", "1 vote · สมชาย", "No answer yet: ケン")
    rest(running)
    ken.chooses("寿司")
    ken.sees("2票 · สมชาย、ケン", "1票 · Ann")
    ken.says("@投票を締め切って")
    for phone in phones:
        phone.sees("締め切りました：夕食", "2票 · สมชาย、ケン")
    somchai.chooses("カレー")
    for phone in phones:
        phone.sees("ปิดโหวตแล้ว: 夕食", "2 เสียง · สมชาย, ケン")
    ann.takes_picture("group-poll", tmp_path)


def test_what_is_on_is_shown_to_each_in_their_language_and_switched_off(
    phones: list[Phone], running: RunningStack, tmp_path: Path
) -> None:
    gather(phones, running, "旅の準備")
    ken, somchai, ann = phones
    somchai.says("สวัสดีครับ")
    ken.says("/translate ja th")
    ken.presses("翻訳を始める")
    ken.sees("まず頼んだ人の発言だけ訳します")
    ken.says("@毎朝8時に昨日のまとめを送って")
    ken.sees("✓ リマインダー：")
    ken.says("@持ち物リストに傘と水着")
    ken.sees("✓ リストに追加：")
    ann.says("@I paid 900 for the taxi, for me and ケン")
    ann.sees("✓ Expense: “the taxi”")

    ken.says("/settings")
    ken.sees("このトークの設定", "日本語・ไทย（頼んだ人の分だけ）", "トークのまとめ", "毎日 8:00", "割り勘", "残り2件")
    ken.takes_picture("group-settings", tmp_path)
    somchai.says("/settings")
    somchai.sees("การตั้งค่าของแชตนี้", "日本語, ไทย (เฉพาะคนที่ขอ)", "สรุปแชต")
    somchai.presses("แปลของทุกคน")
    ken.sees("翻訳を始めました", "เริ่มแปลแล้ว")
    ann.says("/settings")
    ann.sees("What is on", "日本語, ไทย (everyone)")
    ann.presses("Stop translating")
    ken.sees("訳すのをやめました")
    somchai.sees("หยุดแปลข้อความของสมาชิกแล้ว")


def test_a_summary_for_one_person_comes_to_that_person_alone(phones: list[Phone], running: RunningStack) -> None:
    group = gather(phones, running, "幹事会")
    ken, somchai, ann = phones
    ken.says("予算は5万円です")
    somchai.says("โอเคครับ")
    ann.enters(ann.own_chat(running))
    ann.says("hello")
    ann.sees("Hello!")
    ann.enters(group)

    ann.says("@Sum up, for me alone")
    ann.sees("✓ Reminder: “Sum up”", "only to whoever asked")
    ken.lets_time_pass("10分進める")
    ann.enters(ann.own_chat(running))
    ann.sees("- ケン: 予算は5万円です")
    expect(ken.bubbles.filter(has_text="- ケン: 予算は5万円です")).to_have_count(0)
