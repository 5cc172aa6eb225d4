"""Requests that the stand-in refuses, as Notion does: over HTTP, without a client library."""

import asyncio
import random
from pathlib import Path
from typing import Any

import httpx2
import pytest

from simulator.notion.api import NotionStandIn
from simulator.notion.lists import add_default_databases, ids_by_name, lists_view
from simulator.notion.workspace import Workspace

HEADERS = {"Authorization": "Bearer token", "Notion-Version": "2025-09-03"}


class Desk:
    """A stand-in with databases, and a function that sends requests to it."""

    def __init__(self, state_path: Path | None = None) -> None:
        self.now_s = 0.0
        workspace = Workspace(rng=random.Random(1), now_ms=lambda: 1_763_700_012_345, state_path=state_path)
        if not workspace.load():
            add_default_databases(workspace)
        self.stand_in = NotionStandIn(workspace, token="token", monotonic_s=lambda: self.now_s)
        self.todo = workspace.databases[ids_by_name(workspace)["todo_list"]]["data_sources"][0]["id"]

    def ask(
        self, method: str, path: str, body: object = None, headers: dict[str, str] | None = None
    ) -> httpx2.Response:
        async def sent() -> httpx2.Response:
            transport = httpx2.ASGITransport(app=self.stand_in.app)
            async with httpx2.AsyncClient(transport=transport, base_url="http://notion.test") as client:
                return await client.request(method, f"/v1/{path}", json=body, headers=headers or HEADERS)

        return asyncio.run(sent())

    def create(self, **properties: object) -> httpx2.Response:
        parent = {"type": "data_source_id", "data_source_id": self.todo}
        return self.ask("POST", "pages", {"parent": parent, "properties": properties})


@pytest.fixture
def desk() -> Desk:
    return Desk()


def title(text: str = "x") -> dict[str, Any]:
    return {"title": [{"text": {"content": text}}]}


@pytest.mark.parametrize(
    ("headers", "status", "code"),
    [
        ({"Notion-Version": "2025-09-03"}, 401, "unauthorized"),
        ({**HEADERS, "Authorization": "Bearer other"}, 401, "unauthorized"),
        ({"Authorization": "Bearer token"}, 400, "missing_version"),
        ({**HEADERS, "Notion-Version": "2022-06-28"}, 400, "validation_error"),
    ],
)
def test_token_and_version_are_checked(headers: dict[str, str], status: int, code: str, desk: Desk) -> None:
    answer = desk.ask("GET", "users/me", headers=headers)

    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert answer.json()["request_id"]


@pytest.mark.parametrize(
    ("properties", "message"),
    [
        ({"値段": {"number": 3}}, "値段 is not a property that exists."),
        ({"完了": {"checkbox": "yes"}}, "完了 is expected to be checkbox."),
        ({"完了": {"number": 1}}, "完了 is expected to be checkbox."),
        ({"状態": {"status": {"name": "Done"}}}, 'Status option "Done" does not exist'),
        ({"タグ": {"multi_select": [{"name": "a,b"}]}}, "commas not allowed"),
        ({"タグ": {"multi_select": [{"name": str(n)} for n in range(101)]}}, "should be ≤ `100`, instead was `101`"),
        ({"メモ": {"rich_text": [{"text": {"content": "あ" * 2_001}}]}}, "should be ≤ `2000`, instead was `2001`"),
        ({"メモ": {"rich_text": [{"text": {"content": "x"}}] * 101}}, "should be ≤ `100`, instead was `101`"),
        ({"期限": {"date": {"start": "tomorrow"}}}, "valid ISO 8601 date string"),
        ({"期限": {"date": {"start": "2026-11-22T10:00:00Z", "time_zone": "Asia/Tokyo"}}}, "time zone"),
        ({"担当": {"people": [{"id": "nobody"}]}}, "Could not find user"),
    ],
)
def test_values_that_do_not_fit_are_refused(properties: dict[str, Any], message: str, desk: Desk) -> None:
    answer = desk.create(タスク=title(), **properties)

    assert answer.status_code in {400, 404}
    assert message in answer.json()["message"]
    assert lists_view(desk.stand_in.workspace)[1]["pages"] == []


