"""Every operation of LINE's OpenAPI documents is modelled, or refused by an honest 501.

The operations are read from the API classes of line-bot-sdk, which are generated from the documents of github.com/line/line-openapi.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import httpx2
import linebot.v3
import pytest

from simulator.line.endpoints import ENDPOINTS, Endpoint
from simulator.line.harness import LineHarness
from simulator.line.operations import README, with_table

SDK: Final = Path(linebot.v3.__file__).parent
REFUSED: Final = [endpoint for endpoint in ENDPOINTS if not endpoint.is_modelled]
Operation = tuple[str, str, str]


def anonymous(path: str) -> str:
    return re.sub(r"\{\w+\}", "{}", path)


def operations_of_the_sdk() -> Iterator[Operation]:
    for module in SDK.glob("*/api/*.py"):
        source = module.read_text(encoding="utf-8")
        if module.name.startswith(("async_", "__init__")) or module.parent.parent.name == "webhooks":
            continue
        [base] = re.findall(r'self\.line_base_path = "https://([^"]+)"', source)
        for method in source.split("\n    def ")[1:]:
            request = re.search(r"call_api\(\s*'([^']+)',\s*'(\w+)'", method)
            if request is not None:
                host = re.search(r"'https://([\w.-]+)'", method)
                yield request[2], host[1] if host else base, anonymous(request[1])


def test_every_operation_of_the_sdk_has_its_endpoint_on_its_host_and_no_other_exists() -> None:
    here = {(endpoint.method, endpoint.host, anonymous(endpoint.path)) for endpoint in ENDPOINTS}

    assert set(operations_of_the_sdk()) == here
    assert len(here) == len(ENDPOINTS) == 112


def test_the_table_in_the_readme_is_that_of_the_endpoints() -> None:
    readme = README.read_text(encoding="utf-8")

    assert with_table(readme) == readme, "python -m simulator.line.operations writes it anew"


BODIES: Final[dict[str, Any]] = {
    "POST /v2/bot/audienceGroup/upload": {"description": "Friends", "audiences": [{"id": "U" + "0" * 32}]},
    "PUT /v2/bot/audienceGroup/upload": {"audienceGroupId": 1, "audiences": [{"id": "U" + "0" * 32}]},
    "POST /v2/bot/audienceGroup/click": {"description": "Clicked", "requestId": "r"},
    "POST /v2/bot/audienceGroup/imp": {"description": "Saw", "requestId": "r"},
    "PUT /v2/bot/audienceGroup/{audience_group_id}/updateDescription": {"description": "Renamed"},
    "POST /v2/bot/coupon": {
        "title": "10 % off",
        "timezone": "ASIA_TOKYO",
        "visibility": "PUBLIC",
        "acquisitionCondition": {"type": "normal"},
        "maxUseCountPerTicket": 1,
        "startTimestamp": 1,
        "endTimestamp": 2,
    },
    "POST /bot/pnp/push": {"to": "0" * 64, "messages": [{"type": "text", "text": "hi"}]},
    "POST /v2/bot/message/pnp/templated/push": {"to": "0" * 64, "templateKey": "shipment_ja", "body": {}},
    "POST /v2/bot/channel/detach": {"botId": "U" + "0" * 32},
    "POST /shop/v3/mission": {"to": "U0", "productId": "1", "productType": "STICKER", "sendPresentMessage": False},
}
FORM: Final = {"Content-Type": "application/x-www-form-urlencoded"}
FILE: Final = {"Content-Type": "multipart/form-data; boundary=x"}


def ask(line: LineHarness, endpoint: Endpoint, *, wrong: bool = False) -> httpx2.Response:
    operation = f"{endpoint.method} {endpoint.path}"
    path = re.sub(r"\{\w+\}", "1", endpoint.path)
    if operation in BODIES:
        return line.call(endpoint.method, path, json={"to": 1} if wrong else BODIES[operation])
    if "byFile" in path:
        return line.call(endpoint.method, path, content=b"--x--", headers={} if wrong else FILE)
    if path.startswith("/module/"):
        form = b"" if wrong else b"grant_type=authorization_code&code=c&redirect_uri=u"
        return line.call(endpoint.method, path, content=form, headers=FORM)
    if "/delivery/pnp" in path:
        return line.call(endpoint.method, path, params={} if wrong else {"date": "20260101"})
    return line.call(endpoint.method, path)


@pytest.mark.parametrize("endpoint", REFUSED, ids=lambda endpoint: f"{endpoint.method} {endpoint.path}")
def test_an_operation_that_is_not_modelled_says_so(line: LineHarness, endpoint: Endpoint) -> None:
    answer = ask(line, endpoint)

    assert (answer.status_code, answer.headers["x-line-simulator"]) == (501, "not-modelled")
    assert "does not model" in answer.json()["message"]


@pytest.mark.parametrize(
    "endpoint",
    [
        endpoint
        for endpoint in REFUSED
        if f"{endpoint.method} {endpoint.path}" in BODIES or "byFile" in endpoint.path or "pnp" in endpoint.path
    ],
    ids=lambda endpoint: f"{endpoint.method} {endpoint.path}",
)
def test_a_wrong_body_is_refused_before_the_honest_answer(line: LineHarness, endpoint: Endpoint) -> None:
    answer = ask(line, endpoint, wrong=True)

    assert answer.status_code in {400, 415}
    assert "x-line-simulator" not in answer.headers


def test_a_refused_operation_needs_the_token_like_any_other(line: LineHarness) -> None:
    answer = line.call("GET", "/v2/bot/coupon", headers={"Authorization": "Bearer wrong"})

    assert answer.status_code == 401
