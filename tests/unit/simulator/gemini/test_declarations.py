from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from simulator.gemini.declarations import refuse_bad_declarations
from simulator.gemini.errors import RefusedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.gemini.request import GenerateContentRequest

TEXT = {"type": "string"}


@pytest.fixture
def declare(body: Callable[..., dict[str, Any]], read: Callable[..., GenerateContentRequest]) -> Callable[..., None]:
    """Declares functions in a mode; each is a changed copy of a valid one."""

    def declare(*changes: dict[str, object], mode: str = "AUTO", allowed: object = None) -> None:
        schema = {"type": "object", "properties": {"a": TEXT}}
        functions = [
            {"name": f"find_{index}", "description": "d", "parametersJsonSchema": schema, **change}
            for index, change in enumerate(changes or ({},))
        ]
        calling = {"mode": mode, **({"allowedFunctionNames": allowed} if allowed else {})}
        request = body(
            tools=[{"functionDeclarations": functions}],
            toolConfig={"functionCallingConfig": calling},
        )
        refuse_bad_declarations(read(request))

    return declare


def _parameters(properties: dict[str, object], **more: object) -> dict[str, object]:
    return {"parametersJsonSchema": {"type": "object", "properties": properties, **more}}


@pytest.mark.parametrize("name", ["find", "_find", "Find.it-now:2", "f" * 64])
def test_a_valid_function_name_is_accepted(declare: Callable[..., None], name: str) -> None:
    declare({"name": name})


@pytest.mark.parametrize("name", ["", "2find", "find it", "-find", "探す", "f" * 65, "find\n"])
def test_an_invalid_function_name_is_refused(declare: Callable[..., None], name: str) -> None:
    with pytest.raises(RefusedError, match=r"tools\[0\].function_declarations\[0\].name: .*Invalid function name"):
        declare({"name": name})


@pytest.mark.parametrize("name", ["", "2nd", "a-b", "a.b", "名", "a" * 65])
def test_an_invalid_parameter_name_is_refused(declare: Callable[..., None], name: str) -> None:
    with pytest.raises(RefusedError, match="Invalid parameter name"):
        declare(_parameters({name: TEXT}))


def test_two_functions_of_one_name_are_refused(declare: Callable[..., None]) -> None:
    with pytest.raises(RefusedError, match="Duplicate function declaration found: find"):
        declare({"name": "find"}, {"name": "find"})


def test_more_than_128_functions_are_refused(declare: Callable[..., None]) -> None:
    declare(*({} for _ in range(128)))

    with pytest.raises(RefusedError, match="At most 128"):
        declare(*({} for _ in range(129)))


@pytest.mark.parametrize("pair", [("parameters", "parametersJsonSchema"), ("response", "response_json_schema")])
def test_both_dialects_at_once_are_refused(declare: Callable[..., None], pair: tuple[str, str]) -> None:
    with pytest.raises(RefusedError, match="mutually exclusive"):
        declare({name: {"type": "object", "properties": {"a": TEXT}} for name in pair})


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"a": {"type": ["string", "null"], "format": "date", "description": "d", "title": "t"}}},
        {"properties": {"a": {"enum": ["x", 1, 2.5]}, "b": {"type": "integer", "minimum": 0, "maximum": 9}}},
        {"properties": {"a": {"type": "array", "items": TEXT, "minItems": 1, "maxItems": 3, "prefixItems": [TEXT]}}},
        {"properties": {"a": {"anyOf": [TEXT, {"type": "null"}]}, "b": {"oneOf": [TEXT]}}, "propertyOrdering": ["a"]},
        {"properties": {"a": {"$ref": "#/$defs/x"}}, "$defs": {"x": TEXT}, "additionalProperties": False},
        {"properties": {"a": {"type": "object", "additionalProperties": TEXT}}, "required": ["a"]},
        {"properties": {"pattern": TEXT, "const": TEXT}},
    ],
)
def test_documented_keywords_are_accepted(declare: Callable[..., None], schema: dict[str, object]) -> None:
    declare({"parameters_json_schema": {"type": "object", **schema}})


@pytest.mark.parametrize(
    ("property_schema", "complaint"),
    [
        ({"type": "string", "pattern": "a"}, "'pattern' is not supported"),
        ({"type": "string", "minLength": 1}, r"\.properties\[a\]: JSON Schema keyword 'minLength'"),
        ({"const": "a"}, "'const'"),
        ({"allOf": [TEXT]}, "'allOf'"),
        ({"not": TEXT}, "'not'"),
        ({"type": "array", "items": {"type": "string", "default": ""}}, r"items: .*'default'"),
        ({"anyOf": [TEXT, {"if": TEXT}]}, r"anyOf\[1\]: .*'if'"),
        ({"type": "text"}, "'text' is no type"),
        ({"type": []}, "is no type"),
        ({"type": 5}, "is no type"),
        ({"enum": [None]}, "only strings and numbers"),
        ({"enum": [True]}, "only strings and numbers"),
        ({"$ref": "#/$defs/nowhere"}, "does not resolve"),
        ({"$ref": "#", "description": "d"}, r"\$ref may set no other"),
        ({"properties": []}, "an object is expected"),
        ({"anyOf": {}}, "a list is expected"),
        ({"items": "string"}, "a schema is expected"),
    ],
)
def test_other_keywords_and_shapes_are_refused_by_name(
    declare: Callable[..., None], property_schema: dict[str, object], complaint: str
) -> None:
    with pytest.raises(RefusedError, match=complaint):
        declare(_parameters({"a": property_schema}))


