"""Grounding: whether the asker's own words hold the effect of a call, so that no tap is needed in a tainted turn.

Pure functions of one author's messages, for additions to the chat's own store only: in a tainted turn, a deletion, a replacement and every
call to the outside take a tap, even if the author's words name the target (docs/adr/20261126-grounding.md).
"""

import datetime as dt
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import field
from typing import Final

from shared.agent.own_orders import Effect, own_words
from shared.agent.said_times import said_times, weekdays_in
from shared.frozen import frozen
from shared.late_patterns import late
from shared.search.folding import fold, with_western_digits
from shared.search.literal_runs import weight_of

_MOST_RUNS: Final = 4
_LEAST_TARGET: Final = 4  # as `weight_of` counts: two characters of Han or Thai, four of ASCII
_TOKEN: Final = late(re.compile, r"\d+|[a-z\u00c0-\u024f]+(?:'[a-z]+)?|\S")
_HAN: Final = late(re.compile, r"[\u3400-\u4dbf\u4e00-\u9fff]")
_WHOLE_WORD: Final = late(re.compile, r"\d+|[a-z\u00c0-\u024f]+(?:'[a-z]+)?")
_THAI: Final = late(re.compile, r"[\u0e00-\u0e7f]")
_LEAST_OF_THAI: Final = 4
_LEAST_OF_OTHERS: Final = 2
_PARTICLES: Final = frozenset(
    re.findall(
        r"\S+",
        fold(
            "を に が は で と の へ も や から まで って こと する した して ます です だ お ご る う む く す つ ぬ ぶ ぐ い て り み "
            "a an the to my your our for of on in at and is be it "
            "的 了 要 去 把 一 "
            "ที่ ของ ให้ ว่า การ ไป"
        ),
    )
)
_BETWEEN: Final = frozenset("をはが")
_EVERY: Final = {
    "DAILY": late(
        re.compile,
        r"毎日|毎朝|毎晩|毎夜|\bevery ?day\b|\bdaily\b|\bevery (?:morning|evening|night)\b|每天|每日|每晚|每早"
        r"|ทุกวัน(?!จ|อ|พ|ศ|เ)|ทุกเช้า|ทุกเย็น|ทุกคืน",
    ),
    "WEEKLY": late(
        re.compile,
        r"毎週|\bweekly\b|\bevery (?:week|mon|tue|wed|thu|fri|sat|sun)|每週|每周|每個?星期|每個?禮拜"
        r"|ทุกสัปดาห์|ทุกอาทิตย์|ทุกวัน(?:จ|อ|พ|ศ|เ)",
    ),
    "MONTHLY": late(re.compile, r"毎月|\bmonthly\b|\bevery month\b|每個?月|ทุกเดือน"),
}
_WRITTEN_DATE: Final = late(re.compile, r"\s*[(\uff08](\d{4}-\d{2}-\d{2})[)\uff09]")
_WEEKDAYS: Final = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_AMOUNT: Final = late(re.compile, r"(?<![\d.,万萬千百億亿])\d+(?:,\d{3})*(?:\.\d+)?(?![\d万萬千百億亿%]|[.,]\d|k\b)")
_CURRENCY_WORDS: Final = {
    code: late(re.compile, fold(words))
    for code, words in {
        "JPY": r"円|日圓|日幣|日元|\byen\b|\bjpy\b|¥|เยน",
        "USD": r"(?<![豪港加])ドル|美[金元]|\bdollars?\b|\busd\b|(?<!nt)\$|ดอลลาร์",
        "EUR": r"ユーロ|歐元|欧元|\beuros?\b|\beur\b|€|ยูโร",
        "THB": r"バーツ|泰銖|泰铢|\bbaht\b|\bthb\b|฿|บาท",
        "TWD": r"台湾ドル|[台臺]幣|\bntd\b|\btwd\b|nt\$",
        "KRW": r"ウォン|韓[元圜]|\bwon\b|\bkrw\b|₩|วอน",
    }.items()
}
_SELF: Final = frozenset(map(fold, ("me", "i", "myself", "私", "わたし", "僕", "俺", "自分", "我", "ฉัน", "ผม", "เรา")))
_LOCAL: Final = "%Y-%m-%dT%H:%M"


@frozen
class Asked:
    """The words of one author in the messages to answer, and their time, as local time without a zone.

    `outside`: the known words from outside in the prompt; a picture's words are unknown.
    """

    messages: tuple[str, ...] = field(repr=False)
    now: dt.datetime
    outside: tuple[str, ...] = field(default=(), repr=False)


def is_reminder_grounded(asked: Asked, *, text: str, at: str, rule: str | None = None) -> bool:
    """Whether the author's own words order a reminder of the text, at the local time, with the recurrence.

    For example, 「明日9時に牛乳を買うってリマインドして」 grounds the text 「牛乳を買う」 at 09:00 tomorrow.
    """
    own = own_words(asked.messages, Effect.REMIND, outside=asked.outside)
    return bool(own) and _holds_text(own, text) and _holds_rule(own, rule) and _holds_time(own, at, asked.now)


