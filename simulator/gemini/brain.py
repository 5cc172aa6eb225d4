"""How the stand-in answers when nothing is scripted. It reads the request and nothing else.

`RULES` is the whole of its wits: the first rule that recognises the scene answers it. A tool gets a rule of its own by
one entry there: recognise words and `scene.offers("its_name")`, and respond with `Use`; its result comes back in
`scene.results`, for another rule to put into words.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, assert_never

from simulator.gemini import keeping, lists
from simulator.gemini.answers import CallPart, Candidate
from simulator.gemini.conversation import language_of, messages_of
from simulator.gemini.filing import classification, wants_classification
from simulator.gemini.phrases import PHRASES
from simulator.gemini.recall import asked_key, last_words, stated_value
from simulator.gemini.samples import sample, sample_object
from simulator.gemini.scene import Intent, Say, Scene, StaySilent, Use

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from simulator.gemini.wire import FunctionDeclaration, GenerateContentRequest

REPLY, SKIP, WRITE_RECAP = "reply", "skip", "write_recap"
WRITE_DESCRIPTION = "write_description"
MAX_QUOTE_CHARACTERS = 80
_SHORTEST_REPAIR_CHARACTERS = 24
_MAX_WORDS_AFTER_GREETING = 16
_QUESTION = re.compile(r".*(?:[?\uff1f]|ですか|ますか|でしょうか|嗎|呢)[\s。]*", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One thing that the stand-in knows how to do."""

    recognise: Callable[[Scene], bool]
    respond: Callable[[Scene], Intent]


def answer(request: GenerateContentRequest) -> Candidate:
    """The answer to a request that breaks no rule. Equal requests get equal answers."""
    functions = request.callable_functions
    schema = request.response_json_schema or request.response_schema
    if not functions and (schema is not None or request.response_mime_type == "application/json"):
        wanted = schema or {"type": "object"}
        value = classification(request) if wants_classification(wanted) else sample(wanted)
        return Candidate(parts=(json.dumps(value, ensure_ascii=False),))
    messages = messages_of(request)
    language = language_of(messages)
    scene = Scene(request=request, messages=messages, phrases=PHRASES[language], language=language)
    intent = next(rule.respond(scene) for rule in RULES if rule.recognise(scene))
    return _expressed(intent, scene)


def _expressed(intent: Intent, scene: Scene) -> Candidate:
    """The intent by whatever the request offers for it: `reply` or `skip`, else text, else any function there is."""
    text = scene.phrases.welcome
    match intent:
        case Use():
            return _calling(intent.name, intent.args)
        case StaySilent() if scene.offers(SKIP):
            return _calling(SKIP, _with_text(_declaration(scene, SKIP), "reason", intent.reason))
        case Say():
            text = intent.text
        case StaySilent():
            pass
        case _:
            assert_never(intent)
    if scene.offers(REPLY):
        return _calling(REPLY, _with_text(_declaration(scene, REPLY), "message", text))
    if scene.offers(SKIP):
        return _calling(SKIP, _with_text(_declaration(scene, SKIP), "reason", "No function to reply with is offered."))
    functions = scene.request.callable_functions
    if functions and (scene.request.must_call or not scene.results):
        return _calling(functions[0].name, sample_object(functions[0].parameter_schema))
    return Candidate(parts=(text,), grounding=_grounding(scene, text))


def _calling(name: str, args: Mapping[str, object]) -> Candidate:
    return Candidate(parts=(CallPart(name=name, args=args),))


def _declaration(scene: Scene, name: str) -> FunctionDeclaration:
    return next(function for function in scene.request.callable_functions if function.name == name)


def _with_text(function: FunctionDeclaration, parameter: str, text: str) -> dict[str, object]:
    """Minimal arguments with `text` in the parameter, or, where it has another name, in the first that takes text."""
    schema = function.parameter_schema
    args = sample_object(schema)
    properties = schema.get("properties")
    known = list(properties) if isinstance(properties, dict) else []
    texts = [name for name, value in args.items() if isinstance(value, str)]
    name = parameter if parameter in known else next(iter([*texts, *known]), parameter)
    return {**args, name: text}


def _grounding(scene: Scene, text: str) -> Mapping[str, object] | None:
    """What a search would have left behind, pointing nowhere.  Source: google-genai 3.4.0, `GroundingMetadata`; offsets count bytes."""
    if "googleSearch" not in scene.request.built_in_tools:
        return None
    source = {"web": {"uri": "https://example.com/stand-in", "title": "example.com"}}
    segment = {"startIndex": 0, "endIndex": len(text.encode()), "text": text}
    return {
        "webSearchQueries": [_quoted(scene.words)],
        "searchEntryPoint": {"renderedContent": "<div>Google Search suggestions would stand here.</div>"},
        "groundingChunks": [source],
        "groundingSupports": [{"segment": segment, "groundingChunkIndices": [0]}],
    }


def _quoted(words: str) -> str:
    line = " ".join(words.split())
    return line if len(line) <= MAX_QUOTE_CHARACTERS else line[: MAX_QUOTE_CHARACTERS - 1] + "…"


def _has_failed_reply(scene: Scene) -> bool:
    failed = any(result.name == REPLY and result.error is not None for result in scene.results)
    return failed and _has_only_final_results(scene)


