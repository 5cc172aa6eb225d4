import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.adapters.written_calls import written_calls

NAMES = frozenset({"reply", "skip", "look_up"})


@pytest.mark.parametrize(
    "text",
    [
        'default_api.reply(message="hi")',
        "reply(message='hi')",
        'print(default_api.reply(message="hi"))',
        '```tool_code\nprint(default_api.reply(message="hi"))\n```',
        '```python\nreply(message="hi")\n```',
        '{"name": "reply", "args": {"message": "hi"}}',
        '```json\n[{"name": "functions.reply", "arguments": {"message": "hi"}}]\n```',
        '{"name": "reply", "parameters": {"message": "hi"}}',
    ],
)
def test_a_text_that_is_nothing_but_a_call_is_a_call(text: str) -> None:
    (call,) = written_calls(text, NAMES)

    assert (call.name, call.args) == ("reply", {"message": "hi"})


def test_several_calls_are_read_in_order() -> None:
    calls = written_calls('look_up(word="a")\nlook_up(word="b", more=[1, (2.5, None)], odd={"x": True})', NAMES)

    assert [one.args for one in calls] == [{"word": "a"}, {"word": "b", "more": [1, [2.5, None]], "odd": {"x": True}}]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello",
        'I would call reply(message="hi").',
        'reply(message="hi") and more',
        'reply(message=open("/etc/passwd").read())',
        "reply(message=hello)",
        'reply("hi")',
        'reply(**{"message": "hi"})',
        'reply(message=b"hi")',
        'reply(message={1: "hi"})',
        'fly(message="hi")',
        'import os\nreply(message="hi")',
        '{"name": "reply"}',
        '{"name": "fly", "args": {}}',
        '{"name": 1, "args": {}}',
        '[{"name": "reply", "args": {"message": "hi"}}, 1]',
        "[" * 5_000,
        "(" * 5_000,
        "reply(message=" + "-" * 19_000 + "1)",
        'reply(message="' + "x" * 20_000 + '")',
        "reply()\n" * 17,
    ],
)
def test_any_other_text_is_no_call(text: str) -> None:
    assert written_calls(text, NAMES) == ()


@given(st.text(alphabet="reply(message=\"h').[]{},:\n `", max_size=60))
def test_any_text_is_calls_or_none(text: str) -> None:
    assert all(one.name in NAMES for one in written_calls(text, NAMES))
