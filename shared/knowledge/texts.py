"""What digests say, in every locale of the bot.  In braces stand what they are filled in with."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from shared.knowledge.schema import Category


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestTexts:
    """One language.  `counts_words`: its limits are counted in words, the others' in characters."""

    counts_words: bool
    greeting: str
    top: str
    nothing_open: str
    stuck: str
    stuck_item: str
    win: str
    win_item: str
    win_next: str
    daily_footer: str
    week: str
    happened: str
    captured: str
    of_category: Mapping[Category, str]
    completed: str
    loops: str
    loop_item: str
    no_loops: str
    focus: str
    focus_inbox: str
    focus_person: str
    focus_deadline: str
    no_focus: str
    theme: str
    theme_item: str
    nothing_filed: str
    weekly_footer: str


_JAPANESE: Final = DigestTexts(
    counts_words=False,
    greeting="おはようございます。",
    top="今日のトップ3",
    nothing_open="いま動いているものはありません。思いついたことを送ってみてください。",
    stuck="止まっているかも",
    stuck_item="「{text}」が受信箱に{days}日あります。整理しますか？",
    win="小さな前進",
    win_item="この1週間で用事が{count}件片づきました。",
    win_next="次は「{text}」です。",
    daily_footer="このまま返信すると、書きとめます。",
    week="{first}〜{last}の1週間",
    happened="あったこと",
    captured="記録：{count}件（{parts}）",
    of_category={
        Category.PEOPLE: "人",
        Category.PROJECTS: "プロジェクト",
        Category.IDEAS: "アイデア",
        Category.ADMIN: "用事",
        Category.INBOX: "受信箱",
    },
    completed="片づいた用事：{count}件",
    loops="長く開いたままのもの",
    loop_item="「{text}」（{days}日）",
    no_loops="ありません。",
    focus="来週の注目",
    focus_inbox="受信箱の{count}件を整理する",
    focus_person="「{text}」さんに連絡する",
    focus_deadline="「{text}」の期限を決める",
    no_focus="決まったものはありません。",
    theme="今週の傾向",
    theme_item="{category}が多めでした（{percent}%）。",
    nothing_filed="まだ何も記録されていません。",
    weekly_footer="感想や直したいことがあれば返信してください。",
)

_ENGLISH: Final = DigestTexts(
    counts_words=True,
    greeting="Good morning.",
    top="Top 3 for today",
    nothing_open="No active items. Time to capture some thoughts!",
    stuck="Might be stuck",
    stuck_item="“{text}” has been in the inbox for {days} days. Want to clarify?",
    win="Small win",
    win_item="You completed {count} task(s) this week.",
    win_next="“{text}” is next.",
    daily_footer="Reply to this message to capture a thought.",
    week="Week of {first} to {last}",
    happened="What happened",
    captured="Filed: {count} ({parts})",
    of_category={
        Category.PEOPLE: "people",
        Category.PROJECTS: "projects",
        Category.IDEAS: "ideas",
        Category.ADMIN: "tasks",
        Category.INBOX: "inbox",
    },
    completed="Tasks completed: {count}",
    loops="Biggest open loops",
    loop_item="“{text}” ({days} days)",
    no_loops="None.",
    focus="Suggested focus for next week",
    focus_inbox="Sort out {count} item(s) in the inbox",
    focus_person="Follow up with “{text}”",
    focus_deadline="Set a deadline for “{text}”",
    no_focus="Nothing in particular.",
    theme="Theme I noticed",
    theme_item="Mostly {category} ({percent}%).",
    nothing_filed="Nothing has been filed yet.",
    weekly_footer="Reply with thoughts or adjustments.",
)

_CHINESE: Final = DigestTexts(
    counts_words=False,
    greeting="早安。",
    top="今天的前三件事",
    nothing_open="目前沒有進行中的事項，想到什麼就傳給我吧。",
    stuck="可能卡住了",
    stuck_item="「{text}」在收件匣放了{days}天，要整理嗎？",
    win="小小的進展",
    win_item="這一週完成了{count}件雜事。",
    win_next="接下來是「{text}」。",
    daily_footer="直接回覆就能記下想法。",
    week="{first}～{last} 這一週",
    happened="發生的事",
    captured="記錄：{count}件（{parts}）",
    of_category={
        Category.PEOPLE: "人物",
        Category.PROJECTS: "專案",
        Category.IDEAS: "點子",
        Category.ADMIN: "雜事",
        Category.INBOX: "收件匣",
    },
    completed="完成的雜事：{count}件",
    loops="懸而未決最久的",
    loop_item="「{text}」（{days}天）",
    no_loops="沒有。",
    focus="下週可以專注",
    focus_inbox="整理收件匣的{count}件",
    focus_person="和「{text}」聯絡",
    focus_deadline="替「{text}」定期限",
    no_focus="沒有特別的。",
    theme="這週的主題",
    theme_item="以{category}居多（{percent}%）。",
    nothing_filed="還沒有任何記錄。",
    weekly_footer="有想法或要調整的，請直接回覆。",
)

_THAI: Final = DigestTexts(
    counts_words=False,
    greeting="อรุณสวัสดิ์",
    top="3 เรื่องสำคัญวันนี้",
    nothing_open="ตอนนี้ไม่มีอะไรค้างอยู่ นึกอะไรออกก็ส่งมาได้",
    stuck="อาจค้างอยู่",
    stuck_item="“{text}” อยู่ในกล่องรับ {days} วันแล้ว จะจัดให้เรียบร้อยไหม",
    win="ความคืบหน้าเล็ก ๆ",
    win_item="สัปดาห์นี้เสร็จไป {count} งาน",
    win_next="ถัดไปคือ “{text}”",
    daily_footer="ตอบข้อความนี้เพื่อจดความคิด",
    week="สัปดาห์ {first} ถึง {last}",
    happened="สิ่งที่เกิดขึ้น",
    captured="จดไว้ {count} เรื่อง ({parts})",
    of_category={
        Category.PEOPLE: "ผู้คน",
        Category.PROJECTS: "โครงการ",
        Category.IDEAS: "ไอเดีย",
        Category.ADMIN: "งาน",
        Category.INBOX: "กล่องรับ",
    },
    completed="งานที่เสร็จ {count}",
    loops="เรื่องที่ค้างนานที่สุด",
    loop_item="“{text}” ({days} วัน)",
    no_loops="ไม่มี",
    focus="สัปดาห์หน้าควรดู",
    focus_inbox="จัดกล่องรับ {count} เรื่อง",
    focus_person="ติดต่อ “{text}”",
    focus_deadline="กำหนดเส้นตายของ “{text}”",
    no_focus="ไม่มีอะไรเป็นพิเศษ",
    theme="แนวโน้มสัปดาห์นี้",
    theme_item="ส่วนใหญ่เป็น{category} ({percent}%)",
    nothing_filed="ยังไม่มีอะไรที่จดไว้",
    weekly_footer="มีความเห็นหรืออยากแก้ตรงไหนตอบได้เลย",
)

DIGEST_TEXTS: Final[Mapping[str, DigestTexts]] = {"ja": _JAPANESE, "en": _ENGLISH, "zh-TW": _CHINESE, "th": _THAI}
