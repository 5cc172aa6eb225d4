"""The times of the protocol that only hold together in this order.  What Terraform adds to them: tests/infra/test_times.py."""

from shared import clock
from shared.adapters.line_client import TIMEOUT_S
from shared.adapters.memory import MemoryObjectStore
from shared.agent import summaries
from shared.agent.turn_requests import Limits
from shared.bus import endpoint
from shared.conversation import recap, records, turn, withdrawal
from shared.conversation.amendment_views import AmendmentTimes
from shared.handlers import tick
from shared.line import messaging, presence
from shared.settings.reader import LEAST_LEASE_S
from shared.turns import attempt, deferral, follow_ups, outbox, repetition, reply
from tests.support.chats import conversations_on
from tests.support.inline import InlineExecutor

TOKEN_MS = 60_000  # Source: LINE, "Send reply message": within one minute after receiving the webhook
SKEW_MS = 5_000
LEASE_S = 25.0
DEADLINE_S = 120.0


def test_lease_model_deferral_token_and_deadline_end_in_this_order() -> None:
    assert LEASE_S < attempt.MODEL_S < deferral.DEFER_AT_MS / 1_000 < TOKEN_MS / 1_000 < DEADLINE_S
    assert Limits().seconds == attempt.MODEL_S


def test_after_the_last_follow_up_a_slow_request_may_still_be_repeated() -> None:
    """The first request of a slow model ends unanswered, then comes a pause of 1 s, then the request that gets the answer."""
    slow_model_s = 18.0

    assert Limits().call_s + 1 + slow_model_s < follow_ups.LEAST_TO_ASK_ANEW_S < attempt.MODEL_S


def test_a_holder_renews_long_before_its_fence_and_stops_before_a_takeover() -> None:
    fence_s = LEASE_S * turn.FENCE

    assert LEASE_S / attempt._RENEWALS_A_LEASE * 2 < fence_s < LEASE_S - SKEW_MS / 1_000  # noqa: SLF001 - what this test is about


def test_a_warm_instance_has_listed_every_amendment_before_it_is_folded() -> None:
    """It looks within `seen_s` of its last listing, or it reads the fold; a write that took half of `reach_s` is repeated."""
    times = AmendmentTimes()

    assert times.reach_s / 2 > 10 * SKEW_MS / 1_000
    assert times.seen_s + times.reach_s / 2 + 10 * SKEW_MS / 1_000 < times.folded_after_s < times.retention_s


def test_the_shortest_lease_outlives_a_call_to_line_and_the_clocks_difference() -> None:
    fence_s = LEAST_LEASE_S * turn.FENCE

    assert fence_s >= sum(TIMEOUT_S)
    assert LEAST_LEASE_S - fence_s >= SKEW_MS / 1_000
    assert (LEAST_LEASE_S - 1) * (1 - turn.FENCE) < SKEW_MS / 1_000  # no shorter one does


def test_a_look_is_valid_for_as_long_as_its_holder_may_write() -> None:
    chat = conversations_on(MemoryObjectStore(), InlineExecutor(), lease_s=LEASE_S).of("U" + "1" * 32)

    assert chat.turn.lease_s == LEASE_S
    assert chat.amendments.look_s == chat.turn.lease_s * turn.FENCE


def test_a_withdrawals_second_pass_comes_after_every_lease_of_its_first() -> None:
    assert withdrawal._SECOND_PASS * LEASE_S >= LEASE_S + SKEW_MS / 1_000  # noqa: SLF001


def test_a_deferral_is_sent_while_its_token_is_surely_alive() -> None:
    assert deferral.DEFER_AT_MS < messaging.TOKEN_SURELY_ALIVE_MS <= TOKEN_MS - SKEW_MS
    assert messaging.TOKEN_SURELY_DEAD_MS >= TOKEN_MS + SKEW_MS == TOKEN_MS + clock.SKEW_MS


def test_a_call_to_line_that_is_repeated_ends_within_the_lease() -> None:
    longest_pause_s = messaging._LONGEST_PAUSE_S  # noqa: SLF001 - what this test is about

    assert sum(TIMEOUT_S) + longest_pause_s < repetition.RENEWED_BELOW_S < LEAST_LEASE_S * turn.FENCE


def test_a_request_ends_before_pub_sub_stops_waiting() -> None:
    last_call_s = presence._LAST_CALL_S  # noqa: SLF001 - what this test is about

    assert endpoint.REQUEST_S + last_call_s < DEADLINE_S
    assert last_call_s <= outbox.ENDING_S  # a loading animation is waited for before the answer is sent


def test_a_turn_that_is_taken_over_at_the_last_moment_ends_with_its_request() -> None:
    opens_s = endpoint.REQUEST_S - messaging.SENDING_S - outbox.ENDING_S

    assert opens_s + LEASE_S * turn.FENCE < DEADLINE_S


def test_a_message_that_a_tick_resumes_at_the_last_moment_ends_with_the_tick() -> None:
    assert tick.BEGINS_S + reply.RESUME_S <= endpoint.REQUEST_S
    assert reply.RESUME_S > attempt.MODEL_S + messaging.SENDING_S + outbox.ENDING_S


def test_an_announcement_sees_the_lease_of_a_dead_holder_end_once_its_token_is_dead() -> None:
    waits_s = endpoint.REQUEST_S - messaging.SENDING_S - outbox.ENDING_S

    assert waits_s >= messaging.TOKEN_SURELY_DEAD_MS / 1_000 + LEASE_S + SKEW_MS / 1_000


def test_who_waits_sees_another_turn_end_and_the_lease_of_a_dead_holder() -> None:
    waits_s = endpoint.REQUEST_S - attempt.MODEL_S - messaging.SENDING_S - outbox.ENDING_S

    assert waits_s > attempt.MODEL_S + messaging.SENDING_S
    assert waits_s > LEASE_S


def test_a_recap_is_not_tried_again_while_the_model_may_still_answer() -> None:
    assert recap._ATTEMPT_MS >= summaries._SECONDS * 1_000 + SKEW_MS  # noqa: SLF001


def test_a_message_is_answerable_for_as_long_as_line_refreshes_its_token() -> None:
    assert records.ANSWERABLE_MS == 20 * 60_000
    assert clock.SKEW_MS == SKEW_MS  # for compaction, outbox and calls alike
