"""One suite for the ports to Notion: in memory, and with notion-client on the wire to Notion's stand-in."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from shared.adapters.memory import FixedClock, MemoryNotion
from shared.adapters.notion import NotionApi
from shared.clock import Deadline, SystemClock
from shared.settings.notion import NotionSettings
from shared.settings.secret import FixedSecret
from shared.tools.notion.blocks import blocks_of
from shared.tools.notion.port import Notion, NotionRefusedError, NotionUnavailableError, PropertyValues
from simulator.notion.api import NotionStandIn
from simulator.notion.switches import Fault
from simulator.notion.workspace import Workspace
from tests.support.notion import shopping_list
from tests.support.serving import served

TOKEN = "ntn_secret"
COLUMNS: dict[str, dict[str, Any]] = {
    "品名": {"title": {}},
    "購入済み": {"checkbox": {}},
    "数量": {"number": {}},
    "店": {"select": {"options": ["スーパー", "ドラッグストア"]}},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Backend:
    """A workspace with a shopping list, and with an ambiguous database of two data sources."""

    api: Notion
    database_id: str
    data_source_id: str
    ambiguous_id: str
    lose_next_answer: Callable[[str], None]
    limit_next_request: Callable[[str], None]


class Wire:
    """The stand-in, served over HTTP."""

    def __init__(self, stand_in: NotionStandIn, url: str, do: Callable[[Callable[[], None]], None]) -> None:
        self.stand_in = stand_in
        self.url = url
        self._do = do
        self.opened: list[NotionApi] = []

    def fault(self, fault: Fault) -> None:
        self._do(lambda: self.stand_in.faults.add(fault))

    def api(self, *, token: str = TOKEN) -> NotionApi:
        settings = NotionSettings(token=FixedSecret(token), databases={}, base_url=self.url, conversations=None)
        self.opened.append(NotionApi(settings, chance=random.Random(1)))
        return self.opened[-1]


@pytest.fixture
def wire() -> Iterator[Wire]:
    clock = SystemClock()
    stand_in = NotionStandIn(
        Workspace(rng=random.Random(1), now_ms=clock.now_ms), token=TOKEN, monotonic_s=clock.monotonic_s
    )
    stand_in.workspace.add_person("ゆき")
    with served(stand_in.app) as running:
        wire = Wire(stand_in, running.url, running.do)
        yield wire
        for api in wire.opened:
            api.close()


WRITES = {"create": ("POST", "pages"), "update": ("PATCH", "pages/"), "append": ("PATCH", "blocks/")}
READS = {"query": ("POST", "data_sources/"), "page": ("GET", "pages/")}


def on_the_wire(wire: Wire) -> Backend:
    workspace = wire.stand_in.workspace
    database_id = workspace.add_database("買い物", COLUMNS)
    ambiguous_id = workspace.add_database("二つ", {"a": {"title": {}}}, {"b": {"title": {}}})

    def add_fault(kind: str, **how: str | int) -> None:
        method, path = {**WRITES, **READS}[kind]
        wire.fault(Fault(method=method, path=path, nth=1, **how))  # type: ignore[arg-type]

    return Backend(
        api=wire.api(),
        database_id=database_id,
        data_source_id=workspace.databases[database_id]["data_sources"][0]["id"],
        ambiguous_id=ambiguous_id,
        lose_next_answer=lambda kind: add_fault(kind, answer="cut"),
        limit_next_request=lambda kind: add_fault(kind, error_status=429, retry_after_s=60),
    )


def in_memory() -> Backend:
    notion = MemoryNotion(FixedClock(now_ms=SystemClock().now_ms()), people=["ゆき"])
    source = shopping_list()
    database_id = notion.add_database(source)
    return Backend(
        api=notion,
        database_id=database_id,
        data_source_id=source.data_source_id,
        ambiguous_id=notion.add_database(source, source),
        lose_next_answer=lambda _: notion.fates.append("lost"),
        limit_next_request=lambda _: notion.fates.append("down"),
    )


@pytest.fixture(params=["memory", "stand-in"])
def backend(request: pytest.FixtureRequest) -> Backend:
    return in_memory() if request.param == "memory" else on_the_wire(request.getfixturevalue("wire"))


@pytest.fixture
def deadline() -> Deadline:
    return Deadline.after(SystemClock(), 10)


def item(title: str, **values: object) -> PropertyValues:
    texts = [{"type": "text", "text": {"content": title}}]
    types = {"購入済み": "checkbox", "数量": "number"}
    return {"品名": {"title": texts}, **{name: {types[name]: value} for name, value in values.items()}}


def test_a_database_and_its_data_source_have_one_schema(backend: Backend, deadline: Deadline) -> None:
    schema = backend.api.schema(backend.database_id, deadline)

    assert schema == backend.api.schema(backend.data_source_id, deadline)
    assert schema.data_source_id == backend.data_source_id
    assert schema.title.name == "品名"
    assert schema.properties["店"].options == ("スーパー", "ドラッグストア")


def test_a_database_with_several_data_sources_is_refused_with_their_names(backend: Backend, deadline: Deadline) -> None:
    with pytest.raises(NotionRefusedError) as refused:
        backend.api.schema(backend.ambiguous_id, deadline)

    assert "data sources" in refused.value.explanation


def test_an_unknown_database_is_refused(backend: Backend, deadline: Deadline) -> None:
    with pytest.raises(NotionRefusedError) as refused:
        backend.api.schema("33333333-3333-4333-8333-333333333333", deadline)

    assert "Could not find" in refused.value.explanation


def test_a_created_page_is_found(backend: Backend, deadline: Deadline) -> None:
    api = backend.api
    made = api.create_page(backend.data_source_id, item("牛乳", 数量=2), deadline)

    assert api.page(made.page_id, deadline) == made
    assert made.is_own
    assert not made.in_trash
    assert made.data_source_id == backend.data_source_id
    assert made.database_id == backend.database_id
    found = api.query(
        backend.data_source_id, {"property": "品名", "title": {"equals": "牛乳"}}, limit=5, deadline=deadline
    )
    assert found.pages == (made,)
    assert not found.has_more


def test_an_unknown_page_is_none(backend: Backend, deadline: Deadline) -> None:
    assert backend.api.page("33333333-3333-4333-8333-333333333333", deadline) is None


def test_an_update_changes_the_named_properties_only(backend: Backend, deadline: Deadline) -> None:
    made = backend.api.create_page(backend.data_source_id, item("牛乳", 数量=2), deadline)

    changed = backend.api.update_page(made.page_id, {"購入済み": {"checkbox": True}}, deadline)

    assert changed.properties["購入済み"]["checkbox"] is True
    assert changed.properties["数量"]["number"] == 2
    assert backend.api.page(made.page_id, deadline) == changed


def test_a_query_returns_the_latest_pages_up_to_its_limit(backend: Backend, deadline: Deadline) -> None:
    made = [backend.api.create_page(backend.data_source_id, item(str(number)), deadline) for number in range(5)]

    found = backend.api.query(backend.data_source_id, None, limit=3, deadline=deadline)

    assert [page.page_id for page in found.pages] == [page.page_id for page in reversed(made)][:3]
    assert found.has_more
    assert not backend.api.query(backend.data_source_id, None, limit=5, deadline=deadline).has_more


def test_a_query_returns_the_pages_that_match_its_filter(backend: Backend, deadline: Deadline) -> None:
    api, source = backend.api, backend.data_source_id
    api.create_page(source, item("牛乳", 購入済み=True), deadline)
    bread = api.create_page(source, item("食パン", 購入済み=False), deadline)
    wanted = {
        "and": [
            {"property": "購入済み", "checkbox": {"equals": False}},
            {"property": "品名", "title": {"contains": "パン"}},
        ]
    }

    assert api.query(source, wanted, limit=5, deadline=deadline).pages == (bread,)


def test_blocks_are_appended_in_order(backend: Backend, deadline: Deadline) -> None:
    page_id = backend.api.create_page(backend.data_source_id, item("牛乳"), deadline).page_id
    backend.api.append_blocks(page_id, blocks_of("# メモ\n- 低脂肪"), deadline)
    backend.api.append_blocks(page_id, blocks_of("おわり"), deadline)

    blocks = backend.api.blocks(page_id, limit=3, deadline=deadline)

    assert blocks is not None
    assert [(one.type, one.text) for one in blocks] == [
        ("heading_1", "メモ"), ("bulleted_list_item", "低脂肪"), ("paragraph", "おわり"),
    ]  # fmt: skip
    assert all(one.is_own for one in blocks)
    assert abs(blocks[0].created_ms - SystemClock().now_ms()) < 120_000


def test_more_blocks_than_the_limit_are_not_returned(backend: Backend, deadline: Deadline) -> None:
    page_id = backend.api.create_page(backend.data_source_id, item("牛乳"), deadline).page_id
    for _ in range(2):
        backend.api.append_blocks(page_id, blocks_of("\n".join(["- x"] * 100)), deadline)

    assert backend.api.blocks(page_id, limit=199, deadline=deadline) is None
    assert len(backend.api.blocks(page_id, limit=200, deadline=deadline) or ()) == 200


def test_more_than_a_hundred_blocks_at_once_are_refused(backend: Backend, deadline: Deadline) -> None:
    page_id = backend.api.create_page(backend.data_source_id, item("牛乳"), deadline).page_id

    with pytest.raises(NotionRefusedError):
        backend.api.append_blocks(page_id, blocks_of("\n".join(["- x"] * 101)), deadline)

    assert backend.api.blocks(page_id, limit=5, deadline=deadline) == ()


def test_people_do_not_include_bots(backend: Backend, deadline: Deadline) -> None:
    assert [person.name for person in backend.api.people(deadline)] == ["ゆき"]


def test_a_write_whose_answer_is_lost_may_have_had_its_effect(backend: Backend, deadline: Deadline) -> None:
    backend.api.create_page(backend.data_source_id, item("食パン"), deadline)
    backend.lose_next_answer("create")

    with pytest.raises(NotionUnavailableError) as down:
        backend.api.create_page(backend.data_source_id, item("牛乳"), deadline)

    assert down.value.may_have_effect
    assert len(backend.api.query(backend.data_source_id, None, limit=5, deadline=deadline).pages) == 2


def test_a_rate_limited_write_had_no_effect(backend: Backend, deadline: Deadline) -> None:
    backend.api.create_page(backend.data_source_id, item("食パン"), deadline)
    backend.limit_next_request("create")

    with pytest.raises(NotionUnavailableError) as down:
        backend.api.create_page(backend.data_source_id, item("牛乳"), deadline)

    assert not down.value.may_have_effect
    assert len(backend.api.query(backend.data_source_id, None, limit=5, deadline=deadline).pages) == 1


# On the wire only


@pytest.mark.parametrize("status", [429, 529, 409])
def test_a_write_without_effect_is_retried(status: int, wire: Wire, deadline: Deadline) -> None:
    backend = on_the_wire(wire)
    wire.fault(Fault(method="POST", path="pages", nth=1, error_status=status, retry_after_s=0))

    made = backend.api.create_page(backend.data_source_id, item("牛乳"), deadline)

    assert list(wire.stand_in.workspace.pages) == [made.page_id]


def test_a_retry_waits_for_retry_after(wire: Wire, deadline: Deadline) -> None:
    backend = on_the_wire(wire)
    wire.fault(Fault(method="POST", path="pages", nth=1, error_status=429, retry_after_s=1))
    begun_s = SystemClock().monotonic_s()

    backend.api.create_page(backend.data_source_id, item("牛乳"), deadline)

    assert SystemClock().monotonic_s() - begun_s >= 1


def test_requests_beyond_the_rate_limit_are_retried_later(wire: Wire) -> None:
    backend = on_the_wire(wire)
    wire.stand_in.rate.burst = 2.0
    wire.stand_in.rate.spend()
    deadline = Deadline.after(SystemClock(), 20)

    pages = [backend.api.page("33333333-3333-4333-8333-333333333333", deadline) for _ in range(4)]

    assert pages == [None] * 4
    assert len(wire.stand_in.calls) > 5  # some were refused and retried


@pytest.mark.parametrize("fault", [Fault(path="pages", nth=1, error_status=500), Fault(path="pages", nth=1, answer="cut"),
                                   Fault(path="pages", nth=1, answer="unavailable")])  # fmt: skip
def test_a_read_is_retried_after_any_failure(fault: Fault, wire: Wire, deadline: Deadline) -> None:
    backend = on_the_wire(wire)
    made = backend.api.create_page(backend.data_source_id, item("牛乳"), deadline)
    wire.fault(fault)

    assert backend.api.page(made.page_id, deadline) == made


@pytest.mark.parametrize(("kind", "answer"), [("create", "unavailable"), ("update", "cut"), ("append", "cut")])
def test_a_write_with_an_unknown_effect_is_not_retried(kind: str, answer: str, wire: Wire, deadline: Deadline) -> None:
    backend = on_the_wire(wire)
    page_id = backend.api.create_page(backend.data_source_id, item("牛乳"), deadline).page_id
    method, path = WRITES[kind]
    wire.fault(Fault(method=method, path=path, answer=answer))  # type: ignore[arg-type]
    writes: dict[str, Callable[[], object]] = {
        "create": lambda: backend.api.create_page(backend.data_source_id, item("食パン"), deadline),
        "update": lambda: backend.api.update_page(page_id, item("豆乳"), deadline),
        "append": lambda: backend.api.append_blocks(page_id, blocks_of("x"), deadline),
    }
    before = len(wire.stand_in.calls)

    with pytest.raises(NotionUnavailableError) as down:
        writes[kind]()

    assert down.value.may_have_effect
    assert len(wire.stand_in.calls) == before + 1


def test_a_refused_connection_had_no_effect() -> None:
    settings = NotionSettings(token=FixedSecret(TOKEN), databases={}, base_url="http://127.0.0.1:9", conversations=None)
    api = NotionApi(settings, chance=random.Random(1))

    with pytest.raises(NotionUnavailableError) as down:
        api.create_page("x", {}, Deadline.after(FixedClock(), 0.6))

    assert not down.value.may_have_effect


def test_a_wrong_token_is_reported_without_token_or_text(
    wire: Wire, deadline: Deadline, capfd: pytest.CaptureFixture[str]
) -> None:
    api = wire.api(token="ntn_wrong")

    with pytest.raises(NotionRefusedError) as refused:
        api.create_page("x", item("秘密"), deadline)

    assert "operator" in refused.value.explanation
    assert "401 unauthorized" in str(refused.value)
    written = "".join(capfd.readouterr())
    assert not any(secret in f"{written} {refused.value}" for secret in ("ntn_wrong", "秘密"))


def test_a_refusal_reaches_the_model_and_is_not_logged(
    wire: Wire, deadline: Deadline, capfd: pytest.CaptureFixture[str]
) -> None:
    backend = on_the_wire(wire)

    with pytest.raises(NotionRefusedError) as refused:
        backend.api.create_page(backend.data_source_id, {"秘密": {"checkbox": True}}, deadline)

    assert refused.value.explanation == "Notion refused it: 秘密 is not a property that exists."
    assert "秘密" not in str(refused.value)
    assert "秘密" not in "".join(capfd.readouterr())


def test_a_long_answer_is_read_in_several_requests(wire: Wire) -> None:
    backend = on_the_wire(wire)
    deadline = Deadline.after(SystemClock(), 30)
    made = backend.api.create_page(backend.data_source_id, item("牛乳"), deadline)
    pages = wire.stand_in.workspace.pages
    pages.update({f"copy {number}": {**pages[made.page_id], "id": f"copy {number}"} for number in range(129)})

    found = backend.api.query(backend.data_source_id, None, limit=120, deadline=deadline)

    assert len({page.page_id for page in found.pages}) == 120
    assert found.has_more
