import threading
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from concurrent.futures import ThreadPoolExecutor

import pytest

from shared.adapters.memory import FixedClock, MemoryObjectStore
from shared.agent.model import Json
from shared.agent.tools import ToolFault, TurnContext
from shared.clock import Deadline, SystemClock
from shared.conversation.external_calls import Calls
from shared.errors import StorageUnavailableError
from shared.tools.idempotency import DONE_BEFORE, Ledger, UnknownEffectError, Write

CHAT = "U" + "1" * 32
CONTEXT = TurnContext(conversation_id=CHAT, first_line_message_id="m1", seen_message_ids=frozenset({"m0", "m1"}))


class World:
    """Something outside: what was put there, and what goes wrong with the next put."""

    def __init__(self) -> None:
        self.there: list[str] = []
        self.goes_wrong: list[Exception | None] = []
        self.looked = 0

    def write(self, title: str) -> Write:
        def do() -> Json:
            wrong = self.goes_wrong.pop(0) if self.goes_wrong else None
            if not isinstance(wrong, StorageUnavailableError):
                self.there.append(title)
            if wrong is not None:
                raise wrong
            return {"page_id": f"page of {title}"}

        def find(_: int, __: tuple[Mapping[str, object], ...]) -> Json | None:
            self.looked += 1
            return {"page_id": f"page of {title}"} if title in self.there else None

        return Write(tool="create_page", arguments={"title": title}, do=do, find=find)


def nothing_withdrawn(_: str, __: AbstractSet[str]) -> bool:
    return False


def ledger_on(
    store: MemoryObjectStore, is_withdrawn: Callable[[str, AbstractSet[str]], bool] = nothing_withdrawn
) -> Ledger:
    return Ledger(calls=Calls(store=store), is_withdrawn=is_withdrawn, clock=FixedClock())


def test_the_same_call_of_the_same_turn_is_done_once() -> None:
    store, world = MemoryObjectStore(), World()

    first = ledger_on(store).once(world.write("牛乳"), CONTEXT)
    again = ledger_on(store).once(world.write("牛乳"), CONTEXT)

    assert first == {"page_id": "page of 牛乳"}
    assert again == {"page_id": "page of 牛乳", "note": DONE_BEFORE}
    assert world.there == ["牛乳"]


def test_the_same_words_in_another_turn_or_another_chat_are_another_call() -> None:
    store, world = MemoryObjectStore(), World()
    ledger = ledger_on(store)

    for chat, first in [(CHAT, "m1"), (CHAT, "m2"), ("U" + "2" * 32, "m1")]:
        ledger.once(world.write("牛乳"), TurnContext(conversation_id=chat, first_line_message_id=first))

    assert world.there == ["牛乳"] * 3


def test_an_effect_whose_answer_was_lost_is_found_and_not_repeated() -> None:
    store, world = MemoryObjectStore(), World()
    world.goes_wrong = [UnknownEffectError("lost")]

    lost = ledger_on(store).once(world.write("牛乳"), CONTEXT)
    again = ledger_on(store).once(world.write("牛乳"), CONTEXT)

    assert isinstance(lost, ToolFault)
    assert lost.may_retry
    assert again == {"page_id": "page of 牛乳", "note": DONE_BEFORE}
    assert world.there == ["牛乳"]
    assert world.looked == 1


def test_an_intent_without_an_effect_is_carried_out_by_the_next_attempt() -> None:
    store, world = MemoryObjectStore(), World()
    world.goes_wrong = [UnknownEffectError("lost")]
    ledger_on(store).once(world.write("牛乳"), CONTEXT)
    world.there.clear()  # it never came through

    again = ledger_on(store).once(world.write("牛乳"), CONTEXT)

    assert again == {"page_id": "page of 牛乳"}
    assert world.there == ["牛乳"]


def test_what_had_no_effect_leaves_no_intent() -> None:
    store, world = MemoryObjectStore(), World()
    world.goes_wrong = [StorageUnavailableError("refused before anything was done")]

    with pytest.raises(StorageUnavailableError):
        ledger_on(store).once(world.write("牛乳"), CONTEXT)

    assert store.list("") == ()


def test_what_cannot_be_told_is_not_done() -> None:
    store, world = MemoryObjectStore(), World()
    world.goes_wrong = [UnknownEffectError("lost")]
    ledger_on(store).once(world.write("牛乳"), CONTEXT)
    unclear = ToolFault(message="The page is too long to look.", may_retry=False)
    write = Write(
        tool="create_page", arguments={"title": "牛乳"}, do=world.write("牛乳").do, find=lambda _, __: unclear
    )

    assert ledger_on(store).once(write, CONTEXT) == unclear
    assert world.there == ["牛乳"]


def test_after_a_withdrawal_nothing_is_done_and_no_word_is_kept() -> None:
    store, world = MemoryObjectStore(), World()

    answer = ledger_on(store, lambda chat, ids: chat == CHAT and "m0" in ids).once(world.write("牛乳"), CONTEXT)

    assert isinstance(answer, ToolFault)
    assert world.there == []
    assert store.list("") == ()


def test_two_same_calls_of_one_round_leave_one_effect() -> None:
    store, world = MemoryObjectStore(), World()
    ledger = ledger_on(store)
    begun = threading.Barrier(2, timeout=5)

    def call() -> Json | ToolFault:
        begun.wait()
        return ledger.once(world.write("牛乳"), CONTEXT)

    with ThreadPoolExecutor(2) as pool:
        answers = [future.result() for future in [pool.submit(call), pool.submit(call)]]

    assert world.there == ["牛乳"]
    assert sorted("note" in answer for answer in answers if not isinstance(answer, ToolFault)) == [False, True]


def test_a_call_that_is_still_under_way_is_not_waited_for_beyond_the_deadline() -> None:
    store, world = MemoryObjectStore(), World()
    ledger = ledger_on(store)
    begun, released = threading.Event(), threading.Event()

    def slow() -> Json:
        begun.set()
        released.wait(5)
        return {"page_id": "x"}

    write = Write(tool="create_page", arguments={"title": "牛乳"}, do=slow, find=lambda _, __: None)
    late = TurnContext(conversation_id=CHAT, first_line_message_id="m1", deadline=Deadline.after(SystemClock(), 0.05))
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(ledger.once, write, CONTEXT)
        begun.wait(5)
        answer = ledger.once(world.write("牛乳"), late)
        released.set()
        assert running.result() == {"page_id": "x"}

    assert answer == ToolFault(message="The same call is still under way.", may_retry=False)
    assert world.there == []


def test_a_rerun_is_told_what_was_done_and_what_was_only_begun() -> None:
    store, world = MemoryObjectStore(), World()
    ledger = ledger_on(store)
    ledger.once(world.write("牛乳"), CONTEXT)
    world.goes_wrong = [UnknownEffectError("lost")]
    ledger.once(world.write("卵"), CONTEXT)

    done, begun = ledger.done_before(CONTEXT)

    assert 'already did create_page {"title": "牛乳"}; its result was {"page_id": "page of 牛乳"}' in done
    assert 'began create_page {"title": "卵"}' in begun
    assert ledger.done_before(TurnContext(conversation_id=CHAT, first_line_message_id="m9")) == ()
