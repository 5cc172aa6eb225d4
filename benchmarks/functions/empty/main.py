"""A function with a constant answer: the cost of the framework."""

import functions_framework
from flask import Request


@functions_framework.http
def empty(_: Request) -> tuple[str, int]:
    """Answer 200."""
    return "OK", 200