def is_note_grounded(asked: Asked, *, text: str) -> bool:
    """Whether the author's own words order to file this text.

    A date in parentheses may state the day of the words: 「来週の月曜(2026-11-30)に歯医者」.
    """
    own = own_words(asked.messages, Effect.FILE, outside=asked.outside)
    if not own:
        return False
    days = said_times(" ".join(own), asked.now).days
    return _holds_text(own, _WRITTEN_DATE.sub(lambda date: _without_said_date(date, days), text))


def is_addition_grounded(asked: Asked, *, name: str, other_names: Iterable[str], note: str) -> bool:
    """Whether the author orders the note to be added to the entry called `name`, and means no other entry.

    For example, "add at noon to lunch" orders the note "at noon".
    """
    own = own_words(asked.messages, Effect.FILE, outside=asked.outside, target=name)
    return bool(own) and is_target_named(own, name=name, other_names=other_names) and _holds_text(own, note)


def is_tick_grounded(asked: Asked, *, name: str, other_names: Iterable[str] = (), place: str = "") -> bool:
    """Whether the author reports the item called `name` as done, and means no other item; `place` is the name of the list.

    For example, "bought milk" ticks the item "milk", but not if there is another item "oat milk".
    """
    own = own_words(asked.messages, Effect.TICK, outside=asked.outside, target=name)
    return bool(own) and is_target_named(own, name=name, other_names=other_names, place=place)


def is_expense_grounded(  # noqa: PLR0913 - the values of an expense
    asked: Asked,
    *,
    what: str,
    amounts: Iterable[str],
    currency: str,
    people: Iterable[str] = (),
    day: str | None = None,
) -> bool:
    """Whether the author's own words say that this was paid: for what, every amount in digits, every person by name, and the day.

    `currency` is the code of the amounts; words may name no other. For example, 「夕食6,000円払った、ベンは抜き」 grounds "6000" of JPY for
    「夕食」 with 「ベン」, and 「夕食払った」 grounds no amount.
    """
    own = own_words(asked.messages, Effect.PAY, outside=asked.outside)
    if not own or not _holds_text(own, what):
        return False
    heard = " ".join(own)
    named_currencies = {code for code, words in _CURRENCY_WORDS.items() if words.search(heard) is not None}
    is_day_said = day is None or any(one.isoformat() == day for one in said_times(heard, asked.now).days)
    return (
        is_day_said
        and named_currencies <= {currency}
        and numbers_said([heard]).issuperset(map(plain_number, amounts))
        and all(fold(name).lstrip("@") in _SELF or _is_said(heard, name) for name in people)
    )


def numbers_said(texts: Iterable[str]) -> frozenset[str]:
    """Return the numbers that stand in the texts as whole tokens, as `plain_number` writes them; 「1万6000」 holds none."""
    return frozenset(plain_number(number) for text in texts for number in _AMOUNT.findall(fold(text)))


def plain_number(written: str) -> str:
    """Return a number without separators and closing zeros: "6,000.50" is "6000.5", and "๕๐๐" is "500"."""
    whole, _, part = with_western_digits(written).replace(",", "").strip().partition(".")
    part = part.rstrip("0")
    return f"{whole.lstrip('0') or '0'}.{part}" if part else whole.lstrip("0") or "0"


def is_target_named(own: Sequence[str], *, name: str, other_names: Iterable[str] = (), place: str = "") -> bool:
    """Whether own words name only this thing: they hold a run of at least half of `name`, and no such run of another name.

    If a run lies within another run, the longer counts: "milk tea" names milk tea, although there is also milk.
    """
    folded_words = " ".join(own)
    heard = _name_tokens(folded_words.replace(fold(place), " ") if place else folded_words)
    run = _common_run(heard, _name_tokens(name))
    if not _names(run, _name_tokens(name)) or _is_beside_a_number(run, heard):
        return False
    words = frozenset(heard)
    for tokens in map(_name_tokens, other_names):
        if not _names([one for one in tokens if one in words], tokens):  # skips almost all of a thousand entries
            continue
        other = _common_run(heard, tokens)
        if _names(other, tokens) and not (len(other) < len(run) and _stands_in(other, run)):
            return False
    return True


def _is_said(heard: str, name: str) -> bool:
    """Whether the words hold the whole name; a name in Latin letters is no part of a longer word."""
    folded = fold(name).lstrip("@").strip()
    return bool(folded) and re.search(rf"(?<![a-z0-9]){re.escape(folded)}(?![a-z0-9])", heard) is not None


def _is_beside_a_number(run: Sequence[str], heard: Sequence[str]) -> bool:
    """Whether a number stands right before or after the run: "room 13" does not name room 12."""
    starts = [start for start in range(len(heard) - len(run) + 1) if list(heard[start : start + len(run)]) == list(run)]
    return any(
        token.isdigit()
        for start in starts
        for token in (*heard[max(start - 1, 0) : start], *heard[start + len(run) :][:1])
    )


