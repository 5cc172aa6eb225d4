"""Complete requests as the product sends them, so that a test changes only its subject."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from starlette.testclient import TestClient

from simulator.gemini import request_rules
from simulator.gemini.app import GeminiStandIn
from simulator.gemini.request_codec import read_request
from simulator.gemini.signatures import Signer
from tests.unit.simulator.gemini.contents import SIGNER

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.gemini.request import GenerateContentRequest

PATH = "/v1/models/gemini-3.5-flash-lite:generateContent"


def _function(name: str, parameter: str) -> dict[str, Any]:
    schema = {"type": "object", "properties": {parameter: {"type": "string"}}, "required": [parameter]}
    return {"name": name, "description": f"{name}s", "parametersJsonSchema": schema}


def _body(*texts: str, **changes: object) -> dict[str, Any]:
    """Return a body with the texts as user contents (after `model:`, as the model's) and `changes` at the top level."""
    contents = [
        {"role": "model", "parts": [{"text": text.removeprefix("model:")}]}
        if text.startswith("model:")
        else {"role": "user", "parts": [{"text": text}]}
        for text in texts or ("hello",)
    ]
    body: dict[str, Any] = {
        "contents": contents,
        "systemInstruction": {"role": "user", "parts": [{"text": "You are kind."}]},
        "tools": [{"functionDeclarations": [_function("reply", "message"), _function("skip", "reason")]}],
        "toolConfig": {"functionCallingConfig": {"mode": "ANY"}},
        "generationConfig": {"thinkingConfig": {"thinkingLevel": "LOW"}},
    }
    return {name: value for name, value in {**body, **changes}.items() if value is not None}


@pytest.fixture
def body() -> Callable[..., dict[str, Any]]:
    return _body


@pytest.fixture
def function() -> Callable[[str, str], dict[str, Any]]:
    return _function


@pytest.fixture
def read() -> Callable[..., GenerateContentRequest]:
    def read(
        body: object,
        *,
        model: str = "gemini-3.5-flash-lite",
        backend: Any = "developer",  # noqa: ANN401 -- a Literal
    ) -> GenerateContentRequest:
        return read_request(json.dumps(body).encode(), model=model, backend=backend)

    return read


@pytest.fixture
def signer() -> Signer:
    return Signer(seed=0)


@pytest.fixture
def stand_in() -> GeminiStandIn:
    return GeminiStandIn()


@pytest.fixture
def client(stand_in: GeminiStandIn) -> TestClient:
    return TestClient(stand_in.app, headers={"x-goog-api-key": "any"})


@pytest.fixture
def post(client: TestClient) -> Callable[..., Any]:
    """Posts a body; returns the response."""

    def post(body: object, *, path: str = PATH, headers: dict[str, str] | None = None) -> Any:  # noqa: ANN401 -- the client's response class
        return client.post(path, json=body, headers=headers)

    return post


@pytest.fixture
def check(body: Callable[..., dict[str, Any]], read: Callable[..., GenerateContentRequest]) -> Callable[..., None]:
    def check(*, model: str = "gemini-3.5-flash-lite", backend: str = "developer", **changes: object) -> None:
        request_rules.refuse_bad_request(read(body(**changes), model=model, backend=backend), SIGNER)

    return check
