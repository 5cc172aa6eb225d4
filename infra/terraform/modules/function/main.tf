# One function: its service account, the service, its invokers, and its access to secrets.

locals {
  service = replace("${var.name}-${var.function}", "_", "-")
}

resource "google_service_account" "this" {
  account_id   = local.service
  display_name = "Runs ${local.service}"
}

resource "google_secret_manager_secret_iam_member" "reads" {
  for_each = var.secrets

  project   = var.project_id
  secret_id = each.value.secret_id
  role      = "roles/secretmanager.secretAccessor"
  member    = google_service_account.this.member
}

resource "google_cloudfunctions2_function" "this" {
  name     = local.service
  location = var.region
  labels   = var.labels

  build_config {
    docker_repository = var.build.docker_repository
    entry_point       = var.function
    runtime           = var.build.runtime
    service_account   = var.build.service_account

    source {
      storage_source {
        bucket = var.build.source_bucket
        object = var.build.source_object
      }
    }
  }

  service_config {
    all_traffic_on_latest_revision   = true
    available_cpu                    = var.scaling.cpu
    available_memory                 = var.scaling.memory
    environment_variables            = merge(var.environment, { THREADS = tostring(var.scaling.concurrency) })
    ingress_settings                 = var.is_public ? "ALLOW_ALL" : "ALLOW_INTERNAL_ONLY"
    max_instance_count               = var.scaling.max_instances
    max_instance_request_concurrency = var.scaling.concurrency
    min_instance_count               = var.scaling.min_instances
    service_account_email            = google_service_account.this.email
    timeout_seconds                  = var.scaling.timeout_s

    dynamic "secret_environment_variables" {
      for_each = var.secrets

      content {
        key        = secret_environment_variables.key
        project_id = var.project_id
        secret     = secret_environment_variables.value.secret_id
        version    = secret_environment_variables.value.version
      }
    }
  }

  depends_on = [google_secret_manager_secret_iam_member.reads]
}

# Cloud Run requires this role, whatever created the service. A function that is created again has lost its grants.
resource "google_cloud_run_service_iam_member" "invokes" {
  for_each = var.invokers

  project  = var.project_id
  location = var.region
  service  = google_cloudfunctions2_function.this.name
  role     = "roles/run.invoker"
  member   = each.value

  lifecycle {
    replace_triggered_by = [google_cloudfunctions2_function.this.id]
  }
}
