# The agent worker. Only Pub/Sub may call it. It reads and writes the history bucket, and calls Gemini.

module "agent_worker" {
  source = "./modules/function"

  build           = local.build["agent_worker"]
  environment     = local.environment["agent_worker"]
  function        = "agent_worker"
  grants_settle_s = var.grants_settle_s
  invokers        = { push = google_service_account.push.member }
  ingress         = "ALLOW_INTERNAL_ONLY"
  labels          = var.labels
  name            = var.name
  project_id      = var.project_id
  region          = var.region
  scaling         = var.agent_worker
  secrets         = local.secret_environment["agent_worker"]
  vpc             = var.vpc

  # A new release reaches the feeds and unsend functions first, then the worker, then the webhook: a newer record is met by the release that knows it.
  depends_on = [google_secret_manager_secret_version.this, module.feeds, module.unsend, time_sleep.apis_usable, time_sleep.grants_settled]
}

# No condition on prefixes: the worker uses every kind of object, and IAM evaluates a listing against the bucket only.
resource "google_storage_bucket_iam_member" "agent_worker_uses_history" {
  bucket = google_storage_bucket.history.name
  role   = "roles/storage.objectUser"
  member = module.agent_worker.member
}

# Asking a model needs this one permission; roles/aiplatform.user could also read data sets and start jobs.
# Source: Vertex AI, "Access control" for generative AI ("Make prompt requests").
resource "google_project_iam_custom_role" "asks_models" {
  count = var.gemini.on_vertex ? 1 : 0

  project     = var.project_id
  role_id     = "${replace(var.name, "-", "_")}_asks_models"
  title       = "Asks models for ${var.name}"
  description = "Requests to the models of Vertex AI, and nothing else"
  permissions = ["aiplatform.endpoints.predict"]

  depends_on = [time_sleep.apis_usable]
}

resource "google_project_iam_member" "agent_worker_uses_vertex" {
  count = var.gemini.on_vertex ? 1 : 0

  project = var.project_id
  role    = "projects/${var.project_id}/roles/${google_project_iam_custom_role.asks_models[0].role_id}"
  member  = module.agent_worker.member

  # Another role is another grant; the worker has one of them at every moment.
  lifecycle {
    create_before_destroy = true
  }
}

# Source: IAM, "Telemetry API roles and permissions" (`telemetry.traces.write` is all that it holds).
resource "google_project_iam_member" "agent_worker_writes_traces" {
  count = var.bot.tracing ? 1 : 0

  project = var.project_id
  role    = "roles/telemetry.tracesWriter"
  member  = module.agent_worker.member
}
