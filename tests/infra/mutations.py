"""Plausible mistakes in infra/terraform, each of which a test has to find.

A mutation changes one text of one file. `make tf-mutants` plays each: `terraform test`, then the tests that read a plan, but not the
comparison with the kept plan, which only says that something changed.
"""

from dataclasses import dataclass
from typing import Final

_BALANCER: Final = "modules/load_balancer/main.tf"
_FUNCTION: Final = "modules/function/main.tf"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutation:
    """A change of a file of infra/terraform; `breaks` says what goes wrong with it."""

    path: str
    before: str
    after: str
    breaks: str


# Of what a deployment may choose, no test knew anything when these were played for the first time.
_OF_OPTIONS: Final = {
    "balancer_can_be_passed_by": Mutation(
        path="webhook.tf",
        before='var.load_balancer == null ? "ALLOW_ALL" : "ALLOW_INTERNAL_AND_GCLB"',
        after='var.load_balancer == null ? "ALLOW_ALL" : "ALLOW_ALL"',
        breaks="whoever knows the function's own address passes by Cloud Armor",
    ),
    "balancer_has_no_armor": Mutation(
        path=_BALANCER,
        before="  security_policy       = google_compute_security_policy.webhook.id\n",
        after="",
        breaks="the policy exists, and nothing is checked against it",
    ),
    "armor_refuses_notices": Mutation(
        path="webhook.tf",
        before="has_hooks         = var.bot.hooks",
        after="has_hooks         = false",
        breaks="no notice of a hook reaches the webhook behind the load balancer",
    ),
    "armor_lets_everything_through": Mutation(
        path=_BALANCER,
        before='action      = "deny(403)"',
        after='action      = "allow"',
        breaks="requests without a signature reach an instance",
    ),
    "armor_asks_for_no_signature": Mutation(
        path=_BALANCER,
        before="request.method == 'POST' && has(request.headers['x-line-signature'])",
        after="request.method == 'POST'",
        breaks="requests without a signature reach an instance",
    ),
    "armor_has_no_rate": Mutation(
        path=_BALANCER,
        before='exceed_action  = "deny(429)"',
        after='exceed_action  = "deny(403)"',
        breaks="what is above the rate looks refused for good",
    ),
    "certificate_of_another_domain": Mutation(
        path=_BALANCER,
        before="domains = [var.domain]",
        after='domains = ["www.${var.domain}"]',
        breaks="LINE cannot verify the webhook's certificate",
    ),
    "line_is_told_the_functions_address": Mutation(
        path="webhook.tf",
        before='"https://${var.load_balancer.domain}/"',
        after="module.webhook.url",
        breaks="LINE calls an address that lets no request from outside through",
    ),
    "history_without_the_own_key": Mutation(
        path="history.tf",
        before="for_each = var.kms_key == null ? [] : [var.kms_key]",
        after="for_each = []",
        breaks="people's words are encrypted with Google's key, although an own one is asked for",
    ),
    "events_without_the_own_key": Mutation(
        path="pubsub.tf",
        before='  kms_key_name = var.kms_key\n  name         = "${var.name}-events"',
        after='  name         = "${var.name}-events"',
        breaks="events in flight are encrypted with Google's key",
    ),
    "dead_letters_without_the_own_key": Mutation(
        path="pubsub.tf",
        before='  kms_key_name = var.kms_key\n  name         = "${var.name}-dead-letters"',
        after='  name         = "${var.name}-dead-letters"',
        breaks="dead letters, which hold people's words, are encrypted with Google's key",
    ),
    "key_before_its_grant": Mutation(
        path="history.tf",
        before="depends_on = [google_kms_crypto_key_iam_member.uses, time_sleep.apis_usable]",
        after="depends_on = [time_sleep.apis_usable]",
        breaks="Cloud Storage refuses a bucket whose key it may not use yet",
    ),
    "worker_outside_of_the_network": Mutation(
        path="agent_worker.tf",
        before="  vpc             = var.vpc\n",
        after="",
        breaks="the worker's requests leave by Google's network, past the firewall that was asked for",
    ),
    "network_for_all_traffic": Mutation(
        path=_FUNCTION,
        before='var.vpc.all_traffic ? "VPC_EGRESS_ALL_TRAFFIC" : "VPC_EGRESS_PRIVATE_RANGES_ONLY"',
        after='"VPC_EGRESS_ALL_TRAFFIC"',
        breaks="without a NAT the worker reaches neither LINE nor Gemini",
    ),
    "audit_exempts_nobody_else": Mutation(
        path="audit.tf",
        before="concat([module.agent_worker.member, module.unsend.member], var.audit.exempted_members)",
        after="[module.agent_worker.member, module.unsend.member]",
        breaks="a second deployment's workers write a line for each object of each turn",
    ),
    "audit_without_reads": Mutation(
        path="audit.tf",
        before='["DATA_READ", "DATA_WRITE"]',
        after='["DATA_WRITE"]',
        breaks="who reads what people said is not noted",
    ),
    "private_webhook_is_public": Mutation(
        path="webhook.tf",
        before='var.webhook.public ? { anybody = "allUsers" } : {}',
        after='{ anybody = "allUsers" }',
        breaks="an organisation that forbids allUsers refuses the apply",
    ),
    "secrets_counter_is_ignored": Mutation(
        path="secrets.tf",
        before="secret_data_wo_version = tostring(each.value)",
        after='secret_data_wo_version = "1"',
        breaks="a rotated secret is never written",
    ),
    "secrets_at_zero_are_written": Mutation(
        path="secrets.tf",
        before="name => var.secret_versions[name] if var.secret_versions[name] > 0 }",
        after="name => var.secret_versions[name] }",
        breaks="a secret that the operator writes is overwritten",
    ),
    "apis_are_not_waited_for": Mutation(
        path="services.tf",
        before='create_duration = "${var.apis_settle_s}s"',
        after='create_duration = "0s"',
        breaks="the first apply of a project is refused by APIs that were just enabled",
    ),
    "builds_do_not_wait_for_grants": Mutation(
        path="build.tf",
        before='create_duration = "${var.grants_settle_s}s"',
        after='create_duration = "0s"',
        breaks="the first build of a project fails, because its account may not read the sources yet",
    ),
    "alerts_reach_nobody": Mutation(
        path="alerts.tf",
        before='notification_channels = local.channels[each.value.severity == "CRITICAL" ? "page" : "ticket"]',
        after="notification_channels = []",
        breaks="alerts are raised, and nobody is told",
    ),
    "dead_letters_are_replayed": Mutation(
        path="pubsub.tf",
        before="  ack_deadline_seconds       = 300       # long enough for an operator to look through them\n",
        after="  ack_deadline_seconds       = 300\n\n  push_config {\n    push_endpoint = module.agent_worker.url\n  }\n\n",
        breaks="what failed twenty times is pushed again, for ever",
    ),
}

