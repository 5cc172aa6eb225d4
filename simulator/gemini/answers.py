"""Answers as values, and the bytes of their responses.

Relies on `signatures` for the thought signatures of calls. Equal requests get equal bytes: ids come from the request.
Source: https://ai.google.dev/api/generate-content, GenerateContentResponse.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, assert_never

from simulator.gemini.errors import GoogleError
from simulator.gemini.request import FunctionCall
from simulator.gemini.videos import is_of_youtube, videos_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from simulator.gemini.request import GenerateContentRequest, Media
    from simulator.gemini.signatures import Signer

JSON_TYPE = "application/json; charset=UTF-8"
_MEDIA_TOKENS = 258  # Source: https://ai.google.dev/gemini-api/docs/tokens, a small image
_THOUGHT_TOKENS = {"MINIMAL": 0, "LOW": 24, "MEDIUM": 96, "HIGH": 384}
_ASCII_CHARACTERS_PER_TOKEN = 4
_ID_LENGTH = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class CallPart:
    """A function call to send, for example `CallPart(name="reply", args={"message": "hi"})`; older models send `has_id=False`."""

    name: str
    args: Mapping[str, object]
    has_id: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A candidate. Without parts, the candidate has no content or, for STOP, a content without `parts`.

    `tokens` is the stated usage; None counts the tokens of the parts. `url_context`: the `urlContextMetadata`. `page_tokens`: the
    tokens of the retrieved pages.
    """

    parts: tuple[str | CallPart, ...] = ()
    finish_reason: str = "STOP"
    finish_message: str | None = None
    grounding: Mapping[str, object] | None = None
    tokens: int | None = None
    url_context: Mapping[str, object] | None = None
    page_tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocked:
    """A blocked prompt: no candidates, and a reason in `promptFeedback`."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RawBody:
    """Bytes that are no valid answer, for example a broken body or a proxy's error page."""

    body: bytes
    status_code: int = 200
    content_type: str = JSON_TYPE


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """A connection that ends in the middle of the answer."""


Answer = Candidate | Blocked | GoogleError | RawBody | Dropped


def kind_of(answer: Answer) -> str:
    """Return the kind of the answer for the request log: `call reply`, `text`, `empty`, `SAFETY`, `blocked`, `429`, ..."""
    match answer:
        case Candidate(finish_reason="STOP"):
            names = [part.name for part in answer.parts if isinstance(part, CallPart)]
            text = "text" if answer.parts else "empty"
            return f"call {' '.join(names)}" if names else text
        case Candidate():
            return answer.finish_reason
        case Blocked():
            return "blocked"
        case GoogleError():
            return str(answer.code)
        case RawBody():
            return f"raw {answer.status_code}"
        case Dropped():
            return "dropped"
        case _:
            assert_never(answer)


def render(answer: Candidate | Blocked, request: GenerateContentRequest, signer: Signer) -> bytes:
    """Return the body of a 200."""
    digest = _digest(request, signer)
    body: dict[str, object] = {}
    answer_tokens = page_tokens = 0
    match answer:
        case Candidate():
            body["candidates"] = [_candidate(answer, digest, signer)]
            page_tokens = answer.page_tokens
            answer_tokens = sum(_tokens_of(part) for part in answer.parts) if answer.tokens is None else answer.tokens
        case Blocked():
            body["promptFeedback"] = {"blockReason": answer.reason}
        case _:
            assert_never(answer)
    body["usageMetadata"] = _usage(request, answer_tokens, page_tokens)
    body["modelVersion"] = request.model
    body["responseId"] = digest[:22]
    return json.dumps(body, ensure_ascii=False).encode()


