"""`python -m benchmarks.group_day`: the tokens and dollars of a day of a group of six that speaks two languages.

The worker plays the day on ports in memory, and every request to a model is counted as the worker makes it: 300 messages, of which 275 are
translated (half Japanese, half Thai, from the sentences of `evals/translation`), 20 are questions to the bot, and five note an expense; and
one summary, pushed the next morning.

Tokens of prompts are estimated by the texts (`estimated_tokens`), those of answers by what the stand-in answers: a translation has the
words of a sentence of the other language. Every answer of a turn and every summary counts 150 tokens of thought more, as in the evals. No
token counts as cached, so the figure is an upper one.
"""

import json
import os
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Any, Final

from benchmarks.prompts import text_of, tokens
from evals.prices import dollars
from evals.translation.benchmark import read_sentences
from shared import logs
from shared.access.budgets import Limits
from shared.adapters.memory.scripted_model import calling
from shared.agent.model import Json, JsonRequest, ModelRequest, ModelResponse
from shared.agent.token_estimate import estimated_tokens
from shared.metering import Purpose, Usage
from tests.support import push
from tests.support.people import Person
from tests.support.pushed import PushedWorker

MESSAGES: Final = 300
QUESTIONS: Final = 20
EXPENSES: Final = 5
MODEL: Final = "gemini-3.5-flash-lite"
_MEMBERS: Final = tuple("U" + digit * 32 for digit in "345678")
_SECONDS_BETWEEN: Final = 170
_THOUGHTS: Final = 150
_ANSWER: Final = "来週の土曜10時に駅前で集合、と昨日決まりました。雨なら翌週に延期です。"
_SUMMARY: Final = "- 集合は土曜10時に駅前\n- 会費は一人4,500円\n- เสาร์นี้ใครขับรถ ยังไม่มีคนตอบ"
_EVERY_MORNING: Final = {
    "text": "昨日のまとめ",
    "at": "2025-11-22T08:00",
    "rule": "FREQ=DAILY",
    "digest": "chat",
    "push": True,
}
_NAMES: Final = {
    Purpose.TURN: "questions and expenses",
    Purpose.TRANSLATE: "translation",
    Purpose.RECAP: "summaries and recaps",
}


@dataclass(slots=True)
class Part:
    """What one kind of request took in the day."""

    requests: int = 0
    prompt_tokens: int = 0
    output_tokens: int = 0

    def add(self, *, prompt_tokens: int, output_tokens: int) -> None:
        """Count one request."""
        self.requests += 1
        self.prompt_tokens += prompt_tokens
        self.output_tokens += output_tokens

    @property
    def dollars(self) -> float:
        """The price of the tokens."""
        return dollars(MODEL, Usage(prompt_tokens=self.prompt_tokens, output_tokens=self.output_tokens)) or 0.0


