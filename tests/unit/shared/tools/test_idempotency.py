import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from shared.adapters.memory import FixedClock, MemoryObjectStore
from shared.agent.model import Json
from shared.agent.overlay import Attempt
from shared.agent.receipts import Deed, DeedKind
from shared.agent.staged import Staged
from shared.agent.tools import ToolFault
from shared.agent.turn_context import TurnContext
from shared.clock import Deadline, SystemClock
from shared.conversation.amendment_records import Amendment
from shared.conversation.amendments import Amendments, Plan
from shared.conversation.external_calls import CallRecord, CallWords
from shared.conversation.provenance import Provenance
from shared.errors import StorageUnavailableError
from shared.knowledge.staging import EntryOverlay
from shared.storage.codec import decode
from shared.tools.idempotency import ALREADY_DONE, IdempotentWrites, UnknownEffectError, Write
from tests.support.chats import everything_in, made_of, message
from tests.support.knowledge import CHAT, conversation_on

OTHER_CHAT = "U" + "2" * 32
NOW_MS = FixedClock().now_ms()


def deed(title: str) -> Deed:
    return Deed(kind=DeedKind.PAGE_CREATED, name=title)


class World:
    """An outside service: what was written to it, and the errors of the next writes."""

    def __init__(self) -> None:
        self.there: list[str] = []
        self.errors: list[Exception | None] = []
        self.searches = 0

    def write(self, title: str) -> Write:
        def do() -> Json:
            error = self.errors.pop(0) if self.errors else None
            if not isinstance(error, StorageUnavailableError):
                self.there.append(title)
            if error is not None:
                raise error
            return {"page_id": f"page of {title}"}

        def find(_: int, __: tuple[Mapping[str, object], ...]) -> Json | None:
            self.searches += 1
            return {"page_id": f"page of {title}"} if title in self.there else None

        return Write(tool="create_page", arguments={"title": title}, deed=deed(title), do=do, find=find)


class Process:
    """One process on a bucket, and the turn that it thinks."""

    def __init__(self, store: MemoryObjectStore, *, now_ms: int = FixedClock().now_ms()) -> None:
        self.writes = IdempotentWrites(clock=FixedClock(now_ms=now_ms))
        self.context = TurnContext(
            conversation=conversation_on(store),
            to_answer=(message(1),),
            prompt=made_of("m0", "m1", since_ms=3),
        )

    def carry_out(self, write: Write, context: TurnContext | None = None) -> Json | ToolFault:
        return self.writes.carry_out(write, context or self.context)

    def earlier(self, *, asked: tuple[int, ...] = (1,)) -> tuple[str, ...]:
        return self.writes.describe_earlier(replace(self.context, to_answer=tuple(map(message, asked))))


def test_the_same_call_of_the_same_turn_is_done_once() -> None:
    store, world = MemoryObjectStore(), World()

    first = Process(store).carry_out(world.write("牛乳"))
    again = Process(store).carry_out(world.write("牛乳"))

    assert first == {"page_id": "page of 牛乳"}
    assert again == {"page_id": "page of 牛乳", "note": ALREADY_DONE}
    assert world.there == ["牛乳"]


def test_a_call_reaches_back_to_the_oldest_of_what_the_model_has_read() -> None:
    store, world = MemoryObjectStore(), World()
    process = Process(store)
    process.context = replace(process.context, prompt=Provenance(since_ms=5, entries_since_ms=7))
    process.context.recalled.retell(Provenance(since_ms=9, entries_since_ms=2))

    process.carry_out(world.write("牛乳"))

    (name,) = [one.name for one in store.list("calls/") if not one.name.endswith(".result.json")]
    stored = store.read(name)
    assert stored is not None
    begun = decode(CallRecord, stored.data)
    assert (begun.provenance.since_ms, begun.provenance.entries_since_ms) == (5, 2)


