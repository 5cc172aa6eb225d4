# The history bucket. A deleted object must not be recoverable: no versions, no soft delete.

locals {
  # Days from an object's last write to its deletion, by the kind at the top of its name. erased/ stays for ever: it keeps late events out.
  # So does admitted/, which an operator ends with `make revoke`, and silences/: a chat that is paused stays paused.
  # members/ has no days: it is as old as the members are in the group, and goes when the bot leaves.
  # calendars/ and feeds/ have no days: a calendar stays until people end it, and a tick writes its feed anew each day.
  # due/ has no days: a marker stays until its work was done. Nor has reminders/: a tick removes those that have ended. Nor has hooks/: a hook
  # stays until people revoke it, and a tick removes its notices after seven days.
  kept_days = {
    # An amendment is applied everywhere at once. It is kept for messages that arrive after it; after these days none can arrive.
    "amended/" = 30
    # An edit without its words counts as withdrawn, so they outlast its event, whichever of the two Cloud Storage deletes first.
    "edited/" = 35
    # The worker hides what is older, and deletes it with the next segment that it writes; a withdrawal renews a segment's age. Without an
    # archive, what an earlier one has left goes.
    "archive/"  = max(1, var.bot.archive_days)
    "calls/"    = var.retention.calls_days
    "entries/"  = var.retention.entries_days
    "expenses/" = var.retention.entries_days
    "polls/"    = var.retention.entries_days
    # An invitation counts for at most a year.
    "invitations/" = 366
    "journal/"     = var.retention.idle_conversation_days
    "media/"       = var.retention.media_days
    "snapshots/"   = var.retention.idle_conversation_days
    # The turn numbers the writes to the chat's entries and reminders: without it the next writes would count as older than these, and be
    # skipped, and a reminder that people cancel would go on. So it stays for as long as there are entries, or may be reminders.
    "turns/" = var.bot.reminders != "off" || var.retention.entries_days == 0 || var.retention.idle_conversation_days == 0 ? 0 : max(var.retention.idle_conversation_days, var.retention.entries_days + 1)
    # What was spent counts on its own day; older sums are for looking things up.
    "usage/" = 62
  }
}

resource "google_storage_bucket" "history" {
  project  = var.project_id
  name     = local.history_bucket
  location = coalesce(var.history_location, var.region)
  labels   = var.labels

  force_destroy               = false # a `terraform destroy` must not delete people's words
  public_access_prevention    = "enforced"
  uniform_bucket_level_access = true

  soft_delete_policy {
    retention_duration_seconds = 0 # by default withdrawn words would be kept for seven days
  }

  versioning {
    enabled = false
  }

  dynamic "encryption" {
    for_each = var.kms_key == null ? [] : [var.kms_key]

    content {
      default_kms_key_name = encryption.value
    }
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

  depends_on = [google_kms_crypto_key_iam_member.uses, time_sleep.apis_usable]
}
