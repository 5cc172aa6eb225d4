"""Measures recall of natural questions and paraphrases, with and without the alternatives that the tool's description asks for."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import Final, Literal

import msgspec

from evals.recall.benchmark import SHOWN, context_of, conversation_of, memory_on
from evals.recall.group import MESSAGES, Texts, make_group
from shared.agent.recall_request import RecallRequest

Kind = Literal["natural", "paraphrases"]
KINDS: Final[tuple[Kind, ...]] = ("natural", "paraphrases")
LANGUAGES: Final = ("en", "ja", "zh-TW", "th")
TARGETS: Final[Mapping[Kind, float]] = {"natural": 0.95, "paraphrases": 0.9}
"""The least share with alternatives, in every group."""


class AskedQuestion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A question, the words that a model searches by, and a part of the only fact that answers it."""

    language: str
    question: str
    fact: str
    query: str
    alternatives: list[str]


class Questions(Texts, frozen=True, forbid_unknown_fields=True):
    """The questions, with facts and chatter in a further language."""

    natural: list[AskedQuestion]
    paraphrases: list[AskedQuestion]

    def of(self, kind: Kind) -> list[AskedQuestion]:
        """Return the questions of a kind."""
        return self.natural if kind == "natural" else self.paraphrases


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """The shares of questions whose fact is among the first five lines, by language and for "all", and the missed questions."""

    without: Mapping[str, float]
    with_alternatives: Mapping[str, float]
    missed: tuple[str, ...]


@cache
def questions() -> Questions:
    """Return the questions of questions.yaml."""
    return msgspec.yaml.decode(Path(__file__).with_name("questions.yaml").read_bytes(), type=Questions)


def measure_questions(*, seed: int, messages: int = MESSAGES) -> Mapping[Kind, Shares]:
    """Return the shares in the group of a seed, with the Chinese facts and chatter planted too."""
    group = make_group(seed=seed, messages=messages, also=questions())
    with ThreadPoolExecutor(16) as threads:
        conversation, memory = conversation_of(group, threads), memory_on(threads)

        def is_found(asked: AskedQuestion, queries: Iterable[str]) -> bool:
            request = RecallRequest(queries=tuple(queries), limit=SHOWN)
            return any(asked.fact in line for line in memory.find(context_of(conversation, group), request).lines)

        measured: dict[Kind, Shares] = {}
        for kind in KINDS:
            asked = questions().of(kind)
            without = {one.question: is_found(one, (one.query,)) for one in asked}
            broad = {one.question: is_found(one, (one.query, *one.alternatives)) for one in asked}
            measured[kind] = Shares(
                without=_shares(asked, without),
                with_alternatives=_shares(asked, broad),
                missed=tuple(question for question, was_found in broad.items() if not was_found),
            )
        return measured


def _shares(asked: Iterable[AskedQuestion], found: Mapping[str, bool]) -> Mapping[str, float]:
    hits: defaultdict[str, list[float]] = defaultdict(list)
    for one in asked:
        for key in ("all", one.language):
            hits[key].append(float(found[one.question]))
    return {key: fmean(outcomes) for key, outcomes in hits.items()}
