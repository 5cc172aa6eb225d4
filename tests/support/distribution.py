"""How `make test` spreads the tests over processes.

A process takes one unit of tests at a time: a module, unless PARTS divides it. The tests of a unit share their fixtures, so that a whole
stack starts once for all of them. Some processes begin with units that mostly wait, the others with units that compute. Thus the processor
is always busy, and few stacks run at once. A process takes units of the other kind when none of its own kind are left.
"""

import os
from typing import Final

import pytest
from xdist.scheduler import LoadScopeScheduling
from xdist.workermanage import WorkerController

WAITING_PROCESSES: Final = 4
MOST_COMPUTING_PROCESSES: Final = 4
ALONE: Final = "alone"

# Prefixes of test ids, each with its unit. None: each module is a unit; ALONE: each test is a unit. The first prefix that fits counts.
# Units are handed out in this order, the longest first.
WAITING_PARTS: Final = (
    ("tests/e2e/test_forgetting.py", None),
    ("tests/e2e/test_turns.py::test_a_worker_killed", "workers killed in a turn"),
    ("tests/e2e/test_manners.py::test_a_bot_that_may_interject", "a bot that interjects"),
    ("tests/e2e/test_manners.py", None),
    ("tests/e2e/test_turns.py", None),
    ("tests/e2e/test_filing.py::test_a_worker_killed", "workers killed while they file"),
    ("tests/e2e/test_lists.py::test_a_worker_killed", "workers killed in Notion"),
    ("tests/e2e/", None),
    ("tests/browser/", None),
    ("tests/contract/", None),
    ("tests/infra/", None),
)
COMPUTING_PARTS: Final = (
    ("tests/simulation/test_product.py::test_no_schedule", ALONE),
    ("tests/simulation/test_product.py::test_a_seed", ALONE),
    ("tests/unit/shared/tools/test_knowledge_properties.py", ALONE),
    ("tests/simulation/", None),
    ("", None),
)
PARTS: Final = (*WAITING_PARTS, *COMPUTING_PARTS)


def place_of(test_id: str) -> int:
    """Return the index of the part to which a test belongs."""
    return next(place for place, (beginning, _) in enumerate(PARTS) if test_id.startswith(beginning))


def unit_of(test_id: str) -> str:
    """Return the unit to which a test belongs."""
    unit = PARTS[place_of(test_id)][1]
    return test_id if unit == ALONE else unit or test_id.partition("::")[0]


def process_count(*, is_whole_suite: bool) -> int:
    """Return the number of processes: more than cores for the whole suite, because tests wait; few for a part, because each collects it."""
    cores = os.cpu_count() or 1
    return WAITING_PROCESSES + min(cores, MOST_COMPUTING_PROCESSES) if is_whole_suite else min(cores, 2)


def is_computing(worker_id: str) -> bool:
    """Whether a process, such as `gw5`, begins with the units that compute."""
    return int(worker_id.removeprefix("gw")) >= WAITING_PROCESSES


def sort_by_place(items: list[pytest.Item]) -> None:
    """Put the items into the order of their parts."""
    items.sort(key=lambda item: place_of(item.nodeid))


class UnitScheduling(LoadScopeScheduling):
    """Hands out the units of PARTS, in the order in which their tests were collected."""

    def _split_scope(self, nodeid: str) -> str:
        return unit_of(nodeid)

    def _assign_work_unit(self, node: WorkerController) -> None:
        wants_computing = is_computing(node.gateway.id)
        for unit, tests in self.workqueue.items():
            if (place_of(next(iter(tests))) >= len(WAITING_PARTS)) == wants_computing:
                self.workqueue.move_to_end(unit, last=False)
                break
        super()._assign_work_unit(node)