def test_whoever_is_told_of_an_earlier_call_has_read_what_its_arguments_may_hold() -> None:
    store, world = MemoryObjectStore(), World()
    Process(store, now_ms=NOW_MS).carry_out(world.write("牛乳"))
    later = Process(store, now_ms=NOW_MS + 60_000)
    later.context = replace(later.context, prompt=made_of())

    assert later.earlier()

    assert later.context.provenance.ids == {"m0", "m1"}
    assert later.context.recalled.provenance.since_ms == 3


def test_whoever_is_told_of_a_call_without_its_arguments_has_read_nothing_of_them() -> None:
    store, world = MemoryObjectStore(), World()
    first = Process(store)
    first.carry_out(world.write("牛乳"))
    withdrawn = Amendments(withdrawn=frozenset({"m0"}))
    CallWords().remove_withdrawn(first.context.conversation, withdrawn)
    later = Process(store)
    later.context = replace(later.context, prompt=made_of())

    assert later.earlier()

    assert later.context.recalled.provenance == Provenance()
    assert later.context.provenance.ids == frozenset()


def test_equal_arguments_in_another_turn_or_chat_are_another_call() -> None:
    store, world = MemoryObjectStore(), World()
    process = Process(store)

    for chat, asked in [(CHAT, 1), (CHAT, 2), (OTHER_CHAT, 1)]:
        context = TurnContext(conversation=conversation_on(store, chat), to_answer=(message(asked),))
        process.carry_out(world.write("牛乳"), context)

    assert world.there == ["牛乳"] * 3


def test_a_call_is_done_once_for_its_message_whichever_other_ones_are_answered_with_it() -> None:
    store, world = MemoryObjectStore(), World()
    process = Process(store)
    for asked in [(1, 2), (2,), (2, 3)]:
        context = replace(process.context, to_answer=tuple(map(message, asked)))
        process.carry_out(world.write("牛乳"), context)

    assert world.there == ["牛乳"]
    assert process.earlier(asked=(2,)) != ()
    assert process.earlier(asked=(4,)) == ()


def test_an_effect_whose_answer_was_lost_is_found_not_repeated() -> None:
    store, world = MemoryObjectStore(), World()
    world.errors = [UnknownEffectError("lost")]

    lost = Process(store).carry_out(world.write("牛乳"))
    again = Process(store).carry_out(world.write("牛乳"))

    assert isinstance(lost, ToolFault)
    assert lost.may_retry
    assert again == {"page_id": "page of 牛乳", "note": ALREADY_DONE}
    assert Process(store).carry_out(world.write("牛乳")) == again
    assert world.there == ["牛乳"]
    assert world.searches == 1


def test_an_intent_without_an_effect_is_carried_out_by_the_next_attempt() -> None:
    store, world = MemoryObjectStore(), World()
    world.errors = [UnknownEffectError("lost")]
    Process(store).carry_out(world.write("牛乳"))
    world.there.clear()  # the write never arrived

    again = Process(store).carry_out(world.write("牛乳"))

    assert again == {"page_id": "page of 牛乳"}
    assert world.there == ["牛乳"]


def test_a_write_without_effect_leaves_no_intent() -> None:
    store, world = MemoryObjectStore(), World()
    world.errors = [StorageUnavailableError("refused before anything was done")]

    with pytest.raises(StorageUnavailableError):
        Process(store).carry_out(world.write("牛乳"))

    assert store.list("") == ()


def test_a_write_with_an_undeterminable_effect_is_not_repeated() -> None:
    store, world = MemoryObjectStore(), World()
    world.errors = [UnknownEffectError("lost")]
    Process(store).carry_out(world.write("牛乳"))
    unclear = ToolFault(message="The page is too long to look.", may_retry=False)
    write = Write(
        tool="create_page",
        arguments={"title": "牛乳"},
        deed=deed("牛乳"),
        do=world.write("牛乳").do,
        find=lambda _, __: unclear,
    )

    assert Process(store).carry_out(write) == unclear
    assert world.there == ["牛乳"]


