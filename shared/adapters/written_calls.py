"""Calls that a model writes as text: in place of a function call, or as code with the call.

    default_api.reply(message="hello")
    ```tool_code
    print(default_api.reply(message="hello"))
    ```
    {"name": "reply", "args": {"message": "hello"}}

Source: google-gemini/gemini-cli, CursorTouch/Web-Use #21, python-genai #1289: texts in answers that had to be calls.
"""

import ast
import json
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from shared.agent.model import FunctionCall

_LONGEST: Final = 20_000  # characters; parsing takes less than 10 ms
_MOST_CALLS: Final = 16
_FENCE: Final = re.compile(r"```[a-z_]*\n(.*?)\n?```", re.DOTALL)
_ARGUMENTS: Final = ("args", "arguments", "parameters")


def written_calls(text: str, names: Collection[str]) -> tuple[FunctionCall, ...]:
    """Return the calls in a text that consists of nothing but calls of functions with these names; empty for any other text."""
    text = text.strip()
    if not text or len(text) > _LONGEST:
        return ()
    fenced = _FENCE.fullmatch(text)
    code = fenced[1].strip() if fenced else text
    calls = _json_calls(code) if code.startswith(("{", "[")) else _python_calls(code)
    is_known = all(call.name in names for call in calls)
    return tuple(calls) if is_known and len(calls) <= _MOST_CALLS else ()


def _json_calls(code: str) -> Sequence[FunctionCall]:
    try:
        value = json.loads(code)
    except (ValueError, RecursionError):
        return ()
    objects = value if isinstance(value, list) else [value]
    calls = [_json_call(one) for one in objects]
    return [call for call in calls if call is not None] if None not in calls else ()


def _json_call(value: object) -> FunctionCall | None:
    if not isinstance(value, Mapping):
        return None
    arguments = next((value[one] for one in _ARGUMENTS if one in value), None)
    name = value.get("name")
    if not isinstance(name, str) or not isinstance(arguments, dict):
        return None
    return FunctionCall(name=_plain_name(name), args=arguments)


def _python_calls(code: str) -> Sequence[FunctionCall]:
    """Return the calls of a program that does nothing else; no code is run."""
    try:
        statements = ast.parse(code).body
        calls = [_python_call(one.value) for one in statements if isinstance(one, ast.Expr)]
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return ()
    is_whole = len(calls) == len(statements) and None not in calls
    return [call for call in calls if call is not None] if is_whole else ()


def _python_call(node: ast.expr) -> FunctionCall | None:
    """Return the expression's call, or None.  Raises: ValueError, if an argument is no literal."""
    if not isinstance(node, ast.Call):
        return None
    name = ast.unparse(node.func)
    if name == "print" and len(node.args) == 1 and not node.keywords:
        return _python_call(node.args[0])
    if node.args or any(one.arg is None for one in node.keywords):
        return None
    arguments = {str(one.arg): _json_value(ast.literal_eval(one.value)) for one in node.keywords}
    return FunctionCall(name=_plain_name(name), args=arguments)


def _json_value(value: object) -> object:
    """Return a Python literal as a JSON value: `(1, 2)` becomes `[1, 2]`.  Raises: ValueError, for a literal outside of JSON."""
    match value:
        case None | bool() | int() | float() | str():
            return value
        case list() | tuple():
            return [_json_value(one) for one in value]
        case dict() if all(isinstance(one, str) for one in value):
            return {name: _json_value(one) for name, one in value.items()}
        case _:
            raise ValueError("JSON has no such value")


def _plain_name(name: str) -> str:
    return re.split(r"[.:]", name)[-1]
