# The ticks: once a minute a message that belongs to no chat, on which the agent worker carries out what has become due.

locals {
  # LINE's events stand under `event` in a message's data; so nothing that is delivered to the webhook looks like this.
  tick = { type = "tick" }
}

# A tick that is lost is not repeated: the next one does its work. So there is no retry_config.
resource "google_cloud_scheduler_job" "tick" {
  project     = var.project_id
  name        = "${var.name}-tick"
  description = "Has the agent worker carry out what has become due"
  region      = var.region
  schedule    = "* * * * *"
  time_zone   = "Etc/UTC"

  pubsub_target {
    topic_name = google_pubsub_topic.events.id
    attributes = { type = local.tick.type } # the worker's subscription takes every type but unsend
    data       = base64encode(jsonencode(local.tick))
  }

  depends_on = [google_pubsub_topic_iam_member.scheduler_publishes_ticks]
}

# Cloud Scheduler publishes as its service agent. The agent's own role in the project (roles/cloudscheduler.serviceAgent) includes
# pubsub.topics.publish; this grant holds also where an organisation takes such roles away.
# Source: IAM, "Cloud Scheduler roles and permissions"; Cloud Scheduler, "Use authentication with HTTP targets" (the agent's name).
resource "google_pubsub_topic_iam_member" "scheduler_publishes_ticks" {
  project = var.project_id
  topic   = google_pubsub_topic.events.name
  role    = "roles/pubsub.publisher"
  member  = local.scheduler_agent
}
