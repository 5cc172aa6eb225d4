# The only public function: LINE posts to it. It may publish to one topic and nothing else.

module "webhook" {
  source = "./modules/function"

  build           = local.build["webhook"]
  environment     = local.environment["webhook"]
  function        = "webhook"
  grants_settle_s = var.grants_settle_s
  invokers        = { anybody = "allUsers" } # LINE has no Google identity; the function checks LINE's signature instead
  is_public       = true
  labels          = var.labels
  name            = var.name
  project_id      = var.project_id
  region          = var.region
  scaling         = var.webhook
  secrets         = local.secret_environment["webhook"]

  depends_on = [google_secret_manager_secret_version.this, time_sleep.apis_usable, time_sleep.grants_settled]
}

resource "google_pubsub_topic_iam_member" "webhook_publishes" {
  project = var.project_id
  topic   = google_pubsub_topic.events.name
  role    = "roles/pubsub.publisher"
  member  = module.webhook.member
}
