"""The fixed texts that the bot says without asking the model, in every locale it is set up for."""

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Final, Protocol

_PLACE: Final = re.compile(r"\{(\w+)\}")


class Phrase(StrEnum):
    """What the bot has to say by itself.

    `{bot}` stands for its name; ID needs the fact `id`. FORGET_QUESTION goes with a button FORGET_BUTTON, STILL_THINKING with SHOW_BUTTON.
    """

    GREETING_FRIEND = "greeting_friend"
    GREETING_GROUP = "greeting_group"
    HELP_FRIEND = "help_friend"
    HELP_GROUP = "help_group"
    GOODBYE_FRIEND = "goodbye_friend"
    GOODBYE_GROUP = "goodbye_group"
    RESET_DONE = "reset_done"
    FORGET_QUESTION = "forget_question"
    FORGET_BUTTON = "forget_button"
    FORGET_DONE = "forget_done"
    ID = "id"
    STILL_THINKING = "still_thinking"
    SHOW_BUTTON = "show_button"
    NOTHING_TO_SHOW = "nothing_to_show"
    UNSUPPORTED = "unsupported"
    APOLOGY_BUSY = "apology_busy"
    APOLOGY_REFUSED = "apology_refused"


class Say(Protocol):
    """The fixed texts of a deployment."""

    def __call__(self, which: Phrase, **facts: str) -> str:
        """Return the text in the bot's locale and name; `facts` fill its other places."""
        ...


LABELS: Final = frozenset({Phrase.FORGET_BUTTON, Phrase.SHOW_BUTTON})
TEMPLATE_TEXTS: Final = frozenset({Phrase.FORGET_QUESTION, Phrase.STILL_THINKING})


def phrase(which: Phrase, *, locale: str, bot_name: str, **facts: str) -> str:
    """Return the text; `locale` is one of LOCALES, `facts` fill its other places."""
    filled = {"bot": bot_name, **facts}
    return _PLACE.sub(lambda place: filled[place[1]], _TEXTS[locale][which])


_JAPANESE: Final[Mapping[Phrase, str]] = {
    Phrase.GREETING_FRIEND: (
        "はじめまして、{bot}です。話しかけてくれたら、会話を覚えながらお返事します。なんでも気軽にどうぞ。\n\n"
        "/help で使い方、/reset で会話のリセット、/forget ですべて消去できます。"
    ),
    Phrase.GREETING_GROUP: (
        "はじめまして、{bot}です。ご用のときは「@{bot}」とメンションするか、名前で呼ぶか、私のメッセージに返信してください。"
        "ほかのときは静かに聞いています。\n\n/help で使い方、/bye で退出します。"
    ),
    Phrase.HELP_FRIEND: (
        "{bot}の使い方です。\nふつうに話しかけてください。写真や音声、ファイルも送れます。\n\n"
        "/reset 会話を忘れて、最初から\n/exit または /bye 会話を終える（メモは残ります）\n"
        "/forget メモも含めて、すべて消す\n/id このトークのIDを表示\n/help この説明"
    ),
    Phrase.HELP_GROUP: (
        "{bot}の使い方です。\n「@{bot}」とメンションするか、名前で呼ぶか、私のメッセージに返信してください。\n\n"
        "/reset 会話を忘れて、最初から\n/exit または /bye すべて消して退出する\n"
        "/forget メモも含めて、すべて消す\n/id このグループのIDを表示\n/help この説明"
    ),
    Phrase.GOODBYE_FRIEND: "ありがとうございました。会話は消しました。メモは残っています。またいつでも話しかけてください。",
    Phrase.GOODBYE_GROUP: "ありがとうございました。このグループの記録をすべて消して、退出します。",
    Phrase.RESET_DONE: "会話と送られたメディアを消しました。最初から始めましょう。",
    Phrase.FORGET_QUESTION: "会話、要約、メディア、メモをすべて消します。元には戻せません。よろしいですか？",
    Phrase.FORGET_BUTTON: "すべて消す",
    Phrase.FORGET_DONE: "すべて消しました：会話、要約、メディア、メモ。",
    Phrase.ID: "このトークのID：{id}",
    Phrase.STILL_THINKING: "もう少し考えています。少ししてからボタンを押すと、答えが表示されます。",
    Phrase.SHOW_BUTTON: "答えを見る",
    Phrase.NOTHING_TO_SHOW: "新しくお見せするものはありません。答えはもう上にあるか、消されています。",
    Phrase.UNSUPPORTED: "ごめんなさい、この種類のメッセージは読めません。文章や写真で送ってください。",
    Phrase.APOLOGY_BUSY: "ごめんなさい、今うまく考えられませんでした。少し待ってから、もう一度送ってください。",
    Phrase.APOLOGY_REFUSED: "ごめんなさい、その内容にはお答えできません。言い方を変えて、もう一度送ってください。",
}

