"""The check of the key and the model, on the wire to a server that knows one key and one model."""

from collections.abc import Iterator
from urllib.parse import unquote

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from selfhost.gemini_check import GeminiModelCheck
from shared.adapters.memory import FixedClock
from shared.settings.agent_worker import GeminiSettings
from shared.settings.secret import FixedSecret
from tests.support.serving import served

KEY = "right-key"
MODEL = "gemini-x"


class Gemini:
    """Counts what it is asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.app = Starlette(routes=[Route("/v1beta/models/{model:path}", self.model)])

    async def model(self, request: Request) -> JSONResponse:
        model = unquote(request.path_params["model"])
        self.asked.append(model)
        if request.headers.get("x-goog-api-key") != KEY:
            return JSONResponse({"error": {"code": 400, "status": "INVALID_ARGUMENT"}}, status_code=400)
        if model != MODEL:
            return JSONResponse({"error": {"code": 404, "status": "NOT_FOUND"}}, status_code=404)
        return JSONResponse({"name": f"models/{MODEL}"})


@pytest.fixture
def gemini() -> Gemini:
    return Gemini()


@pytest.fixture
def url(gemini: Gemini) -> Iterator[str]:
    with served(gemini.app) as running:
        yield running.url


def check_of(url: str, clock: FixedClock, *, key: str = KEY, model: str = MODEL) -> GeminiModelCheck:
    settings = GeminiSettings(
        api_key=FixedSecret(key), project_id="p", location=None, base_url=url, model=model, thinking_level="low"
    )
    return GeminiModelCheck(settings, clock)


def test_a_key_that_has_the_model_is_good(url: str) -> None:
    assert check_of(url, FixedClock())() == (True, "has gemini-x")


@pytest.mark.parametrize(("key", "model", "status"), [("wrong", MODEL, 400), (KEY, "gemini-y", 404)])
def test_what_gemini_refuses_names_the_settings_and_not_the_key(url: str, key: str, model: str, status: int) -> None:
    is_good, text = check_of(url, FixedClock(), key=key, model=model)()

    assert not is_good
    assert text == f"answers {status} for {model}; check GEMINI_API_KEY and GEMINI_MODEL"


def test_a_model_with_a_slash_asks_for_no_other_path(url: str, gemini: Gemini) -> None:
    check_of(url, FixedClock(), model="../files")()

    assert gemini.asked == ["../files"]


def test_gemini_is_asked_once_a_minute(url: str, gemini: Gemini) -> None:
    clock = FixedClock()
    check = check_of(url, clock)

    for pause_s in (0.0, 59.0, 1.0):
        clock.move(pause_s)
        check()

    assert gemini.asked == [MODEL, MODEL]


def test_a_gemini_that_cannot_be_reached_is_told() -> None:
    assert check_of("http://127.0.0.1:9", FixedClock())() == (False, "does not answer")
