# The function that forgets. Only Pub/Sub reaches it. It touches every kind of object, because a withdrawn message may have got anywhere.

module "unsend" {
  source = "./modules/function"

  build       = local.build["unsend"]
  environment = local.environment["unsend"]
  function    = "unsend"
  invokers    = { push = google_service_account.push.member }
  is_public   = false
  labels      = var.labels
  name        = var.name
  project_id  = var.project_id
  region      = var.region
  scaling     = var.unsend
  secrets     = local.secret_environment["unsend"]

  depends_on = [google_project_service.this, terraform_data.grants_settled]
}

resource "google_storage_bucket_iam_member" "unsend_uses_history" {
  bucket = google_storage_bucket.history.name
  role   = "roles/storage.objectUser"
  member = module.unsend.member
}
