# Secrets. Their values go to Secret Manager by write-only arguments: neither plans nor the state hold them.
# A new version is written when its counter in `secret_versions` changes; 0 means that you write versions yourself. The functions read the
# newest version within a minute, without a deployment.

locals {
  secret_names = toset(concat(
    ["line_channel_access_token", "line_channel_secret"],
    var.gemini.on_vertex ? [] : ["gemini_api_key"],
    var.notion == null ? [] : ["notion_token"],
    anytrue(var.tool_servers[*].has_headers) ? ["mcp_headers"] : [],
    var.bot.hooks ? ["hook_key"] : [],
  ))
  written_secrets = { for name in local.secret_names : name => var.secret_versions[name] if var.secret_versions[name] > 0 }

  secret_ids = { for name, secret in google_secret_manager_secret.this : name => secret.secret_id }
}

resource "google_secret_manager_secret" "this" {
  for_each = local.secret_names

  project   = var.project_id
  secret_id = "${var.name}-${replace(each.key, "_", "-")}"
  labels    = var.labels

  replication {
    user_managed {
      replicas {
        location = var.region
      }
    }
  }

  depends_on = [time_sleep.apis_usable]
}

resource "google_secret_manager_secret_version" "this" {
  for_each = local.written_secrets

  secret                 = google_secret_manager_secret.this[each.key].id
  secret_data_wo         = var.secrets[each.key]
  secret_data_wo_version = tostring(each.value)
  deletion_policy        = "ABANDON" # a counter that goes from 1 to 0 must not disable the version that the functions read

  # There is a newest version at every moment.
  lifecycle {
    create_before_destroy = true
  }
}
