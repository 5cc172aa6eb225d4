"""What a deployment may choose: its own key, a load balancer, a network, an audit log, a private webhook, secrets by counter."""

import pytest

from functions.webhook.notify import STATUS_PATH
from shared.bus.notices import NOTIFY_PATH
from tests.infra.offline import Plan
from tests.infra.planned import function_of

KEY = "projects/aizuchi-test/locations/asia-northeast1/keyRings/ring/cryptoKeys/words"
BALANCER = "module.load_balancer[0].google_compute_"


def test_an_own_key_encrypts_every_place_that_holds_words(options: Plan) -> None:
    assert options["google_storage_bucket.history"]["encryption"] == [{"default_kms_key_name": KEY}]
    assert options["google_pubsub_topic.events"]["kms_key_name"] == KEY
    assert options["google_pubsub_topic.dead_letters"]["kms_key_name"] == KEY


@pytest.mark.parametrize(("agent", "domain"), [("storage", "gs-project-accounts"), ("pubsub", "gcp-sa-pubsub")])
def test_the_agents_that_use_the_key_are_known_before_an_api_is_enabled(options: Plan, agent: str, domain: str) -> None:
    """A member that is known after apply only would replace the grant whenever a further API is switched on."""
    grant = options[f'google_kms_crypto_key_iam_member.uses["{agent}"]']

    assert grant == {
        "crypto_key_id": KEY,
        "member": f"serviceAccount:service-123456789012@{domain}.iam.gserviceaccount.com",
        "role": "roles/cloudkms.cryptoKeyEncrypterDecrypter",
    }


def test_without_a_key_nobody_is_granted_one(full: Plan) -> None:
    assert [address for address in full if "kms" in address] == []
    assert "encryption" not in full["google_storage_bucket.history"]


def test_cloud_armor_lets_signed_posts_and_notices_through_and_nothing_else(options: Plan) -> None:
    rules = {rule["priority"]: rule for rule in options[f"{BALANCER}security_policy.webhook"]["rule"]}

    assert set(rules) == {1_000, 1_100, 2_147_483_647}
    for priority in (1_000, 1_100):
        assert rules[priority]["action"] == "throttle"
        assert rules[priority]["rate_limit_options"] == [
            {
                "conform_action": "allow",
                "enforce_on_key": "IP",
                "exceed_action": "deny(429)",
                "rate_limit_threshold": [{"count": 6_000, "interval_sec": 60}],
            }
        ]
    assert rules[1_000]["match"] == [
        {"expr": [{"expression": "request.method == 'POST' && has(request.headers['x-line-signature'])"}]}
    ]
    assert rules[1_100]["match"] == [
        {
            "expr": [
                {
                    "expression": "request.path.startsWith('/hooks/')"
                    " && (has(request.headers['authorization']) || has(request.headers['x-hub-signature-256']))"
                }
            ]
        }
    ]
    assert all(path.startswith("/hooks/") for path in (NOTIFY_PATH, STATUS_PATH))
    assert rules[2_147_483_647]["action"] == "deny(403)"
    assert rules[2_147_483_647]["match"][0]["config"] == [{"src_ip_ranges": ["*"]}]


def test_the_load_balancer_serves_the_domain_by_https_from_the_webhook(options: Plan) -> None:
    assert options[f"{BALANCER}managed_ssl_certificate.webhook"]["managed"] == [{"domains": ["bot.example.com"]}]
    assert options[f"{BALANCER}global_forwarding_rule.webhook"]["port_range"] == "443"
    assert options[f"{BALANCER}region_network_endpoint_group.webhook"]["cloud_run"] == [{"service": "aizuchi-webhook"}]
    assert options[f"{BALANCER}backend_service.webhook"]["protocol"] == "HTTPS"
    schemes = {
        options[f"{BALANCER}{kind}.webhook"]["load_balancing_scheme"]
        for kind in ("backend_service", "global_forwarding_rule")
    }
    assert schemes == {"EXTERNAL_MANAGED"}


