# ruff: noqa: RUF001 -- full-width punctuation is how Japanese is written
"""The sentences that the default model recognises and says in a chat, for each language.

Patterns match lower-case words without final punctuation. The rules fill in `{words}`, `{key}`, `{value}` and `{detail}`; for example,
`last_words` with `{words}` "milk" becomes "You said: “milk”."
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

Language = Literal["ja", "en"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrases:
    """The phrases of a language. `greetings` are patterns with replies; `statement` and `question` have the group `key`."""

    greetings: tuple[tuple[str, str], ...]
    acknowledgements: tuple[str, ...]
    thanks: str
    asks_what_was_said: str
    statement: str
    question: str
    welcome: str
    echo: str
    unknown: str
    asks_what_it_can: str
    abilities: str
    media: Mapping[str, str]
    file: str
    result: str
    last_words: str
    no_last_words: str
    fact: str
    no_fact: str


JAPANESE = Phrases(
    greetings=(
        ("おはよう(?:ございます)?", "おはようございます！今日もよろしくお願いします。"),
        ("こんにち[はわ]", "こんにちは！何かお手伝いできることはありますか？"),
    ),
    acknowledgements=("ありがとう(?:ございます)?", "了解(?:です|しました)?", "わかりました", "はい"),
    thanks=r"ありがとう",
    asks_what_was_said=r".*(?:何て|なんて)言った.*",
    statement=r"(?:私の)?(?P<key>[^\s、。！はが]{1,20})は、?(?P<value>[^\s、。！]{1,40}?)(?:です|だよ)?(?=[、。！\s]|$)",
    question=r"(?:私の)?(?P<key>[^\s、。！？はがっ]{1,20})は(?:何ですか)?[?？]",
    welcome="どういたしまして。",
    echo="「{words}」ですね。よければ、もう少し聞かせてください。",
    unknown="「{words}」ですか。シミュレーターなので、わかりません。できることは /help でご覧ください。",
    asks_what_it_can=r".*何(?:が|を)?(?:でき(?:る|ます)|してくれ(?:る|ます)).*|(?:使い方|ヘルプ).*",
    abilities="メモやリマインダーを預かり、話したことを覚えています。/help に例があります。",
    media={
        "sticker": "スタンプ、いいですね！",
        "image": "画像を受け取りました。シミュレーターなので、中身は見えません。",
        "location": "{detail}ですね。気をつけて行ってらっしゃい。",
        "other": "シミュレーターには読めないものを受け取りました。",
    },
    file="ファイルの始まりは「{line}」ですね。",
    result="確認しました：{words}",
    last_words="「{words}」とおっしゃいました。",
    no_last_words="まだ何も伺っていません。",
    fact="{key}は{value}ですね。",
    no_fact="{key}については、まだ伺っていません。",
)

ENGLISH = Phrases(
    greetings=(
        (r"good morning\b", "Good morning! I hope your day starts well."),
        (r"(?:hello|hi|hey)\b", "Hello! What can I do for you?"),
    ),
    acknowledgements=(r"thanks?(?: you)?\b", r"ok(?:ay)?\b", r"got it\b"),
    thanks=r"\bthank",
    asks_what_was_said=r".*\bwhat did i(?: just)? say\b.*",
    statement=r"\bmy (?P<key>[a-z][a-z ]{0,30}?) is (?P<value>[^.!\n,]{1,60})",
    question=r".*\bwhat(?: is|['’]s) my (?P<key>[a-z][a-z ]{0,30}).*",
    welcome="You're welcome.",
    echo="I see: “{words}”. Tell me more if you like.",
    unknown="You ask: “{words}”. I am only a stand-in and cannot tell. /help shows what I can do.",
    asks_what_it_can=r".*\bwhat (?:can|do) you do\b.*|.*\bhow (?:do|can) i use (?:you|this)\b.*|help(?: me)?",
    abilities="I keep notes and reminders, and remember what we say. /help has examples.",
    media={
        "sticker": "Nice sticker!",
        "image": "Thanks for the picture. As a stand-in I cannot see what it shows.",
        "location": "{detail}: got it, have a good time there.",
        "other": "I received something that I cannot read as a stand-in.",
    },
    file="The file begins with “{line}”.",
    result="Here is what I found: {words}",
    last_words="You said: “{words}”.",
    no_last_words="You have not told me anything yet.",
    fact="Your {key} is {value}.",
    no_fact="You have not told me your {key} yet.",
)

PHRASES: Mapping[Language, Phrases] = {"ja": JAPANESE, "en": ENGLISH}
