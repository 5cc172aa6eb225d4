"""The benchmark of translations: what the product's own translator makes of each sentence, and what a judge says of that."""

import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from typing import Final

import yaml

from evals.prices import dollars
from shared.agent.model import Json, JsonAnswer, JsonModel, JsonRequest
from shared.clock import Deadline, SystemClock
from shared.errors import AizuchiError
from shared.metering import Usage
from shared.translation.languages import ENGLISH_NAMES
from shared.translation.translator import CONTEXT_LINES, TextToTranslate, TranslationRequest, Translator

SENTENCES: Final = Path(__file__).with_name("sentences.yaml")
RUBRIC: Final = Path(__file__).parents[1] / "rubrics" / "translation.md"
NAMES: Final = ("ケン", "さくら", "มะลิ", "Somchai", "志明", "Linh", "Budi")
GOOD: Final = 4
BEST: Final = 5
_SECONDS: Final = 8.0
_JUDGE_S: Final = 30.0
_SCORE: Final[Json] = {
    "type": "object",
    "properties": {"score": {"type": "integer", "minimum": 1, "maximum": BEST}, "reason": {"type": "string"}},
    "required": ["score", "reason"],
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A message in a language, and what must stand in every translation of it; `context`: the lines before it."""

    language: str
    target: str
    text: str
    keeps: tuple[str, ...]
    context: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Translation:
    """What became of a sentence: its translation (None: the model gave none), the seconds and the tokens; `score`: the judge's, if any."""

    sentence: Sentence
    text: str | None
    seconds: float
    usage: Usage
    score: int | None = None

    @property
    def has_kept_all(self) -> bool:
        """Whether the translation holds everything that must stay."""
        return self.text is not None and all(part in self.text for part in self.sentence.keeps)


class CountedModel:
    """A JsonModel that notes the tokens of its last answer."""

    def __init__(self, model: JsonModel) -> None:
        self._model = model
        self.usage = Usage()

    @property
    def name(self) -> str:
        return self._model.name

    def answer_json(self, request: JsonRequest) -> JsonAnswer:
        answer = self._model.answer_json(request)
        self.usage = answer.usage
        return answer


def read_sentences() -> tuple[Sentence, ...]:
    """Return the sentences, each with another language to translate into, and the lines before it in its own language."""
    rows: Mapping[str, list[dict[str, object]]] = yaml.safe_load(SENTENCES.read_text(encoding="utf-8"))
    languages = [*rows]
    return tuple(
        Sentence(
            language=language,
            target=target,
            text=str(row["says"]),
            keeps=tuple(map(str, row["keeps"])),  # type: ignore[call-overload]
            context=tuple(str(earlier["says"]) for earlier in rows[language][max(0, number - CONTEXT_LINES) : number]),
        )
        for language in languages
        for number, (row, target) in enumerate(
            zip(rows[language], islice(cycle([code for code in languages if code != language]), 20), strict=True)
        )
    )


def translate_all(sentences: Sequence[Sentence], model: JsonModel, *, at_once: int = 1) -> tuple[Translation, ...]:
    """Return what the model makes of each sentence, in one request each."""
    with ThreadPoolExecutor(at_once) as pool:
        return tuple(pool.map(partial(_translate, model=model), sentences))


def judged(translations: Sequence[Translation], judge: JsonModel, *, at_once: int = 1) -> tuple[Translation, ...]:
    """Return the translations with the judge's scores; one that could not be judged has none."""
    with ThreadPoolExecutor(at_once) as pool:
        scores = pool.map(partial(_score, judge=judge), translations)
        return tuple(
            Translation(sentence=one.sentence, text=one.text, seconds=one.seconds, usage=one.usage, score=score)
            for one, score in zip(translations, scores, strict=True)
        )


def report(translations: Sequence[Translation], *, model_name: str, is_model: bool) -> str:
    """Return the table: what was kept by rule, how many were translated, what the judge said, seconds, tokens and dollars."""
    count = len(translations)
    translated = [one for one in translations if one.text is not None]
    prompt_tokens = sum(one.usage.prompt_tokens for one in translations)
    output_tokens = sum(one.usage.output_tokens + one.usage.thought_tokens for one in translations)
    usage = Usage(prompt_tokens=prompt_tokens, output_tokens=output_tokens)
    cost = dollars(model_name, usage)
    seconds = sorted(one.seconds for one in translations)
    lines = [
        f"answered by: {model_name if is_model else 'a stand-in; no model was asked, so this says nothing about quality'}",
        f"translated: {len(translated)} of {count}",
        f"numbers, names, links, mentions and emoji kept: {sum(one.has_kept_all for one in translated)} of {len(translated)}",
        f"tokens a message: {prompt_tokens / count:.0f} in, {output_tokens / count:.0f} out",
    ]
    if is_model and cost is not None:
        lines.append(f"dollars for 300 messages: {300 * cost / count:.3f}")
    if is_model:
        lines.append(f"seconds: {seconds[count // 2]:.1f} (median), {seconds[int(0.95 * count)]:.1f} (95 %)")
        scored = [one.score for one in translations if one.score is not None]
        good = sum(score >= GOOD for score in scored)
        lines.append(f"judged at least {GOOD} of {BEST}: {good} of {len(scored)}")
    return "\n".join(lines)


def _translate(sentence: Sentence, *, model: JsonModel) -> Translation:
    counted, began_s = CountedModel(model), time.perf_counter()
    request = TranslationRequest(
        languages=(sentence.language, sentence.target),
        messages=(TextToTranslate(line_message_id="1", text=sentence.text),),
        context=sentence.context,
        terms=NAMES,
    )
    shown = Translator(model=counted).translate(request, Deadline.after(SystemClock(), _SECONDS))
    text = next((one.texts.get(sentence.target) for one in shown), None)
    return Translation(sentence=sentence, text=text, seconds=time.perf_counter() - began_s, usage=counted.usage)


def _score(translation: Translation, *, judge: JsonModel) -> int | None:
    if translation.text is None:
        return 1
    sentence = translation.sentence
    request = JsonRequest(
        system_instruction=RUBRIC.read_text(encoding="utf-8"),
        prompt=f"From {ENGLISH_NAMES[sentence.language]} into {ENGLISH_NAMES[sentence.target]}.\n"
        f"The message:\n-----\n{sentence.text}\n-----\nThe translation:\n-----\n{translation.text}\n-----",
        schema=_SCORE,
        timeout_s=_JUDGE_S,
    )
    try:
        score = judge.answer_json(request).value.get("score")
    except AizuchiError:
        return None
    return score if isinstance(score, int) and not isinstance(score, bool) and 1 <= score <= BEST else None
