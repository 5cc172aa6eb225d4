from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from shared.adapters.memory import FixedClock, MemoryLineApi, MemoryObjectStore
from shared.conversation.records import MessageRecord, OutcomeKind, OutcomeRecord
from shared.conversation.speaking import Speaker
from shared.conversation.turn import HeldTurn, TurnRecord
from shared.line.outgoing import OutgoingMessage
from tests.support.chats import journal_on, turns_on

CHAT = "U" + "1" * 32


class Table:
    """A chat whose turn is committed to an outcome."""

    def __init__(self, reads: ThreadPoolExecutor, *, fates: Sequence[str] = ()) -> None:
        self.store = MemoryObjectStore()
        self.clock = FixedClock()
        self.line = MemoryLineApi(fates=fates)
        self.turns = turns_on(self.store, self.clock)
        self.journal = journal_on(self.store, reads, self.turns)
        self.speaker = Speaker(journal=self.journal, line=self.line, clock=self.clock)

    def commit(self, outcome: OutcomeRecord, *, token: str | None = "t1") -> HeldTurn:
        held = self.turns.open(CHAT, self.turns.read(CHAT))
        assert held is not None
        route = TurnRecord(outcome=outcome, reply_token=token, token_received_ms=self.clock.now_ms())
        assert held.commit(route, prompt=set())
        return held

    def take_over(self) -> HeldTurn:
        held = self.turns.take_over(CHAT, self.turns.read(CHAT))
        assert held is not None
        return held

    @property
    def recorded(self) -> OutcomeRecord | None:
        return self.journal.outcome_of(CHAT, "e1")


@pytest.fixture
def reads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(2) as pool:
        yield pool


def outcome(text: str | None, kind: OutcomeKind = OutcomeKind.REPLIED) -> OutcomeRecord:
    return OutcomeRecord(webhook_event_id="e1", timestamp_ms=1, kind=kind, covers=("m1",), saw=("m1",), text=text)


def spare(token: str, received_ms: int) -> MessageRecord:
    return MessageRecord(
        line_message_id=token,
        webhook_event_id=token,
        timestamp_ms=1,
        type="text",
        addressed=True,
        text="",
        reply_token=token,
        received_ms=received_ms,
    )


@pytest.mark.parametrize(
    ("fates", "kind"),
    [
        ([], OutcomeKind.REPLIED),
        (["refused"], OutcomeKind.UNDELIVERED),
        (["unknown"], OutcomeKind.REPLIED),
        (["unknown, not sent"] * 3, OutcomeKind.UNKNOWN),
    ],
)
def test_history_says_what_the_user_saw(reads: ThreadPoolExecutor, fates: list[str], kind: OutcomeKind) -> None:
    table = Table(reads, fates=fates)

    said = table.speaker.finish(table.commit(outcome("hello")), taken_over=False)

    assert said is not None
    assert said.kind is kind
    assert table.recorded == said


def test_an_apology_stays_an_apology(reads: ThreadPoolExecutor) -> None:
    table = Table(reads)

    said = table.speaker.finish(table.commit(outcome("sorry", OutcomeKind.APOLOGISED)), taken_over=False)

    assert said is not None
    assert said.kind is OutcomeKind.APOLOGISED


def test_silence_spends_no_token(reads: ThreadPoolExecutor) -> None:
    table = Table(reads)

    table.speaker.finish(table.commit(outcome(None, OutcomeKind.SKIPPED)), taken_over=False)

    assert table.line.calls == 0
    assert table.recorded is not None


def test_a_refused_token_is_followed_by_the_next_freshest(reads: ThreadPoolExecutor) -> None:
    table = Table(reads, fates=["refused"])

    said = table.speaker.finish(table.commit(outcome("hello")), taken_over=False, spare=[spare("t0", 0)])

    assert said is not None
    assert said.kind is OutcomeKind.REPLIED
    assert table.line.replies == {"t0": ("hello",)}
    assert table.turns.read(CHAT).record.reply_token == "t0"


def test_what_was_withdrawn_after_the_commit_is_not_said_and_the_turn_is_free(reads: ThreadPoolExecutor) -> None:
    table = Table(reads)
    held = table.commit(outcome("your pin is 4711"))
    table.journal.withdraw(CHAT, "m1", timestamp_ms=2)

    assert table.speaker.finish(held, taken_over=False) is None

    assert table.line.calls == 0
    assert table.turns.read(CHAT).record.state == "idle"
    assert table.recorded is None


def test_a_dead_holders_withdrawn_answer_is_recorded_without_its_words(reads: ThreadPoolExecutor) -> None:
    table = Table(reads)
    table.commit(outcome("your pin is 4711"))
    table.journal.withdraw(CHAT, "m1", timestamp_ms=2)

    said = table.speaker.finish(table.take_over(), taken_over=True)

    assert table.line.calls == 0
    assert said is not None
    assert (said.kind, said.text) == (OutcomeKind.WITHDRAWN, None)


@pytest.mark.parametrize(
    ("age_s", "kind"), [(52, OutcomeKind.REPLIED), (54, OutcomeKind.UNKNOWN)], ids=["young", "old"]
)
def test_a_dead_holders_token_that_is_refused_was_spent_while_it_is_young(
    reads: ThreadPoolExecutor, age_s: float, kind: OutcomeKind
) -> None:
    table = Table(reads)
    table.commit(outcome("hello"))
    table.line.reply("t1", [OutgoingMessage(text="hello")])  # the holder died between LINE's answer and its record
    table.clock.move(age_s)

    said = table.speaker.finish(table.take_over(), taken_over=True)

    assert said is not None
    assert said.kind is kind
    assert table.line.replies == {"t1": ("hello",)}


def test_a_text_that_is_long_for_line_is_sent_whole_in_one_call(reads: ThreadPoolExecutor) -> None:
    table = Table(reads)

    table.speaker.finish(table.commit(outcome("😀" * 5_000)), taken_over=False)

    assert [len(bubble) for bubble in table.line.replies["t1"]] == [2_500, 2_500]
    assert table.line.calls == 1


def test_only_tokens_that_may_be_alive_are_used_the_freshest_first(reads: ThreadPoolExecutor) -> None:
    table = Table(reads)
    now_ms = table.clock.now_ms()
    messages = [spare("old", now_ms - 65_000), spare("fresh", now_ms - 1_000), spare("newest", now_ms)]

    assert [one.reply_token for one in table.speaker.freshest_tokens(messages)] == ["newest", "fresh"]
