from typing import Any

import pytest

from simulator.line.harness import LineHarness

VIEW = {"type": "full", "url": "https://example.com/app"}


def add(line: LineHarness, **more: object) -> str:
    return str(line.call("POST", "/liff/v1/apps", json={"view": VIEW, **more}).json()["liffId"])


def test_a_liff_app_is_added_changed_and_removed(line: LineHarness) -> None:
    liff_id = add(line, description="Shop", scope=["profile"], colour="red")

    changed = line.call("PUT", f"/liff/v1/apps/{liff_id}", json={"view": {"type": "tall"}, "botPrompt": "normal"})
    listed = line.call("GET", "/liff/v1/apps").json()
    removed = line.call("DELETE", f"/liff/v1/apps/{liff_id}")

    app = {"liffId": liff_id, "view": {**VIEW, "type": "tall"}, "description": "Shop", "scope": ["profile"]}
    assert liff_id.startswith(f"{line.platform.channel_id}-")
    assert listed == {"apps": [{**app, "botPrompt": "normal"}]}
    assert (changed.status_code, removed.status_code) == (200, 200)
    assert line.call("GET", "/liff/v1/apps").status_code == 404
    assert line.call("DELETE", f"/liff/v1/apps/{liff_id}").status_code == 404


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({}, "view"),
        ({"view": {"type": "huge", "url": VIEW["url"]}}, "view.type"),
        ({"view": {**VIEW, "url": "http://example.com"}}, "view.url"),
        ({"view": {**VIEW, "url": "https://example.com/#top"}}, "view.url"),
        ({"view": VIEW, "botPrompt": "loud"}, "botPrompt"),
    ],
)
def test_a_wrong_liff_app_is_refused(line: LineHarness, body: dict[str, Any], path: str) -> None:
    answer = line.call("POST", "/liff/v1/apps", json=body)

    assert answer.status_code == 400
    assert path in [detail["property"] for detail in answer.json()["details"]]


def test_a_channel_has_thirty_liff_apps_at_most(line: LineHarness) -> None:
    for _ in range(30):
        add(line)

    assert line.call("POST", "/liff/v1/apps", json={"view": VIEW}).status_code == 400
