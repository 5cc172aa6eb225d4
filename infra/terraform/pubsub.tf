# The bus: one topic, a push subscription for each worker, and where events go that no worker could deal with.

locals {
  workers = {
    agent_worker = { filter = "attributes.type != \"unsend\"", url = module.agent_worker.url }
    unsend       = { filter = "attributes.type = \"unsend\"", url = module.unsend.url }
  }
  dead_letter_filters = {
    dead-letters         = "attributes.type != \"unsend\""
    dead-letters-unsends = "attributes.type = \"unsend\"" # somebody took words back and they are still there: an alert of its own
  }
}

resource "google_pubsub_topic" "events" {
  name   = "${var.name}-events"
  labels = var.labels

  message_storage_policy {
    allowed_persistence_regions = [var.region]
  }

  depends_on = [google_project_service.this]
}

resource "google_pubsub_topic" "dead_letters" {
  name   = "${var.name}-dead-letters"
  labels = var.labels

  message_storage_policy {
    allowed_persistence_regions = [var.region]
  }

  depends_on = [google_project_service.this]
}

resource "google_service_account" "push" {
  account_id   = "${var.name}-push"
  display_name = "Pushes events of ${var.name} to its workers"

  depends_on = [google_project_service.this]
}

resource "google_pubsub_subscription" "worker" {
  for_each = local.workers

  name   = "${var.name}-${replace(each.key, "_", "-")}"
  topic  = google_pubsub_topic.events.id
  labels = var.labels
  filter = each.value.filter

  ack_deadline_seconds       = var.delivery.ack_deadline_s # of a push it is the time that the request has
  message_retention_duration = "${var.delivery.retention_days * 86400}s"
  retain_acked_messages      = false

  push_config {
    push_endpoint = each.value.url

    oidc_token {
      service_account_email = google_service_account.push.email
      audience              = each.value.url
    }
  }

  # A non-2xx means broken infrastructure, which mends itself in seconds or not for a while.
  retry_policy {
    minimum_backoff = "${var.delivery.minimum_backoff_s}s"
    maximum_backoff = "${var.delivery.maximum_backoff_s}s"
  }

  dead_letter_policy {
    dead_letter_topic     = google_pubsub_topic.dead_letters.id
    max_delivery_attempts = var.delivery.max_attempts
  }

  expiration_policy {
    ttl = "" # never: a bot that nobody talks to for a month is still there
  }
}

resource "google_pubsub_subscription" "dead_letters" {
  for_each = local.dead_letter_filters

  name   = "${var.name}-${each.key}"
  topic  = google_pubsub_topic.dead_letters.id
  labels = var.labels
  filter = each.value

  ack_deadline_seconds       = 300       # while somebody looks through them
  message_retention_duration = "604800s" # words of people are kept here for seven days at most
  retain_acked_messages      = false

  expiration_policy {
    ttl = ""
  }
}

# Dead-lettering is done by Pub/Sub's own agent; without these two grants it silently does not happen.
resource "google_pubsub_topic_iam_member" "agent_publishes_dead_letters" {
  topic  = google_pubsub_topic.dead_letters.name
  role   = "roles/pubsub.publisher"
  member = local.pubsub_agent
}

resource "google_pubsub_subscription_iam_member" "agent_takes_dead_letters" {
  for_each = google_pubsub_subscription.worker

  subscription = each.value.name
  role         = "roles/pubsub.subscriber"
  member       = local.pubsub_agent

  lifecycle {
    replace_triggered_by = [google_pubsub_subscription.worker[each.key].id]
  }
}
