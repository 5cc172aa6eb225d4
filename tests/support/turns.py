"""The parts of a turn on in-memory ports, and a chat whose replies use them."""

import random
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from shared.access.budgets import Budgets, Limits
from shared.access.usage import DeploymentUsage
from shared.adapters.memory import FixedClock, MemoryLineApi, MemoryMedia, MemoryObjectStore
from shared.bus.endpoint import REQUEST_S
from shared.clock import Clock, Deadline, SystemClock
from shared.conversation.media import Media
from shared.conversation.quoted_media import QuotedMedia
from shared.conversation.records import MessageRecord, OutcomeKind, OutcomeRecord, ProposedCall
from shared.conversation.spending import Ledger
from shared.conversation.withdrawal import Withdrawal
from shared.features.stored_features import writer_of
from shared.handlers.unsend import withdrawal_of
from shared.knowledge.entry_words import EntryWords
from shared.line.messaging import ReplyToken
from shared.storage.object_cache import ObjectCache
from shared.turns.background import Background, Event
from shared.turns.deferral import LateReply
from shared.turns.image_sets import ImageSets
from shared.turns.lease import Lease, open_turn
from shared.turns.outbox import Outbox
from shared.turns.question import Question
from shared.turns.reply import REPLY, Reply
from shared.turns.runner import TurnRunner
from shared.turns.waiting_room import WaitingRoom
from tests.support.chats import conversations_on, made_of, reader
from tests.support.phrases import NamedPhrases

_CHAT = "U" + "1" * 32


class ActingClock(FixedClock):
    """Lets something happen during the next sleep."""

    meanwhile: Callable[[], object] | None = None

    def sleep(self, seconds: float) -> None:
        super().sleep(seconds)
        if seconds and self.meanwhile is not None:
            happens, self.meanwhile = self.meanwhile, None
            happens()


class ClockEvent(threading.Event):
    """An event whose waits with a timeout are sleeps of the clock."""

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self._clock = clock

    def wait(self, timeout: float | None = None) -> bool:
        if timeout is None:
            return super().wait()
        if not self.is_set():
            self._clock.sleep(timeout)
        return self.is_set()


def outbox_on(line: MemoryLineApi, clock: Clock, *, late_reply: LateReply = LateReply.BUTTON) -> Outbox:
    """Return an outbox on this LINE."""
    return Outbox(
        line=line,
        staged=writer_of(),
        holders=(EntryWords(),),
        phrases=NamedPhrases(),
        late_reply=late_reply,
        clock=clock,
    )


def unlimited(objects: ObjectCache, clock: Clock, *, turns_a_day: int = 0) -> Budgets:
    """Return budgets that nobody meets, except for a chat's turns where these are limited."""
    usage = DeploymentUsage(
        objects=objects,
        threads=objects.reads,
        clock=clock,
        day=Ledger().day,
        instance="instance",
        is_limited=False,
    )
    return Budgets(
        limits=Limits(turns_per_chat_day=turns_a_day, tokens_per_chat_day=0, tokens_per_day=0), deployment=usage
    )


def runner_on(outbox: Outbox) -> TurnRunner:
    """Return a runner of deliveries, whose random pauses are the same in every run."""
    clock = outbox.clock
    return TurnRunner(
        reader=reader(),
        outbox=outbox,
        room=WaitingRoom(new_event=lambda: ClockEvent(clock)),
        clock=clock,
        chance=random.Random(1),
    )


class WorkerKilledError(BaseException):
    """The worker's process ended."""


