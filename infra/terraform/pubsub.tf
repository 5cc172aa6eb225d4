# The bus: one topic, a push subscription for each worker, and the dead letters of events that no worker could handle.

locals {
  workers = {
    agent_worker = { filter = "attributes.type != \"unsend\"", url = module.agent_worker.url }
    unsend       = { filter = "attributes.type = \"unsend\"", url = module.unsend.url }
  }
  dead_letter_filters = {
    dead-letters         = "attributes.type != \"unsend\""
    dead-letters-unsends = "attributes.type = \"unsend\"" # withdrawn words are still stored, so these have an alert of their own
  }
}

resource "google_pubsub_topic" "events" {
  project      = var.project_id
  kms_key_name = var.kms_key
  name         = "${var.name}-events"
  labels       = var.labels

  message_storage_policy {
    allowed_persistence_regions = [var.region]
  }

  depends_on = [google_kms_crypto_key_iam_member.uses, time_sleep.apis_usable]
}

resource "google_pubsub_topic" "dead_letters" {
  project      = var.project_id
  kms_key_name = var.kms_key
  name         = "${var.name}-dead-letters"
  labels       = var.labels

  message_storage_policy {
    allowed_persistence_regions = [var.region]
  }

  depends_on = [google_kms_crypto_key_iam_member.uses, time_sleep.apis_usable]
}

resource "google_service_account" "push" {
  project      = var.project_id
  account_id   = "${var.name}-push"
  display_name = "Pushes events of ${var.name} to its workers"

  depends_on = [time_sleep.apis_usable]
}

# Pub/Sub's service agent signs the pushes' tokens as this account. In projects from before April 2021 it has no right to.
# Source: Pub/Sub, "Authentication for push subscriptions" (roles/iam.serviceAccountTokenCreator; this account suffices, not the project).
resource "google_service_account_iam_member" "agent_signs_push_tokens" {
  service_account_id = google_service_account.push.name
  role               = "roles/iam.serviceAccountTokenCreator"
  member             = local.pubsub_agent
}

resource "google_pubsub_subscription" "worker" {
  for_each = local.workers

  project = var.project_id
  name    = "${var.name}-${replace(each.key, "_", "-")}"
  topic   = google_pubsub_topic.events.id
  labels  = var.labels
  filter  = each.value.filter

  ack_deadline_seconds       = var.delivery.ack_deadline_s # for a push this is the limit of the request's duration
  message_retention_duration = "${var.delivery.retention_days * 86400}s"
  retain_acked_messages      = false

  push_config {
    push_endpoint = each.value.url

    oidc_token {
      service_account_email = local.push_account
      audience              = local.push_audience[each.key]
    }
  }

  # A non-2xx means broken infrastructure, which recovers within seconds or stays broken for longer.
  retry_policy {
    minimum_backoff = "${var.delivery.minimum_backoff_s}s"
    maximum_backoff = "${var.delivery.maximum_backoff_s}s"
  }

  dead_letter_policy {
    dead_letter_topic     = google_pubsub_topic.dead_letters.id
    max_delivery_attempts = var.delivery.max_attempts
  }

  expiration_policy {
    ttl = "" # never expires: a bot may get no message for a month
  }
}

resource "google_pubsub_subscription" "dead_letters" {
  for_each = local.dead_letter_filters

  project = var.project_id
  name    = "${var.name}-${each.key}"
  topic   = google_pubsub_topic.dead_letters.id
  labels  = var.labels
  filter  = each.value

  ack_deadline_seconds       = 300       # long enough for an operator to look through them
  message_retention_duration = "604800s" # dead letters hold people's words, so they are kept for seven days at most
  retain_acked_messages      = false

  expiration_policy {
    ttl = ""
  }
}

# Pub/Sub's service agent moves the dead letters; without these two grants it does not, and reports no error.
resource "google_pubsub_topic_iam_member" "agent_publishes_dead_letters" {
  project = var.project_id
  topic   = google_pubsub_topic.dead_letters.name
  role    = "roles/pubsub.publisher"
  member  = local.pubsub_agent
}

resource "google_pubsub_subscription_iam_member" "agent_takes_dead_letters" {
  for_each = google_pubsub_subscription.worker

  project      = var.project_id
  subscription = each.value.name
  role         = "roles/pubsub.subscriber"
  member       = local.pubsub_agent

  lifecycle {
    replace_triggered_by = [google_pubsub_subscription.worker[each.key].id]
  }
}
