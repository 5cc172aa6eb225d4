"""The times of the protocol that only hold together in this order.  What Terraform adds to them: tests/infra/test_times.py."""

from shared import clock
from shared.adapters.memory import FixedClock, MemoryObjectStore
from shared.agent import summaries
from shared.agent.loop import Limits
from shared.conversation import compaction, turn, withdrawal
from shared.conversation import history as reading
from shared.conversation.store import Memory
from shared.turns import deferral as late
from shared.turns import outbox as speaking
from shared.turns import reply as answering
from shared.turns import runner as turn_taking
from tests.support.inline import InlineExecutor

TOKEN_MS = 60_000  # Source: LINE, "Send reply message": within one minute after receiving the webhook
SKEW_MS = 5_000
LEASE_S = 25.0
DEADLINE_S = 120.0


def test_lease_then_model_then_still_thinking_then_token_then_deadline() -> None:
    assert LEASE_S < answering.MODEL_S < late.DEFER_AT_MS / 1_000 < TOKEN_MS / 1_000 < DEADLINE_S
    assert Limits().seconds == answering.MODEL_S


def test_a_holder_is_silent_before_anybody_takes_its_turn_and_renews_long_before_that() -> None:
    fence_s = LEASE_S * turn.FENCE

    assert LEASE_S / answering._RENEWALS_A_LEASE * 2 < fence_s < LEASE_S - SKEW_MS / 1_000  # noqa: SLF001 - what this test is about


def test_a_look_is_good_for_as_long_as_its_reader_may_write() -> None:
    memory = Memory.on(MemoryObjectStore(), reads=InlineExecutor(), clock=FixedClock(), lease_s=LEASE_S)

    assert memory.amendments.look_s == memory.turns.lease_s * turn.FENCE


def test_the_second_pass_of_an_unsend_comes_when_no_holder_is_left_who_had_not_looked() -> None:
    assert withdrawal._SECOND_PASS * LEASE_S >= LEASE_S + SKEW_MS / 1_000  # noqa: SLF001


def test_still_thinking_is_said_while_the_token_is_surely_alive_and_judged_with_the_clocks_apart() -> None:
    assert late.DEFER_AT_MS < speaking.TOKEN_SURELY_ALIVE_MS <= TOKEN_MS - SKEW_MS
    assert speaking.TOKEN_SURELY_DEAD_MS >= TOKEN_MS + SKEW_MS == TOKEN_MS + clock.SKEW_MS


def test_who_opens_a_turn_last_still_has_time_to_think_and_to_speak() -> None:
    assert turn_taking.PATIENCE_S + answering.MODEL_S + speaking._SECONDS < DEADLINE_S  # noqa: SLF001
    assert turn_taking.PATIENCE_S > LEASE_S  # who waits sees the lease of a dead holder end


def test_nobody_asks_for_a_recap_while_somebody_may_be_at_it() -> None:
    assert compaction._AT_IT_MS >= summaries._SECONDS * 1_000 + SKEW_MS  # noqa: SLF001


def test_a_message_is_answerable_for_as_long_as_line_refreshes_its_token() -> None:
    assert reading.ANSWERABLE_MS == 20 * 60_000
    assert clock.SKEW_MS == SKEW_MS  # of whoever compacts, speaks or clears calls