def test_new_select_options_are_created_and_times_have_minutes_only(desk: Desk) -> None:
    made = desk.create(タスク=title(), タグ={"multi_select": [{"name": "学校"}]}).json()

    columns = desk.ask("GET", f"data_sources/{desk.todo}").json()["properties"]
    assert "学校" in [one["name"] for one in columns["タグ"]["multi_select"]["options"]]
    assert made["created_time"] == "2025-11-21T04:40:00.000Z"
    assert made["parent"]["data_source_id"] == desk.todo


def test_a_time_without_an_offset_is_utc_unless_a_zone_is_named(desk: Desk) -> None:
    moments = [
        desk.create(タスク=title(), 期限={"date": {"start": "2026-11-30T18:00:00", **zone}}).json()["properties"][
            "期限"
        ]
        for zone in ({}, {"time_zone": "Asia/Tokyo"})
    ]

    assert [one["date"]["start"] for one in moments] == [
        "2026-11-30T18:00:00.000+00:00",
        "2026-11-30T18:00:00.000+09:00",
    ]


@pytest.mark.parametrize(
    ("filter_", "message"),
    [
        ({"property": "値段", "number": {"equals": 1}}, "Could not find property"),
        ({"property": "完了", "select": {"equals": "x"}}, "database property checkbox does not match filter select"),
        ({"property": "完了", "checkbox": {"contains": True}}, "no valid condition"),
        ({"property": "期限", "date": {"before": "a", "after": "b"}}, "exactly one condition"),
        ({"and": [{"or": [{"and": []}]}]}, "nested too deep"),
    ],
)
def test_filters_of_another_type_are_refused(filter_: dict[str, Any], message: str, desk: Desk) -> None:
    desk.create(タスク=title())

    answer = desk.ask("POST", f"data_sources/{desk.todo}/query", {"filter": filter_})

    assert answer.status_code == 400
    assert message in answer.json()["message"]


@pytest.mark.parametrize(
    ("children", "message"),
    [
        ([], "non-empty array"),
        ([{"type": "divider", "divider": {}}] * 101, "should be ≤ `100`, instead was `101`"),
        ([{"paragraph": {"rich_text": [{"text": {"content": "x" * 2_001}}]}}], "should be ≤ `2000`"),
        ([{"type": "code", "code": {"rich_text": [], "language": "klingon"}}], "known language"),
        ([{"type": "poem", "poem": {}}], "exactly one block type"),
    ],
)
def test_blocks_that_do_not_fit_are_refused(children: list[Any], message: str, desk: Desk) -> None:
    page_id = desk.create(タスク=title()).json()["id"]

    answer = desk.ask("PATCH", f"blocks/{page_id}/children", {"children": children})

    assert answer.status_code == 400
    assert message in answer.json()["message"]


def test_more_than_three_requests_a_second_are_refused(desk: Desk) -> None:
    statuses = [desk.ask("GET", "users/me").status_code for _ in range(31)]
    refused = desk.ask("GET", "users/me")
    desk.now_s += float(refused.headers["retry-after"])

    assert statuses == [200] * 30 + [429]
    assert refused.json()["code"] == "rate_limited"
    assert desk.ask("GET", "users/me").status_code == 200


def test_pages_survive_a_restart(tmp_path: Path) -> None:
    Desk(tmp_path / "notion.json").create(タスク=title("掃除"))

    again = Desk(tmp_path / "notion.json")

    assert [page["title"] for page in lists_view(again.stand_in.workspace)[1]["pages"]] == ["掃除"]


def test_a_body_other_than_json_is_refused(desk: Desk) -> None:
    async def sent() -> httpx2.Response:
        transport = httpx2.ASGITransport(app=desk.stand_in.app)
        async with httpx2.AsyncClient(transport=transport, base_url="http://notion.test") as client:
            return await client.post("/v1/pages", content=b"{", headers=HEADERS)

    assert asyncio.run(sent()).json()["code"] == "invalid_json"
