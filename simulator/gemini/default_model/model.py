"""The default model: answers a request for which no step is scripted, by rules that read only the request.

The first applicable rule of `RULES` decides. A tool's rule is an entry there: `applies` recognises words and `prompt.offers("its_name")`,
`decide` returns `CallTool`; another rule puts the tool's response, in `prompt.results`, into words.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, assert_never

from simulator.gemini import pages, videos
from simulator.gemini.answers import CallPart, Candidate, count_tokens
from simulator.gemini.default_model import (
    expense_tools,
    failures,
    few_words,
    file_text,
    help_examples,
    knowledge_tools,
    link_tools,
    list_tools,
    memory_tools,
    poll_tools,
    reminder_tools,
    shared_list_tools,
    tool_server_tools,
    translation_tools,
)
from simulator.gemini.default_model.chat_facts import key_asked_for, last_words, value_of
from simulator.gemini.default_model.classification import classify, is_classification
from simulator.gemini.default_model.phrases import PHRASES
from simulator.gemini.default_model.prompt import CallTool, Decision, Prompt, Say, StaySilent
from simulator.gemini.default_model.samples import sample, sample_object
from simulator.gemini.default_model.transcript import language_of, messages_of
from simulator.gemini.default_model.translation import is_translation, translate

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from simulator.gemini.request import GenerateContentRequest

REPLY, SKIP = "reply", "skip"
WRITE_RECAP, WRITE_DESCRIPTION = "write_recap", "write_description"
SUMMARY_LINE = 'each beginning with "- "'  # with these words the product asks for a summary that a group reads
MAX_QUOTE_CHARACTERS = 80
_MAX_WORDS_AFTER_GREETING = 16
_QUESTION = re.compile(r".*(?:[?\uff1f]|ですか|ますか)[\s。]*", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One ability of the default model."""

    applies: Callable[[Prompt], bool]
    decide: Callable[[Prompt], Decision]


def _calling(call: Callable[[Prompt], CallTool | None]) -> Rule:
    """Return a rule that applies whenever `call` returns a call, and then makes that call."""
    return Rule(applies=lambda prompt: call(prompt) is not None, decide=lambda prompt: _required_call(call(prompt)))


def _required_call(call: CallTool | None) -> CallTool:
    assert call is not None  # noqa: S101 - the rule recognised it
    return call


def answer(request: GenerateContentRequest) -> Candidate:
    """Return the answer to a valid request. Equal requests get equal answers."""
    functions = request.callable_functions
    schema = request.response_json_schema or request.response_schema
    if not functions and (schema is not None or request.response_mime_type == "application/json"):
        object_schema = schema or {"type": "object"}
        return Candidate(parts=(json.dumps(_object(request, object_schema), ensure_ascii=False),))
    if pages.is_reading(request):
        return _from_pages(request)
    if videos.is_watching(request):
        return Candidate(parts=(videos.answer(videos.videos_of(request)),))
    messages = messages_of(request)
    prompt = Prompt(request=request, messages=messages, language=language_of(messages))
    return _candidate(next(rule.decide(prompt) for rule in RULES if rule.applies(prompt)), prompt)


def _from_pages(request: GenerateContentRequest) -> Candidate:
    """Answer from the pages of the prompt."""
    retrieved = pages.retrieve(request)
    return Candidate(
        parts=(pages.answer(retrieved),),
        url_context=pages.url_context({page.address: page.status for page in retrieved}),
        page_tokens=sum(count_tokens(page.text) for page in retrieved),
    )


def _object(request: GenerateContentRequest, schema: Mapping[str, object]) -> object:
    """Return the object of an answer without functions: a classification, translations, or anything that fits the schema."""
    if is_classification(schema):
        return classify(request)
    return translate(request, schema) if is_translation(schema) else sample(schema)


def _candidate(decision: Decision, prompt: Prompt) -> Candidate:
    """Carry out the decision by `reply` or `skip`, else by text, else by any offered function."""
    text = prompt.phrases.welcome
    match decision:
        case CallTool():
            return _call(decision.name, decision.args)
        case StaySilent() if prompt.offers(SKIP):
            return _call(SKIP, _text_args(prompt, SKIP, "reason", decision.reason))
        case Say():
            text = decision.text
        case StaySilent():
            pass
        case _:
            assert_never(decision)
    if prompt.offers(REPLY):
        return _call(REPLY, _text_args(prompt, REPLY, "message", text))
    if prompt.offers(SKIP):
        return _call(SKIP, _text_args(prompt, SKIP, "reason", "No function to reply with is offered."))
    functions = prompt.request.callable_functions
    if functions and (prompt.request.must_call or not prompt.results):
        return _call(functions[0].name, sample_object(functions[0].parameter_schema))
    return Candidate(parts=(text,), grounding=_grounding(prompt, text))


def _call(name: str, args: Mapping[str, object]) -> Candidate:
    return Candidate(parts=(CallPart(name=name, args=args),))


