import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar
from urllib.parse import unquote

import httpx2
import pytest

from simulator.line.harness import LineHarness
from simulator.line.page.app import page_routes
from simulator.panels.bucket_reader import BucketReader
from simulator.panels.knowledge_reader import KnowledgeReader
from simulator.panels.stack_panel import StackParts, stack_panel
from simulator.trace.trace import Trace

_Result = TypeVar("_Result")


class Bucket:
    """Objects behind the two requests of Cloud Storage's JSON API that the page uses; a listing has two names a page."""

    def __init__(self, objects: dict[str, str]) -> None:
        self.objects = objects

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        if request.url.path == "/storage/v1/b/history/o":
            prefix, since = request.url.params["prefix"], request.url.params.get("pageToken", "")
            names = sorted(name for name in self.objects if name.startswith(prefix) and name >= since)
            rest = {"nextPageToken": names[2]} if len(names) > 2 else {}
            return httpx2.Response(200, json={"items": [{"name": one, "generation": "7"} for one in names[:2]], **rest})
        name = unquote(
            request.url.raw_path.decode().partition("?")[0].removeprefix("/download/storage/v1/b/history/o/")
        )
        text = self.objects.get(name)
        return httpx2.Response(404) if text is None else httpx2.Response(200, content=text.encode())


def reader_of(bucket: Bucket) -> BucketReader:
    return BucketReader(storage_url="http://bucket.test", bucket="history", transport=httpx2.MockTransport(bucket))


def filed_in(bucket: Bucket) -> KnowledgeReader:
    return KnowledgeReader(reader_of(bucket))


def run(bucket: Bucket, read: Callable[[KnowledgeReader], Awaitable[_Result]]) -> _Result:
    async def asked() -> _Result:
        reader = reader_of(bucket)
        try:
            return await read(KnowledgeReader(reader))
        finally:
            await reader.close()

    return asyncio.run(asked())


OBJECTS = {
    "entries/U1/index.md": "# Index",
    "entries/U1/search.json": "{}",
    "entries/U1/undo.json": "{}",
    "entries/U1/projects/庭の工事.md": "garden",
    "entries/U1/admin/牛乳.md": "milk",
    "entries/U1/admin/卵.md": '{"version": 1, "revision": "3.0"}',
    "entries/U2/admin/秘密.md": "secret",
}


def test_entries_of_a_chat_are_listed_with_the_index() -> None:
    filed = run(Bucket(OBJECTS), lambda reader: reader.of("U1"))

    paths = ["admin/牛乳.md", "projects/庭の工事.md"]
    assert filed == {"index": "# Index", "entries": [{"path": path, "generation": "7"} for path in paths]}


def test_a_chat_without_entries_has_no_index() -> None:
    assert run(Bucket(OBJECTS), lambda reader: reader.of("U3")) == {"index": None, "entries": []}


@pytest.mark.parametrize(
    "path", ["../U2/admin/秘密.md", "search.json", "admin/x/y.md", "", "admin/秘密.md", "admin/卵.md"]
)
def test_only_entries_of_the_chat_are_read(path: str) -> None:
    assert run(Bucket(OBJECTS), lambda reader: reader.entry("U1", path)) is None


@pytest.mark.parametrize(
    ("operation", "name", "times"),
    [("insert", "entries/U1/index.md", 1), ("delete", "entries/U1/a/b.md", 1), ("media", "entries/U1/index.md", 0),
     ("insert", "journal/U1/m.json", 0)],
)  # fmt: skip
def test_listeners_hear_of_writes_to_entries_until_they_are_removed(operation: str, name: str, times: int) -> None:
    filed, heard = filed_in(Bucket({})), list[str]()
    stop = filed.listen(lambda: heard.append(name))

    filed.record_storage_call("storage_called", {"operation": operation, "name": name})
    stop()
    filed.record_storage_call("storage_called", {"operation": operation, "name": name})

    assert len(heard) == times


def test_entries_of_an_unknown_chat_are_not_found(line: LineHarness) -> None:
    chat_id = line.user_id
    bucket = Bucket({f"entries/{chat_id}/admin/牛乳.md": "<b>milk</b>", "entries/U2/admin/秘密.md": "secret"})

    async def asked() -> list[tuple[int, Any]]:
        routes = page_routes(
            line.platform,
            {},
            [
                stack_panel(
                    StackParts(
                        platform=line.platform, trace=Trace(now_ms=line.platform.now_ms), knowledge=filed_in(bucket)
                    )
                )
            ],
        )
        transport = httpx2.ASGITransport(app=line.platform.app_with(routes))
        async with httpx2.AsyncClient(transport=transport, base_url="http://page.test") as client:
            paths = (chat_id, f"{chat_id}/admin/牛乳.md", f"{chat_id}/admin/x.md", "U2", "U2/admin/秘密.md")
            answers = [await client.get(f"/simulator/filed/{path}") for path in paths]
        return [(one.status_code, one.json()) for one in answers]

    listed, read, *refused = line.run(asked())

    assert listed == (200, {"index": None, "entries": [{"path": "admin/牛乳.md", "generation": "7"}]})
    assert read == (200, {"text": "<b>milk</b>"})
    assert [status for status, _ in refused] == [404, 404, 404]
