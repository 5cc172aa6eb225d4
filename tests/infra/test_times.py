"""Times that depend on each other, in the code, in Terraform and in the local stack."""

import base64
import json
import re
from pathlib import Path

import pytest

from shared.agent.turn_requests import Limits
from shared.bus import endpoint
from shared.bus.envelope import decode_envelope
from shared.bus.messages import Tick
from shared.conversation import records
from shared.conversation.amendment_views import AmendmentTimes
from shared.handlers import tick
from shared.line import messaging, presence
from shared.settings.agent_worker import agent_worker_settings
from shared.settings.unsend import unsend_settings
from simulator.cloud_scheduler import tick_of
from simulator.stack import StackSettings
from tests.infra.offline import ROOT, Plan
from tests.infra.planned import FUNCTIONS, environment_of, function_of
from tests.support import push, schemas

WORKERS = ("agent_worker", "unsend")
TOKEN_S = 60.0  # Source: LINE, "Send reply message": within one minute after receiving the webhook
STORAGE_RETRY_S = 10.0  # of GcsObjectStore
LINE_TIMEOUT_S = 2.0  # Source: LINE, "Check webhook error statistics"


def subscription_of(plan: Plan, worker: str) -> Plan:
    subscription: Plan = plan[f'google_pubsub_subscription.worker["{worker}"]']
    return subscription


def seconds(duration: str) -> float:
    assert duration.endswith("s")
    return float(duration.removesuffix("s"))


def test_lease_model_limit_token_and_deadline_are_in_order(full: Plan) -> None:
    lease_s = agent_worker_settings(environment_of(full, "agent_worker")).lease_s
    model_s = Limits().seconds
    deadline_s = subscription_of(full, "agent_worker")["ack_deadline_seconds"]

    assert lease_s < model_s < TOKEN_S < deadline_s
    assert deadline_s == 120
    assert messaging.TOKEN_SURELY_ALIVE_MS < TOKEN_S * 1_000 < messaging.TOKEN_SURELY_DEAD_MS


def test_the_longest_turn_ends_before_request_timeout_and_redelivery(full: Plan) -> None:
    longest_s = endpoint.REQUEST_S + presence._LAST_CALL_S  # noqa: SLF001 - what this test is about

    for worker in WORKERS:
        assert longest_s <= function_of(full, worker)["timeout_seconds"]
        assert function_of(full, worker)["timeout_seconds"] < subscription_of(full, worker)["ack_deadline_seconds"]


def test_the_webhook_times_out_before_line_does(full: Plan) -> None:
    source = Path(ROOT / "functions" / "webhook" / "compose.py").read_text(encoding="utf-8")
    found = re.search(r"^PUBLISH_TIMEOUT_S: Final = ([\d.]+)", source, re.MULTILINE)

    assert found is not None
    assert float(found[1]) < LINE_TIMEOUT_S <= function_of(full, "webhook")["timeout_seconds"]


def test_functions_that_share_a_bucket_have_the_same_lease(full: Plan) -> None:
    leases = (
        unsend_settings(environment_of(full, "unsend")).lease_s,
        agent_worker_settings(environment_of(full, "agent_worker")).lease_s,
    )

    assert len(set(leases)) == 1


def test_calls_are_kept_for_longer_than_a_message_is_answerable(full: Plan) -> None:
    rules = full["google_storage_bucket.history"]["lifecycle_rule"]
    (calls_days,) = (
        rule["condition"][0]["age"] for rule in rules if "calls/" in rule["condition"][0]["matches_prefix"]
    )

    assert calls_days * 86_400_000 > records.ANSWERABLE_MS


def test_turns_are_kept_for_as_long_as_there_may_be_reminders(full: Plan) -> None:
    """A turn that began anew would number the cancellation of a reminder lower than its creation, so that it would be skipped."""
    days = {
        rule["condition"][0]["matches_prefix"][0]: rule["condition"][0]["age"]
        for rule in full["google_storage_bucket.history"]["lifecycle_rule"]
    }

    assert days["entries/"] == 730
    assert environment_of(full, "agent_worker")["REMINDERS"] != "off"
    assert days.keys().isdisjoint({"due/", "erased/", "reminders/", "turns/"})