def test_a_withdrawal_prevents_the_write_and_leaves_no_words() -> None:
    store, world = MemoryObjectStore(), World()

    process = Process(store)
    process.context.conversation.amendments.amend(Amendment(line_message_id="m0", timestamp_ms=1))

    answer = process.carry_out(world.write("牛乳"))

    assert isinstance(answer, ToolFault)
    assert not answer.may_retry
    assert world.there == []
    assert {one.name.partition("/")[0] for one in store.list("")} == {"amended", "edited"}
    assert "牛乳" not in everything_in(store)


def contents(store: MemoryObjectStore, prefix: str) -> dict[str, bytes]:
    return {one.name: stored.data for one in store.list(prefix) if (stored := store.read(one.name)) is not None}


def test_a_withdrawal_leaves_the_record_of_what_an_earlier_attempt_did() -> None:
    store, world = MemoryObjectStore(), World()
    Process(store).carry_out(world.write("牛乳"))
    before = contents(store, "calls/")
    again = Process(store, now_ms=FixedClock().now_ms() + 1)
    again.context.conversation.amendments.amend(Amendment(line_message_id="m0", timestamp_ms=1))

    answer = again.carry_out(world.write("牛乳"))

    assert isinstance(answer, ToolFault)
    assert contents(store, "calls/") == before


def test_an_answer_that_went_with_a_withdrawn_message_prevents_the_write() -> None:
    store, world = MemoryObjectStore(), World()
    process = Process(store)
    process.context = replace(process.context, prompt=made_of("m1", "e0"))
    amendments = process.context.conversation.amendments
    amendments.amend(Amendment(line_message_id="m0", timestamp_ms=1))
    amendments.add_plan("m0", Plan(redacted_ids=frozenset({"e0"})))

    answer = process.carry_out(world.write("牛乳"))

    assert isinstance(answer, ToolFault)
    assert world.there == []


@pytest.mark.parametrize("is_answered", [True, False])
def test_an_erasure_before_the_intent_prevents_the_write_and_leaves_no_words(is_answered: bool) -> None:
    store, world = MemoryObjectStore(), World()
    process = Process(store)
    both, none = (message(1), message(5)), ()
    process.context = replace(
        process.context, to_answer=both if is_answered else none, earlier=none if is_answered else both
    )
    process.context.conversation.amendments.erase(1)

    answer = process.carry_out(world.write("牛乳"))

    assert isinstance(answer, ToolFault)
    assert world.there == []
    assert {one.name.partition("/")[0] for one in store.list("")} == {"amended", "erased"}  # the erasure alone


def reading(process: Process, line_message_id: str) -> None:
    """In the process's turn, the model read an entry that came from this message."""
    attempt = Attempt.at(process.context.conversation, sequence=1, now_ms=0, amendments=Amendments())
    overlay = EntryOverlay(attempt)
    overlay.mark_shown(made_of(line_message_id))
    process.context = replace(process.context, staged=Staged((overlay,)))


def test_a_call_names_the_messages_behind_the_entries_that_the_model_read() -> None:
    store, world = MemoryObjectStore(), World()
    process = Process(store)
    reading(process, "m9")
    process.carry_out(world.write("牛乳"))

    CallWords().remove_withdrawn(process.context.conversation, Amendments(withdrawn=frozenset({"m9"})))

    (done,) = process.earlier()
    assert "with arguments that were taken back" in done


def test_a_withdrawal_behind_an_entry_that_the_model_read_prevents_the_write() -> None:
    store, world = MemoryObjectStore(), World()
    process = Process(store)
    reading(process, "m9")
    process.context.conversation.amendments.amend(Amendment(line_message_id="m9", timestamp_ms=1))

    answer = process.carry_out(world.write("牛乳"))

    assert isinstance(answer, ToolFault)
    assert world.there == []


def test_a_rerun_reads_the_messages_behind_the_calls_of_earlier_attempts() -> None:
    store, world = MemoryObjectStore(), World()
    first, again = Process(store), Process(store)
    reading(first, "m9")
    first.carry_out(world.write("牛乳"))
    reading(again, "m3")

    assert "牛乳" in "".join(again.earlier())

    assert again.context.staged.provenance.ids == {"m0", "m1", "m3", "m9"}


