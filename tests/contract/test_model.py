"""The port `Model` with the real client on the wire to Gemini's stand-in, which enforces the rules of the server."""

import json
import math
from collections.abc import Iterator

import pytest
from google.oauth2.credentials import Credentials

from shared.adapters.gemini import GeminiModel
from shared.adapters.memory import MemoryObjectStore
from shared.agent.model import (
    Content,
    FunctionDeclaration,
    FunctionResponse,
    FunctionResponses,
    JsonRequest,
    MediaPart,
    MixedContent,
    ModelRequest,
    TextContent,
)
from shared.agent.registry import Registry
from shared.agent.tools import load_schema
from shared.agent.turn_context import TurnContext
from shared.errors import ModelBlockedError, ModelRefusedError, ModelUnavailableError
from shared.settings.agent_worker import GeminiSettings
from shared.settings.secret import FixedSecret
from shared.tools.core import core_tools
from simulator.gemini.app import GeminiStandIn
from simulator.gemini.script import (
    FINISH_REASONS,
    Step,
    blocked,
    call,
    calls,
    dropped,
    empty,
    empty_body,
    failure,
    finish,
    html_error,
    malformed_json,
    rate_limited,
    text,
    unavailable,
)
from tests.support.chats import conversations_on
from tests.support.inline import InlineExecutor
from tests.support.serving import served

CHAT = conversations_on(MemoryObjectStore(), InlineExecutor()).of("U" + "1" * 32)
DECLARATIONS = Registry(core_tools()).declarations(TurnContext(conversation=CHAT))
HELLO = TextContent(role="user", texts=("hello",))
LOOK_UP = FunctionDeclaration(
    name="look_up",
    description="Look a word up.",
    parameters={
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {
            "pattern": {"type": "string", "minLength": 1, "pattern": "^a"},
            "tags": {"type": "array", "items": {"type": "string", "maxLength": 5}},
        },
        "required": ["pattern"],
        "additionalProperties": False,
    },
)


@pytest.fixture(scope="module")
def served_gemini() -> Iterator[tuple[GeminiStandIn, str]]:
    stand_in = GeminiStandIn(api_key="right")
    with served(stand_in.app) as running:
        yield stand_in, running.url


@pytest.fixture
def gemini(served_gemini: tuple[GeminiStandIn, str]) -> Iterator[GeminiStandIn]:
    yield served_gemini[0]
    served_gemini[0].reset()


def settings(url: str, *, api_key: str = "right", **changes: str) -> GeminiSettings:
    fields = {"model": "gemini-3.5-flash-lite", "thinking_level": "low", **changes}
    return GeminiSettings(project_id="p", location=None, base_url=url, api_key=FixedSecret(api_key), **fields)


@pytest.fixture(scope="module")
def model(served_gemini: tuple[GeminiStandIn, str]) -> GeminiModel:
    return GeminiModel(settings(served_gemini[1]))


def request(
    *contents: Content,
    timeout_s: float = 20.0,
    allowed: tuple[str, ...] = (),
    validated: bool = False,
) -> ModelRequest:
    return ModelRequest(
        system_instruction="be kind",
        declarations=(*DECLARATIONS, LOOK_UP),
        contents=contents or (HELLO,),
        max_output_tokens=500,
        timeout_s=timeout_s,
        allowed=allowed,
        validated=validated,
    )


def test_a_call_arrives_with_its_arguments_and_its_usage(model: GeminiModel, gemini: GeminiStandIn) -> None:
    gemini.script([call("reply", {"message": "こんにちは"})])

    response = model.generate(request())

    assert response.finish_reason == "STOP"
    assert [(one.name, dict(one.args)) for one in response.calls] == [("reply", {"message": "こんにちは"})]
    assert response.usage.prompt_tokens > 0
    assert response.usage.output_tokens > 0


