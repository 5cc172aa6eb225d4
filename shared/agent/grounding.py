"""Grounding: whether what a call would do stands in the asker's own words, so that it needs no tap though the prompt holds outside words.

Pure functions of one author's messages. They are asked only of what adds to the chat's own store: a deletion, a replacement and whatever
goes outside take a tap in a tainted turn, however the words name them (docs/adr/20261126-grounding.md).
"""

import datetime as dt
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from shared.agent.own_orders import Effect, own_words
from shared.agent.said_times import said_times, weekdays_in
from shared.search.folding import fold
from shared.search.literal_runs import weight_of

_MOST_RUNS: Final = 4
_LEAST_TARGET: Final = 4  # as `weight_of` counts: two characters of Han or Thai, four of ASCII
_TOKEN: Final = re.compile(r"\d+|[a-z\u00c0-\u024f]+(?:'[a-z]+)?|\S")
_HAN: Final = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
_WHOLE_WORD: Final = re.compile(r"\d+|[a-z\u00c0-\u024f]+(?:'[a-z]+)?")
_THAI: Final = re.compile(r"[\u0e00-\u0e7f]")
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
    "DAILY": re.compile(
        r"毎日|毎朝|毎晩|毎夜|\bevery ?day\b|\bdaily\b|\bevery (?:morning|evening|night)\b|每天|每日|每晚|每早"
        r"|ทุกวัน(?!จ|อ|พ|ศ|เ)|ทุกเช้า|ทุกเย็น|ทุกคืน"
    ),
    "WEEKLY": re.compile(
        r"毎週|\bweekly\b|\bevery (?:week|mon|tue|wed|thu|fri|sat|sun)|每週|每周|每個?星期|每個?禮拜"
        r"|ทุกสัปดาห์|ทุกอาทิตย์|ทุกวัน(?:จ|อ|พ|ศ|เ)"
    ),
    "MONTHLY": re.compile(r"毎月|\bmonthly\b|\bevery month\b|每個?月|ทุกเดือน"),
}
_WRITTEN_DATE: Final = re.compile(r"\s*[(\uff08](\d{4}-\d{2}-\d{2})[)\uff09]")
_WEEKDAYS: Final = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_LOCAL: Final = "%Y-%m-%dT%H:%M"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What one author says in the messages that are being answered, and when, as local time without a zone.

    `outside`: words from outside that the prompt holds, where they are known; a picture's are not.
    """

    messages: tuple[str, ...] = field(repr=False)
    now: dt.datetime
    outside: tuple[str, ...] = field(default=(), repr=False)


def is_reminder_grounded(asked: Asked, *, text: str, at: str, rule: str | None = None) -> bool:
    """Whether the author orders a reminder of this text at this local time, with this recurrence, in own words."""
    own = own_words(asked.messages, Effect.REMIND, outside=asked.outside)
    return bool(own) and _holds_text(own, text) and _holds_rule(own, rule) and _holds_time(own, at, asked.now)


def is_note_grounded(asked: Asked, *, text: str) -> bool:
    """Whether the author orders this text to be kept, in own words.

    A date in parentheses may say which day the words mean: 「来週の月曜(2026-11-30)に歯医者」.
    """
    own = own_words(asked.messages, Effect.FILE, outside=asked.outside)
    if not own:
        return False
    days = said_times(" ".join(own), asked.now).days
    return _holds_text(own, _WRITTEN_DATE.sub(lambda date: _unless_said(date, days), text))


def is_addition_grounded(asked: Asked, *, name: str, others: Iterable[str], note: str) -> bool:
    """Whether the author orders this note to be added to the thing of this name, and means no other.

    For example, "add at noon to lunch" orders the note "at noon".
    """
    own = own_words(asked.messages, Effect.FILE, outside=asked.outside, target=name)
    return bool(own) and is_target_named(own, name=name, others=others) and _holds_text(own, note)


def is_tick_grounded(asked: Asked, *, name: str, others: Iterable[str] = (), place: str = "") -> bool:
    """Whether the author says that the thing of this name is done, and means no other; `place` is what the list itself is called."""
    own = own_words(asked.messages, Effect.TICK, outside=asked.outside, target=name)
    return bool(own) and is_target_named(own, name=name, others=others, place=place)


def is_target_named(own: Sequence[str], *, name: str, others: Iterable[str] = (), place: str = "") -> bool:
    """Whether own words name this thing alone: they hold a run of at least half of its name, and no such run of another name.

    The longer run counts where one stands within the other: "milk tea" names milk tea, though there is milk too.
    """
    said = " ".join(own)
    heard = _name_tokens(said.replace(fold(place), " ") if place else said)
    run = _common_run(heard, _name_tokens(name))
    if not _names(run, _name_tokens(name)) or _is_beside_a_number(run, heard):
        return False
    words = frozenset(heard)
    for tokens in map(_name_tokens, others):
        if not _names([one for one in tokens if one in words], tokens):  # of a thousand entries almost all
            continue
        other = _common_run(heard, tokens)
        if _names(other, tokens) and not (len(other) < len(run) and _stands_in(other, run)):
            return False
    return True


def _is_beside_a_number(run: Sequence[str], heard: Sequence[str]) -> bool:
    """Whether a number is said right before or after the run: "room 13" does not name room 12."""
    starts = [one for one in range(len(heard) - len(run) + 1) if list(heard[one : one + len(run)]) == list(run)]
    return any(
        token.isdigit() for one in starts for token in (*heard[max(one - 1, 0) : one], *heard[one + len(run) :][:1])
    )


def _names(run: Sequence[str], name: Sequence[str]) -> bool:
    whole, shared = _weight(name), _weight(run)
    return shared > 0 and 2 * shared >= whole and shared >= min(whole, _LEAST_TARGET)


def _unless_said(date: re.Match[str], days: frozenset[dt.date]) -> str:
    return " " if any(one.isoformat() == date[1] for one in days) else date[0]


def _holds_text(own: Sequence[str], text: str) -> bool:
    """Whether nothing remains of the text outside a few runs of own words but particles; numbers count by whole tokens."""
    heard, wanted = [_tokens(one) for one in own], [one for one in _tokens(fold(text)) if _is_word(one)]
    place = runs = 0
    rest = ""
    while place < len(wanted):
        end = max(_end_of_run(words, wanted, place) for words in heard)
        if _counts(wanted[place:end], is_whole=len(wanted) == end - place):
            if not _is_particle(rest):
                return False
            runs, place, rest = runs + 1, end, ""
        else:
            rest, place = rest + wanted[place], place + 1
            if _WHOLE_WORD.fullmatch(wanted[place - 1]) is not None:
                if not _is_particle(rest):
                    return False
                rest = ""
    return 0 < runs <= _MOST_RUNS and _is_particle(rest)


def _end_of_run(words: Sequence[str], wanted: Sequence[str], place: int) -> int:
    """Return where the longest run of the wanted tokens from `place` on ends that stands in these words."""
    plain = [one for one in words if _is_word(one)]
    best = place
    for start, word in enumerate(plain):
        if word != wanted[place]:
            continue
        length = 0
        while (
            place + length < len(wanted)
            and start + length < len(plain)
            and plain[start + length] == wanted[place + length]
        ):
            length += 1
        best = max(best, place + length)
    return best


def _counts(run: Sequence[str], *, is_whole: bool) -> bool:
    """Whether a run is long enough to be no chance: a word or number, a Han character, two kana, four characters of Thai."""
    if not run:
        return False
    if is_whole or any(_WHOLE_WORD.fullmatch(one) or _HAN.match(one) for one in run):
        return True
    return len(run) >= (_LEAST_OF_THAI if _THAI.match(run[0]) else _LEAST_OF_OTHERS)


def _is_particle(rest: str) -> bool:
    return (
        not rest
        or rest in _PARTICLES
        or any(rest[:cut] in _PARTICLES and rest[cut:] in _PARTICLES for cut in range(1, len(rest)))
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
    """Whether the words order this recurrence, on the weekdays that they name; an interval or an end takes a tap."""
    heard = " ".join(own)
    if not rule:
        return not any(form.search(heard) for form in _EVERY.values())
    parts = dict(part.partition("=")[::2] for part in rule.upper().removeprefix("RRULE:").split(";"))
    frequency, days = parts.pop("FREQ", ""), parts.pop("BYDAY", "")
    if parts or frequency not in _EVERY or _EVERY[frequency].search(heard) is None:
        return False
    named = {_WEEKDAYS[number] for number in weekdays_in(heard)}
    return not days or set(days.split(",")) == named


def _tokens(folded: str) -> list[str]:
    return _TOKEN.findall(folded)


def _name_tokens(text: str) -> list[str]:
    """Return the tokens of a name, or of words that may name it; 「牛乳買った」 names 「牛乳を買う」."""
    return [one for one in _tokens(fold(text)) if _is_word(one) and one not in _BETWEEN]


def _weight(run: Sequence[str]) -> int:
    """Return how much a run weighs; marks above and below a letter weigh nothing, because some scripts have many."""
    return weight_of("".join(one for one in "".join(run) if unicodedata.category(one)[0] != "M"))


def _common_run(heard: Sequence[str], name: Sequence[str]) -> tuple[str, ...]:
    """Return the heaviest run of tokens that both have; for example, "the oat milk" and "oat milk tea" share "oat milk"."""
    best: tuple[str, ...] = ()
    lengths = [0] * (
        len(name) + 1
    )  # of the run that ends at each token of the name, and at the last one that was heard
    for word in heard:
        for place in range(len(name), 0, -1):
            lengths[place] = lengths[place - 1] + 1 if name[place - 1] == word else 0
            run = name[place - lengths[place] : place]
            if len(run) >= len(best) and _weight(run) > _weight(best):
                best = tuple(run)
    return best


def _stands_in(run: Sequence[str], heard: Sequence[str]) -> bool:
    return any(list(heard[start : start + len(run)]) == list(run) for start in range(len(heard) - len(run) + 1))
