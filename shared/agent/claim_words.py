# ruff: noqa: RUF001 - the punctuation of four languages
"""How a reply claims a deed, in four languages: a reminder, a note or a deletion, done or promised; and what only sounds like a claim.

`DONE` claims: "I've set a reminder". `PROMISED` claims: "I'll remind you". `NO_CLAIM`, of a sentence: "I noted that yesterday", "Yuki
deleted it". `NO_PROMISE`, of a sentence: "tell me the hour and I'll remind you".
"""

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from shared.late_patterns import late


class Claim(StrEnum):
    """A deed that a reply claims: "I'll remind you", "noted", "I deleted it"."""

    REMINDER = "reminder"
    NOTE = "note"
    DELETION = "deletion"


def _any(*patterns: str) -> re.Pattern[str]:
    return late(re.compile, "|".join(patterns), re.IGNORECASE)


# Japanese: a verb in -ました is done; -ておきます and -ますね are promises, bare -します is as often an instruction.
_JA_DID: Final = r"(?:を)?(?:し|いたし)(?:ました|ておきました|ときました|たよ|ておいたよ|といたよ)"
_JA_WILL: Final = r"(?:を)?(?:し|いたし)(?:ておきます|ときます|ますね|ておくね|とくね)"
_JA_REMINDER: Final = r"(?:リマインダー?|リマインド|アラーム)"
_JA_AT: Final = r"(?:時|分|頃|ごろ|朝|夜|夕方|明日|前日|当日|なったら|前に|来たら)"
_JA_NOTES: Final = r"(?:メモ|リスト|ノート|受信箱)"

# Chinese: 幫你 and its like stand before the verb.
_ZH_FOR: Final = r"(?:[幫替為給][你妳您])?"
_ZH_OBJECT: Final = r"(?:把[^，。]{0,16}?)?"
_ZH_DID: Final = rf"已(?:經)?{_ZH_FOR}{_ZH_OBJECT}"
_ZH_WILL: Final = rf"(?:我會|我來|我這就|馬上|我先)(?:就)?{_ZH_FOR}{_ZH_OBJECT}"

_EN_DID: Final = r"\bI(?:['’]ve| have)?(?: just| now| also)* "
_EN_WILL: Final = r"\bI(?:['’]ll| will)(?: be sure to| make sure to| go ahead and| also| then)? "
_EN_FIRST: Final = r"^(?:(?:ok(?:ay)?|got it|sure|done|great|alright|perfect|yes)[,:\s—–-]+)?"
_EN_LAST: Final = r"(?=\s*$|\s*[.!:,—–]|\s+(?:it|that|this|your|the|as|under|for)\b)"

# Thai: no space between words; แล้ว means "done" only at the end of a clause, else "and then".
_TH_DID: Final = r"(?:แล้ว|เรียบร้อย)(?=ค่ะ|ครับ|คะ|นะ|จ้า|เลย|ที่|\s|[!.”\"]|$)(?!\S{0,12}(?:ไหม|มั้ย|หรือ))"
_TH_WILL: Final = r"(?:จะ|เดี๋ยว)(?:ช่วย)?"
_TH_NO_QUESTION: Final = r"(?!(?:(?!ค่ะ|ครับ|นะ).){0,30}?(?:ไหม|มั้ย|หรือเปล่า|หรือไม่|กี่โมง|เมื่อไ|ตอนไหน))"

