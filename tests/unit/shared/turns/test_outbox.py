import io
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from shared.adapters.memory import FixedClock, MemoryLineApi, MemoryObjectStore
from shared.conversation.records import Amendment, MessageRecord, OutcomeKind, OutcomeRecord
from shared.conversation.turn import HeldTurn, Route
from shared.line.messaging import OutgoingMessage
from shared.turns.late_reply import LateReply
from shared.turns.outbox import TOKEN_SURELY_DEAD_MS, Speaker
from tests.support.chats import answer, memory_on

CHAT = "U" + "1" * 32


class Table:
    """A chat whose turn is committed to an outcome."""

    def __init__(self, reads: ThreadPoolExecutor, *, fates: Sequence[str] = ()) -> None:
        self.store = MemoryObjectStore()
        self.clock = FixedClock()
        self.line = MemoryLineApi(fates=fates)
        self.memory = memory_on(self.store, reads, self.clock)
        self.turns = self.memory.turns
        self.speaker = self.saying(LateReply.BUTTON)

    def saying(self, late_reply: LateReply) -> Speaker:
        return Speaker(
            journal=self.memory.journal,
            line=self.line,
            clock=self.clock,
            late_reply=late_reply,
            phrase=lambda which: which.value[:20],
            filed=self.memory.filed,
        )

    def commit(self, outcome: OutcomeRecord, route: Route | None = None) -> HeldTurn:
        held = self.turns.open(CHAT, self.turns.read(CHAT))
        assert held is not None
        token = Route(kind="token", reply_token="t1", received_ms=self.clock.now_ms())
        assert held.commit(outcome, route or token, prompt=set(), since_ms=1)
        return held

    def withdraw(self) -> None:
        self.memory.amendments.amend(CHAT, Amendment(line_message_id="m1", timestamp_ms=2))

    def take_over(self) -> HeldTurn:
        held = self.turns.take_over(CHAT, self.turns.read(CHAT))
        assert held is not None
        return held

    @property
    def recorded(self) -> OutcomeRecord | None:
        return self.memory.journal.outcome_of(CHAT, "e1")


def outcome(text: str | None, kind: OutcomeKind = OutcomeKind.REPLIED) -> OutcomeRecord:
    return replace(answer(1, text, saw=(1,)), kind=kind)


