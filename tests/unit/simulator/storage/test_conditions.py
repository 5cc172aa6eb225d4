import json
from typing import Any

import pytest

from simulator.storage.conditions import Check, Conditions, Target, Version
from simulator.storage.errors import RefusedError, condition_not_met, service_error, too_many_mutations

THERE = Version(generation=5, metageneration=2)
TARGET = Target("bucket", "name")


@pytest.mark.parametrize(
    ("conditions", "version"),
    [
        (Conditions(), THERE),
        (Conditions(generation=5, metageneration=2), THERE),
        (Conditions(not_generation=4, not_metageneration=1), THERE),
        (Conditions(not_generation=0), THERE),
        (Conditions(generation=0), Version()),
    ],
)
def test_conditions_that_hold_are_accepted(conditions: Conditions, version: Version) -> None:
    conditions.check(version)


@pytest.mark.parametrize(
    ("conditions", "version", "status"),
    [
        (Conditions(generation=0), THERE, 412),
        (Conditions(generation=4), THERE, 412),
        (Conditions(metageneration=1), THERE, 412),
        (Conditions(generation=5, metageneration=1), THERE, 412),
        (Conditions(generation=5), Version(), 412),
        (Conditions(metageneration=1), Version(), 412),
        (Conditions(not_generation=5), THERE, 304),
        (Conditions(not_metageneration=2), THERE, 304),
        (Conditions(not_generation=0), Version(), 304),
        (Conditions(generation=4, not_generation=5), THERE, 412),
    ],
)
def test_conditions_that_do_not_hold_are_refused(conditions: Conditions, version: Version, status: int) -> None:
    with pytest.raises(RefusedError) as refused:
        conditions.check(version)

    assert refused.value.status == status


@pytest.mark.parametrize(
    ("settings", "version"),
    [
        ({}, None),
        ({"conditions": Conditions(generation=5)}, None),
        ({"generation": 4}, THERE),
        ({"generation": 4, "may_be_absent": True}, None),
    ],
)
def test_an_absent_object_is_not_found(settings: dict[str, Any], version: Version | None) -> None:
    check = Check(**{"target": TARGET, "conditions": Conditions(), **settings})

    with pytest.raises(RefusedError, match="No such object: bucket/name"):
        check.check(version)


def test_an_absent_object_has_generation_zero_for_a_write() -> None:
    Check(target=TARGET, conditions=Conditions(generation=0), may_be_absent=True).check(None)


def test_refusals_have_googles_form() -> None:
    assert json.loads(condition_not_met().body()) == {
        "error": {
            "code": 412,
            "message": "At least one of the pre-conditions you specified did not hold.",
            "errors": [
                {
                    "message": "At least one of the pre-conditions you specified did not hold.",
                    "domain": "global",
                    "reason": "conditionNotMet",
                    "locationType": "header",
                    "location": "If-Match",
                }
            ],
        }
    }
    throttled = json.loads(too_many_mutations("bucket", "name").body())["error"]
    assert (throttled["code"], throttled["errors"][0]["reason"]) == (429, "rateLimitExceeded")
    assert throttled["errors"][0]["domain"] == "usageLimits"
    assert json.loads(service_error(503).body())["error"]["errors"][0]["reason"] == "backendError"