@pytest.mark.parametrize(("has_balancer", "ingress"), [(True, "ALLOW_INTERNAL_AND_GCLB"), (False, "ALLOW_ALL")])
def test_the_load_balancer_cannot_be_passed_by(full: Plan, options: Plan, *, has_balancer: bool, ingress: str) -> None:
    assert function_of(options if has_balancer else full, "webhook")["ingress_settings"] == ingress


def test_a_private_webhook_may_be_called_by_nobody_that_terraform_names(full: Plan, options: Plan) -> None:
    grants = "module.webhook.google_cloud_run_service_iam_member.invokes"

    assert full[f'{grants}["anybody"]']["member"] == "allUsers"
    assert [address for address in options if address.startswith(grants)] == []


def test_only_the_worker_goes_out_through_the_network(options: Plan) -> None:
    worker = function_of(options, "agent_worker")

    assert worker["direct_vpc_egress"] == "VPC_EGRESS_PRIVATE_RANGES_ONLY"
    assert worker["direct_vpc_network_interface"] == [{"network": "inner", "subnetwork": "inner-tokyo"}]
    for function in ("unsend", "webhook"):
        assert "direct_vpc_network_interface" not in function_of(options, function)


def test_the_audit_log_tells_of_everybody_but_the_workers_and_whom_the_operator_exempts(options: Plan) -> None:
    audit = options["google_project_iam_audit_config.storage[0]"]

    assert audit["service"] == "storage.googleapis.com"
    assert {log["log_type"] for log in audit["audit_log_config"]} == {"DATA_READ", "DATA_WRITE"}
    for log in audit["audit_log_config"]:
        named, *workers = log["exempted_members"]
        assert named == "serviceAccount:other@aizuchi-test.iam.gserviceaccount.com"
        assert workers == [None, None]  # both workers, whose names are known after apply


def test_a_secret_has_the_version_of_its_counter_and_none_at_zero(options: Plan) -> None:
    versions = {
        address.split('"')[1]: made["secret_data_wo_version"]
        for address, made in options.items()
        if address.startswith("google_secret_manager_secret_version.")
    }

    assert versions == {
        "gemini_api_key": "1",
        "hook_key": "1",
        "line_channel_access_token": "1",
        "line_channel_secret": "7",
        "mcp_headers": "1",
    }
    assert 'google_secret_manager_secret.this["notion_token"]' in options


def test_nothing_keeps_an_object_that_has_to_go(full: Plan) -> None:
    """A retention rule would make words that were withdrawn undeletable."""
    for bucket in ("history", "sources"):
        planned = full[f"google_storage_bucket.{bucket}"]
        assert planned.keys().isdisjoint(
            {"retention_policy", "default_event_based_hold", "autoclass", "enable_object_retention"}
        )
        assert planned["soft_delete_policy"] == [{"retention_duration_seconds": 0}]
    assert full["google_storage_bucket.history"]["versioning"] == [{"enabled": False}]
    assert {rule["action"][0]["type"] for rule in full["google_storage_bucket.history"]["lifecycle_rule"]} == {"Delete"}


def test_what_was_just_enabled_or_granted_is_waited_for(full: Plan, options: Plan) -> None:
    assert full["time_sleep.apis_usable"]["create_duration"] == "60s"
    assert "compute.googleapis.com" in options["time_sleep.apis_usable"]["triggers"]["apis"].split(",")
    for address in (
        "time_sleep.grants_settled",
        *(f"module.{one}.time_sleep.grants_settled" for one in ("unsend", "webhook")),
    ):
        assert address in full


def test_alerts_reach_somebody(full: Plan) -> None:
    for address, made in full.items():
        if address.startswith("google_monitoring_alert_policy."):
            assert made["notification_channels"], address


def test_dead_letters_are_not_delivered_by_force(full: Plan) -> None:
    """A push subscription of dead letters would replay them; an operator takes them."""
    for letters in ("dead-letters", "dead-letters-unsends"):
        planned = full[f'google_pubsub_subscription.dead_letters["{letters}"]']
        assert planned.keys().isdisjoint(
            {"push_config", "dead_letter_policy", "bigquery_config", "cloud_storage_config"}
        )
        assert planned["retain_acked_messages"] is False
