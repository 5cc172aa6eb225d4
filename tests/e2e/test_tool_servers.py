"""`make run ARGS=--mcp`: the worker asks tool servers over the wire, and the page offers sentences for their tools."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from simulator.processes import Child
from simulator.tool_servers.servers import bus_server, reference_server
from tests.e2e.conftest import Person, Platform, wait_until
from tests.support.npm import install_reference_server
from tests.support.serving import plain_http
from tests.support.stacks import BASE_ENV, running_stack


@contextmanager
def connected(folder: Path, **tool_servers: Child) -> Iterator[Platform]:
    """A stack whose bot knows the tools of these servers."""
    with running_stack(folder, tool_servers=tool_servers) as (loop, stack):
        platform = Platform(loop, stack, folder)
        wait_until(lambda: len(platform.names("tool-servers/")) == len(tool_servers))
        yield platform


@pytest.fixture(scope="module")
def with_buses(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    folder = tmp_path_factory.mktemp("stack")
    with connected(folder, buses=bus_server(log_folder=folder / "logs", env=BASE_ENV)) as platform:
        yield platform


def test_what_a_server_answers_is_told_as_its_words(with_buses: Platform) -> None:
    person = Person(with_buses, "passenger")

    person.says("When is the next bus from the harbour?")

    assert person.hears_next(after=0).startswith("The connected server answers: harbour: 09:55")


def test_what_acts_waits_for_a_tap(with_buses: Platform) -> None:
    person = Person(with_buses, "traveller")

    person.says("Book a seat on the bus from the station")

    assert "button below" in person.hears_next(after=0)
    assert "seat 1" not in "".join(person.hears())


def test_the_page_offers_sentences_only_for_connected_servers(with_buses: Platform, platform: Platform) -> None:
    def has_tool_servers(one: Platform) -> object:
        with plain_http() as http:
            return http.get(f"{one.stack.url}/simulator/state").json()["has_tool_servers"]

    assert (has_tool_servers(with_buses), has_tool_servers(platform)) == (True, False)


@pytest.mark.package
def test_the_reference_server_from_npm_adds_for_the_bot(tmp_path: Path) -> None:
    installed = install_reference_server(tmp_path / "npm")
    server = reference_server(log_folder=tmp_path / "logs", env=BASE_ENV, installed=installed)
    with connected(tmp_path, everything=server) as platform:
        person = Person(platform, "reckoner")

        person.says("Let the server add 40 and 2")

        assert "42" in person.hears_next(after=0)
