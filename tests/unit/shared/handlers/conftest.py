from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from shared.line.addressing import GroupPolicy
from tests.support.people import ChatEvents, Person
from tests.support.pushed import PushedWorker

YUKI = "U" + "1" * 32


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(16) as threads:
        yield threads


@pytest.fixture
def worker(pool: ThreadPoolExecutor) -> PushedWorker:
    return PushedWorker(pool)


@pytest.fixture
def friend(worker: PushedWorker) -> Person:
    """A person who is alone with the bot."""
    return Person(worker, is_in_group=False)


@pytest.fixture
def member(worker: PushedWorker) -> Person:
    """A person in a group with the bot."""
    return Person(worker, is_in_group=True)


@pytest.fixture
def member_in_talkative_group(pool: ThreadPoolExecutor) -> Person:
    """A person in a group whose unaddressed messages the model may answer."""
    return Person(PushedWorker(pool, group_policy=GroupPolicy.MODEL), is_in_group=True)


@pytest.fixture
def group() -> ChatEvents:
    """The events of a group, by Yuki unless told otherwise."""
    return ChatEvents(is_group=True, author=YUKI)


@pytest.fixture
def direct() -> ChatEvents:
    """The events of Yuki's 1:1 chat."""
    return ChatEvents(is_group=False, author=YUKI)