# These were seen by the comparison with the kept plan alone, which whoever changes the configuration writes anew.
_OF_PLANS: Final = {
    "history_cannot_be_deleted": Mutation(
        path="history.tf",
        before="  versioning {\n    enabled = false\n  }\n",
        after="  versioning {\n    enabled = false\n  }\n\n  retention_policy {\n    retention_period = 86400\n  }\n",
        breaks="no withdrawn word can be deleted for a day",
    ),
    "history_rules_only_archive": Mutation(
        path="history.tf",
        before='type = "Delete"',
        after='type = "SetStorageClass"\n        storage_class = "ARCHIVE"',
        breaks="what is older than its days stays, at another price",
    ),
    "events_leave_the_region": Mutation(
        path="pubsub.tf",
        before=(
            'resource "google_pubsub_topic" "events" {\n'
            "  project      = var.project_id\n"
            "  kms_key_name = var.kms_key\n"
            '  name         = "${var.name}-events"\n'
            "  labels       = var.labels\n\n"
            "  message_storage_policy {\n"
            "    allowed_persistence_regions = [var.region]\n"
            "  }\n"
        ),
        after=(
            'resource "google_pubsub_topic" "events" {\n'
            "  project      = var.project_id\n"
            "  kms_key_name = var.kms_key\n"
            '  name         = "${var.name}-events"\n'
            "  labels       = var.labels\n"
        ),
        breaks="events are stored wherever they are published",
    ),
    "secrets_leave_the_region": Mutation(
        path="secrets.tf",
        before="    user_managed {\n      replicas {\n        location = var.region\n      }\n    }\n",
        after="    auto {}\n",
        breaks="secrets are stored wherever Google chooses",
    ),
    "traffic_stays_on_the_old_revision": Mutation(
        path=_FUNCTION,
        before="all_traffic_on_latest_revision = true",
        after="all_traffic_on_latest_revision = false",
        breaks="an apply deploys a release that gets no traffic",
    ),
    "fewer_threads_than_requests": Mutation(
        path=_FUNCTION,
        before="{ THREADS = tostring(var.scaling.concurrency) }",
        after='{ THREADS = "8" }',
        breaks="requests wait inside an instance while the platform thinks that it has room",
    ),
    "images_of_running_revisions_go": Mutation(
        path="build.tf",
        before='    id     = "keep-recent"\n    action = "KEEP"\n\n    most_recent_versions {\n      keep_count = 5\n    }',
        after='    id     = "keep-recent"\n    action = "KEEP"\n\n    condition {\n      newer_than = "86400s"\n    }',
        breaks="a month after the last release its image is deleted, and no instance starts",
    ),
    "destroying_switches_apis_off": Mutation(
        path="services.tf",
        before="disable_on_destroy = false",
        after="disable_on_destroy = true",
        breaks="a `terraform destroy` stops whatever else the project runs",
    ),
    "copies_of_every_bucket_can_be_read": Mutation(
        path="build.tf",
        before='startsWith(\\"projects/_/buckets/gcf-v2-sources-${data.google_project.this.number}-${var.region}\\")',
        after='startsWith(\\"projects/_/buckets/\\")',
        breaks="a build may read every chat",
    ),
    "unsend_has_no_instances": Mutation(
        path="unsend.tf",
        before="scaling         = var.unsend",
        after="scaling         = merge(var.unsend, { max_instances = 1, concurrency = 1 })",
        breaks="a storm of withdrawals waits for one request after another",
    ),
    "answers_may_start_slowly": Mutation(
        path=_FUNCTION,
        before="min_instance_count               = var.scaling.min_instances",
        after="min_instance_count               = 0",
        breaks="instances that were asked to wait do not",
    ),
    "function_without_its_account": Mutation(
        path=_FUNCTION,
        before="    service_account_email            = google_service_account.this.email\n",
        after="",
        breaks="the function runs as the project's default account, which may do nearly everything",
    ),
    "budget_tells_too_late": Mutation(
        path="budget.tf",
        before="for_each = [0.5, 0.9, 1.0]",
        after="for_each = [1.0]",
        breaks="the first notice comes when the month's money is spent",
    ),
    "dead_letters_for_a_day": Mutation(
        path="pubsub.tf",
        before='message_retention_duration = "604800s"',
        after='message_retention_duration = "86400s"',
        breaks="what fails on a Friday evening is gone on Monday",
    ),
    "sources_stay_deletable_for_a_week": Mutation(
        path="packages.tf",
        before="retention_duration_seconds = 0",
        after="retention_duration_seconds = 604800",
        breaks="each release is charged for a week after it was replaced",
    ),
}