DONE: Final[Mapping[Claim, re.Pattern[str]]] = {
    Claim.REMINDER: _any(
        rf"{_JA_REMINDER}(?:は|も|を|の)?[^、。]{{0,16}}?(?:設定|セット|登録|作成|予約|追加){_JA_DID}",
        rf"{_JA_REMINDER}(?:を|も)?(?:入れ|かけ)(?:ました|ておきました|たよ)",
        r"(?:提醒|鬧鐘)[^，。]{0,10}?(?:設|設定|建立|排|安排)好了",
        r"(?:設|設定|建立|新增|排)(?:好|了)[^，。]{0,14}?提醒",
        rf"{_ZH_DID}(?:設|建立|新增|安排)[^，。]{{0,18}}?提醒",
        r"提醒已(?:經)?(?:設|建立|新增|安排)",
        rf"{_EN_DID}(?:set|scheduled|created|added|put)(?: up)?\b[^.!?\n]{{0,40}}?\b(?:reminders?|alarms?|alerts?)\b",
        r"\breminders?\b[^.!?\n]{0,30}?(?:\bis|\bare|\bhas been|\bhave been|['’]s)(?: now| all| been)* (?:set|scheduled)\b",
        rf"{_EN_FIRST}reminders? (?:set|scheduled|created)\b",
        rf"ตั้ง(?:การ|เวลา|ค่าการ)?(?:แจ้ง)?(?:เตือน|ปลุก)[^\n]{{0,40}}?{_TH_DID}",
    ),
    Claim.NOTE: _any(
        rf"(?:メモ|記録|保存|登録){_JA_DID}",
        rf"{_JA_NOTES}に(?:追加|記入){_JA_DID}",
        rf"{_JA_NOTES}に(?:書いておき|書き|入れ|入れておき|残し|残しておき|加え|加えておき)ました",
        r"(?:書き(?:留|と)め|控え|覚え)(?:ました|ておきました|ときました|たよ|ておいたよ|といたよ)",
        r"(?:記|寫|存|抄)(?:下|好|起)來?了|記錄(?:好|下來)?了|記住了",
        rf"{_ZH_DID}(?:記錄|記下|儲存|存下|存好|存入|新增|加入|加到|記到|記在|寫入)(?![^，。]{{0,18}}提醒)",
        r"(?:加|存|記|寫)(?:到|進|入)[^，。！？]{0,12}?[裡中]?了",
        rf"{_EN_DID}(?:noted|saved|recorded|filed|logged|jotted|stored)\b",
        rf"{_EN_DID}(?:(?:written|wrote) (?:it|that|this)|made a note)",
        rf"{_EN_DID}(?:added|put)\b[^.!?\n]{{0,40}}?\b(?:to|in|on) (?:your|the|our) (?:\w+ )?(?:list|notes?|inbox)\b",
        rf"{_EN_FIRST}(?:noted|saved|recorded|filed|logged){_EN_LAST}",
        r"\b(?:it|that|this|note|everything)(?:['’]s| has) (?:now |all )?been (?:noted|saved|recorded|filed|added)\b",
        rf"(?:จด|บันทึก|โน้ต|เก็บไว้)[^\n]{{0,30}}?{_TH_DID}",
        rf"เพิ่ม[^\n]{{0,30}}?(?:ใน|เข้า|ลง)(?:รายการ|โน้ต|บันทึก|ลิสต์)[^\n]{{0,15}}?{_TH_DID}",
    ),
    Claim.DELETION: _any(
        rf"(?:削除|消去|キャンセル){_JA_DID}",
        r"(?:(?<!取り)消|取り消|外)し(?:ました|ておきました|ときました|たよ)",
        r"(?:刪除?|移除|清除|清空)(?:掉|好|乾淨)?了",
        rf"{_ZH_DID}(?:刪|移除|清除|清空)",
        r"(?:[幫替][你妳您]|我)[^，。]{0,12}?取消了|(?:提醒|鬧鐘)[^，。]{0,8}?取消(?:好)?了",
        rf"{_ZH_DID}取消[^，。]{{0,14}}?提醒",
        rf"{_EN_DID}(?:deleted|removed|erased|cancell?ed|cleared|wiped|taken (?:it|that|this) off|crossed (?:it|that|this) off)\b",
        rf"{_EN_FIRST}(?:deleted|removed|erased|cancell?ed){_EN_LAST}",
        r"\b(?:notes?|reminders?|entry|entries|items?)\b[^.!?\n]{0,30}?(?:has been|have been|is now|are now) "
        r"(?:deleted|removed|erased|cancell?ed)\b(?! by)",
        rf"(?<!ถูก)(?:ลบ|เอา[^\n]{{1,20}}?ออก|ยกเลิก(?:การ)?(?:แจ้ง)?เตือน)[^\n]{{0,30}}?{_TH_DID}",
    ),
}

