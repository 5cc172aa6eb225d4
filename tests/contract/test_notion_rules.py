"""Any value, filter or text that the toolset converts is valid for Notion, by the rules of the stand-in."""

import datetime as dt
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.tools.notion.blocks import batches, blocks_of
from shared.tools.notion.filters import filter_of
from shared.tools.notion.port import Property, Schema
from shared.tools.notion.properties import PropertyWriter, UnfitValueError
from simulator.notion.filters import lets_through
from simulator.notion.rules import empty_value, new_blocks, property_values
from simulator.notion.workspace import Workspace

COLUMNS: dict[str, dict[str, Any]] = {
    "title": {"title": {}},
    "text": {"rich_text": {}},
    "number": {"number": {}},
    "done": {"checkbox": {}},
    "shop": {"select": {"options": ["a", "b"]}},
    "state": {"status": {"options": ["open", "done"]}},
    "tags": {"multi_select": {"options": ["x", "y"]}},
    "due": {"date": {}},
    "link": {"url": {}},
    "mail": {"email": {}},
    "phone": {"phone_number": {}},
    "who": {"people": {}},
    "after": {"relation": {}},
}
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(["a", "open", "x", "true", "2026-11-22", "2026-11-22T18:30", "20261122", "2026-W47-7", "20261122T1830",
                       "2026-11-22 18:30", "2026-11-22T18:30:15.123456+09:00", "2026-11-22T18", "0001-01-01", "12", "ゆき", "計画"])
    | st.integers(min_value=1_990, max_value=4_100).map(lambda length: "あ" * length),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(["start", "end", "equals", "contains", "before", "is_empty", "name"]), inner, max_size=2),
    max_leaves=4,
)  # fmt: skip


class SampleWorkspace:
    """A workspace with one data source of every type, one person and one page."""

    def __init__(self) -> None:
        self.workspace = Workspace(rng=random.Random(1), now_ms=lambda: 1_763_700_012_345)
        self.person = self.workspace.add_person("ゆき")
        database_id = self.workspace.add_database("all", COLUMNS)
        self.source_id = self.workspace.databases[database_id]["data_sources"][0]["id"]
        self.columns = self.workspace.data_sources[self.source_id]["properties"]
        self.columns["after"]["relation"]["data_source_id"] = self.source_id
        self.page = {
            "parent": {"data_source_id": self.source_id},
            "created_time": self.workspace.now(),
            "properties": {name: empty_value(column) for name, column in self.columns.items()},
        }
        self.page_id = self.workspace.new_id()
        self.workspace.pages[self.page_id] = self.page
        self.schema = Schema(
            data_source_id=self.source_id,
            properties={name: self._property(name, column) for name, column in self.columns.items()},
        )

    def person_id(self, name: str) -> str:
        if name != "ゆき":
            raise UnfitValueError("nobody")
        return self.person

    def page_id_of(self, title: str) -> str:
        if title != "計画":
            raise UnfitValueError("nothing")
        return self.page_id

    def _property(self, name: str, column: dict[str, Any]) -> Property:
        options = tuple(one["name"] for one in column[column["type"]].get("options", ()))
        related = self.source_id if column["type"] == "relation" else None
        return Property(name=name, type=column["type"], options=options, related_data_source_id=related)


class Directory:
    """Finds the one person and the one page of the workspace."""

    def __init__(self, sample: SampleWorkspace) -> None:
        self._sample = sample

    def person_id(self, name: str) -> str:
        return self._sample.person_id(name)

    def page_id(self, _: str, title: str) -> str:
        return self._sample.page_id_of(title)


SAMPLE = SampleWorkspace()
WRITER = PropertyWriter(time_zone="Asia/Tokyo", today=dt.date(2026, 11, 26), references=Directory(SAMPLE))


@given(st.sampled_from(sorted(COLUMNS)), VALUES)
def test_a_value_is_refused_by_the_toolset_or_valid_for_notion(name: str, value: object) -> None:
    try:
        converted = WRITER.convert(SAMPLE.schema, {name: value})
    except UnfitValueError:
        return

    property_values(SAMPLE.workspace, SAMPLE.columns, dict(converted))


@given(st.sampled_from(sorted(COLUMNS)), VALUES, st.text(max_size=5))
def test_a_condition_is_refused_by_the_toolset_or_valid_for_notion(name: str, value: object, query: str) -> None:
    try:
        filter_ = filter_of(SAMPLE.schema, WRITER, query=query, conditions={name: value})
    except UnfitValueError:
        return

    if filter_ is not None:
        lets_through(filter_, SAMPLE.page, SAMPLE.columns)


@given(
    st.text(alphabet=st.sampled_from("ab#-*>1. `~[]x\n\t・_pycs+"), max_size=300),
    st.integers(min_value=1, max_value=60),
)
def test_any_text_becomes_blocks_that_are_valid_for_notion(text: str, times: int) -> None:
    for batch in batches(blocks_of(text * times)):
        new_blocks(SAMPLE.workspace, list(batch))


@pytest.mark.parametrize(
    ("name", "value"), [("due", "2026-11-22T18:30"), ("who", "ゆき"), ("after", ["計画"]), ("tags", ["x", "y"])]
)
def test_a_valid_value_is_stored(name: str, value: object) -> None:
    stored = property_values(SAMPLE.workspace, SAMPLE.columns, dict(WRITER.convert(SAMPLE.schema, {name: value})))

    assert stored[name][SAMPLE.schema.properties[name].type]