def test_two_equal_calls_of_one_round_have_one_effect() -> None:
    store, world = MemoryObjectStore(), World()
    process = Process(store)
    begun = threading.Barrier(2, timeout=30)

    def call() -> Json | ToolFault:
        begun.wait()
        return process.carry_out(world.write("牛乳"))

    with ThreadPoolExecutor(2) as pool:
        answers = [future.result() for future in [pool.submit(call), pool.submit(call)]]

    assert world.there == ["牛乳"]
    assert sorted("note" in answer for answer in answers if not isinstance(answer, ToolFault)) == [False, True]


def test_an_equal_call_is_waited_for_until_the_deadline_only() -> None:
    store, world = MemoryObjectStore(), World()
    process = Process(store)
    begun, released = threading.Event(), threading.Event()

    def slow() -> Json:
        begun.set()
        released.wait(30)
        return {"page_id": "x"}

    write = Write(tool="create_page", arguments={"title": "牛乳"}, deed=deed("牛乳"), do=slow, find=lambda _, __: None)
    late = TurnContext(
        conversation=process.context.conversation,
        to_answer=(message(1),),
        deadline=Deadline.after(SystemClock(), 0.05),
    )
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(process.carry_out, write)
        begun.wait(30)
        answer = process.carry_out(world.write("牛乳"), late)
        released.set()
        assert running.result() == {"page_id": "x"}

    assert answer == ToolFault(message="The same call is still under way.", may_retry=False)
    assert world.there == []


def test_an_equal_call_goes_on_as_soon_as_the_one_before_it_has_ended() -> None:
    store, world = MemoryObjectStore(), World()
    process = Process(store)
    begun, released = threading.Event(), threading.Event()

    def slow() -> Json:
        begun.set()
        released.wait(30)
        return {"page_id": "x"}

    write = replace(world.write("牛乳"), do=slow)
    patient = replace(process.context, deadline=Deadline.after(SystemClock(), 30))
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(process.carry_out, write)
        begun.wait(30)
        second = pool.submit(process.carry_out, write, patient)
        released.wait(0.1)  # the second call waits by now
        released.set()

        assert first.result(timeout=30) == {"page_id": "x"}
        assert second.result(timeout=30) == {"page_id": "x", "note": ALREADY_DONE}


def test_what_was_done_is_a_deed_of_the_turn_and_what_failed_is_not() -> None:
    store, world = MemoryObjectStore(), World()
    process = Process(store)

    process.carry_out(world.write("牛乳"))
    world.errors = [UnknownEffectError("lost")]
    process.carry_out(world.write("卵"))

    assert process.context.outside.done == (deed("牛乳"),)


def test_pages_that_earlier_attempts_created_are_deeds_of_the_rerun() -> None:
    store, world = MemoryObjectStore(), World()
    first, again = Process(store), Process(store)
    first.carry_out(world.write("牛乳"))
    first.carry_out(replace(world.write("塩"), tool="append_block"))
    first.carry_out(replace(world.write("米"), arguments={"page": "米"}))
    world.errors = [UnknownEffectError("lost")]
    first.carry_out(world.write("卵"))

    again.earlier()

    assert again.context.outside.done == (deed("牛乳"),)


def test_a_rerun_learns_which_calls_were_done_and_which_only_begun() -> None:
    store, world = MemoryObjectStore(), World()
    process = Process(store)
    process.carry_out(world.write("牛乳"))
    world.errors = [UnknownEffectError("lost")]
    process.carry_out(world.write("卵"))

    done, begun = process.earlier()

    assert 'already did create_page {"title": "牛乳"}; its result was {"page_id": "page of 牛乳"}' in done
    assert 'began create_page {"title": "卵"}' in begun
    assert process.earlier(asked=(9,)) == ()
