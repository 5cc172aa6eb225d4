"""The pytest plugin: fixtures `line`, `alice`, `bob` and `group`; the simulator and the bot are started before and stopped after the tests.

Example of a pytest.ini:
    [pytest]
    line_bot = python bot.py {port}
    line_bot_webhook = http://127.0.0.1:{port}/callback

With `line_bot_unmodified = true` the bot needs no setting for LINE's address and runs as under `line-simulator run`.
"""

import os
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from ..standalone import DEFAULT_SECRET, DEFAULT_TOKEN, StandaloneSettings
from .background import BackgroundServer
from .bot_process import BotProcess, free_port
from .client import Group, Line, Person
from .unmodified_bot import UnmodifiedBot

WEBHOOK = "http://127.0.0.1:{port}/callback"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the settings."""
    parser.addini("line_bot", "the command that starts the bot; {port} is its port, {python} this Python", default="")
    parser.addini("line_bot_webhook", "the bot's webhook", default=WEBHOOK)
    parser.addini(
        "line_bot_unmodified", "redirect the bot's calls of LINE's hosts to the simulator", type="bool", default=False
    )
    parser.addini(
        "line_bot_allow", "further hosts open to an unmodified bot, HOST[:PORT] each", type="args", default=[]
    )


@pytest.fixture(scope="session")
def line_bot_env() -> dict[str, str]:
    """Further environment variables of the bot; to add some, override the fixture."""
    return {}


@pytest.fixture(scope="session")
def line_settings() -> StandaloneSettings:
    """The simulator's settings; to change some, override the fixture: `StandaloneSettings(is_verified=True)`, for example."""
    return StandaloneSettings(port=0, first_person="Alice")


@pytest.fixture(scope="session")
def line_url(
    pytestconfig: pytest.Config, line_settings: StandaloneSettings, line_bot_env: dict[str, str]
) -> Iterator[str]:
    """The address of the session's simulator; if `line_bot` is set, deliveries go to that bot."""
    command, webhook = str(pytestconfig.getini("line_bot")), str(pytestconfig.getini("line_bot_webhook"))
    if pytestconfig.getini("line_bot_unmodified"):
        allowed = pytestconfig.getini("line_bot_allow")
        env = {**os.environ, **line_bot_env}  # noqa: TID251 - the bot inherits the environment of its test
        with UnmodifiedBot(command, webhook=webhook, allowed=allowed, options=("--person", "Alice"), env=env) as bot:
            yield bot.url
        return
    port = free_port()
    with ExitStack() as running:
        server = running.enter_context(BackgroundServer(line_settings))
        Line(server.url).do("set_webhook", url=webhook.replace("{port}", str(port)))
        if command:
            running.enter_context(BotProcess(command, port=port, env=bot_env(server.url) | line_bot_env))
        yield server.url


@pytest.fixture
def line(line_url: str) -> Line:
    """An empty LINE."""
    line = Line(line_url)
    line.wait()
    line.reset()
    return line


@pytest.fixture
def alice(line: Line) -> Person:
    """A friend of the bot."""
    first = line.get("state")["people"][0]
    return Person(line, first["user_id"], first["display_name"])


@pytest.fixture
def bob(line: Line, alice: Person) -> Person:  # noqa: ARG001 - alice comes first
    """Another friend of the bot."""
    return line.person("Bob")


@pytest.fixture
def group(line: Line, alice: Person, bob: Person) -> Group:
    """A group of Alice, Bob and the bot, after the join event."""
    created = line.group("Group", alice, bob)
    line.wait()
    return created


def bot_env(url: str) -> dict[str, str]:
    """Return the variables for connecting a bot: LINE's address, secret and token under the usual names of samples."""
    return {
        "LINE_API": url,
        "LINE_API_BASE_URL": url,
        "LINE_CHANNEL_SECRET": DEFAULT_SECRET,
        "LINE_CHANNEL_ACCESS_TOKEN": DEFAULT_TOKEN,
        "CHANNEL_SECRET": DEFAULT_SECRET,
        "CHANNEL_ACCESS_TOKEN": DEFAULT_TOKEN,
    }
