"""What a turn and an unsend call against the order of the layers of `shared`: nothing."""

from concurrent.futures import ThreadPoolExecutor
from types import FunctionType
from typing import Any

from shared.access.admission import Access, Admissions
from shared.access.unadmitted_chats import UnadmittedChats
from shared.adapters.memory.scripted_model import calling
from shared.bus.endpoint import PushEndpoint
from shared.handlers.traces import Traces
from shared.handlers.unsend import UnsendHandler, withdrawal_of
from tests.support import push
from tests.support.layer_calls import SHARED, LayerCalls
from tests.support.people import Person
from tests.support.pushed import PushedWorker

NOTE = ("classify_and_capture", {"text": "the bike is green", "category": "ideas", "name": "Bike", "confidence": 0.9})
REMINDER = ("create_reminder", {"text": "薬", "at": "2025-11-22T09:00"})
REPLY = ("reply", {"message": "はい"})


def one_turn_and_one_unsend() -> tuple[PushedWorker, LayerCalls]:
    """Ask for a note and a reminder, as the agent worker is assembled, and unsend the question, as the unsend function is."""
    calls = LayerCalls()
    with calls.collecting(), ThreadPoolExecutor(8) as pool:
        worker = PushedWorker(pool)
        friend = Person(worker, is_in_group=False)
        asked = friend.says("the bike is green; 明日9時に薬", calling(NOTE, REMINDER), calling(REPLY))
        unsent = friend.events.event("unsend", unsend={"messageId": asked["message"]["id"]})
        assert unsend_function(worker)("POST", push.envelope(unsent))[1] == 204
    return worker, calls


def unsend_function(worker: PushedWorker) -> PushEndpoint:
    conversations, clock = worker.conversations, worker.clock
    traces = Traces(
        access=Access.OPEN,
        admissions=Admissions(store=conversations.objects.store, clock=clock),
        unadmitted=UnadmittedChats(clock=clock),
    )
    handler = UnsendHandler(conversations=conversations, withdrawal=withdrawal_of(clock), traces=traces)
    return PushEndpoint(handle=handler, clock=clock)


def function_in(path: str, source: str, **names: Any) -> FunctionType:  # noqa: ANN401 - what the source names
    """Return the function `run` of a module that would stand at this path in `shared`."""
    exec(compile(source, f"{SHARED}{path}", "exec"), names)  # noqa: S102 - written here
    run: FunctionType = names["run"]
    return run


def test_a_turn_and_an_unsend_call_no_higher_layer_but_through_ports() -> None:
    worker, calls = one_turn_and_one_unsend()

    assert [str(call) for call in calls.against_order] == []
    assert {call.port for call in calls.calls} == {"Protocol", "base class", "Callable"}
    assert worker.said


def test_a_higher_layer_that_is_called_without_a_port_is_against_the_order() -> None:
    higher = function_in("handlers/greeting.py", "def run(): pass")
    lower = function_in("storage/codec.py", "def run(): higher()", higher=higher)
    calls = LayerCalls()

    with calls.collecting():
        lower()

    assert [str(call) for call in calls.against_order] == ["storage.codec:run calls handlers.greeting:run"]


def test_a_lower_layer_may_be_called() -> None:
    lower = function_in("storage/codec.py", "def run(): pass")
    higher = function_in("handlers/greeting.py", "def run(): lower()", lower=lower)
    calls = LayerCalls()

    with calls.collecting():
        higher()

    assert calls.calls == set()
