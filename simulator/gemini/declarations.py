"""The server's rules for tools: names, schemas, calling modes and combinations.

Relies on `schemas` for the rules for a schema.
Source: google-genai 3.4.0, `FunctionDeclaration`, `FunctionCallingConfig`; https://ai.google.dev/gemini-api/docs/function-calling.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from simulator.gemini.errors import invalid_argument
from simulator.gemini.schemas import refuse_bad_json_schema, refuse_bad_openapi_schema

if TYPE_CHECKING:
    from simulator.gemini.request import FunctionDeclaration, GenerateContentRequest

MAX_FUNCTIONS = (
    128  # Source: Vertex's reference; the client's docstring says 512, so the smaller number is valid everywhere
)
# The client's docstring allows 128 characters, the server's own message 64.  Source: google-gemini/gemini-cli#7878.
_FUNCTION_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]{0,63}")
_PARAMETER_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
_MODES = frozenset({"MODE_UNSPECIFIED", "AUTO", "ANY", "NONE", "VALIDATED"})
_MODES_WITH_ALLOWED_NAMES = frozenset({"ANY", "VALIDATED"})


def refuse_bad_declarations(request: GenerateContentRequest) -> None:
    """Check the tools of the request.

    Raises: RefusedError, for the first broken rule.
    """
    for function in request.functions:
        _refuse_bad_name(function)
        _refuse_bad_schemas(function, request)
    counts = Counter(function.name for function in request.functions)
    for name, count in counts.items():
        if count > 1:
            raise invalid_argument(f"Duplicate function declaration found: {name}")
    if len(request.functions) > MAX_FUNCTIONS:
        raise invalid_argument(f"At most {MAX_FUNCTIONS} function declarations are allowed.")
    _refuse_bad_calling_config(request)
    _refuse_mixed_tools(request)


def _refuse_bad_name(function: FunctionDeclaration) -> None:
    if not _FUNCTION_NAME.fullmatch(function.name):
        raise invalid_argument(
            f"The GenerateContentRequest proto is invalid:\n  * {function.path}.name: [FIELD_INVALID] Invalid function "
            "name. Must start with a letter or an underscore. Must be a-z, A-Z, 0-9, or contain underscores (_), "
            "dots (.), colons (:), or dashes (-), with a maximum length of 64."
        )


def _refuse_bad_schemas(function: FunctionDeclaration, request: GenerateContentRequest) -> None:
    if function.parameters is not None and function.parameters_json_schema is not None:
        raise invalid_argument(f"{function.path}: parameters and parameters_json_schema are mutually exclusive.")
    if function.response is not None and function.response_json_schema is not None:
        raise invalid_argument(f"{function.path}: response and response_json_schema are mutually exclusive.")
    for schema, name in ((function.parameters, "parameters"), (function.response, "response")):
        if schema is not None:
            refuse_bad_openapi_schema(schema, f"{function.path}.{name}", backend=request.backend)
    for schema, name in (
        (function.parameters_json_schema, "parameters_json_schema"),
        (function.response_json_schema, "response_json_schema"),
    ):
        if schema is not None:
            refuse_bad_json_schema(schema, f"{function.path}.{name}")
    schema = function.parameter_schema
    if schema and str(schema.get("type", "object")).lower() != "object":
        raise invalid_argument(f"{function.path}: the schema of the parameters must describe an object.")
    for name in _parameter_names(function):
        if not _PARAMETER_NAME.fullmatch(name):
            raise invalid_argument(
                f"{function.path}: Invalid parameter name '{name}'. Must start with a letter or an underscore and "
                "contain only a-z, A-Z, 0-9 or underscores, with a maximum length of 64."
            )


def _refuse_bad_calling_config(request: GenerateContentRequest) -> None:
    mode, allowed = request.mode, request.allowed_function_names
    if mode not in _MODES:
        raise invalid_argument(f"Invalid value at 'tool_config.function_calling_config.mode': \"{mode}\"")
    if allowed and mode not in _MODES_WITH_ALLOWED_NAMES:
        raise invalid_argument("allowed_function_names may only be set when the function calling mode is ANY.")
    declared = {function.name for function in request.functions}
    for name in allowed:
        if name not in declared:
            raise invalid_argument(f"allowed_function_names: '{name}' is not a declared function.")
    if mode != "ANY":
        return
    if not request.functions:
        raise invalid_argument("Function calling mode is ANY but no function declarations are provided.")
    for function in request.functions:
        if not _parameter_names(function):  # Source: googleapis/python-genai#981
            raise invalid_argument(f"Function '{function.name}' has no parameters: mode ANY requires some.")


def _refuse_mixed_tools(request: GenerateContentRequest) -> None:
    """Source: https://ai.google.dev/gemini-api/docs/generate-content/tool-combination; googleapis/python-genai#58.

    URL context: https://ai.google.dev/gemini-api/docs/url-context, "Limitations": function calling is unsupported.
    """
    if not (request.functions and request.built_in_tools):
        return
    if "urlContext" in request.built_in_tools:
        raise invalid_argument("URL context is not supported together with function calling.")
    if request.backend == "vertex" or request.model.startswith("gemini-2"):
        raise invalid_argument("Multiple tools are supported only when they are all search tools.")
    if not request.include_server_side_tool_invocations:
        raise invalid_argument(
            "Please enable tool_config.include_server_side_tool_invocations "
            "to use Built-in tools with Function calling."
        )


def _parameter_names(function: FunctionDeclaration) -> tuple[str, ...]:
    properties = function.parameter_schema.get("properties")
    return tuple(properties) if isinstance(properties, Mapping) else ()
