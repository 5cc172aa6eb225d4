"""The rules for settings, deadlines, models and media."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from simulator.gemini import request_rules
from simulator.gemini.errors import RefusedError

if TYPE_CHECKING:
    from collections.abc import Callable

from tests.unit.simulator.gemini.contents import user_content


@pytest.mark.parametrize(
    ("model", "level", "is_known"),
    [
        ("gemini-3.5-flash-lite", "MINIMAL", True),
        ("gemini-3.1-flash-lite", "MINIMAL", True),
        ("gemini-3.6-flash", "MINIMAL", True),
        ("gemini-3.5-flash", "HIGH", True),
        ("gemini-3.8-flash", "LOW", True),
        ("gemini-3.8-flash", "low", True),
        ("gemini-4-argon", "MEDIUM", True),
        ("gemini-3.8-flash", "MINIMAL", False),
        ("gemini-3.7-flash", "minimal", False),
        ("gemini-4-argon", "MINIMAL", False),
        ("gemini-3.5-flash-lite", "XHIGH", False),
        ("gemini-3.5-flash-lite", "HUGE", False),
        ("gemini-2.5-flash", "LOW", False),
    ],
)
def test_thinking_levels_are_those_of_the_model(
    check: Callable[..., None], model: str, level: str, *, is_known: bool
) -> None:
    settings = {"thinkingConfig": {"thinking_level": level}}

    if is_known:
        check(model=model, generationConfig=settings)
        return
    with pytest.raises(RefusedError, match="not supported for this model"):
        check(model=model, generationConfig=settings)


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"thinkingConfig": {"thinkingLevel": "LOW", "thinkingBudget": 0}}, "thinking budget and thinking level"),
        ({"frequencyPenalty": 0.5}, "Penalty is not enabled"),
        ({"presence_penalty": -1}, "Penalty is not enabled"),
        ({"responseJsonSchema": {"type": "object"}}, "response_mime_type"),
        (
            {"responseMimeType": "application/json", "responseJsonSchema": {"type": "string", "pattern": "a"}},
            "'pattern' is not supported",
        ),
        (
            {"responseMimeType": "application/json", "responseSchema": {"type": "OBJECT", "const": 1}},
            'Unknown name "const"',
        ),
        (
            {"responseMimeType": "application/json", "responseSchema": {}, "responseJsonSchema": {}},
            "Only one of response_schema",
        ),
    ],
)
def test_invalid_settings_are_refused(check: Callable[..., None], settings: dict[str, object], complaint: str) -> None:
    with pytest.raises(RefusedError, match=complaint):
        check(generationConfig=settings)


@pytest.mark.parametrize(
    "settings",
    [
        {"frequencyPenalty": 0.0, "presencePenalty": 0},
        {"thinkingConfig": {"thinkingBudget": -1}},
        {"maxOutputTokens": 1024, "temperature": 1, "topP": 0.9, "somethingNew": True},
    ],
)
def test_valid_settings_are_accepted(check: Callable[..., None], settings: dict[str, object]) -> None:
    check(generationConfig=settings)


@pytest.mark.parametrize("server_timeout", [None, "10", "10.0", "600"])
def test_a_deadline_of_ten_seconds_or_more_is_accepted(server_timeout: str | None) -> None:
    request_rules.refuse_short_deadline(server_timeout)


@pytest.mark.parametrize("server_timeout", ["9", "0", "-1", "nan"])
def test_a_shorter_deadline_is_refused(server_timeout: str) -> None:
    with pytest.raises(RefusedError, match=r"Manually set deadline .*s is too short. Minimum allowed deadline is 10s."):
        request_rules.refuse_short_deadline(server_timeout)


def test_a_deadline_other_than_a_number_is_refused() -> None:
    with pytest.raises(RefusedError, match="X-Server-Timeout"):
        request_rules.refuse_short_deadline("soon")


def test_a_body_over_twenty_megabytes_is_refused() -> None:
    request_rules.refuse_large_body(100 * 1024 * 1024)

    with pytest.raises(RefusedError, match="payload size exceeds the limit"):
        request_rules.refuse_large_body(100 * 1024 * 1024 + 1)


def test_the_latest_aliases_exist_only_in_v1beta() -> None:
    request_rules.refuse_unknown_model("gemini-flash-latest", api_version="v1beta")

    with pytest.raises(RefusedError, match="not found for API version v1,"):
        request_rules.refuse_unknown_model("gemini-flash-latest", api_version="v1")


def _media(**fields: object) -> dict[str, Any]:
    return user_content({"text": "look"}, {next(iter(fields)): next(iter(fields.values()))})


@pytest.mark.parametrize(
    ("part", "backend"),
    [
        ({"inlineData": {"mimeType": "image/jpeg", "data": "_-8="}}, "developer"),
        ({"inlineData": {"mimeType": "audio/mp4", "data": "AAA"}}, "vertex"),
        ({"fileData": {"mimeType": "video/mp4", "fileUri": "gs://b/o"}}, "vertex"),
        ({"fileData": {"mimeType": "video/mp4", "fileUri": "https://a.b/c"}}, "developer"),
    ],
)
def test_known_media_are_accepted(check: Callable[..., None], part: dict[str, Any], backend: str) -> None:
    check(contents=[_media(**part)], backend=backend)


@pytest.mark.parametrize(
    ("part", "message"),
    [
        ({"inlineData": {"mimeType": "application/zip", "data": "AA=="}}, "Unsupported MIME type"),
        ({"inlineData": {"data": "AA=="}}, "Unsupported MIME type"),
        ({"inlineData": {"mimeType": "image/png", "data": ""}}, "empty"),
        ({"inlineData": {"mimeType": "image/png", "data": "?"}}, "Base64"),
        ({"fileData": {"mimeType": "image/png", "fileUri": "gs://b/o"}}, "Invalid or unsupported file uri"),
    ],
)
def test_unknown_media_are_refused(check: Callable[..., None], part: dict[str, Any], message: str) -> None:
    with pytest.raises(RefusedError, match=message):
        check(contents=[_media(**part)])
