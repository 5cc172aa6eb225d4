"""What holds for every test, and how tests are spread over processes."""

import gc
from collections.abc import Generator, Iterator

import pytest
from hypothesis import settings
from xdist.remote import Producer

from tests.support.distribution import UnitScheduling, process_count, sort_by_place

# A slow machine is no bug, so examples have no deadline; a failing one prints how to replay it.
settings.register_profile("aizuchi", deadline=None, print_blob=True)
settings.load_profile("aizuchi")


@pytest.fixture(scope="session", autouse=True)
def garbage() -> Iterator[None]:
    """What a process left open warns while a test can still fail for it: pytest's own last look comes after xdist's last report."""
    yield
    gc.collect()


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """While tests are collected nothing becomes garbage; afterwards the collector leaves out the half a million objects that stay."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Return what `-n auto` means."""
    is_narrowed = bool(config.option.keyword or config.getoption("lf", default=False))
    return process_count(is_whole_suite=config.args == config.getini("testpaths") and not is_narrowed)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> UnitScheduling:
    """Return what hands the tests to the processes."""
    config.option.loadscopereorder = False
    return UnitScheduling(config, log)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """In a process among several the order of parts counts; alone, tests run in the order of their files."""
    if hasattr(config, "workerinput"):
        sort_by_place(items)