PROMISED: Final[Mapping[Claim, re.Pattern[str]]] = {
    Claim.REMINDER: _any(
        r"リマインド(?:を)?(?:(?:し|いたし|させていただき)(?:ます|ておきます|とくね|ておくね)|するね|するよ)(?!か|の)",
        rf"{_JA_REMINDER}(?:を|も)?(?:設定|セット|登録){_JA_WILL}",
        rf"{_JA_AT}(?:に|には|、)?[^、。？?]{{0,16}}?(?:お知らせ|お声がけ|お声かけ|通知|お伝え|声を?かけ)(?:し|いたし)?ますね",
        r"(?:我會|到時候?我?會?|屆時(?:我會)?|會在|會於|準時)[^，。？?]{0,16}?(?:提醒|通知|叫)(?:[你妳您]|大家|各位)",
        rf"{_EN_WILL}(?:remind|ping|nudge|alert)\b",
        rf"{_EN_WILL}(?:(?:tell|message|notify) you|let you know) (?:at|in|when it)\b",
        rf"(?<!แอป)(?<!ระบบ)(?:จะ|เดี๋ยว)[^\n]{{0,10}}?เตือน{_TH_NO_QUESTION}",
    ),
    Claim.NOTE: _any(
        rf"(?:メモ|記録|保存|登録){_JA_WILL}",
        r"(?:覚えて|書き(?:留|と)めて|控えて)(?:おきます|おくね|おきますね)",
        rf"{_ZH_WILL}(?:記(?:下|起|住|錄|好)|存(?:下|起|好)|寫下)",
        rf"{_EN_WILL}(?:note|save|record|file|log|jot|make a note|remember)\b",
        rf"{_EN_WILL}(?:(?:write|add|put) (?:it|that|this)\b|keep (?:it|that|this) in mind)",
        rf"{_TH_WILL}(?:จด|บันทึก|จำ|โน้ต)(?:ไว้|ให้|เรื่อง|ลง|เก็บ){_TH_NO_QUESTION}",
    ),
    Claim.DELETION: _any(
        rf"(?:削除|消去|キャンセル){_JA_WILL}",
        r"(?:消|取り消)し(?:ておきます|ときます|ますね|ておくね|とくね)",
        rf"{_ZH_WILL}(?:刪|移除|清除|取消)",
        rf"{_EN_WILL}(?:delete|remove|erase|cancel|clear)\b",
        rf"{_TH_WILL}ลบ{_TH_NO_QUESTION}",
    ),
}

NO_CLAIM: Final = _any(
    r"すでに|既に|以前|先ほど|さっき|この前|前回|(?:昨日|先日)(?!の)|(?:^|[、\sはも])もう(?!すぐ|少し|すこし|ひと|一)",
    r"(?:さん|くん|ちゃん|あなた|ご自身|誰か)が[^、。]{0,10}?(?:メモ|記録|保存|登録|設定|削除|消|取り消|キャンセル|リマイン)",
    r"之前|先前|剛才|剛剛|早就|以前|上次|本來就|昨天(?!的)|過了(?=$|[。！!])",
    r"(?<![幫替為給])(?:[你妳您他她]|他們|大家|小[\u4e00-\u9fff])(?:已經|自己|先)*[記刪設存取]",
    r"(?:沒有?|尚未|無法|不能|不會)[^，。]{0,8}?(?:刪|記|設|提醒|存|取消|移除|新增)",
    r"\b(?:already|earlier|yesterday|previously|last (?:week|time|month|year)|as I)\b",
    r"ก่อนหน้า|เมื่อวาน|เมื่อกี้|อยู่แล้ว|ตั้งแต่|เคย|คราวก่อน|ครั้งก่อน",
    r"(?<!ของ)คุณ\S{0,15}?(?:ลบ|จด|บันทึก|ตั้งเตือน)",
    r"ไม่\S{0,12}?(?:ลบ|จด|บันทึก|ตั้ง|เตือน|จำ)",
)

