"""The export of spans: OTLP over HTTP, with the credentials of the function's account."""

import io
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from google.auth.credentials import Credentials
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from shared import logs
from shared.adapters.cloud_trace import cloud_trace
from shared.tracing import REQUEST_MODEL, Operation

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


class FixedCredentials(Credentials):  # type: ignore[no-untyped-call, unused-ignore]
    """Credentials that are always valid."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.token = "the-token"

    def refresh(self, request: object) -> None:
        """Stay as they are."""


class Collector(HTTPServer):
    """Keeps the requests that it gets."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.bodies: list[bytes] = []
        self.authorizations: list[str | None] = []
        self.has_got = threading.Event()


class _Handler(BaseHTTPRequestHandler):
    server: Collector

    def do_POST(self) -> None:
        self.server.bodies.append(self.rfile.read(int(self.headers["content-length"])))
        self.server.authorizations.append(self.headers["authorization"])
        self.send_response(200)
        self.end_headers()
        self.server.has_got.set()

    def log_message(self, *_: object) -> None:
        """Stay silent."""


@pytest.fixture
def collector() -> Iterator[Collector]:
    with Collector() as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_spans_are_exported_in_the_background_with_the_accounts_token(collector: Collector) -> None:
    tracer = cloud_trace(
        project_id="p",
        service_name="agent_worker",
        provider_name="gcp.vertex_ai",
        credentials=FixedCredentials(),
        url=f"http://127.0.0.1:{collector.server_port}/v1/traces",
    )
    assert tracer is not None

    with (
        logs.bound(**logs.trace_fields(f"00-{TRACE}-00f067aa0ba902b7-01")),
        tracer.span(Operation.CHAT, "gemini", {REQUEST_MODEL: "gemini"}),
    ):
        pass

    assert collector.has_got.wait(30)
    sent = ExportTraceServiceRequest.FromString(collector.bodies[0])
    [span] = sent.resource_spans[0].scope_spans[0].spans
    assert (span.name, span.trace_id.hex()) == ("chat gemini", TRACE)
    assert {one.key: one.value.string_value for one in span.attributes} == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "gcp.vertex_ai",
        "gen_ai.request.model": "gemini",
    }
    resource = {one.key: one.value.string_value for one in sent.resource_spans[0].resource.attributes}
    assert resource["gcp.project_id"] == "p"
    assert collector.authorizations == ["Bearer the-token"]
    tracer.close()


def test_a_function_without_credentials_works_without_spans(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("GOOGLE_APPLICATION_CREDENTIALS", raising=False)
    monkeypatch.setenv("CLOUDSDK_CONFIG", str(tmp_path))
    monkeypatch.setenv("NO_GCE_CHECK", "true")
    lines = io.StringIO()
    logs.configure(lines)

    tracer = cloud_trace(project_id="p", service_name="agent_worker", provider_name="gcp.gemini")

    logs.configure()
    assert tracer is None
    assert json.loads(lines.getvalue())["message"] == "tracing_unavailable"
