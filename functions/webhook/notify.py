"""Takes notices for chats, as LINE Notify did: `POST /hooks/notify` and `GET /hooks/status`, without storage.

    curl -H "Authorization: Bearer $TOKEN" -d "message=The backup is done" https://WEBHOOK/hooks/notify

A token names hook and chat, and its MAC shows that HOOK_KEY made it; whether the hook was revoked, the worker knows. GitHub sends no token:
the address in the URL names hook and chat, and the signature of the body is made with the token.
Sources: LINE Notify API document, "Notification" (form, answers and headers); GitHub, "Validating webhook deliveries".
"""

import hashlib
import hmac
import json
import urllib.parse
import uuid
from collections.abc import Mapping
from dataclasses import field
from typing import Final, Protocol

from shared import logs
from shared.bus.messages import EventBus
from shared.bus.notices import NOTIFY_PATH, HookNotice
from shared.errors import AizuchiError
from shared.frozen import frozen
from shared.hooks.notice_text import NoticeText, text_of_form, text_of_github, text_of_json
from shared.hooks.rates import A_DAY, InstanceRates, Rate
from shared.hooks.token import HookAddress, address_in, read_address, token_of
from shared.line.json_text import parse_json
from shared.line.webhook_body import UnreadBody
from shared.settings.secret import Secret

STATUS_PATH: Final = "/hooks/status"
BODY_LIMIT_BYTES: Final = 262_144
_LONGEST_QUERY: Final = 2_000
_SCHEME: Final = "bearer "
_GITHUB_SIGNATURE: Final = "x-hub-signature-256"
_OK, _BAD_REQUEST, _UNAUTHORIZED, _NOT_ALLOWED, _TIMEOUT, _TOO_LARGE, _TOO_MANY, _CRASHED = (
    200,
    400,
    401,
    405,
    408,
    413,
    429,
    500,
)


class FormReader(Protocol):
    """Reads forms, urlencoded or multipart."""

    def __call__(self, body: bytes, content_type: str) -> Mapping[str, str]:
        """Return the first value of each field, of an uploaded file its name.  Raises: ValueError, for a body that is no form."""
        ...


class Headers(Protocol):
    """The headers of a request; names in lower case."""

    def get(self, name: str, /) -> str | None: ...


@frozen
class HookRequest:
    """A request to a hook, with the headers by their names in lower case."""

    method: str
    path: str
    query: str = field(default="", repr=False)
    headers: Headers = field(repr=False)
    body: UnreadBody = field(repr=False)

    @classmethod
    def is_for(cls, path: str) -> bool:
        """Whether the path is of a hook, also below the path of a function: `is_for("/webhook/hooks/notify")`."""
        return path.rstrip("/").endswith((NOTIFY_PATH, STATUS_PATH))

    def header(self, name: str) -> str:
        return self.headers.get(name) or ""

    @property
    def is_of_status(self) -> bool:
        return self.path.rstrip("/").endswith(STATUS_PATH)

    def parameter(self, name: str) -> str:
        """Return a parameter of the URL, which is no secret: URLs are logged.

        For example, `?path=check.name` has the parameter `path`, and "" for any other.
        """
        if len(self.query) > _LONGEST_QUERY:
            return ""
        return dict(urllib.parse.parse_qsl(self.query)).get(name, "")


@frozen
class HookAnswer:
    """An answer as LINE Notify gave it: `{"status":200,"message":"ok"}`."""

    status: int
    text: str
    headers: Mapping[str, str] = field(default_factory=dict)


