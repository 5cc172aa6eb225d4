"""The webhook's endpoint for notices, over a real HTTP server on this machine, as other systems meet it."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from flask import Request, Response
from werkzeug.serving import WSGIRequestHandler, make_server
from werkzeug.wrappers import Request as WsgiRequest

from functions.webhook.notify import HookAnswer, HookRequest, NotifyEndpoint
from shared.adapters.form_body import form_in
from shared.adapters.memory import FixedClock, MemoryEventBus
from shared.bus.notices import HookNotice
from shared.hooks.rates import InstanceRates
from shared.line.json_text import parse_json
from shared.line.webhook_body import UnreadBody
from shared.settings.secret import FixedSecret
from tests.support.hooks import KEY


@dataclass(slots=True)
class BytesBody:
    """A body in memory, which records whether it was read."""

    content: bytes | None
    declared_bytes: int | None = None
    was_read: bool = False
    is_refused: bool = False

    def read(self, at_most_bytes: int) -> bytes | None:
        self.was_read = True
        return self.content[:at_most_bytes] if self.content is not None else None

    def refuse(self) -> None:
        self.is_refused = True


@dataclass(slots=True)
class Notify:
    """The endpoint on an in-memory bus."""

    clock: FixedClock = field(default_factory=FixedClock)
    bus: MemoryEventBus = field(default_factory=MemoryEventBus)
    endpoint: NotifyEndpoint = field(init=False)

    def __post_init__(self) -> None:
        self.endpoint = NotifyEndpoint(
            bus=self.bus, key=FixedSecret(KEY), rates=InstanceRates(self.clock), read_form=form_in
        )

    def post(
        self,
        body: bytes | UnreadBody,
        *,
        token: str | None = None,
        method: str = "POST",
        path: str = "/hooks/notify",
        query: str = "",
        **headers: str,
    ) -> HookAnswer:
        """Send a request; the names of `headers` have underscores for hyphens."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        sent.setdefault("content-type", "application/x-www-form-urlencoded")
        if token is not None:
            sent["authorization"] = f"Bearer {token}"
        request = HookRequest(
            method=method,
            path=path,
            query=query,
            headers=sent,
            body=BytesBody(body) if isinstance(body, bytes) else body,
        )
        return self.endpoint(request)

    @property
    def notices(self) -> list[HookNotice]:
        """The published notices."""
        messages = (parse_json(message.data) for message in self.bus.published)
        return [HookNotice.of(message) for message in messages if isinstance(message, Mapping)]

    @property
    def texts(self) -> list[str]:
        return [notice.text for notice in self.notices]

    @contextmanager
    def served(self) -> Iterator[str]:
        """Serve the endpoint within the block, on a port that the server itself has bound; yield its address."""

        @WsgiRequest.application
        def app(request: WsgiRequest) -> Response:
            flask_request = Request(request.environ)
            answer = self.endpoint(
                HookRequest(
                    method=flask_request.method,
                    path=flask_request.path,
                    query=flask_request.query_string.decode(),
                    headers=flask_request.headers,
                    body=BytesBody(flask_request.get_data(cache=False)),
                )
            )
            return Response(answer.text, answer.status, answer.headers)

        server = make_server("127.0.0.1", 0, app, threaded=True, request_handler=_QuietHandler)
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
            server.server_close()


class _QuietHandler(WSGIRequestHandler):
    def log(self, type: str, message: str, *args: object) -> None:  # noqa: A002 - the base's name
        """Say nothing."""
