"""Spans in Cloud Trace, by OpenTelemetry's SDK; a span belongs to the trace of the log's lines.

The SDK's own processor exports in a thread of its own, so no turn waits, and once more at the end of the process.
No tracer of the SDK is set as the process's, so no library adds spans of its own.
Source: Google Cloud, "Migrate from the Trace exporter to the OTLP endpoint" (endpoint, `gcp.project_id`, the session with credentials);
"REST Telemetry (OTLP) API reference" (the scope).
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

import google.auth
from google.auth.credentials import Credentials
from google.auth.exceptions import DefaultCredentialsError
from google.auth.transport.requests import AuthorizedSession
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.id_generator import IdGenerator, RandomIdGenerator
from opentelemetry.sdk.trace.sampling import ALWAYS_ON
from opentelemetry.trace import Span as SdkSpan
from opentelemetry.trace import SpanKind, Status, StatusCode

from shared import logs
from shared.tracing import ERROR_TYPE, OPERATION_NAME, PROVIDER_NAME, Operation, Span, Value

ENDPOINT: Final = "https://telemetry.googleapis.com/v1/traces"
_SCOPE: Final = "https://www.googleapis.com/auth/trace.append"
_TIMEOUT_S: Final = 5.0
_EVERY_MS: Final = 1_000  # the processor has CPU only while a request runs
_OF_PROVIDER: Final = frozenset({Operation.CHAT, Operation.EMBEDDINGS, Operation.INVOKE_AGENT})
_KINDS: Final = {Operation.CHAT: SpanKind.CLIENT, Operation.EMBEDDINGS: SpanKind.CLIENT}


class OpenTelemetryTracer:
    """A Tracer whose spans go to `processor`; `provider_name`: the model's, by the convention's names, for example `gcp.gemini`."""

    def __init__(self, processor: SpanProcessor, *, project_id: str, service_name: str, provider_name: str) -> None:
        provider = TracerProvider(
            sampler=ALWAYS_ON,
            resource=Resource.create({"gcp.project_id": project_id, "service.name": service_name}),
            id_generator=_IdsOfTheLog(),
        )
        provider.add_span_processor(processor)
        self._provider = provider
        self._tracer = provider.get_tracer("aizuchi")
        self._provider_name = provider_name

    def close(self) -> None:
        """Export the remaining spans, and end the thread; the end of the process does the same."""
        self._provider.shutdown()

    @contextmanager
    def span(self, operation: Operation, subject: str, attributes: Mapping[str, Value]) -> Iterator[Span]:
        provider = {PROVIDER_NAME: self._provider_name} if operation in _OF_PROVIDER else {}
        with self._tracer.start_as_current_span(
            f"{operation} {subject}",
            kind=_KINDS.get(operation, SpanKind.INTERNAL),
            attributes={OPERATION_NAME: operation.value, **provider, **attributes},
            record_exception=False,  # the exception's message may quote people
            set_status_on_exception=False,
        ) as opened:
            span = _OpenedSpan(opened)
            try:
                yield span
            except BaseException as cause:
                span.set({ERROR_TYPE: type(cause).__name__})
                raise


def cloud_trace(
    *,
    project_id: str,
    service_name: str,
    provider_name: str,
    credentials: Credentials | None = None,
    url: str = ENDPOINT,
) -> OpenTelemetryTracer | None:
    """Return a tracer that exports to the project; without `credentials`, the function's account is used.

    None if no account is found: an ERROR is logged, and the function works without spans.
    """
    if credentials is None:
        try:
            credentials, _ = google.auth.default(scopes=[_SCOPE])
        except DefaultCredentialsError as cause:
            logs.error("tracing_unavailable", cause=cause)
            return None
    session = AuthorizedSession(credentials)  # type: ignore[no-untyped-call]
    exporter = OTLPSpanExporter(endpoint=url, session=session, timeout=_TIMEOUT_S)
    processor = BatchSpanProcessor(exporter, schedule_delay_millis=_EVERY_MS)
    return OpenTelemetryTracer(processor, project_id=project_id, service_name=service_name, provider_name=provider_name)


class _OpenedSpan:
    """A span of the SDK."""

    def __init__(self, span: SdkSpan) -> None:
        self._span = span

    def set(self, attributes: Mapping[str, Value]) -> None:
        self._span.set_attributes(attributes)
        if ERROR_TYPE in attributes:
            self._span.set_status(Status(StatusCode.ERROR))


class _IdsOfTheLog(IdGenerator):
    """A span without a parent begins in the trace of the log's lines, the trace of LINE's request."""

    def __init__(self) -> None:
        self._random = RandomIdGenerator()

    def generate_span_id(self) -> int:
        return self._random.generate_span_id()

    def generate_trace_id(self) -> int:
        trace_id = int(logs.trace_id() or "0", 16)  # 0 is no trace
        return trace_id or self._random.generate_trace_id()