def _repair(scene: Scene) -> Intent:
    """The refused text at half its length; once that is too short to mean anything, a stock phrase."""
    values = [value for call in scene.calls if call.name == REPLY for value in call.args.values()]
    text = " ".join(max((value for value in values if isinstance(value, str)), key=len, default="").split())
    if len(text) < _SHORTEST_REPAIR_CHARACTERS:
        return Say(text=scene.phrases.fallback)
    return Say(text=text[: len(text) // 2].rstrip() + "…")


def _has_only_final_results(scene: Scene) -> bool:
    return bool(scene.results) and all(result.name in {REPLY, SKIP} for result in scene.results)


def _put_into_words(scene: Scene) -> Intent:
    """The last result; a failure is told as one."""
    result = [result for result in scene.results if result.name not in {REPLY, SKIP}][-1]
    if result.error is not None:
        return Say(text=scene.phrases.failure.format(words=_quoted(result.error)))
    output = result.response.get("output", result.response)
    return Say(text=scene.phrases.result.format(words=_quoted(json.dumps(output, ensure_ascii=False))))


def _recap(scene: Scene) -> Intent:
    """Everybody's words, shortened: what a summary repeats, it repeats in full view."""
    words = (_quoted(message.words) for message in scene.messages)
    return Use(name=WRITE_RECAP, args={"text": " / ".join(one for one in words if one) or "…"})


def _description(scene: Scene) -> Intent:
    """What a stand-in sees of a medium: its type and size."""
    return Use(name=WRITE_DESCRIPTION, args={"text": scene.messages[-1].detail if scene.messages else "…"})


def _respond_to_medium(scene: Scene) -> Intent:
    message = scene.messages[-1]
    if message.is_data:  # a stand-in sees no more of it
        return Say(text=f"{scene.phrases.media[message.medium or 'file']} ({message.detail})")
    detail = message.detail.partition(",")[0].strip()
    return Say(text=scene.phrases.media[message.medium or "file"].format(detail=detail or "📍"))


def _asks_what_was_said(scene: Scene) -> bool:
    return bool(re.fullmatch(scene.phrases.asks_what_was_said, scene.bare_words, re.DOTALL))


def _remind_of_words(scene: Scene) -> Intent:
    words = last_words(scene.messages, scene.phrases)
    return Say(text=scene.phrases.said.format(words=_quoted(words)) if words else scene.phrases.said_nothing)


def _remind_of_fact(scene: Scene) -> Intent:
    key = asked_key(scene.words, scene.phrases) or ""
    value = stated_value(key, scene.messages, scene.phrases)
    if value is None:
        return Say(text=scene.phrases.no_fact.format(key=_quoted(key)))
    return Say(text=scene.phrases.fact.format(key=_quoted(key), value=_quoted(value)))


def _greeting(scene: Scene) -> str | None:
    for pattern, reply in scene.phrases.greetings:
        greeting = re.match(pattern, scene.bare_words)
        if greeting and len(scene.bare_words) - greeting.end() <= _MAX_WORDS_AFTER_GREETING:
            return reply
    return None


def _is_acknowledgement(scene: Scene) -> bool:
    """Nothing but thanks, agreement and emoji."""
    if not scene.messages or _QUESTION.fullmatch(scene.words):
        return False
    known = "|".join(pattern for phrases in PHRASES.values() for pattern in phrases.acknowledgements)
    # Possessive, because patterns of several languages overlap and people may send "thanks" a thousand times.
    return bool(re.fullmatch(rf"[\W_]*+(?:(?>{known})[\W_]*+)*+", scene.words.casefold()))


RULES: tuple[Rule, ...] = (
    Rule(recognise=lambda scene: scene.offers(WRITE_RECAP), respond=_recap),
    Rule(recognise=lambda scene: scene.offers(WRITE_DESCRIPTION), respond=_description),
    Rule(recognise=lists.wants_search_itself, respond=lists.search),
    Rule(recognise=_has_failed_reply, respond=_repair),
    Rule(
        recognise=_has_only_final_results,
        respond=lambda _: StaySilent(reason="The answer is on its way already."),
    ),
    Rule(recognise=lists.is_result, respond=lists.go_on),
    Rule(recognise=keeping.has_found_entry, respond=keeping.go_on),
    Rule(recognise=keeping.has_kept, respond=keeping.tell),
    Rule(recognise=lambda scene: bool(scene.results), respond=_put_into_words),
    Rule(recognise=lambda scene: not scene.messages, respond=lambda _: StaySilent(reason="Nobody said anything.")),
    Rule(recognise=lambda scene: scene.messages[-1].medium is not None, respond=_respond_to_medium),
    Rule(recognise=lists.is_about_lists, respond=lists.begin),
    Rule(recognise=keeping.wants_keeping, respond=keeping.begin),
    Rule(
        recognise=lambda scene: bool(re.fullmatch(scene.phrases.asks_for_help, scene.bare_words, re.DOTALL)),
        respond=lambda scene: Say(text=scene.phrases.help),
    ),
    Rule(recognise=_asks_what_was_said, respond=_remind_of_words),
    Rule(recognise=lambda scene: asked_key(scene.words, scene.phrases) is not None, respond=_remind_of_fact),
    Rule(
        recognise=lambda scene: _greeting(scene) is not None,
        respond=lambda scene: Say(text=_greeting(scene) or scene.phrases.welcome),
    ),
    Rule(recognise=_is_acknowledgement, respond=lambda _: StaySilent(reason="The message only acknowledges.")),
    Rule(
        recognise=lambda scene: bool(_QUESTION.fullmatch(scene.words)),
        respond=lambda scene: Say(text=scene.phrases.unknown.format(words=_quoted(scene.words))),
    ),
    Rule(
        recognise=lambda _: True,
        respond=lambda scene: Say(text=scene.phrases.echo.format(words=_quoted(scene.words))),
    ),
)