NO_PROMISE: Final = _any(
    r"(?:教えて|言って|送って|知らせて|決まっ|指定して|いただけ|くだされ|くれ)[^、。]{0,6}?(?:たら|れば|ば|なら)",
    r"(?:希望|必要|よけれ|よろしけれ)[^、。]{0,5}?(?:なら|たら|ば)|ので、?[^。]{0,30}?(?:教えて|ください)",
    r"と(?:送|言|入力|押|タップ|返信)[^、。]{0,8}?(?:と|ば|たら)",
    r"如果|要是|若|的話|只要|等[你妳您]|告訴我|請(?:先)?(?:提供|說|給)|(?:可以|能夠?)[^，。]{0,10}?(?:提醒|記|刪|設)",
    r"\b(?:if (?:you|it)|once you|as soon as you|tell me|let me know|(?:just )?say (?:the word|when|so)|unless|when(?:ever)? you)\b",
    r"ถ้า|หาก|บอก|แจ้งเวลา|สามารถ",
)

FINISHED: Final = _any(
    r"(?:完了|済み|変更|更新|移動|修正|反映|チェック)(?:を|に)?(?:し|いたし)(?:ました|ておきました|ときました|たよ)",
    r"(?:変え|直し|移し|書き換え)(?:ました|ておきました)",
    r"已(?:經)?(?:幫[你妳您])?(?:把[^，。]{0,16}?)?(?:更新|更改|修改|標記|標示|移動|移到|改成|改為|完成)|(?:改|標|移)好了",
    rf"{_EN_DID}(?:marked|updated|changed|moved|edited|renamed|ticked|checked|set)\b",
    r"\b(?:is|are|['’]s|has been|have been) (?:now )?(?:marked|updated|changed|moved|ticked|checked off)\b",
    rf"(?:แก้|แก้ไข|อัปเดต|เปลี่ยน|ย้าย|ทำเครื่องหมาย|ปรับ)[^\n]{{0,30}}?{_TH_DID}",
)
"""A change that a reply calls done, in a turn in which a call failed."""

ADMISSION: Final = _any(
    r"でき(?:ません|なかっ|てい?ません)|失敗|エラー|見つかりません|見つからな|うまくいき(?:ません|ませんで)|(?:だけ|のみ)(?:は)?(?:完了|変更|移動)",
    r"失敗|無法|沒有?(?:成功|辦法|找到)|不能|找不到|錯誤",
    r"\b(?:could ?n[o’']t|can ?n[o’']t|unable|failed|fail|error|not (?:found|done|possible)|did ?n[o’']t|was ?n[o’']t|only)\b",
    r"ไม่(?:ได้|สำเร็จ|พบ|สามารถ)|ล้มเหลว|ผิดพลาด",
)

QUESTION: Final = _any(
    r"[？?]\s*$",
    r"か(?:ね)?[。\s]*$",
    r"(?:嗎|呢|要不要[^。]*)[。\s]*$",
    r"(?:ไหม|มั้ย|หรือเปล่า|หรือไม่|กี่โมง|เมื่อไหร่|เมื่อไร|ตอนไหน)(?:คะ|ครับ|ค่ะ|ดี|ดีคะ|ดีครับ)?[\s.]*$",
)

ANYTHING_ELSE: Final = _any(r"ほか|他に|else|\bmore\b|其他|別的|還有|อีก")
"""In a last question that asks for no detail of the deed."""
