import pytest

from simulator.storage import Call, Fault, Faults

CALL = Call(method="POST", operation="insert", name="journal/U1/1.json")


@pytest.mark.parametrize(
    "fault",
    [
        Fault(),
        Fault(operation="insert"),
        Fault(method="POST"),
        Fault(prefix="journal/"),
        Fault(rule=lambda call: call.name.endswith(".json")),
        Fault(operation="insert", method="POST", prefix="journal/U1/", rule=lambda _: True),
    ],
)
def test_a_fault_applies_to_matching_requests(fault: Fault) -> None:
    assert fault.applies_to(CALL)


@pytest.mark.parametrize(
    "fault",
    [
        Fault(operation="delete"),
        Fault(method="GET"),
        Fault(prefix="turns/"),
        Fault(rule=lambda _: False),
        Fault(operation="insert", prefix="turns/"),
    ],
)
def test_a_fault_does_not_apply_to_other_requests(fault: Fault) -> None:
    assert not fault.applies_to(CALL)


def test_a_fault_applies_to_the_nth_request() -> None:
    faults = Faults()
    second, every = Fault(prefix="journal/", nth=2), Fault()
    faults.add(second)
    faults.add(every)

    met = [faults.match(call).faults for call in (CALL, Call(method="POST", name="turns/U1.json"), CALL, CALL)]

    assert met == [(every,), (every,), (second, every), (every,)]


def test_cleared_faults_apply_to_no_request() -> None:
    faults = Faults()
    faults.add(Fault())

    faults.clear()

    assert faults.match(CALL).faults == ()
