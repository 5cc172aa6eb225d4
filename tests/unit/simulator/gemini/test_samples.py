from __future__ import annotations

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.gemini.samples import sample, sample_object

leaves = st.one_of(
    st.just({"type": "string"}),
    st.just({"type": ["string", "null"]}),
    st.just({"type": "boolean"}),
    st.just({"type": "null"}),
    st.just({"enum": ["a", 1]}),
    st.just({"type": "string", "format": "date"}),
    st.integers(-9, 9).map(lambda least: {"type": "integer", "minimum": least}),
    st.integers(-9, 9).map(lambda most: {"type": "number", "maximum": most}),
    st.just({"$ref": "#/$defs/named"}),
)
schemas = st.recursive(
    leaves,
    lambda inside: st.one_of(
        st.lists(inside, min_size=1, max_size=2).map(lambda choices: {"anyOf": choices}),
        st.builds(lambda items, least: {"type": "array", "items": items, "minItems": least}, inside, st.integers(0, 3)),
        st.dictionaries(st.sampled_from("abc"), inside, max_size=3).map(
            lambda properties: {"type": "object", "properties": properties, "required": sorted(properties)}
        ),
    ),
    max_leaves=6,
)


@given(schemas)
def test_a_sample_fits_its_schema(schema: dict[str, object]) -> None:
    whole = {**schema, "$defs": {"named": {"type": "integer"}}}

    jsonschema.validate(sample(whole), whole)


def test_only_what_is_required_is_given() -> None:
    properties = {"a": {"type": "STRING"}, "b": {"type": "STRING"}}

    assert sample_object({"type": "OBJECT", "properties": properties, "required": ["b"]}) == {"b": "stand-in"}


def test_a_circle_through_required_properties_ends() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}, "required": ["next"]}

    assert sample({"$ref": "#/$defs/node", "$defs": {"node": node}}) == {"next": None}


@pytest.mark.parametrize("schema", [{"type": "string"}, {"type": "array"}, {"$ref": "nowhere"}])
def test_arguments_are_always_an_object(schema: dict[str, object]) -> None:
    assert sample_object(schema) == {}
