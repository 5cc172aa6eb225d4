# The only public function: LINE posts to it. It may publish to one topic and nothing else.

module "webhook" {
  source = "./modules/function"

  build           = local.build["webhook"]
  environment     = local.environment["webhook"]
  function        = "webhook"
  grants_settle_s = var.grants_settle_s
  invokers        = var.webhook.public ? { anybody = "allUsers" } : {} # LINE has no Google identity; the function checks LINE's signature
  ingress         = var.load_balancer == null ? "ALLOW_ALL" : "ALLOW_INTERNAL_AND_GCLB"
  labels          = var.labels
  name            = var.name
  project_id      = var.project_id
  region          = var.region
  scaling         = { for name, value in var.webhook : name => value if name != "public" }
  secrets         = local.secret_environment["webhook"]

  depends_on = [google_secret_manager_secret_version.this, module.agent_worker, time_sleep.apis_usable, time_sleep.grants_settled]
}

resource "google_pubsub_topic_iam_member" "webhook_publishes" {
  project = var.project_id
  topic   = google_pubsub_topic.events.name
  role    = "roles/pubsub.publisher"
  member  = module.webhook.member
}

module "load_balancer" {
  source = "./modules/load_balancer"
  count  = var.load_balancer == null ? 0 : 1

  domain            = var.load_balancer.domain
  has_hooks         = var.bot.hooks
  name              = var.name
  project_id        = var.project_id
  region            = var.region
  requests_a_minute = var.load_balancer.requests_a_minute
  service           = module.webhook.service

  depends_on = [time_sleep.apis_usable]
}

locals {
  webhook_url = var.load_balancer == null ? module.webhook.url : "https://${var.load_balancer.domain}/"
}