def _names(run: Sequence[str], name: Sequence[str]) -> bool:
    whole, shared = _weight(name), _weight(run)
    return shared > 0 and 2 * shared >= whole and shared >= min(whole, _LEAST_TARGET)


def _without_said_date(date: re.Match[str], days: frozenset[dt.date]) -> str:
    return " " if any(one.isoformat() == date[1] for one in days) else date[0]


def _holds_text(own: Sequence[str], text: str) -> bool:
    """Whether a few runs of own words cover the text, except for particles; numbers count as whole tokens."""
    heard, text_tokens = [_tokens(one) for one in own], [one for one in _tokens(fold(text)) if _is_word(one)]
    place = runs = 0
    uncovered = ""
    while place < len(text_tokens):
        end = max(_end_of_run(words, text_tokens, place) for words in heard)
        if _counts(text_tokens[place:end], is_whole=len(text_tokens) == end - place):
            if not _is_particle(uncovered):
                return False
            runs, place, uncovered = runs + 1, end, ""
        else:
            uncovered, place = uncovered + text_tokens[place], place + 1
            if _WHOLE_WORD.fullmatch(text_tokens[place - 1]) is not None:
                if not _is_particle(uncovered):
                    return False
                uncovered = ""
    return 0 < runs <= _MOST_RUNS and _is_particle(uncovered)


def _end_of_run(words: Sequence[str], text_tokens: Sequence[str], place: int) -> int:
    """Return the end of the longest run of text tokens, from `place` on, within the words."""
    plain = [one for one in words if _is_word(one)]
    best = place
    for start, word in enumerate(plain):
        if word != text_tokens[place]:
            continue
        length = 0
        while (
            place + length < len(text_tokens)
            and start + length < len(plain)
            and plain[start + length] == text_tokens[place + length]
        ):
            length += 1
        best = max(best, place + length)
    return best


def _counts(run: Sequence[str], *, is_whole: bool) -> bool:
    """Whether a run is too long for chance: a word, a number, a Han character, two kana or four characters of Thai."""
    if not run:
        return False
    if is_whole or any(_WHOLE_WORD.fullmatch(one) or _HAN.match(one) for one in run):
        return True
    return len(run) >= (_LEAST_OF_THAI if _THAI.match(run[0]) else _LEAST_OF_OTHERS)


def _is_particle(text: str) -> bool:
    return (
        not text
        or text in _PARTICLES
        or any(text[:cut] in _PARTICLES and text[cut:] in _PARTICLES for cut in range(1, len(text)))
    )


def _is_word(token: str) -> bool:
    return any(unicodedata.category(one)[0] in "LNM" for one in token)


def _holds_time(own: Sequence[str], at: str, now: dt.datetime) -> bool:
    try:
        local = dt.datetime.strptime(at, _LOCAL)  # noqa: DTZ007 - local by definition
    except ValueError:
        return False
    return said_times(" ".join(own), now).hold(local)


def _holds_rule(own: Sequence[str], rule: str | None) -> bool:
    """Whether the words order this recurrence, on the weekdays named in the words; an interval or an end takes a tap."""
    heard = " ".join(own)
    if not rule:
        return not any(form.search(heard) for form in _EVERY.values())
    parts = dict(part.partition("=")[::2] for part in rule.upper().removeprefix("RRULE:").split(";"))
    frequency, days = parts.pop("FREQ", ""), parts.pop("BYDAY", "")
    if parts or frequency not in _EVERY or _EVERY[frequency].search(heard) is None:
        return False
    named_days = {_WEEKDAYS[number] for number in weekdays_in(heard)}
    return not days or set(days.split(",")) == named_days


def _tokens(folded: str) -> list[str]:
    return _TOKEN.findall(folded)


def _name_tokens(text: str) -> list[str]:
    """Return the tokens of a name, or of words that may name a thing; 「牛乳買った」 names 「牛乳を買う」."""
    return [one for one in _tokens(fold(text)) if _is_word(one) and one not in _BETWEEN]


def _weight(run: Sequence[str]) -> int:
    """Return the weight of a run; marks above and below a letter weigh nothing, because some scripts have many."""
    return weight_of("".join(one for one in "".join(run) if unicodedata.category(one)[0] != "M"))


def _common_run(heard: Sequence[str], name: Sequence[str]) -> tuple[str, ...]:
    """Return the heaviest common run of tokens; for example, "the oat milk" and "oat milk tea" share "oat milk"."""
    best: tuple[str, ...] = ()
    lengths = [0] * (len(name) + 1)  # of the run that ends at each token of the name and at the last heard token
    for word in heard:
        for place in range(len(name), 0, -1):
            lengths[place] = lengths[place - 1] + 1 if name[place - 1] == word else 0
            run = name[place - lengths[place] : place]
            if len(run) >= len(best) and _weight(run) > _weight(best):
                best = tuple(run)
    return best


def _stands_in(run: Sequence[str], heard: Sequence[str]) -> bool:
    return any(list(heard[start : start + len(run)]) == list(run) for start in range(len(heard) - len(run) + 1))
