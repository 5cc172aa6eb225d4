"""Chats by invitation: through the real functions, with the operator's own commands."""

import contextlib
import io
import os
import re
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

import pytest

from operations.__main__ import run
from shared.line.commands import Command
from shared.line.phrases import Phrase
from tests.e2e.conftest import Person, Platform
from tests.infra.offline import ROOT
from tests.support.buttons import first_press, is_question
from tests.support.phrases import english
from tests.support.stacks import running_stack

HOOK_KEY: Final = "hook-key-of-thirty-two-letters-and-more"


@pytest.fixture(scope="module")
def invited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    folder = tmp_path_factory.mktemp("invited")
    more_env = {"SETTLE_MS": "0", "LIMIT_TURNS_PER_CHAT_DAY": "1"}
    more_env |= {"HOOKS": "on", "HOOK_KEY": HOOK_KEY, "CALENDAR": "on"}  # so that every command exists
    with running_stack(folder, access="invited", more_env=more_env) as (loop, stack):
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


def test_a_question_that_is_sent_right_after_the_code_is_answered(invited: Platform) -> None:
    people = [Person(invited, f"hasty {number}") for number in range(3)]
    starts = [operate(invited, "invite") for _ in people]

    for person, start in zip(people, starts, strict=True):
        person.says(start)
        person.says("こんにちは")

    for person in people:
        assert {person.hears_next(after=0)[:4], person.hears_next(after=1)[:4]} >= {"はじめま"}
        assert not any(person.id in text for text in person.hears())  # nobody was told how to get in


def restart_worker(platform: Platform) -> None:
    """Another instance takes the place of the agent worker: it has read no admission."""
    child = platform.stack.children["agent_worker"]
    os.killpg(child.pid, signal.SIGKILL)
    platform.run(child.ended())
    platform.run(child.start())


def test_what_is_taken_back_in_a_revoked_chat_goes(invited: Platform) -> None:
    talk = Talk(invited, "revoked", place="in a group")
    operate(invited, "admit", talk.id)
    number = invited.do(lambda stack: stack.line.say(talk.person.id, talk.id, "my number is 4711")).line_message_id
    assert talk.says("my word is swordfish") == "is silent"
    operate(invited, "revoke", talk.id)
    restart_worker(invited)
    said = talk.says("/help")

    invited.do(lambda stack: stack.line.edit(talk.person.id, str(number), "my number is secret"))
    invited.settle()
    assert said == "is silent"
    assert not [name for name, data in invited.bucket().items() if b"4711" in data]

    assert talk.says("/forget") == "asks"
    button = talk.newest_button
    invited.do(lambda stack: stack.line.press(talk.person.id, talk.id, button))
    invited.settle()
    assert not [name for name, data in invited.bucket().items() if b"swordfish" in data]

    operate(invited, "admit", talk.id)
    assert talk.says("/help") == "answers"


PLACES: Final = ("in a 1:1 chat", "in a group")
Reaction = Literal["answers", "asks", "is silent"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What the threat model says of a command in a kind of chat."""

    is_confirmed: bool
    is_limited: bool


def table_of_commands() -> dict[tuple[str, str], Row]:
    """Return the table of docs/security.md, by command and kind of chat."""
    _, _, section = (ROOT / "docs" / "security.md").read_text(encoding="utf-8").partition("## What each command may do")
    rows = {}
    for line in section.splitlines():
        if not line.startswith("| `/"):
            continue
        commands, _, confirmed, limited = (cell.strip() for cell in line.split("|")[1:-1])
        for part in commands.split(";"):
            for place in [one for one in PLACES if one in part] or PLACES:
                for command in re.findall(r"`/([a-z ]+?)(?: CODE)?`", part):
                    rows[command, place] = Row(
                        is_confirmed=confirmed == "by a button", is_limited=limited.startswith("yes")
                    )
    return rows


class Talk:
    """A chat in which one person talks to the bot."""

    def __init__(self, platform: Platform, name: str, *, place: str) -> None:
        self._platform = platform
        self.person = Person(platform, name)
        self.id = self.person.id
        if place == "in a group":
            other = Person(platform, f"{name}'s friend")
            people = (self.person.id, other.id)
            self.id = platform.do(lambda stack: stack.line.create_group(name, people)).chat_id
            platform.do(lambda stack: stack.line.join(self.id))
            platform.settle()

    def bubbles(self) -> list[str]:
        """Return the types of the bot's messages, "question" for one that waits for a tap."""
        messages = self._platform.do(lambda stack: list(stack.line.chat(self.id).messages))
        bot = self._platform.do(lambda stack: stack.line.account.user_id)
        contents = [one.content for one in messages if one.sender_id == bot]
        return ["question" if is_question(content) else str(content["type"]) for content in contents]

    @property
    def newest_button(self) -> str:
        """The data of the newest button that the bot sent."""
        messages = self._platform.do(lambda stack: list(stack.line.chat(self.id).messages))
        return first_press([one.content for one in messages if is_question(one.content)][-1])

    def says(self, text: str) -> Reaction:
        """Say the text to the bot; return what the bot did."""
        before = len(self.bubbles())
        self._platform.do(lambda stack: stack.line.say(self.person.id, self.id, text))
        self._platform.settle()
        new = self.bubbles()[before:]
        if not new:
            return "is silent"
        return "asks" if "question" in new else "answers"


def test_the_table_names_every_command() -> None:
    assert {command for command, _ in table_of_commands()} == {one.value for one in Command}


@pytest.mark.parametrize("place", PLACES)
def test_each_command_does_what_the_table_says_also_over_the_limit(invited: Platform, place: str) -> None:
    talk = Talk(invited, f"rules {place}", place=place)
    operate(invited, "admit", talk.id)
    assert [talk.says("Aizuchi, hello") for _ in range(3)] == ["answers", "answers", "is silent"]  # it is told once

    rows = {command: row for (command, where), row in table_of_commands().items() if where == place}
    found = {command: talk.says(f"/{command}") for command in rows if command != Command.START}

    def expected(row: Row) -> Reaction:
        return "is silent" if row.is_limited else "asks" if row.is_confirmed else "answers"

    assert found == {command: expected(row) for command, row in rows.items() if command != Command.START}


@pytest.mark.parametrize("place", PLACES)
def test_no_command_of_a_stranger_leaves_anything(invited: Platform, place: str) -> None:
    talk = Talk(invited, f"stranger {place}", place=place)
    before, asked = invited.names(), len(invited.stack.gemini.requests)

    for command in Command:
        talk.says(f"/{command.value}")

    assert invited.names() == before
    assert len(invited.stack.gemini.requests) == asked
    assert talk.bubbles().count("text") <= 2  # how to get in, and that an empty code is none


def test_what_a_chat_over_its_limit_is_told_names_the_hour(invited: Platform) -> None:
    person = Person(invited, "spends")
    operate(invited, "admit", person.id)

    for number in range(2):
        person.says(f"hello {number}")
        invited.settle()

    assert person.hears()[-1] == english(Phrase.LIMIT_REACHED, hour="midnight")