class GroupDay:
    """A group with translation, expenses and a summary every morning; `parts` are its requests by what they are for."""

    def __init__(self, pool: ThreadPoolExecutor) -> None:
        unlimited = Limits(turns_per_chat_day=0, tokens_per_chat_day=0, tokens_per_day=0)
        self.worker = PushedWorker(pool, currency="JPY", limits=unlimited)
        self.person = Person(self.worker, is_in_group=True)
        self.worker.line.members[self.person.events.chat_id] = len(_MEMBERS)
        self.parts: dict[str, Part] = {name: Part() for name in _NAMES.values()}
        self._others: dict[str, Iterator[str]] = {}

    def plays(self, messages: int = MESSAGES) -> None:
        """Play a day of so many messages, and the morning after it."""
        said = _sentences()
        self._others = {"ja": cycle(said["th"]), "th": cycle(said["ja"])}
        lines = {language: cycle(texts) for language, texts in said.items()}
        self._begins()
        asks_every, pays_every = MESSAGES // QUESTIONS, MESSAGES // EXPENSES
        for number in range(messages):
            self.worker.clock.move(_SECONDS_BETWEEN)
            author = _MEMBERS[number % len(_MEMBERS)]
            if number % pays_every == pays_every - 1:
                self._hears("@Aizuchi 夕食6000円払った", author, self._notes_expense, self._answers)
            elif number % asks_every == asks_every // 2:
                self._hears("@Aizuchi 土曜は何時にどこ集合だっけ", author, self._answers)
            else:
                self._hears(next(lines["ja" if number % 2 else "th"]), author)
        self.worker.clock.move(24 * 3_600 - messages * _SECONDS_BETWEEN)
        self.worker.model.steps = [self._sums_up]
        self.worker.push(push.tick())

    def _begins(self) -> None:
        create = calling(("create_reminder", _EVERY_MORNING), ("reply", {"message": "はい"}))
        self.person.asks("毎朝8時に昨日のまとめを送って", create, calling(("reply", {"message": "はい"})))
        self._hears("/translate ja th", _MEMBERS[0])
        for author in _MEMBERS[:2]:
            button = self.person.newest_button
            self.person.sends(self.person.events.event("postback", postback={"data": button}, by=author))

    def _hears(self, text: str, author: str, *thinks: Any) -> None:  # noqa: ANN401 - steps of the model
        event = self.person.events.text(text, by=author) | {"timestamp": self.worker.clock.now_ms()}
        recaps = [self._sums_up] * 4
        self.worker.translator.steps = [self._translates]
        self.person.sends(event, *thinks, *recaps)

    def _translates(self, request: JsonRequest) -> Json:
        written_in = (
            "th"
            if any("\u0e00" <= character <= "\u0e7f" for character in request.prompt.rpartition("## ")[2])
            else "ja"
        )
        to = "ja" if written_in == "th" else "th"
        translation = {"to": to, "text": next(self._others[written_in])}
        answer: Json = {"messages": [{"number": 1, "language": written_in, "translations": [translation]}]}
        prompt = f"{request.system_instruction}{json.dumps(request.schema)}{request.prompt}"
        self.parts[_NAMES[Purpose.TRANSLATE]].add(
            prompt_tokens=estimated_tokens(prompt), output_tokens=_estimated(answer)
        )
        return answer

    def _notes_expense(self, request: ModelRequest) -> ModelResponse:
        arguments = {"what": "夕食", "amount": "6000"}
        return self._counted(request, ("add_expense", arguments), ("reply", {"message": "記録しました。"}))

    def _answers(self, request: ModelRequest) -> ModelResponse:
        return self._counted(request, ("reply", {"message": _ANSWER}))

    def _sums_up(self, request: ModelRequest) -> ModelResponse:
        return self._counted(request, ("write_recap", {"text": _SUMMARY}))

    def _counted(self, request: ModelRequest, *calls: tuple[str, Mapping[str, Any]]) -> ModelResponse:
        part = self.parts[_NAMES.get(request.purpose, _NAMES[Purpose.TURN])]
        output_tokens = _THOUGHTS + sum(_estimated({name: arguments}) for name, arguments in calls)
        part.add(prompt_tokens=tokens(text_of(request)), output_tokens=output_tokens)
        return calling(*((name, dict(arguments)) for name, arguments in calls))


def _sentences() -> Mapping[str, tuple[str, ...]]:
    sentences = read_sentences()
    return {language: tuple(one.text for one in sentences if one.language == language) for language in ("ja", "th")}


def _estimated(answer: Mapping[str, Any]) -> int:
    return estimated_tokens(json.dumps(answer, ensure_ascii=False))


def report(parts: Mapping[str, Part]) -> str:
    """Return the table, in Markdown: requests, tokens and dollars of each part, and of the day."""
    rows = [(name, part.requests, part.prompt_tokens, part.output_tokens, part.dollars) for name, part in parts.items()]
    sums = [sum(column) for column in zip(*(row[1:] for row in rows), strict=True)]
    rows.append(("**the day**", round(sums[0]), round(sums[1]), round(sums[2]), sums[3]))
    lines = [
        f"| {name} | {requests:,} | {prompt:,} | {output:,} | {price:.3f} |"
        for name, requests, prompt, output, price in rows
    ]
    head = ["| | requests | prompt tokens | output tokens | US dollars |", "| --- | --- | --- | --- | --- |"]
    return "\n".join([*head, *lines])


def main() -> None:
    """Play the day, and print its table."""
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere, ThreadPoolExecutor(16) as pool:
        logs.configure(nowhere)
        day = GroupDay(pool)
        day.plays()
        logs.configure(sys.stdout)
    print(report(day.parts))


if __name__ == "__main__":
    main()
