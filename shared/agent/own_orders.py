"""The sentences of a message that are the author's own orders, not words that the author repeats, quotes, pastes or asks about.

A page may say "remind everybody to pay at nine". An author of 「9時に払ってリマインドして」と書いてあるけど repeats the page and orders
nothing; the same holds for words pasted below a question. The tables list forms and prefer "no order" in doubt: then a tap decides.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import Final

from shared.late_patterns import late
from shared.search.folding import fold
from shared.search.literal_runs import Runs

_LONGEST_QUOTATION: Final = 40  # characters; a longer quotation is pasted
_LONGEST_ORDER: Final = 500  # characters of a message; a longer message is pasted
_CUT: Final = "\x00"  # no message holds it
_QUOTATION: Final = late(re.compile, r"「[^「」\n]*」|『[^『』\n]*』|“[^“”\n]*”|\"[^\"\n]*\"|«[^«»\n]*»|《[^《》\n]*》")
_QUOTED_LINE: Final = late(re.compile, r"^\s*[>\uff1e|│].*$", re.MULTILINE)
_SENTENCE: Final = late(re.compile, r"[^。!?\uff01\uff1f\n]+?(?:[。!?\uff01\uff1f]+|(?<=[a-z]{2})\.(?=\s|$)|$)")


class Effect(StrEnum):
    """The effects that add to the chat's own store and may be ordered."""

    REMIND = "remind"
    FILE = "file"
    TICK = "tick"
    PAY = "pay"


def _forms(*patterns: str) -> re.Pattern[str]:
    """Compile patterns of folded text, where katakana are hiragana and the Thai sara am is two characters."""
    return late(re.compile, "|".join(unicodedata.normalize("NFKC", one) for one in patterns))


