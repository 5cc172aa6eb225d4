"""What Notion answers in a form of its own is a fault in words, never a crash of a tool."""

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from shared.adapters.memory import FixedClock
from shared.adapters.notion import NotionApi
from shared.clock import Deadline
from shared.errors import AizuchiError
from shared.settings.notion import NotionSettings
from shared.settings.secret import FixedSecret
from shared.tools.notion.port import NotionRefusedError, NotionUnavailableError
from tests.support.serving import served

TITLE = {"Name": {"id": "t", "name": "Name", "type": "title", "title": {}}}
ERROR = {"object": "error", "code": "service_unavailable", "message": "m"}
PAGE_ID = "e4b06ce6-0741-47a8-bce4-2c8218072e8c"


class Odd:
    """A Notion whose answers a test sets by the end of the path."""

    def __init__(self) -> None:
        self.answers: dict[str, Any] = {
            "/users/me": {"object": "user", "id": "bot", "type": "bot"},
            "/databases/d": {"object": "database", "id": "d", "data_sources": [{"id": "ds", "name": "n"}]},
        }

    def app(self) -> Starlette:
        async def answer(request: Request) -> JSONResponse:
            return JSONResponse(next(body for path, body in self.answers.items() if request.url.path.endswith(path)))

        return Starlette(routes=[Route("/{path:path}", answer, methods=["GET", "POST", "PATCH"])])


@pytest.fixture
def odd() -> Odd:
    return Odd()


@pytest.fixture
def api(odd: Odd) -> Iterator[NotionApi]:
    with served(odd.app()) as running:
        settings = NotionSettings(token=FixedSecret("t"), databases={}, base_url=running.url, conversations=None)
        opened = NotionApi(settings, chance=random.Random(1))
        yield opened
        opened.close()


@pytest.fixture
def deadline() -> Deadline:
    return Deadline.after(FixedClock(), 6)


@pytest.mark.parametrize(
    ("column", "options"),
    [
        ({"type": "new_thing", "new_thing": None}, ()),
        ({"id": "z", "name": "Z"}, ()),
        ({"type": None}, ()),
        (None, ()),
        ({"type": "select", "select": {"options": [{"id": "1"}, None, {"name": "A"}, {"name": 3}]}}, ("A",)),
        ({"type": "select", "select": {"options": None}}, ()),
        ({"type": "select"}, ()),
        ({"type": "relation", "relation": None}, ()),
        ({"type": "relation"}, ()),
    ],
)
def test_an_odd_column_leaves_the_others_readable(
    column: object, options: tuple[str, ...], odd: Odd, api: NotionApi, deadline: Deadline
) -> None:
    odd.answers["/data_sources/ds"] = {"object": "data_source", "id": "ds", "properties": {**TITLE, "Z": column}}

    schema = api.schema("d", deadline)

    assert schema.title.name == "Name"
    assert schema.properties["Z"].options == options if "Z" in schema.properties else options == ()


@pytest.mark.parametrize("properties", [{}, None, {"Z": {"type": "checkbox", "checkbox": {}}}, {"Name": None}, []])
def test_a_source_without_a_title_is_refused_in_words(
    properties: object, odd: Odd, api: NotionApi, deadline: Deadline
) -> None:
    odd.answers["/data_sources/ds"] = {"object": "data_source", "id": "ds", "properties": properties}

    with pytest.raises(NotionRefusedError, match="title") as refused:
        api.schema("d", deadline)

    assert "operator" in refused.value.explanation


READS: dict[str, Callable[[NotionApi, Deadline], object]] = {
    "/data_sources/ds": lambda api, deadline: api.schema("d", deadline),
    "/data_sources/ds/query": lambda api, deadline: api.query("ds", None, limit=3, deadline=deadline),
    "/users": lambda api, deadline: api.people(deadline),
    f"/pages/{PAGE_ID}": lambda api, deadline: api.page(PAGE_ID, deadline),
    f"/blocks/{PAGE_ID}/children": lambda api, deadline: api.blocks(PAGE_ID, limit=3, deadline=deadline),
}
WRITES: dict[str, Callable[[NotionApi, Deadline], object]] = {
    "/pages": lambda api, deadline: api.create_page("ds", {"Name": {"title": []}}, deadline),
    f"/pages/{PAGE_ID}": lambda api, deadline: api.update_page(PAGE_ID, {"Name": {"title": []}}, deadline),
    f"/blocks/{PAGE_ID}/children": lambda api, deadline: api.append_blocks(PAGE_ID, [{"type": "divider"}], deadline),
}


@pytest.mark.parametrize("path", READS)
@pytest.mark.parametrize(
    "body", [{**ERROR, "status": 503}, {**ERROR, "status": None}, ERROR, {}, [], None, "x", {"results": [None]}]
)
def test_a_read_answered_with_no_result_is_a_fault(
    path: str, body: object, odd: Odd, api: NotionApi, deadline: Deadline
) -> None:
    odd.answers[path] = body

    with pytest.raises(AizuchiError) as fault:
        READS[path](api, deadline)

    assert isinstance(fault.value, NotionUnavailableError | NotionRefusedError)


@pytest.mark.parametrize("path", WRITES)
@pytest.mark.parametrize("body", [{**ERROR, "status": 503}, ERROR, [], None, "x"])
def test_a_write_answered_with_an_error_object_may_have_had_an_effect(
    path: str, body: object, odd: Odd, api: NotionApi, deadline: Deadline
) -> None:
    odd.answers[path] = body

    with pytest.raises(NotionUnavailableError) as fault:
        WRITES[path](api, deadline)

    assert fault.value.may_have_effect


def test_a_refusal_in_a_200_had_no_effect_and_is_told_to_the_model(
    odd: Odd, api: NotionApi, deadline: Deadline
) -> None:
    odd.answers["/pages"] = {**ERROR, "status": 400, "code": "validation_error", "message": "Z is not a property"}

    with pytest.raises(NotionRefusedError) as refused:
        WRITES["/pages"](api, deadline)

    assert "Z is not a property" in refused.value.explanation
