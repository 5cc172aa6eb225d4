"""The languages that members may have translated, by their codes, English names and scripts."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from itertools import pairwise
from typing import Final

import regex

from shared.late_patterns import late

MOST_LANGUAGES: Final = 4
"""The most languages of a chat: with more, a bubble would not fit a phone's screen."""
LEAST_LANGUAGES: Final = 2
_SCRIPT_SHARE: Final = 0.6
_BILINGUAL_SHARE: Final = 0.2
_KANA_SHARE: Final = 0.35
"""A text with fewer kana may be Chinese that names a Japanese, such as 「さくら說她會帶蛋糕」; the model decides."""
_LATIN_WEIGHT: Final = 3  # letters of a Latin word that say as much as one letter of a script without spaces


class Script(StrEnum):
    """The scripts by which code tells languages apart; Japanese is shown by kana, because Han is Chinese too."""

    KANA = "kana"
    HAN = "han"
    HANGUL = "hangul"
    THAI = "thai"
    LATIN = "latin"


_LETTERS: Final = {
    Script.KANA: late(regex.compile, r"[\p{Hiragana}\p{Katakana}ー]"),
    Script.HAN: late(regex.compile, r"\p{Han}"),
    Script.HANGUL: late(regex.compile, r"\p{Hangul}"),
    Script.THAI: late(regex.compile, r"\p{Thai}"),
    Script.LATIN: late(regex.compile, r"\p{Latin}"),
}
_LETTER: Final = late(regex.compile, r"\p{L}")
_LATIN_WORD: Final = late(regex.compile, r"\p{Latin}[\p{Latin}\p{M}'\u2019-]*")
_LEAST_LATIN_WORDS: Final = 2
_SENTENCE_END: Final = late(regex.compile, r"[\n\u3002.!?\uff01\uff1f/\uff0f|\uff5c]+")
_RUN: Final = late(
    regex.compile,
    r"(?P<han>[\p{Han}\p{Hiragana}\p{Katakana}ー]+)|(?P<hangul>\p{Hangul}+)|(?P<thai>\p{Thai}+)|(?P<latin>\p{Latin}+)",
)
_SCRIPTS: Final[Mapping[str, frozenset[Script]]] = {
    "ja": frozenset({Script.KANA, Script.HAN}),
    "th": frozenset({Script.THAI}),
    "zh-TW": frozenset({Script.HAN}),
    "zh-CN": frozenset({Script.HAN}),
    "ko": frozenset({Script.HANGUL}),
    "en": frozenset({Script.LATIN}),
    "vi": frozenset({Script.LATIN}),
    "id": frozenset({Script.LATIN}),
}
ENGLISH_NAMES: Final[Mapping[str, str]] = {
    "ja": "Japanese",
    "th": "Thai",
    "zh-TW": "Traditional Chinese as written in Taiwan",
    "zh-CN": "Simplified Chinese",
    "ko": "Korean",
    "en": "English",
    "vi": "Vietnamese",
    "id": "Indonesian",
}


def letter_count(text: str) -> int:
    """Return how many letters of any script stand in the text."""
    return len(_LETTER.findall(text))


def language_by_script(text: str, languages: Sequence[str]) -> str | None:
    """Return the only one of the languages that writes in the text's script; None where several do.

    For example, of ja, th and en, 「明日は」 is "ja"; of ja and zh-TW, 「銀行」 may be either.
    """
    counts = _weights(text)
    total = sum(counts.values())
    if not total:
        return None
    if counts[Script.KANA]:
        is_kana = counts[Script.KANA] + counts[Script.HAN] >= _SCRIPT_SHARE * total
        return "ja" if is_kana and "ja" in languages else None
    main, weight = max(counts.items(), key=lambda item: item[1])
    if weight < _SCRIPT_SHARE * total:
        return None
    fitting = [language for language in languages if main in _SCRIPTS[language]]
    return fitting[0] if len(fitting) == 1 else None


def is_foreign(text: str, languages: Sequence[str]) -> bool:
    """Whether none of the languages writes in the text's main script: English words in a chat of ja and th."""
    counts = _weights(text)
    total = sum(counts.values())
    if not total:
        return True
    main = (
        Script.KANA
        if counts[Script.KANA] > _KANA_SHARE * total
        else max(counts, key=lambda script: counts[script] if script is not Script.KANA else 0.0)
    )
    return not any(main in _SCRIPTS[language] for language in languages)


def is_bilingual(text: str, languages: Sequence[str]) -> bool:
    """Whether the text says something in the scripts of two of the languages already: "おはよう สวัสดี" in a chat of ja and th.

    A name or a word within a sentence of another script says nothing: of ja and en, 「LINEで送って」 is Japanese.
    """
    if not _are_scripts_apart(text):
        return False
    counts = dict(_counts(text))
    words = _LATIN_WORD.findall(text)
    if len(words) < _LEAST_LATIN_WORDS or not any(map(str.islower, words)):
        counts[Script.LATIN] = 0.0
    total = sum(counts.values())
    written = [
        scripts
        for scripts in {_SCRIPTS[language] for language in languages}
        if sum(counts[script] for script in scripts) >= _BILINGUAL_SHARE * total
    ]
    return bool(total) and any(scripts.isdisjoint(further) for scripts in written for further in written)


def is_written_in(text: str, language: str) -> bool:
    """Whether the text holds a letter of the language's script."""
    return any(_LETTERS[script].search(text) for script in _SCRIPTS[language])


def _are_scripts_apart(text: str) -> bool:
    """Whether each sentence changes the script once at most, and with a blank or a sign in between."""
    for sentence in _SENTENCE_END.split(text):
        runs = [(run.lastgroup, run.span()) for run in _RUN.finditer(sentence)]
        changes = [(before, after) for before, after in pairwise(runs) if before[0] != after[0]]
        if len(changes) > 1 or any(before[1][1] == after[1][0] for before, after in changes):
            return False
    return True


def _weights(text: str) -> Mapping[Script, float]:
    """Return how much of the text stands in each script; beside another script, Latin words with a capital are names, and weigh nothing."""
    counts = dict(_counts(text))
    if any(count for script, count in counts.items() if script is not Script.LATIN):
        words = filter(str.islower, _LATIN_WORD.findall(text))
        counts[Script.LATIN] = sum(len(_LETTERS[Script.LATIN].findall(word)) for word in words) / _LATIN_WEIGHT
    return counts


def _counts(text: str) -> Mapping[Script, float]:
    """Return the letters of each script; a Latin letter counts less than one of a script without spaces."""
    counts = {script: float(len(letters.findall(text))) for script, letters in _LETTERS.items()}
    return {**counts, Script.LATIN: counts[Script.LATIN] / _LATIN_WEIGHT}
