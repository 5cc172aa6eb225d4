# Optional: who besides the functions reads or writes the history. The project's Data Access audit log of Cloud Storage, without the two workers,
# which would write a line for each object of each turn.
# Source: Cloud Storage, "Cloud Audit Logs with Cloud Storage"; Cloud Audit Logs, "Configure Data Access audit logs" (exempted members).

resource "google_project_iam_audit_config" "storage" {
  count = var.audit.history_access ? 1 : 0

  project = var.project_id
  service = "storage.googleapis.com"

  dynamic "audit_log_config" {
    for_each = ["DATA_READ", "DATA_WRITE"]

    content {
      exempted_members = concat([module.agent_worker.member, module.unsend.member], var.audit.exempted_members)
      log_type         = audit_log_config.value
    }
  }

  depends_on = [time_sleep.apis_usable]
}