def test_a_response_schema_has_the_same_keywords(declare: Callable[..., None]) -> None:
    with pytest.raises(RefusedError, match="response_json_schema: JSON Schema keyword 'examples'"):
        declare({"responseJsonSchema": {"type": "object", "examples": []}})


def test_the_older_field_refuses_json_schema(declare: Callable[..., None]) -> None:
    schema = {"type": "OBJECT", "properties": {"a": {"type": "STRING", "nullable": True}}, "required": ["a"]}
    declare({"parameters": schema, "parametersJsonSchema": None})

    with pytest.raises(RefusedError, match="additionalProperties") as refused:
        declare({"parameters": {**schema, "additionalProperties": False}, "parametersJsonSchema": None})

    assert refused.value.error.details[0]["fieldViolations"]


def test_the_older_field_refuses_a_list_of_types(declare: Callable[..., None]) -> None:
    properties = {"a": {"type": ["STRING", "NULL"]}}

    with pytest.raises(RefusedError, match=r"Invalid value at .*type"):
        declare({"parameters": {"type": "OBJECT", "properties": properties}, "parametersJsonSchema": None})


def test_parameters_other_than_an_object_are_refused(declare: Callable[..., None]) -> None:
    with pytest.raises(RefusedError, match="must describe an object"):
        declare({"parametersJsonSchema": {"type": "string"}})


@pytest.mark.parametrize("change", [{"parametersJsonSchema": None}, _parameters({})])
def test_mode_any_needs_parameters(declare: Callable[..., None], change: dict[str, object]) -> None:
    declare(change, mode="AUTO")

    with pytest.raises(RefusedError, match="has no parameters"):
        declare(change, mode="ANY")


def test_mode_any_needs_functions(
    body: Callable[..., dict[str, Any]], read: Callable[..., GenerateContentRequest]
) -> None:
    with pytest.raises(RefusedError, match="no function declarations"):
        refuse_bad_declarations(read(body(tools=None)))


@pytest.mark.parametrize("mode", ["ANY", "VALIDATED", "any"])
def test_allowed_names_are_accepted_in_modes_that_force_calls(declare: Callable[..., None], mode: str) -> None:
    declare({"name": "find"}, {"name": "keep"}, mode=mode, allowed=["keep"])


@pytest.mark.parametrize("mode", ["AUTO", "NONE"])
def test_allowed_names_are_refused_in_other_modes(declare: Callable[..., None], mode: str) -> None:
    with pytest.raises(RefusedError, match="only be set when the function calling mode is ANY"):
        declare({"name": "find"}, mode=mode, allowed=["find"])


def test_an_allowed_name_must_be_declared(declare: Callable[..., None]) -> None:
    with pytest.raises(RefusedError, match="'lose' is not a declared function"):
        declare({"name": "find"}, mode="ANY", allowed=["find", "lose"])


def test_an_unknown_mode_is_refused(declare: Callable[..., None]) -> None:
    with pytest.raises(RefusedError, match=r"function_calling_config\.mode"):
        declare(mode="MAYBE")


@pytest.fixture
def mix(body: Callable[..., dict[str, Any]], read: Callable[..., GenerateContentRequest]) -> Callable[..., None]:
    """Declares search beside functions."""

    def mix(search: str, *, model: str = "gemini-3.8-flash", backend: str = "developer", **tool_config: object) -> None:
        request = body(toolConfig=tool_config)
        request["tools"].append({search: {}})
        refuse_bad_declarations(read(request, model=model, backend=backend))

    return mix


@pytest.mark.parametrize("flag", ["includeServerSideToolInvocations", "include_server_side_tool_invocations"])
@pytest.mark.parametrize("search", ["googleSearch", "google_search"])
def test_search_beside_functions_needs_the_flag(mix: Callable[..., None], search: str, flag: str) -> None:
    mix(search, **{flag: True})

    with pytest.raises(RefusedError, match=r"Please enable tool_config.include_server_side_tool_invocations"):
        mix(search)


@pytest.mark.parametrize(("model", "backend"), [("gemini-3.8-flash", "vertex"), ("gemini-2.5-flash", "developer")])
def test_search_beside_functions_is_refused_by_vertex_and_gemini_2(
    mix: Callable[..., None], model: str, backend: str
) -> None:
    with pytest.raises(RefusedError, match="only when they are all search tools"):
        mix("googleSearch", includeServerSideToolInvocations=True, model=model, backend=backend)


@pytest.mark.parametrize(("model", "backend"), [("gemini-3.8-flash", "vertex"), ("gemini-3.8-flash", "developer")])
@pytest.mark.parametrize("name", ["urlContext", "url_context"])
def test_url_context_beside_functions_is_refused_with_and_without_the_flag(
    mix: Callable[..., None], name: str, model: str, backend: str
) -> None:
    for flag in (True, False):
        with pytest.raises(RefusedError, match="URL context is not supported together with function calling"):
            mix(name, includeServerSideToolInvocations=flag, model=model, backend=backend)


def test_url_context_and_search_mix_without_functions(
    body: Callable[..., dict[str, Any]], read: Callable[..., GenerateContentRequest]
) -> None:
    refuse_bad_declarations(read(body(tools=[{"urlContext": {}}, {"googleSearch": {}}], toolConfig=None)))


def test_search_alone_is_accepted(
    body: Callable[..., dict[str, Any]], read: Callable[..., GenerateContentRequest]
) -> None:
    refuse_bad_declarations(read(body(tools=[{"googleSearch": {}}], toolConfig=None)))