class _RefusedError(Exception):
    """The request is refused with this status and sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


@frozen
class NotifyEndpoint:
    """Publishes what systems post to hooks.  `key` is HOOK_KEY."""

    bus: EventBus
    key: Secret = field(repr=False)
    rates: InstanceRates
    read_form: FormReader

    def __call__(self, request: HookRequest, *, traceparent: str | None = None) -> HookAnswer:
        """Answer 200 once Pub/Sub has stored the notice.  Never raises.

        Repeated: published again; of the same text within a minute the worker shows one.
        """
        with logs.bound(**logs.trace_fields(traceparent)):
            try:
                return self._answer(request, traceparent)
            except _RefusedError as cause:
                logs.warning("notice_rejected", reason=str(cause), status=cause.status)
                request.body.refuse()
                return _answer(cause.status, str(cause))
            except AizuchiError as cause:
                logs.error("notice_failed", cause=cause, reason=str(cause), status=cause.http_status)
                return _answer(cause.http_status, "The notice could not be stored; send it again.")
            except Exception as cause:  # noqa: BLE001 - a stack trace would quote the input
                logs.error("notice_crashed", cause=cause, status=_CRASHED)
                return _answer(_CRASHED, "something unforeseen happened")

    def _answer(self, request: HookRequest, traceparent: str | None) -> HookAnswer:
        if request.is_of_status:
            return self._status(request)
        if request.method != "POST":
            raise _RefusedError(_NOT_ALLOWED, "Method Not Allowed")
        is_signed = bool(request.header(_GITHUB_SIGNATURE))
        address = self._address_in_url(request) if is_signed else self._address_of_token(request)
        content = _content(request)
        if is_signed:
            self._check_signature(request, content)
        notice = _text_in(request, content, self.read_form)
        if not notice.text and not notice.has_picture:
            raise _RefusedError(_BAD_REQUEST, "message: must not be empty")
        rate, is_allowed = self.rates.take(address.hook_id)
        if not is_allowed:
            logs.warning("notice_rejected", reason="rate", status=_TOO_MANY)
            return _answer(_TOO_MANY, "Too many notices; try again later.", rate)
        published = HookNotice(
            id=uuid.uuid4().hex,
            hook_id=address.hook_id,
            conversation_id=address.conversation_id,
            mark=address.mark,
            text=notice.text,
            has_picture=notice.has_picture,
        )
        self.bus.publish((published.message(traceparent=traceparent),))
        logs.info("notice_published", is_signed=is_signed)
        return _answer(_OK, "ok", rate)

    def _status(self, request: HookRequest) -> HookAnswer:
        if request.method not in {"GET", "HEAD"}:
            raise _RefusedError(_NOT_ALLOWED, "Method Not Allowed")
        address = self._address_of_token(request)
        target_type = "USER" if address.conversation_id.startswith("U") else "GROUP"
        return _answer(_OK, "ok", self.rates.see(address.hook_id), targetType=target_type, target=address.hook_id)

    def _address_of_token(self, request: HookRequest) -> HookAddress:
        """Return the address in the `Authorization` header, such as `Bearer h7k2….….…`.  A token in the URL counts for nothing."""
        authorization = request.header("authorization")
        is_bearer = authorization[: len(_SCHEME)].lower() == _SCHEME
        address = address_in(authorization[len(_SCHEME) :].strip(), self.key.value()) if is_bearer else None
        if address is None:
            raise _RefusedError(_UNAUTHORIZED, "Invalid access token")
        return address

    def _address_in_url(self, request: HookRequest) -> HookAddress:
        """Return the address in the URL, which anybody may have written: it counts only with a signature."""
        address = read_address(request.parameter("hook"), self.key.value())
        if address is None:
            raise _RefusedError(_UNAUTHORIZED, "Invalid access token")
        return address

    def _check_signature(self, request: HookRequest, content: bytes) -> None:
        """The body was signed with the token of the address in the URL.  The comparison takes constant time."""
        token = token_of(request.parameter("hook"), self.key.value())
        expected = "sha256=" + hmac.new(token.encode(), content, hashlib.sha256).hexdigest()
        given = request.header(_GITHUB_SIGNATURE).encode("utf-8", "replace")
        if not hmac.compare_digest(expected.encode(), given):
            raise _RefusedError(_UNAUTHORIZED, "Invalid access token")


def _content(request: HookRequest) -> bytes:
    if (request.body.declared_bytes or 0) > BODY_LIMIT_BYTES:
        raise _RefusedError(_TOO_LARGE, f"a notice has at most {BODY_LIMIT_BYTES} bytes")
    content = request.body.read(BODY_LIMIT_BYTES + 1)
    if content is None:
        raise _RefusedError(_TIMEOUT, "the body was not complete in time")
    if len(content) > BODY_LIMIT_BYTES:
        raise _RefusedError(_TOO_LARGE, f"a notice has at most {BODY_LIMIT_BYTES} bytes")
    return content


def _text_in(request: HookRequest, content: bytes, read_form: FormReader) -> NoticeText:
    """Return the words of the body, by its type; a body of another type than a form is JSON, or plain text.

    Example: `message=done` as a form, and `{"message": "done"}` as JSON, give "done".
    """
    content_type = request.header("content-type")
    kind = content_type.partition(";")[0].strip().lower()
    event = request.header("x-github-event")
    try:
        if kind in {"application/x-www-form-urlencoded", "multipart/form-data"}:
            fields = read_form(content, content_type)
            if event and "payload" in fields:
                return text_of_github(event, parse_json(fields["payload"].encode()))
            return text_of_form(fields)
        if kind == "text/plain":
            return text_of_json(content.decode("utf-8", "replace"))
        body = parse_json(content)
    except ValueError as cause:
        raise _RefusedError(_BAD_REQUEST, "the body can not be read; send a form, JSON or text/plain") from cause
    return text_of_github(event, body) if event else text_of_json(body, path=request.parameter("path"))


def _answer(status: int, sentence: str, rate: Rate | None = None, **fields: str) -> HookAnswer:
    text = json.dumps({"status": status, "message": sentence, **fields}, separators=(",", ":"))
    headers = {"Content-Type": "application/json;charset=UTF-8"}
    if rate is not None:
        headers |= {
            "X-RateLimit-Limit": str(A_DAY),
            "X-RateLimit-ImageLimit": "0",
            "X-RateLimit-Remaining": str(max(A_DAY - rate.in_day, 0)),
            "X-RateLimit-ImageRemaining": "0",
            "X-RateLimit-Reset": str(rate.reset_s),
        }
    return HookAnswer(status=status, text=text, headers=headers)