def _text_args(prompt: Prompt, name: str, parameter: str, text: str) -> dict[str, object]:
    """Return minimal arguments of the function with `text` in the parameter."""
    function = next(function for function in prompt.request.callable_functions if function.name == name)
    return {**sample_object(function.parameter_schema), parameter: text}


def _grounding(prompt: Prompt, text: str) -> Mapping[str, object] | None:
    """Return the metadata of a search.  Source: google-genai 3.4.0, `GroundingMetadata`; offsets count bytes."""
    if "googleSearch" not in prompt.request.built_in_tools:
        return None
    source = {"web": {"uri": "https://example.com/stand-in", "title": "example.com"}}
    segment = {"startIndex": 0, "endIndex": len(text.encode()), "text": text}
    return {
        "webSearchQueries": [_shorten(prompt.words)],
        "searchEntryPoint": {"renderedContent": "<div>Google Search suggestions would stand here.</div>"},
        "groundingChunks": [source],
        "groundingSupports": [{"segment": segment, "groundingChunkIndices": [0]}],
    }


def _shorten(words: str) -> str:
    line = " ".join(words.split())
    return line if len(line) <= MAX_QUOTE_CHARACTERS else line[: MAX_QUOTE_CHARACTERS - 1] + "…"


def _has_only_replies(prompt: Prompt) -> bool:
    return bool(prompt.results) and all(result.name in {REPLY, SKIP} for result in prompt.results)


def _put_into_words(prompt: Prompt) -> Decision:
    """Say the result or the failure of the last call."""
    result = [result for result in prompt.results if result.name not in {REPLY, SKIP}][-1]
    if result.error is not None:
        return Say(text=failures.words_for(result, said=prompt.words, fallback=prompt.language))
    output = result.response.get("output", result.response)
    return Say(text=prompt.phrases.result.format(words=_shorten(_in_words(output))))


def _in_words(value: object) -> str:
    """Return a result without the marks of JSON, also if it is JSON in a text.

    For example, `{"city": "Kyoto", "days": [1, 2]}` is "city: Kyoto, days: 1, 2".
    """
    if isinstance(value, dict):
        return ", ".join(f"{name}: {_in_words(part)}" for name, part in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(_in_words, value))
    text = str(value)
    if not text.lstrip().startswith(("{", "[")):
        return text
    try:
        return _in_words(json.loads(text))
    except ValueError:
        return text.strip("{}[] ")


def _write_recap(prompt: Prompt) -> Decision:
    """Repeat the shortened words of all messages, so that tests can search the recap; a summary for a group has a line for each."""
    if SUMMARY_LINE in prompt.request.system_text:
        told = (f"- {message.speaker}: {_shorten(message.words)}" for message in prompt.messages if message.words)
        return CallTool(name=WRITE_RECAP, args={"text": "\n".join(told) or "…"})
    words = (_shorten(message.words) for message in prompt.messages)
    return CallTool(name=WRITE_RECAP, args={"text": " / ".join(part for part in words if part) or "…"})


def _write_description(prompt: Prompt) -> Decision:
    """Describe a medium by type and size, for example "image/png, 1,024 bytes"."""
    return CallTool(name=WRITE_DESCRIPTION, args={"text": prompt.messages[-1].detail if prompt.messages else "…"})


def _respond_to_medium(prompt: Prompt) -> Decision:
    message = prompt.messages[-1]
    text = prompt.phrases.media[message.medium or "other"]
    if message.has_data:
        return Say(text=f"{text} ({message.detail})")
    return Say(text=text.format(detail=message.detail.partition(",")[0].strip() or "📍"))


def _asks_what_was_said(prompt: Prompt) -> bool:
    return bool(re.fullmatch(prompt.phrases.asks_what_was_said, prompt.bare_words, re.DOTALL))


def _asks_what_it_can(prompt: Prompt) -> bool:
    return bool(re.fullmatch(prompt.phrases.asks_what_it_can, prompt.bare_words, re.DOTALL))


def _repeat_words(prompt: Prompt) -> Decision:
    words = last_words(prompt.messages, prompt.phrases)
    return Say(text=prompt.phrases.last_words.format(words=_shorten(words)) if words else prompt.phrases.no_last_words)


def _repeat_fact(prompt: Prompt) -> Decision:
    key = key_asked_for(prompt.words, prompt.phrases) or ""
    value = value_of(key, prompt.messages, prompt.phrases)
    if value is None:
        return Say(text=prompt.phrases.no_fact.format(key=_shorten(key)))
    return Say(text=prompt.phrases.fact.format(key=_shorten(key), value=_shorten(value)))


def _greeting(prompt: Prompt) -> str | None:
    for pattern, reply in prompt.phrases.greetings:
        greeting = re.match(pattern, prompt.bare_words)
        if greeting and len(prompt.bare_words) - greeting.end() <= _MAX_WORDS_AFTER_GREETING:
            return reply
    return None


