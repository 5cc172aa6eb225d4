"""The fixed texts that the bot says without asking the model, in every locale it is set up for."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final


class Phrase(StrEnum):
    """What the bot has to say by itself."""

    GREETING_FRIEND = "greeting_friend"
    GREETING_GROUP = "greeting_group"
    APOLOGY_BUSY = "apology_busy"
    APOLOGY_REFUSED = "apology_refused"
    STILL_THINKING = "still_thinking"
    STILL_THINKING_BUTTON = "still_thinking_button"
    LATE_GONE = "late_gone"


def phrase(which: Phrase, *, locale: str, bot_name: str) -> str:
    """Return the text; `locale` is one of LOCALES."""
    return _TEXTS[locale][which].replace("{bot}", bot_name)


_TEXTS: Final[Mapping[str, Mapping[Phrase, str]]] = {
    "ja": {
        Phrase.GREETING_FRIEND: "はじめまして、{bot}です。話しかけてくれたら、会話を覚えながらお返事します。なんでも気軽にどうぞ。",
        Phrase.GREETING_GROUP: "はじめまして、{bot}です。ご用のときは「@{bot}」とメンションしてください。ほかのときは静かに聞いています。",
        Phrase.APOLOGY_BUSY: "ごめんなさい、今うまく考えられませんでした。少し待ってから、もう一度送ってください。",
        Phrase.APOLOGY_REFUSED: "ごめんなさい、その内容にはお答えできません。言い方を変えて、もう一度送ってください。",
        Phrase.STILL_THINKING: "まだ考えています。少ししたら、下のボタンを押してください。",
        Phrase.STILL_THINKING_BUTTON: "答えを見る",
        Phrase.LATE_GONE: "その答えはもう残っていません。もう一度聞いてください。",
    },
    "en": {
        Phrase.GREETING_FRIEND: "Hello, I am {bot}. Write to me any time; I answer, and I remember what we talked about.",
        Phrase.GREETING_GROUP: "Hello, I am {bot}. Mention me with “@{bot}” when you need me. Otherwise I listen quietly.",
        Phrase.APOLOGY_BUSY: "Sorry, I could not think of an answer just now. Please wait a moment and send it again.",
        Phrase.APOLOGY_REFUSED: "Sorry, I cannot answer that. Please put it in other words and send it again.",
        Phrase.STILL_THINKING: "I am still thinking. Press the button in a little while.",
        Phrase.STILL_THINKING_BUTTON: "Show the answer",
        Phrase.LATE_GONE: "I do not have that answer any more. Please ask me again.",
    },
    "zh-TW": {
        Phrase.GREETING_FRIEND: "你好，我是{bot}。隨時都可以傳訊息給我，我會回覆，也會記得我們聊過的事。",
        Phrase.GREETING_GROUP: "大家好，我是{bot}。需要我的時候請用「@{bot}」提及我，其他時候我會安靜地聽。",
        Phrase.APOLOGY_BUSY: "抱歉，我現在想不出回答。請稍等一下，再傳一次。",
        Phrase.APOLOGY_REFUSED: "抱歉，這個內容我無法回答。請換個說法，再傳一次。",
        Phrase.STILL_THINKING: "我還在想。請稍後按下面的按鈕。",
        Phrase.STILL_THINKING_BUTTON: "查看回答",
        Phrase.LATE_GONE: "那個回答已經不在了，請再問我一次。",
    },
    "th": {
        Phrase.GREETING_FRIEND: "สวัสดี ฉันคือ {bot} ทักมาได้ทุกเมื่อ ฉันจะตอบและจดจำเรื่องที่เราคุยกัน",
        Phrase.GREETING_GROUP: "สวัสดี ฉันคือ {bot} หากต้องการฉัน ให้พิมพ์ “@{bot}” เพื่อเรียก นอกนั้นฉันจะฟังเงียบ ๆ",
        Phrase.APOLOGY_BUSY: "ขออภัย ตอนนี้ฉันคิดคำตอบไม่ออก โปรดรอสักครู่แล้วส่งมาอีกครั้ง",
        Phrase.APOLOGY_REFUSED: "ขออภัย ฉันตอบเรื่องนี้ไม่ได้ โปรดลองใช้คำอื่นแล้วส่งมาอีกครั้ง",
        Phrase.STILL_THINKING: "ฉันกำลังคิดอยู่ อีกสักครู่โปรดกดปุ่มด้านล่าง",
        Phrase.STILL_THINKING_BUTTON: "ดูคำตอบ",
        Phrase.LATE_GONE: "ไม่มีคำตอบนั้นแล้ว โปรดถามอีกครั้ง",
    },
}

LOCALES: Final = tuple(_TEXTS)
