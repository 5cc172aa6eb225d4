# Optional: the organisation's own key for the places that hold people's words: the history bucket and both topics.
# Source: Cloud Storage and Pub/Sub, "customer-managed encryption keys" (their service agents need the role).

# Reading it creates Cloud Storage's agent. The grant names the agent by the project's number, which is known before any API is enabled: else the
# grant on the key would be replaced, and the bucket unreadable meanwhile, whenever a further API is switched on.
# Source: Cloud Storage, "Service agents" (the agent's name; it is created when it is first asked for).
data "google_storage_project_service_account" "this" {
  count = var.kms_key == null ? 0 : 1

  project = var.project_id

  depends_on = [time_sleep.apis_usable]
}

locals {
  kms_members = var.kms_key == null ? {} : {
    pubsub  = local.pubsub_agent
    storage = "serviceAccount:service-${data.google_project.this.number}@gs-project-accounts.iam.gserviceaccount.com"
  }
}

resource "google_kms_crypto_key_iam_member" "uses" {
  for_each = local.kms_members

  crypto_key_id = var.kms_key
  role          = "roles/cloudkms.cryptoKeyEncrypterDecrypter"
  member        = each.value

  depends_on = [data.google_storage_project_service_account.this, time_sleep.apis_usable]
}