class RepliedChat:
    """One chat on in-memory ports, in which each delivery is a worker of its own; the chat itself is the responder."""

    meanwhile: Callable[[], object]
    """Called while the responder thinks."""

    def __init__(
        self,
        pool: ThreadPoolExecutor,
        *,
        clock: FixedClock | None = None,
        store: MemoryObjectStore | None = None,
        lease_s: float = 25.0,
        late_reply: LateReply = LateReply.BUTTON,
        turns_a_day: int = 0,
        line: MemoryLineApi | None = None,
        new_event: Callable[[], Event] = threading.Event,
    ) -> None:
        self.clock = clock or SystemClock()
        self.store = store or MemoryObjectStore()
        self.line, self.media = line or MemoryLineApi(), MemoryMedia()
        self.conversations = conversations_on(self.store, pool, self.clock, lease_s=lease_s)
        self.conversation = self.conversations.of(_CHAT)
        self.questions: list[tuple[str, ...]] = []
        self.seconds: list[float] = []
        self.is_thinking = threading.Event()
        self.may_answer = threading.Event()
        self.may_answer.set()
        self.poison: set[str] = set()
        self.kills_by: Callable[[Question], bool] = lambda _: False
        self.meanwhile = lambda: None
        self.apologises = False
        outbox = outbox_on(self.line, self.clock, late_reply=late_reply)
        self.runner = runner_on(outbox)
        self._reply = Reply(
            runner=self.runner,
            responder=self,
            changes=self,
            quoted=QuotedMedia(media=Media(source=self.media, threads=pool, clock=self.clock)),
            image_sets=ImageSets(reader=reader(), clock=self.clock),
            outbox=outbox,
            withdrawal=Withdrawal(holders=(), clock=self.clock),
            background=Background(threads=pool, new_event=new_event),
            requests=pool,
            phrases=NamedPhrases(),
            budgets=unlimited(self.conversations.objects, self.clock, turns_a_day=turns_a_day),
            clock=self.clock,
        )

    def message(self, number: int, *, age_ms: int = 0, token_age_ms: int = 0) -> MessageRecord:
        now_ms = self.clock.now_ms()
        return MessageRecord(
            line_message_id=f"m{number}",
            webhook_event_id=f"e{number}",
            timestamp_ms=now_ms - age_ms + number,
            type="text",
            addressed=True,
            text=f"text {number}",
            reply_token=ReplyToken(value=f"t{number}", received_ms=now_ms - token_age_ms + number),
        )

    def press(self, number: int, deferral_id: str) -> MessageRecord:
        press = self.message(number)
        return replace(press, line_message_id=press.webhook_event_id, type="postback", text="", presses=deferral_id)

    def deliver(self, message: MessageRecord, *, left_s: float = REQUEST_S) -> str:
        silences = self.conversation.objects.reads.submit(self.conversation.silences.read)
        return self._reply(self.conversation, message, {}, Deadline.after(self.clock, left_s), silences=silences).result

    def resume(self, line_message_id: str) -> None:
        """Do what a tick does for a message that was handed over."""
        self._reply.tasks[REPLY](self.conversation, line_message_id)

    def edit(self, line_message_id: str, text: str) -> None:
        """Edit a message as an edit event does."""
        self.clock.sleep(0.01)
        withdrawal_of(self.clock).edit(
            self.conversation, line_message_id, text=text, timestamp_ms=self.clock.now_ms() + 1_000
        )

    def open_turn(self) -> Lease:
        """Open the turn as another worker does, and return its lease."""
        lease = open_turn(self.conversation, self.conversation.turn.read())
        assert lease is not None
        return lease

    def withdraw(self, line_message_id: str) -> None:
        """Withdraw a message as an unsend does."""
        withdrawal = withdrawal_of(self.clock)
        withdrawal.withdraw(self.conversation, line_message_id, timestamp_ms=self.clock.now_ms())

    def outcome(self, webhook_event_id: str) -> OutcomeRecord:
        outcome = self.conversation.journal.outcome_of(webhook_event_id)
        assert outcome is not None
        return outcome

    def carry_out(self, question: Question, proposed: tuple[ProposedCall, ...]) -> OutcomeRecord:
        """Return the draft with the names of what was confirmed."""
        self.seconds.append(question.deadline.left_s)
        return replace(question.draft, kind=OutcomeKind.REPLIED, text=f"did {' '.join(one.name for one in proposed)}")

    def respond(self, question: Question) -> OutcomeRecord:
        question.check_amendments(made_of())
        asked = tuple(one.line_message_id for one in question.asked)
        self.questions.append(asked)
        self.seconds.append(question.deadline.left_s)
        self.is_thinking.set()
        if self.poison & set(asked) or self.kills_by(question):
            raise WorkerKilledError
        self.meanwhile()
        assert self.may_answer.wait(30)
        if self.apologises:
            return replace(question.draft.with_fixed_text("sorry", OutcomeKind.APOLOGISED), answers=())
        text = f"re {' '.join(asked)}"
        return replace(
            question.draft, kind=OutcomeKind.REPLIED, text=text, audit=replace(question.draft.audit, model_name="model")
        )
