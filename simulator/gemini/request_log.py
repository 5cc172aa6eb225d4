"""The request log: every request in the order of arrival, with the outcome."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from simulator.gemini.request import GenerateContentRequest

PENDING = "pending"


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestRecord:
    """A request. Before the answer, `kind` is `pending`; a refused request has `refusal`, Google's message.

    `headers` are all headers without keys.
    """

    number: int
    path: str
    model: str
    headers: Mapping[str, str]
    received_s: float  # since the creation of the stand-in
    request_bytes: int
    request: GenerateContentRequest | None = None
    kind: str = PENDING
    status_code: int = 0
    latency_ms: float = 0.0
    response_bytes: int = 0
    refusal: str | None = None

    def as_json(self) -> dict[str, object]:
        """Return the record for tests in other processes; `body` is the request's JSON."""
        request = self.request
        return {
            "number": self.number,
            "path": self.path,
            "model": self.model,
            "received_s": self.received_s,
            "request_bytes": self.request_bytes,
            "kind": self.kind,
            "status_code": self.status_code,
            "latency_ms": self.latency_ms,
            "response_bytes": self.response_bytes,
            "refusal": self.refusal,
            "last_text": request.last_text if request else None,
            "body": dict(request.body) if request else None,
        }


class RequestLog:
    """The log, written by the server and read by tests in other threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._records: list[RequestRecord] = []

    def open(self, record: RequestRecord) -> RequestRecord:
        """Append the record; return the record with a number, counted from 1."""
        with self._lock:
            numbered = replace(record, number=len(self._records) + 1)
            self._records.append(numbered)
        return numbered

    def close(self, record: RequestRecord) -> None:
        """Replace the record by the outcome. Does nothing if the log was cleared meanwhile."""
        with self._lock:
            place = record.number - 1
            if place < len(self._records) and self._records[place].received_s == record.received_s:
                self._records[place] = record

    def clear(self) -> None:
        """Remove all records."""
        with self._lock:
            self._records.clear()

    @property
    def records(self) -> tuple[RequestRecord, ...]:
        """All records, oldest first."""
        with self._lock:
            return tuple(self._records)