def _is_question(prompt: Prompt) -> bool:
    return bool(_QUESTION.fullmatch(prompt.words))


def _is_acknowledgement(prompt: Prompt) -> bool:
    """Whether the last message has only thanks, agreement and emoji."""
    if not prompt.messages or _is_question(prompt):
        return False
    acknowledgements = "|".join(pattern for phrases in PHRASES.values() for pattern in phrases.acknowledgements)
    # Possessive, because patterns of both languages overlap and a message may repeat "thanks" a thousand times.
    return bool(re.fullmatch(rf"[\W_]*+(?:(?>{acknowledgements})[\W_]*+)*+", prompt.words.casefold()))


def _is_thanks_in_direct_chat(prompt: Prompt) -> bool:
    """Whether the last message has only thanks, in a 1:1 chat; there silence is less polite than a word."""
    thanks = "|".join(phrases.thanks for phrases in PHRASES.values())
    return prompt.is_direct and _is_acknowledgement(prompt) and re.search(thanks, prompt.words.casefold()) is not None


RULES: tuple[Rule, ...] = (
    Rule(applies=lambda prompt: prompt.offers(WRITE_RECAP), decide=_write_recap),
    Rule(applies=lambda prompt: prompt.offers(WRITE_DESCRIPTION), decide=_write_description),
    Rule(applies=list_tools.is_search, decide=list_tools.answer_search),
    Rule(applies=_has_only_replies, decide=lambda _: StaySilent(reason="The answer is on its way already.")),
    Rule(applies=help_examples.has_result, decide=help_examples.report),
    Rule(applies=link_tools.has_result, decide=link_tools.report),
    Rule(applies=list_tools.has_result, decide=list_tools.proceed),
    Rule(applies=expense_tools.is_settled, decide=expense_tools.say_settled),
    Rule(applies=poll_tools.is_without_polls, decide=poll_tools.say_no_poll),
    Rule(applies=poll_tools.names_several, decide=poll_tools.close_newest),
    Rule(applies=few_words.are_enough, decide=few_words.say),
    Rule(applies=translation_tools.has_result, decide=translation_tools.report),
    Rule(applies=reminder_tools.has_result, decide=reminder_tools.proceed),
    Rule(applies=tool_server_tools.has_result, decide=tool_server_tools.report),
    Rule(applies=knowledge_tools.has_search_result, decide=knowledge_tools.use_entry),
    Rule(applies=knowledge_tools.has_result, decide=knowledge_tools.report),
    Rule(applies=memory_tools.has_result, decide=memory_tools.report),
    Rule(applies=lambda prompt: bool(prompt.results), decide=_put_into_words),
    Rule(applies=memory_tools.is_catch_up, decide=memory_tools.sum_up),
    Rule(applies=lambda prompt: not prompt.messages, decide=lambda _: StaySilent(reason="There is no message.")),
    Rule(applies=file_text.has_file, decide=file_text.tell_file),
    Rule(applies=file_text.is_question, decide=file_text.answer_question),
    Rule(applies=lambda prompt: prompt.messages[-1].medium is not None, decide=_respond_to_medium),
    Rule(applies=memory_tools.is_request, decide=memory_tools.begin),
    _calling(help_examples.first_call),
    _calling(link_tools.first_call),
    _calling(list_tools.first_call),
    _calling(shared_list_tools.first_call),
    _calling(expense_tools.first_call),
    _calling(poll_tools.first_call),
    _calling(translation_tools.first_call),
    _calling(reminder_tools.first_call),
    _calling(tool_server_tools.first_call),
    Rule(applies=knowledge_tools.is_request, decide=knowledge_tools.begin),
    Rule(applies=_asks_what_it_can, decide=lambda prompt: Say(text=prompt.phrases.abilities)),
    Rule(applies=_asks_what_was_said, decide=_repeat_words),
    Rule(applies=lambda prompt: key_asked_for(prompt.words, prompt.phrases) is not None, decide=_repeat_fact),
    Rule(
        applies=lambda prompt: _greeting(prompt) is not None,
        decide=lambda prompt: Say(text=_greeting(prompt) or prompt.phrases.welcome),
    ),
    Rule(applies=_is_thanks_in_direct_chat, decide=lambda prompt: Say(text=prompt.phrases.welcome)),
    Rule(applies=_is_acknowledgement, decide=lambda _: StaySilent(reason="The message only acknowledges.")),
    Rule(
        applies=help_examples.is_chinese_or_thai,
        decide=lambda prompt: help_examples.converse(prompt, _shorten(prompt.words)),
    ),
    Rule(
        applies=_is_question,
        decide=lambda prompt: Say(text=prompt.phrases.unknown.format(words=_shorten(prompt.words))),
    ),
    Rule(
        applies=lambda _: True, decide=lambda prompt: Say(text=prompt.phrases.echo.format(words=_shorten(prompt.words)))
    ),
)
