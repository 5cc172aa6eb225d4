# Deliveries for another system that uses the same LINE channel: a topic and a push subscription of their own, no code. What it gets is
# out of reach of forgetting, so Pub/Sub keeps it no longer than it must.

resource "google_pubsub_topic" "forward" {
  count = var.forward == null ? 0 : 1

  project      = var.project_id
  kms_key_name = var.kms_key
  name         = "${var.name}-forward"
  labels       = var.labels

  message_storage_policy {
    allowed_persistence_regions = [var.region]
  }

  depends_on = [google_kms_crypto_key_iam_member.uses, time_sleep.apis_usable]
}

resource "google_pubsub_topic_iam_member" "webhook_forwards" {
  count = var.forward == null ? 0 : 1

  project = var.project_id
  topic   = google_pubsub_topic.forward[0].name
  role    = "roles/pubsub.publisher"
  member  = module.webhook.member
}

resource "google_pubsub_subscription" "forward" {
  count = var.forward == null ? 0 : 1

  project = var.project_id
  name    = "${var.name}-forward"
  topic   = google_pubsub_topic.forward[0].id
  labels  = var.labels

  ack_deadline_seconds       = 10
  message_retention_duration = "600s" # the least that Pub/Sub takes; a reply token lives for a minute
  retain_acked_messages      = false

  push_config {
    push_endpoint = var.forward.url

    # The body is LINE's, and the attribute x-line-signature becomes the header of that name.
    no_wrapper {
      write_metadata = true
    }
  }

  retry_policy {
    minimum_backoff = "1s"
    maximum_backoff = "60s"
  }

  expiration_policy {
    ttl = "" # never expires: a bot may get no message for a month
  }
}
