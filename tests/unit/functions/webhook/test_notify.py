"""Notices over the wire of LINE Notify, into the webhook's bus."""

import hashlib
import hmac
import io
import json
from collections.abc import Iterator

import pytest

from functions.webhook.notify import BODY_LIMIT_BYTES, HookRequest
from shared import logs
from shared.hooks.rates import A_DAY, A_MINUTE
from shared.hooks.token import new_address, token_of
from tests.support.hooks import KEY
from tests.support.notify import BytesBody, Notify
from tests.support.schemas import validator

CHAT = "C" + "1" * 32
ADDRESS = new_address(KEY, conversation_id=CHAT, seed="event1")
TOKEN = token_of(ADDRESS, KEY)
MULTIPART = (
    b'--b\r\nContent-Disposition: form-data; name="message"\r\n\r\nlook\r\n'
    b'--b\r\nContent-Disposition: form-data; name="imageFile"; filename="a.png"\r\n'
    b"Content-Type: image/png\r\n\r\n\x89PNG\r\n\r\n\r\n--b--\r\n"
)


@pytest.fixture
def notify() -> Notify:
    return Notify()


@pytest.fixture(autouse=True)
def lines() -> Iterator[io.StringIO]:
    stream = io.StringIO()
    logs.configure(stream)
    yield stream
    logs.configure()


def test_a_form_is_published_for_the_tokens_chat_and_answered_as_line_notify_did(notify: Notify) -> None:
    answer = notify.post(b"message=the+backup+is+done", token=TOKEN)

    assert (answer.status, answer.text) == (200, '{"status":200,"message":"ok"}')
    assert answer.headers["X-RateLimit-Limit"] == "200"
    assert answer.headers["X-RateLimit-Remaining"] == "199"
    (notice,) = notify.notices
    assert (notice.conversation_id, notice.text, notice.has_picture) == (CHAT, "the backup is done", False)
    (message,) = notify.bus.published
    assert message.attributes == {"type": "notice", "conversation_id": CHAT, "is_redelivery": "false"}
    validator("events/notice").validate(json.loads(message.data))


@pytest.mark.parametrize(
    ("body", "content_type", "text"),
    [
        (b"message=a%20b&notificationDisabled=true", "application/x-www-form-urlencoded; charset=utf-8", "a b"),
        (MULTIPART, "multipart/form-data; boundary=b", "look"),
        (b'{"message":"a b"}', "application/json", "a b"),
        (b'{"message":"a b"}', "application/json;charset=utf-8", "a b"),
        ("通知".encode(), "text/plain", "通知"),
        (b"\xff\xfe", "text/plain", "\ufffd\ufffd"),
    ],
)
def test_forms_multipart_json_and_plain_text_are_read(
    notify: Notify, body: bytes, content_type: str, text: str
) -> None:
    assert notify.post(body, token=TOKEN, content_type=content_type).status == 200
    assert notify.texts == [text]


def test_a_picture_is_reported_and_its_bytes_go_nowhere(notify: Notify) -> None:
    notify.post(MULTIPART, token=TOKEN, content_type="multipart/form-data; boundary=b")

    assert notify.notices[0].has_picture
    assert b"PNG" not in notify.bus.published[0].data


@pytest.mark.parametrize("authorization", [None, "", "Bearer", "Bearer ", f"Basic {TOKEN}", TOKEN, f"Bearer {TOKEN}x"])
def test_without_a_genuine_token_nothing_is_read_or_published(notify: Notify, authorization: str | None) -> None:
    body = BytesBody(b"message=x")
    headers = {} if authorization is None else {"authorization": authorization}

    answer = notify.post(body, query=f"token={TOKEN}&access_token={TOKEN}", **headers)

    assert (answer.status, answer.text) == (401, '{"status":401,"message":"Invalid access token"}')
    assert (body.was_read, body.is_refused) == (False, True)
    assert notify.bus.published == []


@pytest.mark.parametrize(
    ("body", "content_type", "status"),
    [
        (b"", "application/x-www-form-urlencoded", 400),
        (b"message=", "application/x-www-form-urlencoded", 400),
        (b"{", "application/json", 400),
        (b"[1]", "application/json", 400),
        (b"a" * (BODY_LIMIT_BYTES + 1), "text/plain", 413),
        (b"&".join(b"a=1" for _ in range(5_000)), "application/x-www-form-urlencoded", 400),
    ],
)
def test_a_body_without_words_or_beyond_the_limit_is_refused(
    notify: Notify, body: bytes, content_type: str, status: int
) -> None:
    answer = notify.post(body, token=TOKEN, content_type=content_type)

    assert answer.status == json.loads(answer.text)["status"] == status
    assert notify.bus.published == []


def test_a_declared_body_beyond_the_limit_is_not_read(notify: Notify) -> None:
    body = BytesBody(b"", declared_bytes=BODY_LIMIT_BYTES + 1)

    assert notify.post(body, token=TOKEN).status == 413
    assert not body.was_read


def test_a_body_that_does_not_arrive_in_time_is_refused(notify: Notify) -> None:
    assert notify.post(BytesBody(None), token=TOKEN).status == 408