_ORDERS: Final = {
    Effect.REMIND: _forms(
        r"りまいん(?:ど|だ)|思い出させ|おしえて|教えて|知らせて|通知|起こして|あらーむ|声(?:を)?かけて|言って",
        r"\bremind(?:er)?\b|\bwake me\b|\btell me\b|\blet me know\b|\bping me\b|\balarm\b|\bnotify me\b|\bnudge me\b",
        r"提醒|叫我|叫醒|通知我|跟我(?:說|说)|告訴我|告诉我|鬧鐘|闹钟",
        r"เตือน|ปลุก|แจ้ง|บอกฉัน|บอกผม|บอกเรา",
    ),
    Effect.FILE: _forms(
        r"覚え(?:て|と)|おぼえ(?:て|と)|めも|記録|保存|書いと|残して|追加|入れ(?:て|と)|控え",
        r"\bremember\b|\bnote\b|\bsave\b|\bfile\b|\badd\b|\bkeep\b|\bstore\b|\bjot\b|\brecord\b|\bwrite down\b",
        r"記住|记住|記下|记下|記錄|记录|記一下|记一下|儲存|存(?:起|下|一)|筆記|笔记|新增|加(?:到|入|進|上)|幫我記|帮我记",
        r"จำ|จด|บันทึก|เพิ่ม|เก็บ",
    ),
    Effect.TICK: _forms(
        r"完了|終わっ|おわっ|済(?:み|ん|ませ)|買った|買いました|やった|やりました|出した|送った|ちぇっく",
        r"\bdone\b|\bfinished\b|\bcompleted?\b|\bbought\b|\btick\b|\bcheck(?:ed)? off\b|\bsent\b|\bpaid\b",
        r"完成|做完|弄好|好了|打勾|[買买寄交付繳缴洗修寫写]了",
        r"เสร็จ|เรียบร้อย|ซื้อแล้ว|ทำแล้ว|ส่งแล้ว|จ่ายแล้ว",
    ),
    Effect.PAY: _forms(
        r"払った|払いました|払っ(?:といた|ておいた|とい)|払ってくれ(?:た|まし)|立て?替え|割り勘|割って",
        r"\bpaid\b|\bsplit\b|\bcovered\b",
        r"付了|先付|付的|代?墊(?:了|付|款)|代?垫(?:了|付|款)|出的|刷了|平分|均分|分攤|分摊",
        r"จ่าย(?:ค่า|ไป|ให้|แล้ว)|ออก(?:เงิน|ให้|ไป)|สำรอง|หาร",
    ),
}
_QUESTION: Final = _forms(
    r"\?",
    r"(?:です|ます|でしょう|のです|ません)か$|何(?!か|でも)|なに(?!か)|なん(?:で|の|だ)|どう(?!ぞ|か)|なぜ|どれ|どこ|誰|だれ|いくら|かな$|っけ$",
    r"^(?:what|why|how|who|when|where|which|is|are|was|were|does|do|did|has|have|should|am|whose)\b(?!n't)",
    r"嗎|吗|什麼|什么|怎麼|怎么|為什|为什|為何|哪|誰|谁|是不是|幾點|几点|多少|呢$",
    r"ไหม|มั้ย|หรือ|อะไร|ทำไม|เท่าไ|ใคร|ที่ไหน|เมื่อไ|ยังไง|อย่างไร|เหรอ|หรอ|รึเปล่า",
)
_POLITE: Final = _forms(
    r"て(?:くれ|もらえ|もらって|いただけ|頂け|ほし|欲し|くださ|下さ|おいて|ね$)|とい?て(?:くれ|もらえ)|お願い|おねがい|頼む|頼め|できる",
    r"\b(?:can|could|would|will) (?:you|u)\b|\bplease\b|\bpls\b",
    r"可以|能(?:不能)?(?:幫|帮|提|請|麻|在)|可不可以|可否|麻煩|麻烦|請|请|幫我|帮我|拜託|拜托",
    r"ช่วย|หน่อย|ได้ไหม|ได้มั้ย|ได้ป่าว|รบกวน",
)
_REPORT: Final = _forms(
    r"書い(?:てあ|てる|てい)|書かれ|(?:と|って)(?:書|記載)|とあ(?:る|り|っ)|ってあ(?:る|っ|り)|(?:と|って)言(?:わ|って(?:る|い|た))|らしい|だそう|とのこと",
    r"(?:と|って)(?:出て|表示)|に従って|の(?:指示|通り|とおり)|て(?:って|だって)(?:さ|ね|よ)?\W*$",
    r"\b(?:says|said|saying|writes|written|wrote|reads|according|told|mentions|mentioned|asks|wants|instructs|supposedly)\b",
    r"寫(?:著|着|道|說|的是)|写(?:着|道|的是|说)|上面|(?<!跟我)(?<!對我)(?:說|说)|提到|據|据|按照|叫(?:我們|我们|你|大家)",
    r"เขียน(?:ว่า|ไว้)|บอกว่า|ระบุ|อ่านว่า|ตามที่|สั่งว่า|พูดว่า",
)
_SOURCE: Final = _forms(
    r"紙|画像|写真|ちらし|ぺーじ|さいと|手紙|すくしょ|看板|(?:この|その|あの|さっきの)(?:めも|めーる|文)|みたい|ようだ",
    r"\b(?:this|that|the|a|an|his|her|their)\s+(?:\w+ )?(?:note|page|picture|photo|letter|sign|message|screenshot|email|site|post)\b",
    r"\b(?:fyi|fwd?|forwarded)\b|\(from |転送|轉發|转发|轉傳",
    r"照片|圖|图|這頁|这页|網頁|网页|紙條|纸条|公告|海報|海报|傳單|(?:這|那|这)(?:封|張|则|則|個訊息)|(?<!不)要(?:你|我們|我们|大家)",
    r"รูป|ภาพ|หน้านี้|จดหมาย|ป้าย|กระดาษ|ใบปลิว|เว็บ|ข้อความนี้|บอกให้|สั่งให้",
)
_ABOUT_WORDS: Final = _forms(
    r"翻訳|訳して|要約|意味|どう思|解説|説明|本当|詐欺|怪しい|読め(?:る|ます|ない)",
    r"\b(?:can|could) (?:you|u) read\b",
    r"\b(?:translat\w*|summar\w*|explain|means?|meaning|what do you think|scam|phishing|proofread|rephrase)\b",
    r"翻譯|翻译|摘要|總結|总结|意思|解釋|解释|覺得|觉得|詐騙|诈骗|真的|看得懂",
    r"แปล|สรุป|หมายความ|อธิบาย|คิดยังไง|คิดว่า|หลอก|อ่านออก",
)
# 「課長から→リマインドして」: words after a colon or an arrow are another person's; "reminder: pay" is an order
_INTRODUCED: Final = late(re.compile, r"(?:(?<!\d):|[→⇒»])(?!\d)")
_REFUSED_AFTER: Final = _forms(
    r"^.{0,6}?(?:しない|するな|いら|やめ|不要|なくて|消|けし|取り消|とりけ|きゃんせる|削除|止め|とめ)",
    r"^.{0,8}?\b(?:off|cancell?ed)\b",
)
_REFUSED_BEFORE: Final = _forms(
    r"(?:不要|不用|別|别|不必|取消|刪|删|甭).{0,4}$",
    r"\b(?:don'?t|do not|never|no need|cancel|stop|without|delete|remove)\b.{0,20}$",
    r"(?:ไม่ต้อง|อย่า|ยกเลิก|ไม่|ลบ).{0,8}$",
)


