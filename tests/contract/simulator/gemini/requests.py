"""Requests of the real client with `reply` and `skip`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from google.genai import types

if TYPE_CHECKING:
    from google import genai


MODEL = "gemini-3.5-flash-lite"


def declaration(name: str, parameter: str) -> types.FunctionDeclaration:
    schema = {"type": "object", "properties": {parameter: {"type": "string"}}, "required": [parameter]}
    return types.FunctionDeclaration(name=name, description=name, parameters_json_schema=schema)


CONFIG = types.GenerateContentConfig(
    system_instruction="You are kind.",
    tools=[types.Tool(function_declarations=[declaration("reply", "message"), declaration("skip", "reason")])],
    tool_config=types.ToolConfig(
        function_calling_config=types.FunctionCallingConfig(mode=types.FunctionCallingConfigMode.ANY)
    ),
    automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
    thinking_config=types.ThinkingConfig(thinking_level=types.ThinkingLevel.LOW),
    automatic_continuation=False,
)


def user_content(text: str) -> types.Content:
    return types.Content(role="user", parts=[types.Part(text=text)])


def ask(client: genai.Client, *contents: types.Content) -> types.GenerateContentResponse:
    return client.models.generate_content(
        model=MODEL, contents=list(contents or [user_content("hello")]), config=CONFIG
    )