def test_at_most_a_thousand_characters_are_published(notify: Notify) -> None:
    notify.post(b"message=" + b"a" * 5_000, token=TOKEN)

    assert len(notify.texts[0]) == 1_000


def test_a_notice_that_pubsub_did_not_store_is_not_answered_with_200(notify: Notify) -> None:
    notify.bus.is_down = True

    assert notify.post(b"message=x", token=TOKEN).status == 503


def test_each_request_has_an_id_of_its_own(notify: Notify) -> None:
    notify.post(b"message=x", token=TOKEN)
    notify.post(b"message=x", token=TOKEN)

    assert len({notice.id for notice in notify.notices}) == 2


def test_an_instance_refuses_what_is_surely_beyond_the_rate(notify: Notify) -> None:
    statuses = [notify.post(b"message=x", token=TOKEN).status for _ in range(A_MINUTE + 1)]
    assert statuses == [200] * A_MINUTE + [429]

    for _ in range(20):
        notify.clock.move(61)
        statuses += [notify.post(b"message=x", token=TOKEN).status for _ in range(A_MINUTE)]

    assert statuses.count(200) == A_DAY
    assert notify.post(b"message=x", token=TOKEN).headers["X-RateLimit-Remaining"] == "0"


def test_the_status_names_the_kind_of_chat_and_the_rate_without_counting(notify: Notify) -> None:
    answer = notify.post(b"", token=TOKEN, method="GET", path="/hooks/status")

    status = json.loads(answer.text)
    assert (answer.status, status["status"], status["message"], status["targetType"]) == (200, 200, "ok", "GROUP")
    assert answer.headers["X-RateLimit-Remaining"] == "200"
    assert CHAT not in answer.text
    assert notify.post(b"", token="x", method="GET", path="/hooks/status").status == 401


@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/hooks/notify"), ("POST", "/hooks/status"), ("PUT", "/hooks/notify")]
)
def test_other_methods_are_refused(notify: Notify, method: str, path: str) -> None:
    assert notify.post(b"message=x", token=TOKEN, method=method, path=path).status == 405


def signed(body: bytes, *, token: str = TOKEN) -> str:
    return "sha256=" + hmac.new(token.encode(), body, hashlib.sha256).hexdigest()


GITHUB = json.dumps({"repository": {"full_name": "momo/garden"}, "zen": "Keep it logically awesome."}).encode()


def test_github_needs_no_token_because_it_signs_with_it(notify: Notify) -> None:
    answer = notify.post(
        GITHUB,
        query=f"hook={ADDRESS}",
        content_type="application/json",
        x_hub_signature_256=signed(GITHUB),
        x_github_event="ping",
    )

    assert answer.status == 200
    assert notify.texts == ["momo/garden: ping\nKeep it logically awesome."]


def test_github_may_send_a_form(notify: Notify) -> None:
    body = b"payload=%7B%22zen%22%3A%22Calm%22%7D"

    notify.post(body, query=f"hook={ADDRESS}", x_hub_signature_256=signed(body), x_github_event="ping")

    assert notify.texts == ["ping\nCalm"]


@pytest.mark.parametrize(
    ("query", "signature"),
    [
        (f"hook={ADDRESS}", signed(GITHUB, token="another")),
        (f"hook={ADDRESS}", signed(GITHUB + b" ")),
        (f"hook={ADDRESS}", "sha256="),
        (f"hook={ADDRESS}", "é"),
        (f"hook={ADDRESS[:-1]}A", signed(GITHUB)),
        (f"hook={TOKEN}", signed(GITHUB)),
        ("", signed(GITHUB, token="")),
        (f"hook={'a' * 3_000}", signed(GITHUB)),
    ],
)
def test_a_body_signed_with_anything_but_the_addresss_token_is_refused(
    notify: Notify, query: str, signature: str
) -> None:
    answer = notify.post(
        GITHUB, query=query, content_type="application/json", x_hub_signature_256=signature, x_github_event="ping"
    )

    assert answer.status == 401
    assert notify.bus.published == []


def test_no_token_or_text_is_logged(notify: Notify, lines: io.StringIO) -> None:
    notify.post(b"message=my+pin+is+4711", token=TOKEN)
    notify.post(b"message=my+pin+is+4711", token=TOKEN[:-1] + "!")
    notify.bus.is_down = True
    notify.post(b"message=my+pin+is+4711", token=TOKEN)

    assert "4711" not in lines.getvalue()
    assert TOKEN[:20] not in lines.getvalue()
    assert [json.loads(line)["message"] for line in lines.getvalue().splitlines()] == [
        "notice_published",
        "notice_rejected",
        "notice_failed",
    ]


@pytest.mark.parametrize(
    ("path", "is_for_hooks"),
    [
        ("/hooks/notify", True),
        ("/webhook/hooks/status/", True),
        ("/", False),
        ("/hooks", False),
        ("/hooks/notify/x", False),
    ],
)
def test_only_the_paths_of_hooks_are_taken(path: str, is_for_hooks: bool) -> None:
    assert HookRequest.is_for(path) is is_for_hooks
