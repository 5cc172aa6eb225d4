"""Chats by invitation: through the real functions, with the operator's own commands."""

import contextlib
import io
from collections.abc import Iterator

import pytest

from operations.__main__ import run
from tests.e2e.conftest import Person, Platform
from tests.support.stacks import running_stack


@pytest.fixture(scope="module")
def invited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    folder = tmp_path_factory.mktemp("invited")
    with running_stack(folder, access="invited", more_env={"SETTLE_MS": "0"}) as (loop, stack):
        yield Platform(loop, stack, folder)


def operate(platform: Platform, *command: str) -> str:
    """Run a command of the operator; return what it printed."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), pytest.MonkeyPatch.context() as patched:
        env = platform.stack.operations_env
        patched.setenv("STORAGE_EMULATOR_HOST", env["STORAGE_EMULATOR_HOST"])
        assert run(command, env) == 0
    return printed.getvalue().strip()


def test_a_stranger_leaves_nothing_and_is_told_once_how_to_get_in(invited: Platform) -> None:
    stranger = Person(invited, "stranger")
    asked = len(invited.stack.gemini.requests)
    before = invited.names()

    for number in range(5):
        sent = stranger.says(f"hello {number}")
    stranger.unsends(sent)
    invited.settle()

    assert invited.names() == before
    assert len(invited.stack.gemini.requests) == asked
    assert len(stranger.hears()) == 1
    assert stranger.id in stranger.hears()[0]


def test_a_code_lets_a_person_in_and_a_revocation_out(invited: Platform) -> None:
    person = Person(invited, "guest")

    person.says(operate(invited, "invite"))
    invited.settle()
    assert "はじめまして" in person.hears()[-1]
    person.says("hello")
    assert person.hears_next(after=1)
    assert f"{person.id}  admitted" in operate(invited, "admitted")

    operate(invited, "revoke", person.id)

    assert f"{person.id}  revoked" in operate(invited, "admitted")
