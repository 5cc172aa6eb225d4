"""The language of what a person or the model wrote, for the texts that the code writes around it.

Kana mean ja, Thai letters th, and Latin words en; beside other letters, Latin words mean en only if they make a sentence, because "Google
Calendar 見て" is Japanese. A text of Han characters alone is ja or zh-TW by its words and by the forms of its characters. For example,
「請求書送付済」 is Japanese, 「記得買牛奶」 is Chinese, and 「銀行」 may be either.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Final

import regex

from shared.late_patterns import late

_KANA: Final = late(regex.compile, r"[\p{Hiragana}\p{Katakana}]")
_THAI: Final = late(regex.compile, r"\p{Thai}")
_HAN: Final = late(regex.compile, r"\p{Han}")
_HAN_RUN: Final = late(regex.compile, r"\p{Han}+")
_LATIN_WORD: Final = late(regex.compile, r"\p{Latin}{2,}")
# A mention ends where another script than Latin goes on, or with a comma: people leave no blank in "@Ken明日は"
_ADDRESS: Final = late(
    regex.compile,
    r"(?:https?://|www\.)\S+|@(?:[\p{Latin}\p{N}_.]+(?=[\p{Hiragana}\p{Katakana}\p{Han}\p{Thai}])|[^\s、。，！？,!?:：]+)"
    r"|\[emoji(?:: [^\]]*)?\]",
)
_QUOTED: Final = late(regex.compile, r"「[^」]*」|『[^』]*』|“[^”]*”|\"[^\"]*\"|《[^》]*》")
_HAN_LOCALES: Final = ("ja", "zh-TW")
_SURE_LATIN_WORDS: Final = 2
_ONLY_ENGLISH: Final = frozenset(
    {
        "hello",
        "hi",
        "hey",
        "thanks",
        "thank",
        "please",
        "sorry",
        "yes",
        "yeah",
        "what",
        "who",
        "when",
        "where",
        "why",
        "how",
    }
)
"""Words that tell the language alone; people of every language write "OK", or a name."""
_LATIN_WEIGHT: Final = 3  # letters of a script without spaces that say as much as a Latin word
# Words that tie an English sentence together, and stand in few names and loanwords: not "and", "for", "in", "of", "on"
_ENGLISH: Final = late(
    regex.compile,
    r"(?<!\p{Latin})(?:"
    r"about|am|an|are|at|be|been|before|bring|but|buy|can|could|did|does|don|each|every|find|forget|from|get|give"
    r"|going|had|has|have|her|him|his|how|if|is|isn|it|its|ll|me|mean|means|much|my|not|our|please|put|re|remember"
    r"|remind|say|should|tell|that|the|their|them|there|they|this|to|today|tomorrow|tonight|ve|was|we|were|what|when"
    r"|where|which|who|why|will|with|would|yesterday|you|your"
    r")(?!\p{Latin})",
)
_KANA_SHARE: Final = 0.15  # of the kana and Han in a Japanese sentence; Chinese about Japanese words has fewer

_WORDS: Final = Path(__file__).with_name("han_words.txt")
_WORD: Final = 4
_FORM: Final = 2
_SHARED_FORM: Final = 1


@dataclass(frozen=True, slots=True)
class _Reading:
    """The language of a text; `is_sure` False: a single Latin word, such as "OK", Han characters of no language, or "Zoom link は".

    `is_of_han`: Han characters of no language, such as 「銀行」.
    """

    locale: str
    is_sure: bool
    is_of_han: bool = False


def language_of(texts: Iterable[str], *, default: str, chosen: str | None = None) -> str:
    """Return the locale of the last text that shows a language, else the chat's `chosen` locale, else what a doubtful text suggests.

    For example, `language_of(["hello there", "明日は?", "OK"], default="en")` is "ja". Without a choice, Han characters of no language mean
    the default locale if that is ja or zh-TW, else zh-TW.
    """
    fallback = chosen or default
    doubtful: _Reading | None = None
    for text in reversed(tuple(texts)):
        reading = _read(text)
        if reading is None:
            continue
        if reading.is_sure:
            return reading.locale
        doubtful = doubtful or reading
    if chosen is not None or doubtful is None or (doubtful.is_of_han and fallback in _HAN_LOCALES):
        return fallback
    return doubtful.locale


def shown_language(texts: Iterable[str]) -> str | None:
    """Return the locale of the last text that shows a language; None: no text does, as "OK" and 「銀行」."""
    readings = (_read(text) for text in reversed(tuple(texts)))
    return next((reading.locale for reading in readings if reading is not None and reading.is_sure), None)


@lru_cache(maxsize=1_024)
def _read(text: str) -> _Reading | None:
    """Return the language of the text, judged without links, mentions and quoted words if anything else is there."""
    words = _ADDRESS.sub(" ", text)
    return _read_words(_QUOTED.sub(" ", words)) or _read_words(words)


def _read_words(text: str) -> _Reading | None:
    kana, han, thai = (len(script.findall(text)) for script in (_KANA, _HAN, _THAI))
    latin_words = _LATIN_WORD.findall(text)
    others = kana + han + thai
    is_mostly_latin = len(latin_words) >= _SURE_LATIN_WORDS and len(latin_words) * _LATIN_WEIGHT > others
    if is_mostly_latin and (not others or _ENGLISH.search(text) is not None):
        return _Reading("en", is_sure=True)
    if thai > kana + han:
        return _Reading("th", is_sure=not is_mostly_latin)
    if kana:
        is_chinese = kana < _KANA_SHARE * (kana + han) and _han_score(text) > 0
        return _Reading("zh-TW" if is_chinese else "ja", is_sure=not is_mostly_latin)
    if han:
        score = _han_score(text)
        is_sure = score != 0 and not is_mostly_latin
        return _Reading("ja" if score < 0 else "zh-TW", is_sure=is_sure, is_of_han=score == 0)
    return _Reading("en", is_sure=latin_words[0].casefold() in _ONLY_ENGLISH) if latin_words else None


def _han_score(text: str) -> int:
    """Return how much the Han characters look Chinese; below zero: Japanese."""
    return sum(_run_score(run) for run in _HAN_RUN.findall(text))


def _run_score(run: str) -> int:
    """Return the score of a run by the words of each language, longest first, and by the forms of its characters."""
    scores, score, place = _word_scores(), 0, 0
    longest = max(map(len, scores))
    while place < len(run):
        sizes = range(min(longest, len(run) - place), 0, -1)
        length = next((size for size in sizes if run[place : place + size] in scores), 1)
        word = run[place : place + length]
        score += scores.get(word, 0) + sum(map(_form_score, word))
        place += length
    return score


@cache
def _word_scores() -> Mapping[str, int]:
    """Return the scores of the words: above zero for Chinese, below for Japanese."""
    weights = {"zh-TW": _WORD, "zh-TW-characters": _FORM, "ja": -_WORD}
    lines = _WORDS.read_text(encoding="utf-8").splitlines()
    rows = (line.split() for line in lines if not line.startswith("#"))
    return {word: weights[language] for language, *words in rows for word in words}


@lru_cache(maxsize=4_096)
def _form_score(character: str) -> int:
    """Return a score above zero for a form that Japanese does not write, such as 們, and below zero for one that Taiwan does not write.

    A form that Taiwan does not write may be simplified Chinese: 学 says less than 駅, which no Chinese text has.
    Source: the character sets JIS X 0208 (Shift JIS), Big5 and GB 2312, as Python's codecs know them.
    """
    in_japan, in_taiwan, in_china = (_is_in(character, codec) for codec in ("shift_jis", "big5", "gb2312"))
    if not in_japan:
        return _FORM if in_taiwan or in_china else 0
    if in_taiwan:
        return 0
    return -_SHARED_FORM if in_china else -_FORM


def _is_in(character: str, codec: str) -> bool:
    try:
        character.encode(codec)
    except UnicodeEncodeError:
        return False
    return True
