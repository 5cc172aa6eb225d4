"""Calendars over real wires: the command, a reminder, the feed that a program fetches from the real function, and an unsend."""

import re
from collections.abc import Iterator
from typing import Final

import httpx2
import pytest

from tests.e2e.conftest import Person, Platform
from tests.support.serving import plain_http
from tests.support.stacks import running_stack

_ADDRESS: Final = re.compile(r"http://\S+/c[0-9a-f]{40}\.ics")


@pytest.fixture(scope="module")
def calendars(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    folder = tmp_path_factory.mktemp("calendars")
    with running_stack(folder, more_env={"CALENDAR": "on"}) as (loop, stack):
        yield Platform(loop, stack, folder)


def fetched(address: str, *, tag: str = "") -> httpx2.Response:
    with plain_http() as http:
        return http.get(address, headers={"If-None-Match": tag} if tag else {})


def test_a_reminder_is_in_the_feed_until_its_message_is_withdrawn(calendars: Platform) -> None:
    person = Person(calendars, "reader of a calendar")
    person.says("/calendar")
    calendars.settle()
    (address,) = _ADDRESS.findall("\n".join(person.hears()))
    empty = fetched(address)

    asked = person.says("remind me to water the plants in 30 minutes")
    calendars.settle()
    calendars.carry_out_due()
    shown = fetched(address)
    again = fetched(address, tag=shown.headers["ETag"])
    person.unsends(asked)
    calendars.settle()
    withdrawn = fetched(address, tag=shown.headers["ETag"])

    assert (empty.status_code, empty.headers["Content-Type"]) == (200, "text/calendar; charset=utf-8")
    assert "BEGIN:VEVENT" not in empty.text
    assert "water the plants" in shown.text
    assert (again.status_code, again.content) == (304, b"")
    assert withdrawn.status_code == 200
    assert "water the plants" not in withdrawn.text
    assert fetched(address.replace("/c", "/d")).status_code == 404
    token = address.rpartition("/")[2].removesuffix(".ics")
    assert token not in str([*calendars.log_lines("feeds"), *calendars.log_lines("agent_worker")])
