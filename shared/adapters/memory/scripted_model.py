"""A model that answers from a script."""

from collections.abc import Callable, Sequence

from shared.agent.model import FunctionCall, Json, JsonAnswer, JsonRequest, ModelContent, ModelRequest, ModelResponse

Step = ModelResponse | Exception | Callable[[ModelRequest], ModelResponse]
JsonStep = Json | Exception | Callable[[JsonRequest], Json]


class ScriptedModel:
    """Answers with the steps in order: a response, an error to raise, or a function of the request.

    A request beyond the script fails the test. `requests` holds every request.
    """

    name = "scripted"

    def __init__(self, steps: Sequence[Step] = ()) -> None:
        self.steps = list(steps)
        self.requests: list[ModelRequest] = []

    def generate(self, request: ModelRequest) -> ModelResponse:
        self.requests.append(request)
        if not self.steps:
            raise AssertionError("the model was asked once more than scripted")
        step = self.steps.pop(0)
        if isinstance(step, Exception):
            raise step
        return step if isinstance(step, ModelResponse) else step(request)


class ScriptedJsonModel:
    """Answers with the steps in order: an object, an error to raise, or a function of the request; otherwise like ScriptedModel."""

    name = "scripted"

    def __init__(self, steps: Sequence[JsonStep] = ()) -> None:
        self.steps = list(steps)
        self.requests: list[JsonRequest] = []

    def answer_json(self, request: JsonRequest) -> JsonAnswer:
        self.requests.append(request)
        if not self.steps:
            raise AssertionError("the model was asked for an object once more than scripted")
        step = self.steps.pop(0)
        if isinstance(step, Exception):
            raise step
        return JsonAnswer(value=step(request) if callable(step) else step)


def calling(*calls: tuple[str, Json], finish_reason: str = "STOP") -> ModelResponse:
    """Return an answer that calls tools, such as `calling(("reply", {"message": "hi"}))`."""
    function_calls = tuple(
        FunctionCall(name=name, args=args, id=f"call-{index}") for index, (name, args) in enumerate(calls, start=1)
    )
    wire = {
        "role": "model",
        "parts": [{"functionCall": {"id": call.id, "name": call.name, "args": call.args}} for call in function_calls],
    }
    return ModelResponse(finish_reason=finish_reason, content=ModelContent(wire=wire), calls=function_calls)


def unusable(finish_reason: str = "STOP", *, text: str = "", block_reason: str | None = None) -> ModelResponse:
    """Return an answer without calls: empty, text only, or with another finish reason, as in `unusable("MAX_TOKENS")`."""
    content = ModelContent(wire={"role": "model", "parts": [{"text": text}]}) if text else None
    return ModelResponse(finish_reason=finish_reason, content=content, text=text, block_reason=block_reason)
