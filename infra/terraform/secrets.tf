# Secrets. Their values go to Secret Manager by write-only arguments: neither plans nor the state hold them.
# A new version is written when its counter in `secret_versions` changes; 0 means that you write versions yourself, and "latest" is read.

locals {
  secret_names = toset(concat(
    ["line_channel_access_token", "line_channel_secret"],
    var.gemini.on_vertex ? [] : ["gemini_api_key"],
    var.notion == null ? [] : ["notion_token"],
  ))
  written_secrets = { for name in local.secret_names : name => var.secret_versions[name] if var.secret_versions[name] > 0 }

  secret_references = {
    for name, secret in google_secret_manager_secret.this : name => {
      secret_id = secret.secret_id
      version   = try(google_secret_manager_secret_version.this[name].version, "latest")
    }
  }
}

resource "google_secret_manager_secret" "this" {
  for_each = local.secret_names

  secret_id = "${var.name}-${replace(each.key, "_", "-")}"
  labels    = var.labels

  replication {
    user_managed {
      replicas {
        location = var.region
      }
    }
  }

  depends_on = [google_project_service.this]
}

resource "google_secret_manager_secret_version" "this" {
  for_each = local.written_secrets

  secret                 = google_secret_manager_secret.this[each.key].id
  secret_data_wo         = var.secrets[each.key]
  secret_data_wo_version = tostring(each.value)
  deletion_policy        = "DISABLE" # a disabled version can be enabled again for a rollback

  # The functions read the new version before the old version is disabled.
  lifecycle {
    create_before_destroy = true
  }
}