_ENGLISH: Final[Mapping[Phrase, str]] = {
    Phrase.GREETING_FRIEND: (
        "Hello, I am {bot}. Write to me any time; I answer, and I remember what we talked about.\n\n"
        "/help tells how I work, /reset begins anew, /forget erases everything."
    ),
    Phrase.GREETING_GROUP: (
        "Hello, I am {bot}. Mention me with “@{bot}”, call me by name or reply to one of my messages when you need me. "
        "Otherwise I listen quietly.\n\n/help tells how I work, /bye makes me leave."
    ),
    Phrase.HELP_FRIEND: (
        "How {bot} works:\nJust write to me. I take pictures, voice messages and files too.\n\n"
        "/reset forget the conversation and begin anew\n/exit or /bye end the conversation (notes stay)\n"
        "/forget erase everything, notes too\n/id show the ID of this chat\n/help this text"
    ),
    Phrase.HELP_GROUP: (
        "How {bot} works:\nMention me with “@{bot}”, call me by name or reply to one of my messages.\n\n"
        "/reset forget the conversation and begin anew\n/exit or /bye erase everything and leave\n"
        "/forget erase everything, notes too\n/id show the ID of this group\n/help this text"
    ),
    Phrase.GOODBYE_FRIEND: "Thank you. The conversation is erased, your notes stay. Write to me whenever you like.",
    Phrase.GOODBYE_GROUP: "Thank you. I erase everything that I kept of this group and leave.",
    Phrase.RESET_DONE: "The conversation and its media are erased. Let us begin anew.",
    Phrase.FORGET_QUESTION: "This erases the conversation, recaps, media and notes. It cannot be undone. Shall I go on?",
    Phrase.FORGET_BUTTON: "Erase everything",
    Phrase.FORGET_DONE: "Everything is erased: conversation, recaps, media and notes.",
    Phrase.ID: "The ID of this chat: {id}",
    Phrase.STILL_THINKING: "I am still thinking. Press the button in a moment, and I show you the answer.",
    Phrase.SHOW_BUTTON: "Show the answer",
    Phrase.NOTHING_TO_SHOW: "There is nothing new to show. The answer stands above, or it was erased.",
    Phrase.UNSUPPORTED: "Sorry, I cannot read messages of this kind. Please send words or a picture.",
    Phrase.APOLOGY_BUSY: "Sorry, I could not think of an answer just now. Please wait a moment and send it again.",
    Phrase.APOLOGY_REFUSED: "Sorry, I cannot answer that. Please put it in other words and send it again.",
}

_CHINESE: Final[Mapping[Phrase, str]] = {
    Phrase.GREETING_FRIEND: (
        "你好，我是{bot}。隨時都可以傳訊息給我，我會回覆，也會記得我們聊過的事。\n\n"
        "/help 查看用法，/reset 重新開始，/forget 刪除全部資料。"
    ),
    Phrase.GREETING_GROUP: (
        "大家好，我是{bot}。需要我的時候請用「@{bot}」提及我、叫我的名字，或回覆我的訊息，其他時候我會安靜地聽。\n\n"
        "/help 查看用法，/bye 讓我離開。"
    ),
    Phrase.HELP_FRIEND: (
        "{bot}的用法：\n直接傳訊息給我就好，也可以傳照片、語音和檔案。\n\n"
        "/reset 忘記對話，重新開始\n/exit 或 /bye 結束對話（筆記會保留）\n"
        "/forget 刪除全部資料，包括筆記\n/id 顯示這個聊天的 ID\n/help 顯示這份說明"
    ),
    Phrase.HELP_GROUP: (
        "{bot}的用法：\n請用「@{bot}」提及我、叫我的名字，或回覆我的訊息。\n\n"
        "/reset 忘記對話，重新開始\n/exit 或 /bye 刪除全部資料並離開\n"
        "/forget 刪除全部資料，包括筆記\n/id 顯示這個群組的 ID\n/help 顯示這份說明"
    ),
    Phrase.GOODBYE_FRIEND: "謝謝你。對話已經刪除，筆記還留著。隨時都可以再找我聊。",
    Phrase.GOODBYE_GROUP: "謝謝大家。我會刪除這個群組的所有紀錄，然後離開。",
    Phrase.RESET_DONE: "對話和傳來的媒體都已刪除，我們重新開始吧。",
    Phrase.FORGET_QUESTION: "這會刪除對話、摘要、媒體和筆記，而且無法復原。確定要刪除嗎？",
    Phrase.FORGET_BUTTON: "全部刪除",
    Phrase.FORGET_DONE: "已全部刪除：對話、摘要、媒體和筆記。",
    Phrase.ID: "這個聊天的 ID：{id}",
    Phrase.STILL_THINKING: "我還在想。請稍等一下再按按鈕，就會顯示答案。",
    Phrase.SHOW_BUTTON: "看答案",
    Phrase.NOTHING_TO_SHOW: "沒有新的內容可以顯示。答案已經在上面，或是已被刪除。",
    Phrase.UNSUPPORTED: "抱歉，我看不懂這種訊息。請傳文字或照片給我。",
    Phrase.APOLOGY_BUSY: "抱歉，我現在想不出回答。請稍等一下，再傳一次。",
    Phrase.APOLOGY_REFUSED: "抱歉，這個內容我無法回答。請換個說法，再傳一次。",
}

