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
def test_a_fault_befalls_what_it_describes(fault: Fault) -> None:
    assert fault.befalls(CALL)


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
def test_a_fault_spares_everything_else(fault: Fault) -> None:
    assert not fault.befalls(CALL)


def test_only_the_nth_request_is_befallen() -> None:
    faults = Faults()
    second, every = Fault(prefix="journal/", nth=2), Fault()
    faults.add(second)
    faults.add(every)

    met = [faults.of(call) for call in (CALL, Call(method="POST", name="turns/U1.json"), CALL, CALL)]

    assert met == [(every,), (every,), (second, every), (every,)]


def test_cleared_faults_befall_nothing() -> None:
    faults = Faults()
    faults.add(Fault())

    faults.clear()

    assert faults.of(CALL) == ()