def test_media_are_sent_beside_texts(model: GeminiModel, gemini: GeminiStandIn) -> None:
    picture = MediaPart(content_type="image/jpeg", source=bytes(range(256)) * 4)

    response = model.generate(request(MixedContent(parts=("[Yuki | 22:46] 見て", picture))))

    [answer] = response.calls
    assert "(image/jpeg, 1,024 bytes)" in str(answer.args["message"])
    assert [record.status_code for record in gemini.requests] == [200]


def test_vertex_ai_reads_media_from_the_bucket(
    served_gemini: tuple[GeminiStandIn, str], gemini: GeminiStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = Credentials(token="t")  # type: ignore[no-untyped-call]
    monkeypatch.setattr("google.auth.default", lambda **_: (token, "p"))
    on_vertex = GeminiSettings(
        api_key=None,
        project_id="p",
        location="global",
        base_url=served_gemini[1],
        model="gemini-3.5-flash-lite",
        thinking_level="low",
    )
    video = MediaPart(content_type="video/mp4", source="gs://bucket/media/U0/1")

    response = GeminiModel(on_vertex).generate(request(MixedContent(parts=("見て", video))))

    assert on_vertex.reads_buckets
    assert "(video/mp4, gs://bucket/media/U0/1)" in str(response.calls[0].args["message"])
    assert [record.status_code for record in gemini.requests] == [200]


def test_the_developer_api_reads_no_buckets(model: GeminiModel, gemini: GeminiStandIn) -> None:
    video = MediaPart(content_type="video/mp4", source="gs://bucket/media/U0/1")

    with pytest.raises(ModelRefusedError, match="400 INVALID_ARGUMENT"):
        model.generate(request(MixedContent(parts=("look", video))))

    assert gemini.requests[-1].refusal == "Invalid or unsupported file uri: gs://bucket/media/U0/1"


def test_signatures_are_echoed_and_every_call_is_answered_in_order(model: GeminiModel, gemini: GeminiStandIn) -> None:
    gemini.script(
        [calls(("look_up", {"pattern": "a"}), ("look_up", {"pattern": "b"})), call("reply", {"message": "done"})]
    )
    first = model.generate(request())
    assert first.content is not None
    results = FunctionResponses(
        responses=tuple(
            FunctionResponse(call=one, response={"output": {"n": index}}) for index, one in enumerate(first.calls)
        )
    )

    second = model.generate(
        ModelRequest(
            system_instruction="be kind",
            declarations=request().declarations,
            contents=(HELLO, first.content, results),
            max_output_tokens=500,
            timeout_s=20,
        )
    )

    assert [one.name for one in second.calls] == ["reply"]
    assert [record.refusal for record in gemini.requests] == [None, None]


def test_only_documented_schema_keywords_are_sent(model: GeminiModel, gemini: GeminiStandIn) -> None:
    model.generate(request())

    sent = gemini.requests[0].request
    assert sent is not None
    look_up = next(one for one in sent.functions if one.name == "look_up")
    assert "minLength" not in str(look_up)
    assert "pattern" in str(look_up)


def test_the_last_call_may_be_limited_to_some_functions(model: GeminiModel, gemini: GeminiStandIn) -> None:
    response = model.generate(request(allowed=("skip",)))

    assert [one.name for one in response.calls] == ["skip"]
    assert gemini.requests[0].refusal is None


def test_a_validated_request_is_accepted(model: GeminiModel, gemini: GeminiStandIn) -> None:
    model.generate(request(validated=True))

    assert gemini.requests[0].refusal is None


@pytest.mark.parametrize("reason", sorted(FINISH_REASONS))
@pytest.mark.filterwarnings("ignore:.*is not a valid FinishReason")
def test_every_finish_reason_arrives_by_its_name(model: GeminiModel, gemini: GeminiStandIn, reason: str) -> None:
    gemini.script([finish(reason)])

    assert model.generate(request()).finish_reason == reason


def test_an_empty_answer_a_text_and_a_blocked_prompt_are_distinguished(
    model: GeminiModel, gemini: GeminiStandIn
) -> None:
    gemini.script([empty(), text("hello"), blocked("SAFETY"), empty_body()])

    answers = [model.generate(request()) for _ in range(4)]

    assert [(one.text, one.block_reason, len(one.calls)) for one in answers] == [
        ("", None, 0),
        ("hello", None, 0),
        ("", "SAFETY", 0),
        ("", None, 0),
    ]


@pytest.mark.parametrize(
    "step",
    [
        unavailable(),
        malformed_json(),
        html_error(),
        dropped(),
        failure(500, "INTERNAL", "oops"),
        failure(504, "DEADLINE_EXCEEDED", "late"),
    ],
)
def test_a_transient_fault_is_an_unavailable_model(model: GeminiModel, gemini: GeminiStandIn, step: object) -> None:
    gemini.script([step])  # type: ignore[list-item]

    with pytest.raises(ModelUnavailableError, match="the model"):
        model.generate(request())
    assert len(gemini.requests) == 1  # the client does not retry by itself


def test_a_rate_limit_says_how_long_to_wait(model: GeminiModel, gemini: GeminiStandIn) -> None:
    gemini.script([rate_limited(retry_delay_s=17.0)])

    with pytest.raises(ModelUnavailableError, match="429") as caught:
        model.generate(request())
    assert caught.value.retry_after_s == 17.0


@pytest.mark.parametrize(
    ("delay_s", "expected"), [(math.nan, None), (math.inf, None), (-1.0, None), (86_400.0, 3_600.0), (0.5, 0.5)]
)
def test_an_odd_retry_delay_is_left_out_or_bounded(
    model: GeminiModel, gemini: GeminiStandIn, delay_s: float, expected: float | None
) -> None:
    gemini.script([rate_limited(retry_delay_s=delay_s)])

    with pytest.raises(ModelUnavailableError, match="429") as caught:
        model.generate(request())
    assert caught.value.retry_after_s == expected


@pytest.mark.parametrize("odd", [json.loads("[" * 300 + "]" * 300), 10**400], ids=["deep", "large"])
def test_a_call_with_odd_arguments_arrives_and_can_be_answered(
    model: GeminiModel, gemini: GeminiStandIn, odd: object
) -> None:
    gemini.script([call("look_up", {"word": odd}), call("reply", {"message": "done"})])

    first = model.generate(request())
    assert first.content is not None
    answer = FunctionResponse(call=first.calls[0], response={"error": "wrong"})
    second = model.generate(request(HELLO, first.content, FunctionResponses(responses=(answer,))))

    assert first.calls[0].args == {"word": odd}
    assert second.calls[0].args == {"message": "done"}


def test_an_answer_after_the_timeout_is_an_unavailable_model(model: GeminiModel, gemini: GeminiStandIn) -> None:
    gemini.script([call("reply", {"message": "late"}).slow(2.0)])

    with pytest.raises(ModelUnavailableError, match="in time"):
        model.generate(request(timeout_s=0.5))
    assert gemini.requests[0].headers["x-server-timeout"] == "10"


@pytest.mark.parametrize("changes", [{"api_key": "wrong"}, {"model": "no-such-model"}])
def test_a_permanent_fault_is_a_refusal(
    served_gemini: tuple[GeminiStandIn, str], gemini: GeminiStandIn, changes: dict[str, str]
) -> None:
    with pytest.raises(ModelRefusedError, match="refused the request"):
        GeminiModel(settings(served_gemini[1], **changes)).generate(request())
    assert len(gemini.requests) == 1


def test_a_model_that_cannot_be_reached_is_unavailable() -> None:
    with pytest.raises(ModelUnavailableError, match="in time"):
        GeminiModel(settings("http://127.0.0.1:9")).generate(request())


def question(text: str = "# Text\n庭の工事", *, timeout_s: float = 20.0) -> JsonRequest:
    return JsonRequest(
        system_instruction="classify",
        prompt=text,
        schema=load_schema("classify_and_capture.classification"),
        timeout_s=timeout_s,
    )


def test_a_json_object_arrives_with_its_usage(model: GeminiModel, gemini: GeminiStandIn) -> None:
    gemini.script([text('{"category": "ideas", "confidence": 0.7, "name": "店"}')])

    answer = model.answer_json(question())

    assert answer.value == {"category": "ideas", "confidence": 0.7, "name": "店"}
    assert answer.usage.prompt_tokens > 0


def test_a_json_object_is_requested_by_schema_without_functions(model: GeminiModel, gemini: GeminiStandIn) -> None:
    model.answer_json(question())

    sent = gemini.requests[0].request
    assert gemini.requests[0].refusal is None
    assert sent is not None
    assert sent.response_mime_type == "application/json"
    assert sent.response_json_schema is not None
    assert sent.response_json_schema["required"] == ["category", "confidence", "name"]
    assert sent.functions == ()


@pytest.mark.parametrize(
    "step",
    [
        text("no JSON"),
        text("[1]"),
        text('{"category": '),
        text('{"n": ' + "[" * 100_000),
        empty(),
        empty_body(),
        finish("MAX_TOKENS", '{"a": 1}'),
        unavailable(),
        malformed_json(),
    ],
)
def test_an_incomplete_json_object_is_an_unavailable_model(
    model: GeminiModel, gemini: GeminiStandIn, step: Step
) -> None:
    gemini.script([step])

    with pytest.raises(ModelUnavailableError, match="the model"):
        model.answer_json(question())
    assert len(gemini.requests) == 1


@pytest.mark.parametrize(
    "step", [blocked("SAFETY"), finish("SAFETY"), finish("PROHIBITED_CONTENT"), finish("RECITATION")]
)
def test_a_blocked_json_object_is_a_blocked_model(model: GeminiModel, gemini: GeminiStandIn, step: Step) -> None:
    gemini.script([step])

    with pytest.raises(ModelBlockedError, match="will not answer"):
        model.answer_json(question())


def test_a_json_object_after_the_timeout_is_an_unavailable_model(model: GeminiModel, gemini: GeminiStandIn) -> None:
    gemini.script([text("{}").slow(2.0)])

    with pytest.raises(ModelUnavailableError, match="in time"):
        model.answer_json(question(timeout_s=0.5))


def test_a_wrong_key_refuses_a_json_object(served_gemini: tuple[GeminiStandIn, str], gemini: GeminiStandIn) -> None:
    with pytest.raises(ModelRefusedError, match="refused the request"):
        GeminiModel(settings(served_gemini[1], api_key="wrong")).answer_json(question())
    assert len(gemini.requests) == 1


@pytest.mark.parametrize(
    ("key", "model", "is_about_name"), [("revoked", "gemini-3.5-flash-lite", False), ("right", "retired-model", True)]
)
def test_a_check_tells_a_revoked_key_from_an_unknown_model(
    served_gemini: tuple[GeminiStandIn, str], key: str, model: str, *, is_about_name: bool
) -> None:
    checked = GeminiModel(
        GeminiSettings(
            api_key=FixedSecret(key),
            project_id="test",
            location=None,
            base_url=served_gemini[1],
            model=model,
            thinking_level="low",
        )
    )

    with pytest.raises(ModelRefusedError) as refused:
        checked.check_model()

    assert not refused.value.is_about_request
    assert refused.value.is_about_name is is_about_name


def test_a_check_of_a_model_that_answers_asks_for_no_answer(served_gemini: tuple[GeminiStandIn, str]) -> None:
    stand_in, url = served_gemini
    before = len(stand_in.requests)
    checked = GeminiModel(
        GeminiSettings(
            api_key=FixedSecret("right"),
            project_id="test",
            location=None,
            base_url=url,
            model="gemini-3.5-flash-lite",
            thinking_level="low",
        )
    )

    checked.check_model()

    assert len(stand_in.requests) == before
