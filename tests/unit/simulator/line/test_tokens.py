"""Channel access tokens: issued, used, verified, expired and revoked."""

import base64
import json
from typing import Any

import pytest

from simulator.line.harness import CHANNEL_SECRET, LineHarness
from simulator.line.media import Media

ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
SECRET = {"client_id": "1234567890", "client_secret": CHANNEL_SECRET}
GRANT = {"grant_type": "client_credentials"}


def assertion(line: LineHarness, **claims: object) -> dict[str, str]:
    def part(value: object) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()

    exp = line.clock.now_ms() // 1_000 + 600
    ours = {"iss": "1234567890", "sub": "1234567890", "aud": "https://api.line.me/", "exp": exp, "token_exp": 86_400}
    jwt = ".".join((part({"alg": "RS256", "typ": "JWT", "kid": "k"}), part(ours | claims), "c2lnbg"))
    return {"client_assertion_type": ASSERTION_TYPE, "client_assertion": jwt}


def info(line: LineHarness, token: str) -> int:
    return line.call("GET", "/v2/bot/info", headers={"Authorization": f"Bearer {token}"}).status_code


def post(line: LineHarness, path: str, form: dict[str, str]) -> Any:  # noqa: ANN401 - the answer
    return line.call("POST", path, data=form)


@pytest.mark.parametrize(
    ("path", "by_secret", "lifetime_s"),
    [("/v2/oauth/accessToken", True, 2_592_000), ("/oauth2/v3/token", True, 900), ("/oauth2/v3/token", False, 900),
     ("/oauth2/v2.1/token", False, 86_400)],
)  # fmt: skip
def test_an_issued_token_opens_the_api_until_it_expires(
    line: LineHarness, path: str, by_secret: bool, lifetime_s: int
) -> None:
    issued = post(line, path, GRANT | (SECRET if by_secret else assertion(line))).json()

    assert (issued["expires_in"], issued["token_type"]) == (lifetime_s, "Bearer")
    line.clock.advance(s=lifetime_s - 1)
    assert info(line, issued["access_token"]) == 200
    line.clock.advance(s=1)
    assert info(line, issued["access_token"]) == 401


def test_a_token_is_verified_and_revoked(line: LineHarness) -> None:
    token = post(line, "/oauth2/v2.1/token", GRANT | assertion(line)).json()
    value = token["access_token"]

    verified = line.call("GET", f"/oauth2/v2.1/verify?access_token={value}").json()
    assert (verified["client_id"], verified["expires_in"]) == ("1234567890", 86_400)
    assert post(line, "/v2/oauth/verify", {"access_token": value}).status_code == 200
    query = assertion(line)
    assert line.call("GET", "/oauth2/v2.1/tokens/kid", params=query).json() == {"kids": [token["key_id"]]}
    assert post(line, "/oauth2/v2.1/revoke", SECRET | {"access_token": value}).status_code == 200
    assert info(line, value) == 401
    refused = line.call("GET", f"/oauth2/v2.1/verify?access_token={value}")
    assert (refused.status_code, refused.json()["error"]) == (400, "invalid_request")


def test_a_stateless_token_cannot_be_revoked(line: LineHarness) -> None:
    value = post(line, "/oauth2/v3/token", GRANT | SECRET).json()["access_token"]

    post(line, "/v2/oauth/revoke", {"access_token": value})

    assert info(line, value) == 200


@pytest.mark.parametrize(
    "claims",
    [
        {"iss": "other"},
        {"aud": "https://example.com"},
        {"exp": 0},
        {"exp": 10**12},
        {"token_exp": 0},
        {"token_exp": "x"},
    ],
)
def test_a_wrong_assertion_is_refused(line: LineHarness, claims: dict[str, object]) -> None:
    refused = post(line, "/oauth2/v2.1/token", GRANT | assertion(line, **claims))

    assert (refused.status_code, refused.json()["error"]) == (400, "invalid_client")


@pytest.mark.parametrize(
    "form", [{}, GRANT, SECRET, GRANT | SECRET | {"client_secret": "wrong"}, GRANT | {"client_assertion": "a.b.c"}]
)
def test_a_wrong_form_is_refused(line: LineHarness, form: dict[str, str]) -> None:
    refused = post(line, "/oauth2/v3/token", form)

    assert refused.status_code in {400, 415}
    assert line.call("POST", "/oauth2/v3/token", json=form).status_code == 415


def test_every_answer_has_a_request_id(line: LineHarness) -> None:
    answers = [
        line.call("GET", "/v2/bot/info"),
        line.call("GET", "/v2/bot/info", headers={"Authorization": "Bearer wrong"}),
        line.call("GET", "/v2/bot/fortune"),
        line.call("DELETE", "/v2/bot/info"),
        post(line, "/oauth2/v3/token", {}),
    ]

    assert [answer.status_code for answer in answers] == [200, 401, 404, 405, 415]
    assert len({answer.headers["x-line-request-id"] for answer in answers}) == len(answers)


def test_an_unknown_endpoint_is_told_in_the_log(line: LineHarness, caplog: pytest.LogCaptureFixture) -> None:
    line.call("GET", "/v2/bot/fortune%1b")

    assert [record.getMessage() for record in caplog.records] == [
        "no operation of LINE, answered 404: GET '/v2/bot/fortune\\x1b'"
    ]
    assert line.platform.requests[-1].status == 404


def test_the_webhook_test_can_name_another_endpoint(line: LineHarness) -> None:
    asked: list[str] = []

    async def answer(request: Any) -> Any:  # noqa: ANN401 - of the transport
        asked.append(str(request.url))
        return await line.webhook(request)

    client = line.platform.courier.client
    assert client is not None
    client._transport.handler = answer  # type: ignore[attr-defined]  # noqa: SLF001 - the transport of the harness
    told = line.call("POST", "/v2/bot/channel/webhook/test", json={"endpoint": "https://other.test/hook"})

    assert (told.json()["success"], asked) == (True, ["https://other.test/hook"])
    assert line.platform.courier.webhook_url == "https://bot.test/webhook"
    assert line.call("POST", "/v2/bot/channel/webhook/test", json={"endpoint": "ftp://x"}).status_code == 400


def test_the_content_of_a_failed_transcoding_is_not_found(line: LineHarness) -> None:
    media = Media(content=b"x", content_type="video/mp4", transcoding_failed=True)
    event = line.do(lambda: line.platform.send_video(line.user_id, line.user_id, media, duration_ms=1))
    path = f"/v2/bot/message/{event.line_message_id}/content"

    assert line.call("GET", f"{path}/transcoding").json() == {"status": "failed"}
    assert line.call("GET", path).status_code == 404
