"""The spans of a turn: names, attributes, parents, and nothing of what people say."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from shared import tracing
from shared.adapters.cloud_trace import OpenTelemetryTracer
from shared.adapters.memory.scripted_model import Step, calling
from shared.errors import ModelRefusedError
from tests.support import push
from tests.support.people import ChatEvents
from tests.support.pushed import PushedWorker

YUKI: Final = "U" + "1" * 32
TRACE: Final = "4bf92f3577b34da6a3ce929d0e0e4736"
TRACEPARENT: Final = f"00-{TRACE}-00f067aa0ba902b7-01"
SAID: Final = "keep: the melon surprise"
ANSWERED: Final = "kept the melon"
CAPTURE: Final = calling(("classify_and_capture", {"text": "the melon surprise"}))
REPLY: Final = calling(("reply", {"message": ANSWERED}))
CLASSIFIED: Final = {"category": "ideas", "confidence": 0.8, "name": "melon"}


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(16) as threads:
        yield threads


@pytest.fixture
def worker(pool: ThreadPoolExecutor) -> PushedWorker:
    return PushedWorker(pool)


@pytest.fixture
def exporter() -> Iterator[InMemorySpanExporter]:
    """Bind a tracer to the process, and return what it exports to."""
    spans = InMemorySpanExporter()
    tracing.bind(
        OpenTelemetryTracer(
            SimpleSpanProcessor(spans), project_id="p", service_name="agent_worker", provider_name="gcp.gemini"
        )
    )
    yield spans
    tracing.bind(None)


def deliver(worker: PushedWorker, *thinks: Step, text: str = SAID) -> None:
    event = ChatEvents(is_group=False, author=YUKI).text(text)
    worker.model.steps = list(thinks)
    worker.json_model.steps = [CLASSIFIED]
    assert worker.push(push.envelope(event, traceparent=TRACEPARENT)) == 204


def named(exporter: InMemorySpanExporter, name: str) -> list[ReadableSpan]:
    return [one for one in exporter.get_finished_spans() if one.name == name]


def attributes_of(span: ReadableSpan) -> dict[str, Any]:
    return dict(span.attributes or {})


def test_a_turn_is_an_agent_whose_requests_and_tools_are_its_children(
    worker: PushedWorker, exporter: InMemorySpanExporter
) -> None:
    deliver(worker, CAPTURE, REPLY)

    [agent] = named(exporter, "invoke_agent aizuchi")
    parents = {
        (span.name, attributes_of(span).get("aizuchi.purpose")): span.parent.span_id if span.parent else None
        for span in exporter.get_finished_spans()
    }
    assert agent.context is not None
    assert parents == {
        ("invoke_agent aizuchi", None): None,
        ("chat scripted", "turn"): agent.context.span_id,
        ("chat scripted", "classify"): agent.context.span_id,  # prepared for all calls of a round at once
        ("execute_tool classify_and_capture", None): agent.context.span_id,
        ("execute_tool reply", None): agent.context.span_id,
    }


def test_spans_are_in_the_trace_of_the_log_lines(worker: PushedWorker, exporter: InMemorySpanExporter) -> None:
    deliver(worker, CAPTURE, REPLY)

    traces = {one.context.trace_id for one in exporter.get_finished_spans() if one.context}
    assert [f"{trace:032x}" for trace in traces] == [TRACE]


def test_attributes_are_those_of_the_convention(worker: PushedWorker, exporter: InMemorySpanExporter) -> None:
    deliver(worker, CAPTURE, REPLY)

    [agent], chats = named(exporter, "invoke_agent aizuchi"), named(exporter, "chat scripted")
    [capture] = named(exporter, "execute_tool classify_and_capture")
    conversation = attributes_of(agent).pop(tracing.CONVERSATION_ID)
    assert len(conversation) == 12
    assert attributes_of(agent) == {
        "gen_ai.agent.name": "aizuchi",
        "gen_ai.conversation.id": conversation,
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.provider.name": "gcp.gemini",
        "gen_ai.request.model": "scripted",
    }
    assert attributes_of(capture) == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "classify_and_capture",
        "gen_ai.tool.type": "function",
    }
    chat = attributes_of(chats[0])
    assert chat.keys() >= {"gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens"}
    assert (chat["gen_ai.operation.name"], chat["gen_ai.request.model"]) == ("chat", "scripted")
    assert chat["gen_ai.response.finish_reasons"] == ("STOP",)
    assert chat["aizuchi.purpose"] == "turn"
    assert [one.kind for one in (agent, capture, chats[0])] == [SpanKind.INTERNAL, SpanKind.INTERNAL, SpanKind.CLIENT]


def test_no_span_holds_words_or_ids(worker: PushedWorker, exporter: InMemorySpanExporter) -> None:
    invented = calling(("melon_tool", {"melon": "melon"}), ("classify_and_capture", {"melon": 1}))

    deliver(worker, CAPTURE, invented, REPLY)

    told = " ".join(one.to_json() for one in exporter.get_finished_spans())
    assert "melon" not in told
    assert YUKI not in told
    assert "classify_and_capture" in told


def test_an_error_is_told_by_its_type(worker: PushedWorker, exporter: InMemorySpanExporter) -> None:
    deliver(worker, ModelRefusedError("the melon was refused"))

    [agent], [chat] = named(exporter, "invoke_agent aizuchi"), named(exporter, "chat scripted")
    assert attributes_of(chat)["error.type"] == "ModelRefusedError"
    assert attributes_of(agent)["error.type"] == "apologised"
    assert [one.status.status_code for one in (agent, chat)] == [StatusCode.ERROR] * 2
    assert [one.status.description for one in (agent, chat)] == [None] * 2
    assert [one.events for one in (agent, chat)] == [(), ()]


def test_the_resource_names_the_project_and_the_function(worker: PushedWorker, exporter: InMemorySpanExporter) -> None:
    deliver(worker, REPLY)

    resource = json.loads(exporter.get_finished_spans()[0].to_json())["resource"]["attributes"]
    assert (resource["gcp.project_id"], resource["service.name"]) == ("p", "agent_worker")


def test_without_a_tracer_a_span_is_nothing() -> None:
    with tracing.span(tracing.Operation.CHAT, "model", {}) as span:
        span.set({tracing.ERROR_TYPE: "fault"})
