"""The events that the code logs, read from its source: by name, with the fields that each may carry."""

import ast
from collections import defaultdict
from functools import cache
from pathlib import Path

_LOGS = {"info", "warning", "error"}


@cache
def logged_events(root: Path) -> dict[str, set[str]]:
    """Return the fields of every event that shared/ and functions/ write.

    An event that is chosen at run time, `log(event, ...)`, may be any text of the function that logs it.
    """
    events: defaultdict[str, set[str]] = defaultdict(set)
    for path in (*root.glob("shared/**/*.py"), *root.glob("functions/**/*.py")):
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(function, ast.FunctionDef):
                for call in ast.walk(function):
                    if isinstance(call, ast.Call) and call.args and _is_log_call(call.func):
                        fields = {keyword.arg for keyword in call.keywords if keyword.arg}
                        for event in texts_of(call.args[0]) or texts_of(function):
                            events[event] |= fields
    return dict(events)


def texts_of(tree: ast.AST) -> set[str]:
    """Return the string constants in a syntax tree."""
    return {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def _is_log_call(called: ast.expr) -> bool:
    match called:
        case ast.Attribute(value=ast.Name(id="logs"), attr=attr):
            return attr in _LOGS
        case ast.Name(id="log"):
            return True
        case _:
            return False
