"""The model behind google-genai, by API key or on Vertex AI; the only module that implements the port `Model`.

The SDK authenticates, connects and sends; `gemini_wire` makes and reads bodies, because the SDK's own types cost 26 ms of CPU time for
a request of eighty messages (docs/adr/20261122-gemini-bodies-as-json.md).
"""

import json
import threading
from typing import TYPE_CHECKING, Final

from shared.adapters.gemini_wire import ReadAnswer, json_request_body, read_answer, request_body, thinking_level
from shared.adapters.inline_media import InlineMedia
from shared.agent.model import (
    BlockedAnswerError,
    JsonAnswer,
    JsonRequest,
    ModelRequest,
    ModelResponse,
    UnusableAnswerError,
)
from shared.agent.remedies import trouble_with
from shared.errors import ModelUnavailableError
from shared.metering import Purpose
from shared.settings.agent_worker import GeminiSettings

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from shared.adapters.gemini_sdk import GeminiSdk

_CHECK_S: Final = 5.0
_UNREADABLE: Final = "the model gave no readable answer in time"


class GeminiModel:
    """Asks one Gemini model; safe to share between threads."""

    def __init__(self, settings: GeminiSettings) -> None:
        """Nothing is imported or opened before the first request, or `warm_up`."""
        self._settings = settings
        self._thinking = {purpose: thinking_level(settings.thinking_level, purpose) for purpose in Purpose}
        self._building = threading.Lock()
        self._sdk: GeminiSdk | None = None

    @property
    def name(self) -> str:
        return self._settings.model

    def warm_up(self) -> None:
        """The SDK is imported, and its client built, so that the first request takes 0.25 s less.  Repeated: does nothing."""
        with self._building:
            if self._sdk is None:
                from shared.adapters.gemini_sdk import GeminiSdk  # noqa: PLC0415 - during the chat's reads, not before

                self._sdk = GeminiSdk(self._settings)

    def check_model(self) -> None:
        """The API accepts the key and knows the model.  Raises: ModelUnavailableError, ModelRefusedError."""
        self.warm_up()
        assert self._sdk is not None  # noqa: S101 - it was just built
        self._sdk.check_model(_CHECK_S)

    def generate(self, request: ModelRequest) -> ModelResponse:
        media = InlineMedia()
        body = request_body(request, model_name=self.name, thinking=self._thinking[request.purpose], media=media)
        functions = frozenset(one.name for one in request.declarations)
        return self._ask(body, request.timeout_s, media, functions).response

    def answer_json(self, request: JsonRequest) -> JsonAnswer:
        body = json_request_body(request, thinking=self._thinking[request.purpose])
        return _json_answer(self._ask(body, request.timeout_s))

    def _ask(
        self,
        body: "Mapping[str, object]",
        timeout_s: float,
        media: InlineMedia | None = None,
        functions: "Collection[str]" = (),
    ) -> ReadAnswer:
        self.warm_up()
        assert self._sdk is not None  # noqa: S101 - it was just built
        answer = self._sdk.generate(body, timeout_s, media)
        try:
            return read_answer(answer, model_name=self.name, functions=functions)
        except (ValueError, RecursionError) as cause:
            raise ModelUnavailableError(_UNREADABLE) from cause


def _json_answer(read: ReadAnswer) -> JsonAnswer:
    answer = read.response
    trouble = trouble_with(answer)
    if trouble is not None and trouble.refuses:
        reason = answer.block_reason or answer.finish_reason
        raise BlockedAnswerError(f"the model will not answer this: {reason}", answer.usage)
    try:
        value = json.loads(read.text)
    except (ValueError, RecursionError) as cause:
        raise UnusableAnswerError(f"the model's answer is no JSON: {answer.finish_reason}", answer.usage) from cause
    if not isinstance(value, dict) or answer.finish_reason != "STOP":
        raise UnusableAnswerError(f"the model's answer is no whole JSON object: {answer.finish_reason}", answer.usage)
    return JsonAnswer(value=value, usage=answer.usage)
