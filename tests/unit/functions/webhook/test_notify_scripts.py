"""Ten scripts of LINE Notify's days, with only URL and token changed, against the endpoint over HTTP.

Sources: LINE Notify API document (the examples with curl); Qiita and note.com for the usual Python, shell and wget scripts; Grafana,
"Configure the webhook notifier"; GitHub, "Validating webhook deliveries"; uptime-kuma, `server/notification-providers/line-notify.js`.
"""

import hashlib
import hmac
import http.client
import json
import shutil
import subprocess
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from typing import Final

import httpx
import pytest
import requests

from shared.hooks.token import new_address, token_of
from tests.support.hooks import KEY
from tests.support.notify import Notify

CHAT: Final = "C" + "1" * 32
ADDRESS: Final = new_address(KEY, conversation_id=CHAT, seed="event1")
TOKEN: Final = token_of(ADDRESS, KEY)
TEXT: Final = "バックアップ完了 ✅"
PNG: Final = b"\x89PNG\r\n\x1a\n\x00\x00"
OK: Final = {"status": 200, "message": "ok"}
PATIENCE_S: Final = 120


def shell(command: str, url: str) -> str:
    """Run a line of a shell script or of a crontab, with URL and token as its variables."""
    tool = command.split(maxsplit=1)[0]
    if shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed")
    ended = subprocess.run(
        ["/bin/sh", "-c", command],
        env={"URL": url, "TOKEN": TOKEN, "TEXT": TEXT, "PATH": "/usr/bin:/bin:/usr/local/bin"},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=True,
    )
    return ended.stdout


def curl_form(url: str) -> str:
    return shell('curl -s -X POST -H "Authorization: Bearer $TOKEN" -F "message=$TEXT" "$URL"', url)


def curl_urlencoded(url: str) -> str:
    return shell('curl -s "$URL" -H "Authorization: Bearer $TOKEN" --data-urlencode "message=$TEXT"', url)


def cron_job(url: str) -> str:
    return shell('printf "message=%s" "$TEXT" | curl -s -X POST -H "Authorization: Bearer $TOKEN" -d @- "$URL"', url)


def wget(url: str) -> str:
    return shell('wget -qO- --header="Authorization: Bearer $TOKEN" --post-data="message=$TEXT" "$URL"', url)


def python_requests(url: str) -> str:
    headers = {"Authorization": "Bearer " + TOKEN}
    return requests.post(url, headers=headers, params=None, data={"message": TEXT}, timeout=PATIENCE_S).text


def python_requests_with_a_picture(url: str) -> str:
    headers, files = {"Authorization": f"Bearer {TOKEN}"}, {"imageFile": ("a.png", PNG, "image/png")}
    return requests.post(url, headers=headers, data={"message": TEXT}, files=files, timeout=PATIENCE_S).text


def python_urllib(url: str) -> str:
    data = urllib.parse.urlencode({"message": TEXT}).encode()
    request = urllib.request.Request(url, data, {"Authorization": f"Bearer {TOKEN}"})  # noqa: S310 - this machine
    with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:  # noqa: S310 - likewise
        return str(answer.read().decode())


def python_httpx_json(url: str) -> str:
    headers = {"Authorization": f"Bearer {TOKEN}"}
    return httpx.post(url, headers=headers, json={"message": TEXT}, timeout=PATIENCE_S).text


def grafana(url: str) -> str:
    body = {
        "receiver": "line",
        "status": "firing",
        "alerts": [{"status": "firing", "labels": {"alertname": "disk"}, "annotations": {"summary": "full"}}],
        "groupLabels": {},
        "commonLabels": {"alertname": "disk"},
        "commonAnnotations": {},
        "externalURL": "http://localhost:3000/",
        "version": "1",
        "groupKey": "{}",
        "truncatedAlerts": 0,
        "orgId": 1,
        "title": "[FIRING:1] disk",
        "state": "alerting",
        "message": TEXT,
    }
    headers = {"Authorization": f"Bearer {TOKEN}", "User-Agent": "Grafana", "Content-Type": "application/json"}
    return requests.post(url, headers=headers, data=json.dumps(body), timeout=PATIENCE_S).text


def github(url: str) -> str:
    body = json.dumps({"zen": TEXT, "hook_id": 1, "repository": {"full_name": "momo/garden"}}).encode()
    headers = {
        "X-GitHub-Event": "ping",
        "X-GitHub-Delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958",
        "X-Hub-Signature-256": "sha256=" + hmac.new(TOKEN.encode(), body, hashlib.sha256).hexdigest(),
        "User-Agent": "GitHub-Hookshot/044aadd",
        "Content-Type": "application/json",
    }
    return requests.post(f"{url}?hook={ADDRESS}", headers=headers, data=body, timeout=PATIENCE_S).text


def uptime_kuma(url: str) -> str:
    parts = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(parts.netloc, timeout=PATIENCE_S)
    headers = {
        "Authorization": f"Bearer {TOKEN}",
        "Content-Type": "application/x-www-form-urlencoded",
        "User-Agent": "axios/0.28.1",
    }
    connection.request("POST", parts.path, urllib.parse.urlencode({"message": TEXT}), headers)
    answer = connection.getresponse().read().decode()
    connection.close()
    return answer


SCRIPTS: Final[tuple[Callable[[str], str], ...]] = (
    curl_form,
    curl_urlencoded,
    cron_job,
    wget,
    python_requests,
    python_requests_with_a_picture,
    python_urllib,
    python_httpx_json,
    grafana,
    github,
    uptime_kuma,
)


@pytest.fixture
def notify() -> Notify:
    return Notify()


@pytest.fixture
def url(notify: Notify) -> Iterator[str]:
    with notify.served() as address:
        yield f"{address}/hooks/notify"


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.__name__)
def test_a_script_of_line_notify_works_with_url_and_token_changed(
    notify: Notify, url: str, script: Callable[[str], str]
) -> None:
    answer = script(url)

    assert json.loads(answer) == OK
    (notice,) = notify.notices
    assert notice.text.splitlines()[-1] == TEXT
    assert notice.conversation_id == CHAT
    assert notice.has_picture is (script is python_requests_with_a_picture)


def test_the_status_is_answered_with_line_notifys_headers(url: str) -> None:
    answer = requests.get(
        url.replace("notify", "status"), headers={"Authorization": f"Bearer {TOKEN}"}, timeout=PATIENCE_S
    )

    assert answer.json()["status"] == 200
    assert answer.headers["X-RateLimit-Limit"] == "200"
    assert answer.headers["Content-Type"] == "application/json;charset=UTF-8"
