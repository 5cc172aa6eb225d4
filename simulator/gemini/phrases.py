# ruff: noqa: RUF001 -- full-width punctuation is how these languages are written
"""The words that the stand-in knows: what it recognises and what it says, a table for each language.

Patterns are matched against casefolded words without punctuation at their ends. `{words}`, `{key}`, `{value}` and
`{detail}` are filled in by `brain`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

Language = Literal["ja", "en", "zh", "th", "ko"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrases:
    """One language. A greeting is answered by the reply beside its pattern."""

    greetings: tuple[tuple[str, str], ...]
    acknowledgements: tuple[str, ...]
    asks_for_help: str
    help: str
    welcome: str
    echo: str
    unknown: str
    media: Mapping[str, str]
    fallback: str
    result: str
    failure: str
    said: str = ""
    said_nothing: str = ""
    asks_what_was_said: str = r"(?!)"  # matches nothing
    statements: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    name_key: str = "name"
    same_keys: Mapping[str, str] = field(default_factory=dict)
    fact: str = ""
    no_fact: str = ""


JAPANESE = Phrases(
    greetings=(
        ("おはよう(?:ございます)?", "おはようございます！今日もよろしくお願いします。"),
        ("こんにち[はわ]|やあ|どうも|ハロー|もしもし", "こんにちは！何かお手伝いできることはありますか？"),
        ("こんばん[はわ]", "こんばんは！今日はどんな一日でしたか？"),
        ("おやすみ(?:なさい)?", "おやすみなさい。ゆっくり休んでくださいね。"),
        ("はじめまして|初めまして", "はじめまして！どうぞよろしくお願いします。"),
        ("ただいま", "おかえりなさい！"),
    ),
    acknowledgements=(
        "(?:どうも)?ありがとう(?:ございます|ございました|ね)?", "ありがと", "サンキュー", "感謝(?:です|します)",
        "(?:了解|承知|りょうかい)(?:です|しました|いたしました)?", "りょ", "わかった", "わかりました", "分かった", "分かりました",
        "(?:オッケー|おっけー|おけ)(?:です)?", "はーい", "はい", "うん", "なるほど", "お疲れ様(?:です|でした)?", "助かりました",
    ),
    asks_for_help="(?:使い方|ヘルプ)(?:を?教えて(?:ください)?)?|.*何が?でき(?:る|ます)(?:の|か|んですか)?|.*なにができる.*",
    help="お話を聞いて、前におっしゃったことを思い出せます。私は手元で動く Gemini の代役なので、調べものはできません。",
    welcome="どういたしまして。",
    echo="「{words}」ですね。よければ、もう少し聞かせてください。",
    unknown="「{words}」ですか。代役の私にはわかりません。ごめんなさい。",
    media={
        "sticker": "スタンプ、いいですね！",
        "image": "画像を受け取りました。代役の私には中身が見えません。",
        "video": "動画を受け取りました。代役の私には中身が見えません。",
        "audio": "音声を受け取りました。代役の私には聞き取れません。",
        "file": "ファイルを受け取りました。",
        "location": "{detail}ですね。気をつけて行ってらっしゃい。",
        "other": "代役の私には読めないものを受け取りました。",
    },
    fallback="うまく言葉にできませんでした。もう一度お願いします。",
    result="確認しました：{words}",
    failure="うまくいきませんでした：{words}",
    said="「{words}」とおっしゃいました。",
    said_nothing="まだ何も伺っていません。",
    asks_what_was_said=r".*(?:何て|なんて|何と|なんと)(?:言|い|書)(?:った|いた|いまし).*|.*(?:何を|なにを)(?:言|書)(?:った|いた|いまし).*",
    statements=(
        (r"(?:(?:私|わたし|僕|ぼく|俺|おれ)の)?(?P<key>[^\s、。！はが]{1,20})は、?(?P<value>[^\s、。！]{1,40}?)"
        r"(?:です|だよ|だ|といいます|と申します)?(?:よ|ね)?(?=[、。！\s]|$)"),
    ),
    questions=(
        (r"(?:(?:私|わたし|僕|ぼく|俺|おれ)の)?(?P<key>[^\s、。！？はがっ]{1,20})(?:は|って)、?"
        r"(?:何|なに|なん|どこ|誰|だれ|いつ)(?:色|歳|時)?(?:だっけ|でしたっけ|ですか|でしょうか|だった|か)?[?？]?"),
        r"(?:(?:私|わたし|僕|ぼく|俺|おれ)の)?(?P<key>[^\s、。！？はがっ]{1,20})は[?？]",
        r"(?:(?:私|わたし|僕|ぼく|俺|おれ)の)?(?P<key>[^\s、。！？はがっ]{1,20}?)を?(?:覚えて(?:る|い?ます)か?|知って(?:る|い?ます)か?)[?？]?",
    ),
    name_key="名前",
    same_keys={"お名前": "名前"},
    fact="{key}は{value}ですね。",
    no_fact="{key}については、まだ伺っていません。",
)  # fmt: skip

ENGLISH = Phrases(
    greetings=(
        (r"good morning\b", "Good morning! I hope your day starts well."),
        (r"good afternoon\b", "Good afternoon! How can I help?"),
        (r"good evening\b", "Good evening! How was your day?"),
        (r"good night\b", "Good night, sleep well."),
        (r"(?:hello|hi|hey|howdy|greetings)\b", "Hello! What can I do for you?"),
        (r"nice to meet you\b", "Nice to meet you too!"),
    ),
    acknowledgements=(
        r"ok(?:ay)?\b", r"k\b", r"thanks?(?: you)?(?: (?:so|very) much| a lot)?\b", r"thx\b", r"ty\b", r"got it\b", r"cool\b",
        r"great\b", r"nice\b", r"sure\b", r"all ?right\b", r"understood\b", r"no problem\b", r"will do\b", r"sounds good\b",
    ),
    asks_for_help=r"help(?: me| please)?|.*\bwhat can you do\b.*|.*\bhow do you work\b.*|.*\bwho are you\b.*",
    help=(
        "I listen, and I recall what you told me earlier in this chat. "
        "I am a local stand-in for Gemini, so I cannot look anything up."
    ),
    welcome="You're welcome.",
    echo="I see: “{words}”. Tell me more if you like.",
    unknown="You ask: “{words}”. I am only a stand-in and cannot tell, sorry.",
    media={
        "sticker": "Nice sticker!",
        "image": "Thanks for the picture. As a stand-in I cannot see what it shows.",
        "video": "Thanks for the video. As a stand-in I cannot watch it.",
        "audio": "Thanks for the voice message. As a stand-in I cannot hear it.",
        "file": "Thanks, I got the file.",
        "location": "{detail}: got it, have a good time there.",
        "other": "I received something that I cannot read as a stand-in.",
    },
    fallback="I could not put that into words. Could you say it again?",
    result="Here is what I found: {words}",
    failure="That did not work: {words}",
    said="You said: “{words}”.",
    said_nothing="You have not told me anything yet.",
    asks_what_was_said=r".*\bwhat (?:did i|have i)(?: just)? (?:say|said|tell you|told you|write|written|ask|asked)\b.*",
    statements=(
        r"\bmy (?P<key>[a-z][a-z ]{0,30}?)(?: is|['’]s) (?P<value>[^.!\n,]{1,60})",
        r"\b(?:please )?call me (?P<value>[^.!\n,]{1,60})",
    ),
    questions=(
        r".*\b(?:what|which|who|when|where)(?: is| was|['’]s) my (?P<key>[a-z][a-z ]{0,30}).*",
        r".*\bwhat my (?P<key>[a-z][a-z ]{0,30}?) (?:is|was)\b.*",
        r".*\bdo you (?:know|remember) my (?P<key>[a-z][a-z ]{0,30}).*",
    ),
    same_keys={"favorite": "favourite", "color": "colour", "again": ""},
    fact="Your {key} is {value}.",
    no_fact="You have not told me your {key} yet.",
)  # fmt: skip

CHINESE = Phrases(
    greetings=(
        ("早安|早上好", "早安！祝你有美好的一天。"),
        ("晚安", "晚安，好好休息。"),
        ("你好|您好|哈囉|嗨|大家好|午安", "你好！有什麼我可以幫忙的嗎？"),
    ),
    acknowledgements=("謝謝(?:你|您)?", "多謝", "感謝(?:你|您)?", "好的?", "收到", "了解", "知道了", "沒問題"),
    asks_for_help=".*(?:你會做什麼|你能做什麼|怎麼用).*",
    help="我會聽你說話。我是在本機執行的 Gemini 替身，無法查詢資料。",
    welcome="不客氣。",
    echo="你說的是「{words}」。願意的話，可以多告訴我一些。",
    unknown="你問「{words}」。我只是替身，不知道答案，抱歉。",
    media={
        "sticker": "這張貼圖真不錯！",
        "image": "收到圖片了。我是替身，看不到內容。",
        "video": "收到影片了。我是替身，看不到內容。",
        "audio": "收到語音了。我是替身，聽不到內容。",
        "file": "收到檔案了。",
        "location": "{detail}，知道了。",
        "other": "收到了我讀不懂的內容。",
    },
    fallback="我沒能表達清楚，請再說一次。",
    result="結果如下：{words}",
    failure="沒有成功：{words}",
)

THAI = Phrases(
    greetings=(("สวัสดี|หวัดดี|ฮัลโหล", "สวัสดี! มีอะไรให้ช่วยไหม"), ("อรุณสวัสดิ์", "อรุณสวัสดิ์!"), ("ราตรีสวัสดิ์|ฝันดี", "ฝันดีนะ")),
    acknowledgements=("ขอบคุณ(?:มาก)?(?: ?ครับ| ?ค่ะ| ?นะ)*", "โอเค", "รับทราบ", "ได้เลย", "เข้าใจแล้ว"),
    asks_for_help=".*(?:ทำอะไรได้บ้าง|ช่วยอะไรได้).*",
    help="ฉันรับฟังคุณได้ ฉันเป็นตัวแทนของ Gemini ที่ทำงานในเครื่องนี้ จึงค้นหาข้อมูลไม่ได้",
    welcome="ยินดี",
    echo="คุณพูดว่า “{words}” เล่าต่อได้นะ",
    unknown="คุณถามว่า “{words}” ฉันเป็นแค่ตัวแทน จึงตอบไม่ได้ ขอโทษนะ",
    media={
        "sticker": "สติกเกอร์น่ารักจัง!",
        "image": "ได้รับรูปแล้ว แต่ตัวแทนอย่างฉันมองไม่เห็น",
        "video": "ได้รับวิดีโอแล้ว แต่ตัวแทนอย่างฉันดูไม่ได้",
        "audio": "ได้รับเสียงแล้ว แต่ตัวแทนอย่างฉันฟังไม่ได้",
        "file": "ได้รับไฟล์แล้ว",
        "location": "{detail} รับทราบแล้ว",
        "other": "ได้รับสิ่งที่ตัวแทนอย่างฉันอ่านไม่ได้",
    },
    fallback="ฉันพูดไม่ออก ลองอีกครั้งนะ",
    result="ผลลัพธ์: {words}",
    failure="ไม่สำเร็จ: {words}",
)

KOREAN = Phrases(
    greetings=(
        ("안녕(?:하세요|하십니까)?", "안녕하세요! 무엇을 도와드릴까요?"),
        ("좋은 아침(?:이에요|입니다)?", "좋은 아침이에요!"),
        ("잘 ?자(?:요)?|안녕히 주무세요", "안녕히 주무세요."),
    ),
    acknowledgements=(
        "고마워(?:요)?",
        "감사(?:합니다|해요)",
        "네",
        "응",
        "알겠(?:어요|습니다)",
        "알았어(?:요)?",
        "오케이",
        "확인했습니다",
    ),
    asks_for_help=".*(?:뭘 할 수 있|무엇을 할 수 있|도움말).*",
    help="말씀을 들어 드릴 수 있어요. 저는 이 컴퓨터에서 도는 Gemini 대역이라 검색은 못 해요.",
    welcome="천만에요.",
    echo="“{words}”라고 하셨네요. 더 들려주세요.",
    unknown="“{words}”라고 물으셨네요. 저는 대역이라 알 수 없어요. 죄송해요.",
    media={
        "sticker": "스티커 멋지네요!",
        "image": "사진을 받았어요. 저는 대역이라 볼 수 없어요.",
        "video": "동영상을 받았어요. 저는 대역이라 볼 수 없어요.",
        "audio": "음성을 받았어요. 저는 대역이라 들을 수 없어요.",
        "file": "파일을 받았어요.",
        "location": "{detail}, 알겠어요.",
        "other": "제가 읽을 수 없는 것을 받았어요.",
    },
    fallback="말로 옮기지 못했어요. 다시 말씀해 주세요.",
    result="결과예요: {words}",
    failure="잘되지 않았어요: {words}",
)

PHRASES: Mapping[Language, Phrases] = {
    "ja": JAPANESE,
    "en": ENGLISH,
    "zh": CHINESE,
    "th": THAI,
    "ko": KOREAN,
}
