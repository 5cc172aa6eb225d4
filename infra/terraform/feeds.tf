# The feeds function, only with bot.calendar: it serves the calendars of chats to programs that have an address. It reads one prefix and writes nothing.

module "feeds" {
  source = "./modules/function"
  count  = var.bot.calendar ? 1 : 0

  build           = local.build["feeds"]
  environment     = local.environment["feeds"]
  function        = "feeds"
  grants_settle_s = var.grants_settle_s
  invokers        = var.feeds.public ? { anybody = "allUsers" } : {} # calendar programs have no Google identity; the address is the key
  ingress         = "ALLOW_ALL"
  labels          = var.labels
  name            = var.name
  project_id      = var.project_id
  region          = var.region
  scaling         = { for name, value in var.feeds : name => value if name != "public" }
  secrets         = local.secret_environment["feeds"]

  depends_on = [google_secret_manager_secret_version.this, time_sleep.apis_usable, time_sleep.grants_settled]
}

# A listing names the bucket and no object, so the condition refuses it: an object is read only by a name that the caller knows.
# Source: Cloud Storage, "IAM Conditions" (resource.name of objects), "IAM permissions for JSON methods" (objects.list is checked on the bucket).
resource "google_storage_bucket_iam_member" "feeds_reads_feeds" {
  count = var.bot.calendar ? 1 : 0

  bucket = google_storage_bucket.history.name
  role   = "roles/storage.objectViewer"
  member = module.feeds[0].member

  condition {
    title      = "feeds only"
    expression = "resource.name.startsWith(\"projects/_/buckets/${google_storage_bucket.history.name}/objects/feeds/\")"
  }
}

# The address of a feed is its key, and Cloud Run writes the address of every request into its log. Everybody who may read logs could read calendars.
# Source: Cloud Logging, "projects.exclusions" (entries that the _Default sink leaves out); Cloud Run, "Request logs".
resource "google_logging_project_exclusion" "feeds" {
  count = var.bot.calendar ? 1 : 0

  project     = var.project_id
  name        = "${local.feeds_service}-requests"
  description = "The addresses of calendars, which open them"
  filter      = "resource.type=\"cloud_run_revision\" AND resource.labels.service_name=\"${local.feeds_service}\" AND log_id(\"run.googleapis.com/requests\")"

  depends_on = [time_sleep.apis_usable]
}

locals {
  feeds_service = "${var.name}-feeds"

  # As it is known before the service exists, like the audience of the push tokens.
  feeds_url = "https://${local.feeds_service}-${data.google_project.this.number}.${var.region}.run.app"
}