# These were found by an assertion from the beginning.
_OF_ALL: Final = {
    "workers_are_public": Mutation(
        path="agent_worker.tf",
        before="invokers        = { push = google_service_account.push.member }",
        after='invokers        = { push = "allUsers" }',
        breaks="anybody can push an event to the worker",
    ),
    "history_is_destroyed": Mutation(
        path="history.tf",
        before="force_destroy               = false",
        after="force_destroy               = true",
        breaks="a `terraform destroy` deletes people's words",
    ),
    "withdrawn_words_stay_a_week": Mutation(
        path="history.tf",
        before="retention_duration_seconds = 0",
        after="retention_duration_seconds = 604800",
        breaks="withdrawn words can be recovered for a week",
    ),
    "subscriptions_expire": Mutation(
        path="pubsub.tf",
        before='ttl = "" # never expires: a bot may get no message for a month',
        after='ttl = "2678400s"',
        breaks="after a quiet month the worker gets no event",
    ),
    "unsends_go_to_the_worker": Mutation(
        path="pubsub.tf",
        before='filter = "attributes.type = \\"unsend\\"", url = module.unsend.url',
        after='filter = "attributes.type = \\"unsend\\"", url = module.agent_worker.url',
        breaks="nothing is withdrawn by the function that is there for it",
    ),
    "dead_letters_cannot_be_published": Mutation(
        path="pubsub.tf",
        before='topic   = google_pubsub_topic.dead_letters.name\n  role    = "roles/pubsub.publisher"',
        after='topic   = google_pubsub_topic.events.name\n  role    = "roles/pubsub.publisher"',
        breaks="an event that no worker can handle is retried until it expires",
    ),
    "ticks_are_hourly": Mutation(
        path="scheduler.tf",
        before='schedule    = "* * * * *"',
        after='schedule    = "0 * * * *"',
        breaks="reminders come up to an hour late",
    ),
    "secrets_are_in_plans": Mutation(
        path="variables.tf",
        before="  ephemeral = true\n",
        after="",
        breaks="whoever reads a saved plan reads the secrets",
    ),
    "code_does_not_change_its_object": Mutation(
        path="packages.tf",
        before='name   = "${each.key}/${each.value.output_sha256}.zip"',
        after='name   = "${each.key}/package.zip"',
        breaks="changed code is uploaded and not deployed",
    ),
}

MUTATIONS: Final = {**_OF_OPTIONS, **_OF_PLANS, **_OF_ALL}