def test_the_last_work_that_a_tick_begins_has_time_left(full: Plan) -> None:
    assert function_of(full, "agent_worker")["timeout_seconds"] >= tick.BEGINS_S + 2 * STORAGE_RETRY_S


def test_a_marker_is_due_for_minutes_before_an_operator_is_called(full: Plan) -> None:
    found = re.search(r"oldest_left_s>(\d+)", full['google_logging_metric.this["ticks_behind"]']["filter"])

    assert found is not None
    assert (
        int(found[1]) >= 4 * tick.BEGINS_S
    )  # a few lost ticks, or more markers than one tick can carry out, call nobody


@pytest.mark.parametrize("worker", WORKERS)
def test_a_failed_delivery_is_retried_often_and_soon(full: Plan, worker: str) -> None:
    subscription = subscription_of(full, worker)
    retry = subscription["retry_policy"][0]

    assert seconds(retry["minimum_backoff"]) == 1
    assert seconds(retry["maximum_backoff"]) == 10
    assert subscription["dead_letter_policy"][0]["max_delivery_attempts"] >= 10
    assert seconds(subscription["message_retention_duration"]) <= 7 * 86_400


def test_amendments_are_kept_for_longer_than_any_redelivery(full: Plan) -> None:
    waits = [seconds(subscription_of(full, worker)["message_retention_duration"]) for worker in WORKERS]
    letters = [
        made["message_retention_duration"] for address, made in full.items() if "subscription.dead_letters" in address
    ]
    rules = full["google_storage_bucket.history"]["lifecycle_rule"]
    amended_days = [
        rule["condition"][0]["age"] for rule in rules if rule["condition"][0]["matches_prefix"] == ["amended/"]
    ]

    # A delivery waits in a subscription, then as a dead letter, and once more after a replay.
    assert 2 * max(waits) + max(seconds(one) for one in letters) < min(amended_days) * 86_400
    assert len(amended_days) == 1


def test_the_words_of_an_edit_outlast_its_event(full: Plan) -> None:
    """An edit whose words are gone counts as a withdrawal; Cloud Storage deletes what is old enough within days, in any order."""
    rules = [one["condition"][0] for one in full["google_storage_bucket.history"]["lifecycle_rule"]]
    (amended,), (edited,) = (
        [one["age"] for one in rules if one["matches_prefix"] == [kind]] for kind in ("amended/", "edited/")
    )

    assert amended + 3 <= edited <= amended + 7


def test_the_fold_of_amendments_forgets_what_the_bucket_deletes(full: Plan) -> None:
    rules = [one["condition"][0] for one in full["google_storage_bucket.history"]["lifecycle_rule"]]
    (days,) = (one["age"] for one in rules if one["matches_prefix"] == ["amended/"])

    assert AmendmentTimes().retention_s == days * 86_400


@pytest.mark.parametrize("function", FUNCTIONS)
def test_an_instance_has_a_thread_for_each_concurrent_request(full: Plan, function: str) -> None:
    config = function_of(full, function)

    assert int(config["environment_variables"]["THREADS"]) == config["max_instance_request_concurrency"] >= 40
    assert float(config["available_cpu"]) >= 1  # less than one means one request at a time


@pytest.mark.parametrize("shard", range(4))
def test_the_local_stack_ticks_as_cloud_scheduler_does(shard: int, full: Plan) -> None:
    job = full[f'google_cloud_scheduler_job.tick["{shard}"]']
    (target,) = job["pubsub_target"]
    published = base64.b64decode(target["data"])

    tick = tick_of(shard, shards=4)
    assert job["schedule"] == "* * * * *"
    assert StackSettings(folder=ROOT, base_env={}).tick_s == 60
    assert (published, target["attributes"]) == (tick.data, tick.attributes)
    schemas.validator("events/tick").validate(json.loads(published))
    assert decode_envelope(push.wrapped(published, attributes=target["attributes"])).event() == Tick(shard, 4)


def test_the_local_stack_has_terraforms_deadline_and_filters(full: Plan) -> None:
    stack = (ROOT / "simulator" / "stack.py").read_text(encoding="utf-8")

    assert {subscription_of(full, worker)["ack_deadline_seconds"] for worker in WORKERS} == {
        StackSettings(folder=ROOT, base_env={}).ack_deadline_s
    }
    for worker in WORKERS:
        assert f"'{subscription_of(full, worker)['filter']}'" in stack
