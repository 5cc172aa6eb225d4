# What was said. Nothing that is deleted here may come back: no versions, no soft delete.

locals {
  # Days after its last writing that an object goes, by the kind at the top of its name. erased/ is never deleted: it keeps out what comes late.
  kept_days = {
    # An amendment is carried out everywhere at once; it stays for messages that come after it, and by then none can.
    "amended/"   = 30
    "calls/"     = var.retention.calls_days
    "entries/"   = var.retention.entries_days
    "journal/"   = var.retention.idle_conversation_days
    "media/"     = var.retention.media_days
    "snapshots/" = var.retention.idle_conversation_days
    # It numbers the writes to the chat's entries: without it the next ones would count as older than what is there, and be left out.
    "turns/" = var.retention.entries_days == 0 || var.retention.idle_conversation_days == 0 ? 0 : max(var.retention.idle_conversation_days, var.retention.entries_days + 1)
  }
}

resource "google_storage_bucket" "history" {
  name     = "${var.project_id}-${var.name}-history"
  location = var.region
  labels   = var.labels

  force_destroy               = false # people's words are not thrown away by a `terraform destroy`
  public_access_prevention    = "enforced"
  uniform_bucket_level_access = true

  soft_delete_policy {
    retention_duration_seconds = 0 # the default keeps withdrawn texts for seven days
  }

  versioning {
    enabled = false
  }

  dynamic "lifecycle_rule" {
    for_each = { for prefix, days in local.kept_days : prefix => days if days > 0 }

    content {
      action {
        type = "Delete"
      }

      condition {
        age            = lifecycle_rule.value
        matches_prefix = [lifecycle_rule.key]
      }
    }
  }

  depends_on = [google_project_service.this]
}
