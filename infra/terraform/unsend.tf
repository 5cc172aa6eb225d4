# The unsend function. Only Pub/Sub may call it. It writes every kind of object, because each may hold a withdrawn message's words.

module "unsend" {
  source = "./modules/function"

  build           = local.build["unsend"]
  environment     = local.environment["unsend"]
  function        = "unsend"
  grants_settle_s = var.grants_settle_s
  invokers        = { push = google_service_account.push.member }
  ingress         = "ALLOW_INTERNAL_ONLY"
  labels          = var.labels
  name            = var.name
  project_id      = var.project_id
  region          = var.region
  scaling         = var.unsend
  secrets         = local.secret_environment["unsend"]

  depends_on = [google_secret_manager_secret_version.this, time_sleep.apis_usable, time_sleep.grants_settled]
}

resource "google_storage_bucket_iam_member" "unsend_uses_history" {
  bucket = google_storage_bucket.history.name
  role   = "roles/storage.objectUser"
  member = module.unsend.member
}