def asked(token: str, received_ms: int, *, timestamp_ms: int = 1) -> MessageRecord:
    return MessageRecord(
        line_message_id=token,
        webhook_event_id=token,
        timestamp_ms=timestamp_ms,
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


def test_a_token_that_died_while_the_model_thought_is_not_tried(reads: ThreadPoolExecutor) -> None:
    table = Table(reads, fates=["refused"])
    dead = Route(kind="token", reply_token="t0", received_ms=table.clock.now_ms() - TOKEN_SURELY_DEAD_MS)

    finished = table.speaker.finish(table.commit(outcome("hello")), taken_over=False, spare=[dead])

    assert finished is not None
    assert finished.kind is OutcomeKind.UNDELIVERED
    assert table.line.calls == 1


def test_a_refused_token_is_followed_by_the_next_freshest(reads: ThreadPoolExecutor) -> None:
    table = Table(reads, fates=["refused"])

    spare = Route(kind="token", reply_token="t0", received_ms=table.clock.now_ms())

    said = table.speaker.finish(table.commit(outcome("hello")), taken_over=False, spare=[spare])

    assert said is not None
    assert said.kind is OutcomeKind.REPLIED
    assert table.line.replies == {"t0": ("hello",)}
    assert table.turns.read(CHAT).record.route.reply_token == "t0"


def test_what_was_withdrawn_after_the_commit_is_not_said_and_the_turn_is_free(reads: ThreadPoolExecutor) -> None:
    table = Table(reads)
    held = table.commit(outcome("your pin is 4711"))
    table.withdraw()

    assert table.speaker.finish(held, taken_over=False) is None

    assert table.line.calls == 0
    assert table.turns.read(CHAT).record.state == "idle"
    assert table.recorded is None


def test_a_dead_holders_withdrawn_answer_is_recorded_without_its_words(reads: ThreadPoolExecutor) -> None:
    table = Table(reads)
    table.commit(outcome("your pin is 4711"))
    table.withdraw()

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
    messages = [asked("old", now_ms - 65_000), asked("fresh", now_ms - 1_000), asked("newest", now_ms)]

    assert [one.reply_token for one in table.speaker.routes(messages)] == ["newest", "fresh"]


@pytest.mark.parametrize(("age_s", "routes"), [(1_190, ["push"]), (1_196, [])])
def test_a_push_is_the_last_way_and_only_for_young_messages(
    reads: ThreadPoolExecutor, age_s: int, routes: list[str]
) -> None:
    table = Table(reads)
    message = asked("dead", 0, timestamp_ms=table.clock.now_ms() - age_s * 1_000)

    assert [one.kind for one in table.saying(LateReply.PUSH).routes([message])] == routes
    assert table.saying(LateReply.DROP).routes([message]) == ()


def recent(table: Table) -> OutcomeRecord:
    return replace(outcome("hello"), timestamp_ms=table.clock.now_ms())


def test_a_refused_token_is_followed_by_a_push_where_that_is_wanted(reads: ThreadPoolExecutor) -> None:
    table = Table(reads, fates=["refused"])

    said = table.saying(LateReply.PUSH).finish(
        table.commit(recent(table)), taken_over=False, spare=[Route(kind="push")]
    )

    assert said is not None
    assert said.kind is OutcomeKind.REPLIED
    assert table.line.pushes == [(CHAT, ("hello",))]


def test_a_push_that_is_repeated_by_whoever_takes_over_arrives_once(reads: ThreadPoolExecutor) -> None:
    table = Table(reads)
    speaker = table.saying(LateReply.PUSH)
    speaker.finish(table.commit(recent(table), Route(kind="push")), taken_over=False)
    table.store.delete(f"journal/{CHAT}/e1.outcome.json")  # as if the holder had died before the record

    said = speaker.finish(table.take_over(), taken_over=True)

    assert said is not None
    assert said.kind is OutcomeKind.REPLIED
    assert len(table.line.pushes) == 1


def test_a_quota_that_is_spent_is_told_to_the_log_and_to_history(reads: ThreadPoolExecutor, lines: io.StringIO) -> None:
    table = Table(reads)
    table.line.push_quota = 0

    said = table.saying(LateReply.PUSH).finish(table.commit(recent(table), Route(kind="push")), taken_over=False)

    assert said is not None
    assert said.kind is OutcomeKind.UNDELIVERED
    assert "push_quota_spent" in lines.getvalue()


def test_no_way_to_the_user_is_undelivered(reads: ThreadPoolExecutor) -> None:
    table = Table(reads)

    said = table.speaker.finish(table.commit(outcome("hello"), Route(kind="none")), taken_over=False)

    assert said is not None
    assert (said.kind, table.line.calls) == (OutcomeKind.UNDELIVERED, 0)


def test_still_thinking_comes_with_its_button(reads: ThreadPoolExecutor) -> None:
    table = Table(reads)
    deferral = replace(outcome("still thinking", OutcomeKind.DEFERRED), has_button=True, answers=("e1",))

    table.speaker.finish(table.commit(deferral), taken_over=False)

    [message] = table.line.replied["t1"]
    assert message.button is not None
    assert (message.text, message.button.label, message.button.data) == (
        "still thinking",
        "show_button",
        "late:e1",
    )


def test_who_has_lost_the_turn_says_nothing_more(reads: ThreadPoolExecutor) -> None:
    table = Table(reads)
    held = table.commit(outcome("hello"))
    table.clock.move(26)

    assert table.speaker.finish(held, taken_over=False) is None
    assert table.line.calls == 0
