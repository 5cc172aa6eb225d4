"""The rules for the chat's memory: people's requests in Japanese and English, and the results in words."""

# ruff: noqa: RUF001 -- full-width punctuation is how Japanese is written

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from simulator.gemini.default_model.prompt import CallTool, Decision, Prompt, Say, mapping

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from simulator.gemini.default_model.phrases import Language

RECALL, FORGET = "recall", "forget_messages"
_CATCH_UP = "[note] Somebody asks by /catchup"
_HEADER = re.compile(r"\[([^\]|]+) \| (\d{4}-\d\d-\d\d \d\d:\d\d)\] ?")
_SHOWN = 5
_WORDS_CHARACTERS = 60
_FLAGS = re.DOTALL | re.IGNORECASE
_ENDS = " \t\n.,!?~…。、〜！？"
# The group `about` becomes the query.
_SENTENCES: tuple[tuple[str, re.Pattern[str]], ...] = (
    (FORGET, re.compile(r"(?P<about>.{1,200}?)について(?:私が)?言ったことを?忘れて.*", _FLAGS)),
    (FORGET, re.compile(r"forget what i said about (?:the |my )?(?P<about>.{1,200})", _FLAGS)),
    (
        RECALL,
        re.compile(r"(?P<about>.{1,200}?)について(?:前に)?何(?:て|と|を)(?:言った|話した|言ってた|決めた).*", _FLAGS),
    ),
    (RECALL, re.compile(r"what did we (?:say|decide) about (?:the )?(?P<about>.{1,200})", _FLAGS)),
    (RECALL, re.compile(r"what did we (?:say|decide)|何が決まった.*", _FLAGS)),
    (RECALL, re.compile(r"what did i miss|何の話(?:だった|してた|をしていた).*|何か見逃した.*", _FLAGS)),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Texts:
    matches: str
    no_match: str
    proposed: str
    missed: str
    missed_nothing: str


_TEXTS: Mapping[Language, _Texts] = {
    "ja": _Texts(
        matches="前にこう話していました：\n{lines}",
        no_match="見つかりませんでした。",
        proposed="ボタンを押すと、下のメッセージを取り消します。",
        missed="{time}からのまとめ：\n{lines}",
        missed_nothing="そのあとは何も話されていません。",
    ),
    "en": _Texts(
        matches="This was said before:\n{lines}",
        no_match="I found nothing.",
        proposed="These messages go when you press the button.",
        missed="What was said since {time}:\n{lines}",
        missed_nothing="Nothing was said since then.",
    ),
}


def is_request(prompt: Prompt) -> bool:
    """Whether the last message is a request to the memory, and the function is offered."""
    request = _memory_request(prompt)
    return request is not None and prompt.offers(request[0])


def begin(prompt: Prompt) -> Decision:
    """Call the requested function."""
    name, query = _memory_request(prompt) or (RECALL, "")
    return CallTool(name=name, args={"query": query} if query else {})


def has_result(prompt: Prompt) -> bool:
    """Whether a function of the memory has answered."""
    return any(result.name in {RECALL, FORGET} and result.error is None for result in prompt.results)


def report(prompt: Prompt) -> Decision:
    """Say what the search returned, or what the bot proposes."""
    texts = _TEXTS[prompt.language]
    result = next(result for result in prompt.results if result.name in {RECALL, FORGET})
    if result.name == FORGET:
        return Say(text=texts.proposed)
    shown = "\n".join(shown_lines(mapping(result.response.get("output"))))
    return Say(text=texts.matches.format(lines=shown) if shown else texts.no_match)


def shown_lines(output: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the first lines that a search of the chat has found, shortened."""
    return tuple(_short_line(str(line)) for line in output.get("lines", ())[:_SHOWN])


def is_catch_up(prompt: Prompt) -> bool:
    """Whether the request asks for a summary of missed messages."""
    return not prompt.results and any(True for _ in _missed_messages(prompt))


def sum_up(prompt: Prompt) -> Decision:
    """Repeat the newest missed messages."""
    texts = _TEXTS[prompt.language]
    lines = [line for text in _missed_messages(prompt) for line in text if _HEADER.match(line)]
    if not lines:
        return Say(text=texts.missed_nothing)
    first = _HEADER.match(lines[0])
    shown = "\n".join(map(_short_line, lines[-_SHOWN:]))
    return Say(text=texts.missed.format(time=first[2] if first else "", lines=shown))


def _missed_messages(prompt: Prompt) -> Iterator[tuple[str, ...]]:
    for content in prompt.request.contents:
        if content.texts and content.texts[0].startswith(_CATCH_UP):
            yield content.texts[1:]


def _memory_request(prompt: Prompt) -> tuple[str, str] | None:
    words = prompt.words.strip(_ENDS)
    for name, pattern in _SENTENCES:
        match = pattern.fullmatch(words)
        if match:
            return name, (match.groupdict().get("about") or "").strip(_ENDS)
    return None


def _short_line(line: str) -> str:
    """Return a line with time, speaker and the first words."""
    header = _HEADER.match(line)
    if header is None:
        return line[:_WORDS_CHARACTERS]
    words = " ".join(line[header.end() :].split())
    return f"{header[1]} ({header[2]}): {words[:_WORDS_CHARACTERS]}"
