"""Hooks over real wires: a member's tap, a script's POST to the real webhook, and the bubble in the chat."""

import json
import re
from collections.abc import Iterator
from typing import Final

import pytest
import requests

from tests.e2e.conftest import PATIENCE_S, Person, Platform
from tests.support.stacks import running_stack

KEY: Final = "hook-key-of-thirty-two-letters-and-more"
_TOKEN: Final = re.compile(r"h[0-9a-v]{16}\.[0-9A-Za-z_-]{39}\.[0-9A-Za-z_-]{43}")


@pytest.fixture(scope="module")
def hooked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    folder = tmp_path_factory.mktemp("hooked")
    with running_stack(folder, more_env={"HOOKS": "on", "HOOK_KEY": KEY}) as (loop, stack):
        yield Platform(loop, stack, folder)


def presses_newest(platform: Platform, person: Person) -> None:
    """Press the first button of the bot's newest bubble."""
    messages = platform.do(lambda stack: list(stack.line.chat(person.id).messages))
    newest = next(message for message in reversed(messages) if message.sender_id != person.id)
    (data, *_) = re.findall(r"confirm:[0-9A-Za-z_-]+", json.dumps(newest.content))
    platform.do(lambda stack: stack.line.press(person.id, person.id, data))


def sends(url: str, token: str, text: str) -> requests.Response:
    headers = {"Authorization": f"Bearer {token}"}
    return requests.post(url, headers=headers, data={"message": text}, timeout=PATIENCE_S)


def test_a_notice_goes_from_a_script_to_the_chat_once(hooked: Platform) -> None:
    person = Person(hooked, "operator of a backup")
    person.says("/hook new backup now")
    hooked.settle()
    presses_newest(hooked, person)
    hooked.settle()
    shown = "\n".join(person.hears())
    (token,), (url,) = _TOKEN.findall(shown), re.findall(r"http\S+/hooks/notify", shown)

    answer = sends(url, token, "the backup is done")
    refused = sends(url, token[:-1] + ("a" if token[-1] != "a" else "b"), "somebody else's words")
    hooked.settle()

    assert (answer.status_code, answer.text) == (200, '{"status":200,"message":"ok"}')
    assert (refused.status_code, refused.json()["message"]) == (401, "Invalid access token")
    assert [text for text in person.hears() if "backup is done" in text] == ["🔔 backup\nthe backup is done"]
    assert token.rpartition(".")[2].encode() not in b"".join(hooked.bucket().values())
    assert "backup is done" not in str([*hooked.log_lines("webhook"), *hooked.log_lines("agent_worker")])


def test_line_is_answered_as_ever_beside_hooks(hooked: Platform) -> None:
    assert hooked.post(b'{"destination":"U1","events":[]}').status_code == 200
    assert hooked.post(b"{}", signature="forged").status_code == 401