_THAI: Final[Mapping[Phrase, str]] = {
    Phrase.GREETING_FRIEND: (
        "สวัสดี ฉันคือ {bot} ทักมาได้ทุกเมื่อ ฉันจะตอบและจดจำเรื่องที่เราคุยกัน\n\n/help ดูวิธีใช้ /reset เริ่มใหม่ /forget ลบทุกอย่าง"
    ),
    Phrase.GREETING_GROUP: (
        "สวัสดี ฉันคือ {bot} หากต้องการฉัน ให้พิมพ์ “@{bot}” เรียกชื่อ หรือตอบกลับข้อความของฉัน นอกนั้นฉันจะฟังเงียบ ๆ\n\n"
        "/help ดูวิธีใช้ /bye ให้ฉันออกจากกลุ่ม"
    ),
    Phrase.HELP_FRIEND: (
        "วิธีใช้ {bot}\nพิมพ์คุยได้เลย ส่งรูป เสียง หรือไฟล์มาก็ได้\n\n"
        "/reset ลืมบทสนทนาแล้วเริ่มใหม่\n/exit หรือ /bye จบบทสนทนา (บันทึกยังอยู่)\n"
        "/forget ลบทุกอย่างรวมถึงบันทึก\n/id แสดง ID ของแชตนี้\n/help แสดงข้อความนี้"
    ),
    Phrase.HELP_GROUP: (
        "วิธีใช้ {bot}\nพิมพ์ “@{bot}” เรียกชื่อ หรือตอบกลับข้อความของฉัน\n\n"
        "/reset ลืมบทสนทนาแล้วเริ่มใหม่\n/exit หรือ /bye ลบทุกอย่างแล้วออกจากกลุ่ม\n"
        "/forget ลบทุกอย่างรวมถึงบันทึก\n/id แสดง ID ของกลุ่มนี้\n/help แสดงข้อความนี้"
    ),
    Phrase.GOODBYE_FRIEND: "ขอบคุณ ฉันลบบทสนทนาแล้ว แต่บันทึกยังอยู่ ทักมาใหม่ได้ทุกเมื่อ",
    Phrase.GOODBYE_GROUP: "ขอบคุณทุกคน ฉันจะลบทุกอย่างของกลุ่มนี้แล้วออกจากกลุ่ม",
    Phrase.RESET_DONE: "ลบบทสนทนาและสื่อที่ส่งมาแล้ว มาเริ่มกันใหม่",
    Phrase.FORGET_QUESTION: "การดำเนินการนี้จะลบบทสนทนา สรุป สื่อ และบันทึกทั้งหมด และย้อนกลับไม่ได้ ต้องการลบหรือไม่",
    Phrase.FORGET_BUTTON: "ลบทุกอย่าง",
    Phrase.FORGET_DONE: "ลบทุกอย่างแล้ว: บทสนทนา สรุป สื่อ และบันทึก",
    Phrase.ID: "ID ของแชตนี้: {id}",
    Phrase.STILL_THINKING: "ฉันยังคิดอยู่ รออีกสักครู่แล้วกดปุ่มเพื่อดูคำตอบ",
    Phrase.SHOW_BUTTON: "ดูคำตอบ",
    Phrase.NOTHING_TO_SHOW: "ไม่มีอะไรใหม่ให้แสดง คำตอบอยู่ด้านบนแล้ว หรือถูกลบไปแล้ว",
    Phrase.UNSUPPORTED: "ขออภัย ฉันอ่านข้อความประเภทนี้ไม่ได้ โปรดส่งเป็นข้อความหรือรูปภาพ",
    Phrase.APOLOGY_BUSY: "ขออภัย ตอนนี้ฉันคิดคำตอบไม่ออก โปรดรอสักครู่แล้วส่งมาอีกครั้ง",
    Phrase.APOLOGY_REFUSED: "ขออภัย ฉันตอบเรื่องนี้ไม่ได้ โปรดลองใช้คำอื่นแล้วส่งมาอีกครั้ง",
}

_TEXTS: Final[Mapping[str, Mapping[Phrase, str]]] = {
    "ja": _JAPANESE,
    "en": _ENGLISH,
    "zh-TW": _CHINESE,
    "th": _THAI,
}

LOCALES: Final = tuple(_TEXTS)
