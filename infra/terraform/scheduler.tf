# The ticks: once a minute a message of each shard that belongs to no chat, on which the agent worker carries out what has become due in the shard.

locals {
  tick_shards = var.tick_shards == null ? { full = 4, small = 1 }[var.profile] : var.tick_shards

  # LINE's events stand under `event` in a message's data; so nothing that is delivered to the webhook looks like this.
  ticks = { for shard in range(local.tick_shards) : tostring(shard) => { shard = shard, shards = local.tick_shards, type = "tick" } }
}

# A tick that is lost is not repeated: the next one does its work. So there is no retry_config.
resource "google_cloud_scheduler_job" "tick" {
  for_each = local.ticks

  project     = var.project_id
  name        = each.key == "0" ? "${var.name}-tick" : "${var.name}-tick-${each.key}"
  description = "Has the agent worker carry out what has become due"
  region      = var.region
  schedule    = "* * * * *"
  time_zone   = "Etc/UTC"

  pubsub_target {
    topic_name = google_pubsub_topic.events.id
    attributes = { type = each.value.type } # the worker's subscription takes every type but unsend
    data       = base64encode(jsonencode(each.value))
  }

  depends_on = [google_pubsub_topic_iam_member.scheduler_publishes_ticks]
}

moved {
  from = google_cloud_scheduler_job.tick
  to   = google_cloud_scheduler_job.tick["0"]
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
