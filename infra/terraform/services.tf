# The APIs, and the service agents that act on the project's behalf.

locals {
  services = toset(concat(
    [
      "artifactregistry.googleapis.com",
      "cloudbuild.googleapis.com",
      "cloudfunctions.googleapis.com",
      "cloudresourcemanager.googleapis.com",
      "cloudscheduler.googleapis.com",
      "iam.googleapis.com",
      "logging.googleapis.com",
      "monitoring.googleapis.com",
      "pubsub.googleapis.com",
      "run.googleapis.com",
      "secretmanager.googleapis.com",
      "storage.googleapis.com",
    ],
    var.bot.tracing ? ["cloudtrace.googleapis.com", "telemetry.googleapis.com"] : [],
    var.gemini.on_vertex ? ["aiplatform.googleapis.com"] : [],
    var.budget == null ? [] : ["billingbudgets.googleapis.com"],
    var.load_balancer == null ? [] : ["compute.googleapis.com"],
  ))
  pubsub_agent    = "serviceAccount:service-${data.google_project.this.number}@gcp-sa-pubsub.iam.gserviceaccount.com"
  scheduler_agent = "serviceAccount:service-${data.google_project.this.number}@gcp-sa-cloudscheduler.iam.gserviceaccount.com"
}

resource "google_project_service" "this" {
  for_each = local.services

  project            = var.project_id
  service            = each.key
  disable_on_destroy = false
}

# An API that was just enabled refuses calls for a while, and its service agent may not exist yet. Everything but the APIs waits here.
# Source: Service Usage, "Enabling and disabling services" (the change takes time to propagate).
resource "time_sleep" "apis_usable" {
  create_duration = "${var.apis_settle_s}s"
  triggers        = { apis = join(",", sort(keys(google_project_service.this))) }

  depends_on = [google_project_service.this]
}

# Without depends_on: its values are known before any resource is created, and stay known when an API is added (docs/deploy.md, step 1).
data "google_project" "this" {
  project_id = var.project_id
}
