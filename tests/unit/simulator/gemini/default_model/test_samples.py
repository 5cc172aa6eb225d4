from __future__ import annotations

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.gemini.default_model.samples import sample, sample_object

leaves = st.one_of(
    st.just({"type": "string"}),
    st.just({"type": ["string", "null"]}),
    st.just({"type": "boolean"}),
    st.just({"type": "null"}),
    st.just({"enum": ["a", 1]}),
    st.integers(-9, 9).map(lambda least: {"type": "integer", "minimum": least}),
    st.integers(-9, 9).map(lambda most: {"type": "number", "maximum": most}),
)
schemas = st.recursive(
    leaves,
    lambda inside: st.one_of(
        st.builds(lambda items, least: {"type": "array", "items": items, "minItems": least}, inside, st.integers(0, 3)),
        st.dictionaries(st.sampled_from("abc"), inside, max_size=3).map(
            lambda properties: {"type": "object", "properties": properties, "required": sorted(properties)}
        ),
    ),
    max_leaves=6,
)


@given(schemas)
def test_a_sample_fits_its_schema(schema: dict[str, object]) -> None:
    jsonschema.validate(sample(schema), schema)


def test_only_required_properties_are_set() -> None:
    properties = {"a": {"type": "STRING"}, "b": {"type": "STRING"}}

    assert sample_object({"type": "OBJECT", "properties": properties, "required": ["b"]}) == {"b": "stand-in"}


@pytest.mark.parametrize("schema", [{"type": "string"}, {"type": "array"}, {}])
def test_arguments_are_always_an_object(schema: dict[str, object]) -> None:
    assert sample_object(schema) == {}
