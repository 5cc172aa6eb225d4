# Optional: the organisation's own key for the places that hold people's words: the history bucket and both topics.
# Source: Cloud Storage and Pub/Sub, "customer-managed encryption keys" (their service agents need the role).

data "google_storage_project_service_account" "this" {
  count = var.kms_key == null ? 0 : 1

  project = var.project_id

  depends_on = [time_sleep.apis_usable]
}

locals {
  kms_members = var.kms_key == null ? {} : {
    pubsub  = local.pubsub_agent
    storage = "serviceAccount:${data.google_storage_project_service_account.this[0].email_address}"
  }
}

resource "google_kms_crypto_key_iam_member" "uses" {
  for_each = local.kms_members

  crypto_key_id = var.kms_key
  role          = "roles/cloudkms.cryptoKeyEncrypterDecrypter"
  member        = each.value

  depends_on = [time_sleep.apis_usable]
}