def count_tokens(text: str) -> int:
    """Return a plausible count: a token for four ASCII characters, or for one of any other script: `count_tokens("hello 雨")` is 3."""
    ascii_characters = sum(character.isascii() for character in text)
    return len(text) - ascii_characters + -(-ascii_characters // _ASCII_CHARACTERS_PER_TOKEN)


def _candidate(answer: Candidate, digest: str, signer: Signer) -> dict[str, object]:
    candidate: dict[str, object] = {"index": 0, "finishReason": answer.finish_reason}
    if answer.parts:
        candidate["content"] = {"role": "model", "parts": _parts(answer.parts, digest, signer)}
    elif answer.finish_reason == "STOP":
        candidate["content"] = {"role": "model"}  # Source: googleapis/python-genai#1289
    if answer.finish_message is not None:
        candidate["finishMessage"] = answer.finish_message
    if answer.grounding is not None:
        candidate["groundingMetadata"] = dict(answer.grounding)
    if answer.url_context is not None:
        candidate["urlContextMetadata"] = dict(answer.url_context)
    return candidate


def _parts(parts: tuple[str | CallPart, ...], digest: str, signer: Signer) -> list[dict[str, object]]:
    """Return the parts on the wire; only the first call has a signature.  Source: Google's guide on thought signatures."""
    rendered_parts: list[dict[str, object]] = []
    signed = False
    for index, part in enumerate(parts):
        if isinstance(part, str):
            rendered_parts.append({"text": part})
            continue
        call = FunctionCall(id=None, name=part.name, args=part.args)
        wire: dict[str, object] = {"name": part.name, "args": dict(part.args)}
        if part.has_id:
            call = replace(call, id=hashlib.sha256(f"{digest} {index}".encode()).hexdigest()[:_ID_LENGTH])
            wire["id"] = call.id
        rendered_part: dict[str, object] = {"functionCall": wire}
        if not signed:
            rendered_part["thoughtSignature"] = signer.sign(call)
            signed = True
        rendered_parts.append(rendered_part)
    return rendered_parts


def _usage(request: GenerateContentRequest, answer_tokens: int, page_tokens: int) -> dict[str, object]:
    prompt = count_tokens(request.system_text)
    media = 0
    for content in request.contents:
        for part in content.parts:
            prompt += count_tokens(part.text or "")
            if part.function_call:
                prompt += count_tokens(json.dumps(part.function_call.args, ensure_ascii=False))
            if part.function_response:
                prompt += count_tokens(json.dumps(part.function_response.response, ensure_ascii=False))
            media += _media_tokens(part.media)
    for function in request.functions:
        prompt += count_tokens(function.name + function.description + json.dumps(function.parameter_schema))
    details: list[dict[str, object]] = [{"modality": "TEXT", "tokenCount": prompt}]
    if media:
        details.append({"modality": "IMAGE", "tokenCount": media})
    watched = sum(video.tokens for video in videos_of(request))
    if watched:
        details.append({"modality": "VIDEO", "tokenCount": watched})
        media += watched
    thoughts = _THOUGHT_TOKENS.get(request.thinking_level or "", 0)
    usage: dict[str, object] = {
        "promptTokenCount": prompt + media,
        "candidatesTokenCount": answer_tokens,
        "totalTokenCount": prompt + media + answer_tokens + thoughts + page_tokens,
        "promptTokensDetails": details,
    }
    if page_tokens:
        usage["toolUsePromptTokenCount"] = page_tokens  # Source: google-genai 3.4.0, beside the tokens of the prompt
    if thoughts:
        usage["thoughtsTokenCount"] = thoughts
    return usage


def _media_tokens(medium: Media | None) -> int:
    """Return the tokens of a medium; a video of YouTube counts by its seconds."""
    return 0 if medium is None or is_of_youtube(medium) else _MEDIA_TOKENS


def _tokens_of(part: str | CallPart) -> int:
    text = part if isinstance(part, str) else part.name + json.dumps(part.args, ensure_ascii=False)
    return count_tokens(text)


def _digest(request: GenerateContentRequest, signer: Signer) -> str:
    fingerprint = json.dumps([signer.seed, request.model, request.body], sort_keys=True)
    return hashlib.sha256(fingerprint.encode()).hexdigest()