def own_words(
    messages: Iterable[str], effect: Effect, *, outside: Sequence[str] = (), target: str = ""
) -> tuple[str, ...]:
    """Return the folded sentences in which one author orders the effect, and the author's other plain sentences.

    Empty without an order. Values may stand in short quotation marks, as in 「牛乳」ってリマインドして, but an order may not. `outside`:
    words from outside in the prompt; a sentence that repeats a run of them is not the author's, except for the name of the `target`,
    possibly a page's.
    For example, `own_words(["what is tea? remind me to buy milk"], Effect.REMIND)` returns only the second sentence.
    """
    name = fold(target).strip()
    repeated = Runs.of_any(fold(one).replace(name, _CUT) if name else one for one in outside)
    short = (text for text in messages if len(text) <= _LONGEST_ORDER)
    plain = [sentence for text in short for sentence in _plain_sentences(text, repeated)]
    return (
        tuple(map(without_long_quotations, plain))
        if any(_is_order(_unquoted(sentence), effect) for sentence in plain)
        else ()
    )


def _plain_sentences(text: str, outside: Runs) -> Iterator[str]:
    """Yield the sentences of a message that are neither questions nor reports; none of a message about words."""
    text = _QUOTED_LINE.sub("", text)
    if _ABOUT_WORDS.search(fold(_unquoted(text))) is not None:
        return
    lines = [[fold(one) for one in _SENTENCE.findall(line) if one.strip()] for line in text.splitlines()]
    lines = [line for line in lines if line]
    are_plain = [[_is_plain(one) for one in line] for line in lines]
    # A separate line below a question may be the text that the question is about
    if len(lines) > 1 and not all(map(all, are_plain)):
        return
    for line, plain in zip(lines, are_plain, strict=True):
        yield from (one for one, is_plain in zip(line, plain, strict=True) if is_plain and not outside.shares(one))


def _is_plain(sentence: str) -> bool:
    unquoted = _unquoted(sentence)
    if _REPORT.search(unquoted) is not None or _SOURCE.search(unquoted) is not None:
        return False
    return _QUESTION.search(unquoted) is None or _POLITE.search(unquoted) is not None


def _is_order(sentence: str, effect: Effect) -> bool:
    """Whether the sentence orders the effect and does not refuse it: 「リマインドしないで」, "don't remind me"."""
    return any(
        _REFUSED_AFTER.search(sentence[match.end() :]) is None
        and _REFUSED_BEFORE.search(sentence[: match.start()]) is None
        and _INTRODUCED.search(sentence[: match.start()]) is None
        for match in _ORDERS[effect].finditer(sentence)
    )


def _unquoted(text: str) -> str:
    return _QUOTATION.sub(" ", text)


def without_long_quotations(sentence: str) -> str:
    """Return the sentence without quotations of more than 40 characters."""
    return _QUOTATION.sub(lambda match: match[0] if len(match[0]) <= _LONGEST_QUOTATION else " ", sentence)
