# One function: its service account, the service, its invokers, and its access to secrets.

locals {
  service = replace("${var.name}-${var.function}", "_", "-")

  # Each secret is a file that holds its newest version whenever it is read, so that a changed secret needs no deployment.
  # Source: Cloud Run, "Configure secrets for services" (a directory holds the files of one secret only).
  mounts = { for name, secret in var.secrets : name => "/secrets/${replace(lower(name), "_", "-")}" }
}

resource "google_service_account" "this" {
  project      = var.project_id
  account_id   = local.service
  display_name = "Runs ${local.service}"
}

resource "google_secret_manager_secret_iam_member" "reads" {
  for_each = var.secrets

  project   = var.project_id
  secret_id = each.value
  role      = "roles/secretmanager.secretAccessor"
  member    = google_service_account.this.member
}

# A deployment fails unless the account may already read the secrets. Source: Cloud Run, "Configure secrets for services".
resource "time_sleep" "grants_settled" {
  create_duration = "${var.grants_settle_s}s"
  triggers        = { for name, grant in google_secret_manager_secret_iam_member.reads : name => grant.id }
}

resource "google_cloudfunctions2_function" "this" {
  project  = var.project_id
  name     = local.service
  location = var.region
  labels   = var.labels

  build_config {
    docker_repository = var.build.docker_repository
    entry_point       = var.function
    runtime           = var.build.runtime
    service_account   = var.build.service_account

    # The build compiles the function, and its image gives every file the time of 1980. With this variable, bytecode is checked by the hash of its
    # source instead of its time, so that an instance need not compile it again: a fifth of a second of each cold start.
    # Source: GoogleCloudPlatform/buildpacks, cmd/python/functions_framework/lib/lib.go; Python, "py_compile" (SOURCE_DATE_EPOCH).
    environment_variables = { SOURCE_DATE_EPOCH = "315532800" }

    source {
      storage_source {
        bucket = var.build.source_bucket
        object = var.build.source_object
      }
    }
  }

  service_config {
    all_traffic_on_latest_revision = true
    available_cpu                  = var.scaling.cpu
    available_memory               = var.scaling.memory
    environment_variables = merge(
      var.environment,
      { for name, path in local.mounts : "${name}_FILE" => "${path}/value" },
      { THREADS = tostring(var.scaling.concurrency) },
    )
    ingress_settings                 = var.ingress
    max_instance_count               = var.scaling.max_instances
    max_instance_request_concurrency = var.scaling.concurrency
    min_instance_count               = var.scaling.min_instances
    service_account_email            = google_service_account.this.email
    timeout_seconds                  = var.scaling.timeout_s

    direct_vpc_egress = var.vpc == null ? null : var.vpc.all_traffic ? "VPC_EGRESS_ALL_TRAFFIC" : "VPC_EGRESS_PRIVATE_RANGES_ONLY"

    dynamic "direct_vpc_network_interface" {
      for_each = var.vpc == null ? [] : [var.vpc]

      content {
        network    = direct_vpc_network_interface.value.network
        subnetwork = direct_vpc_network_interface.value.subnetwork
      }
    }

    dynamic "secret_volumes" {
      for_each = var.secrets

      content {
        mount_path = local.mounts[secret_volumes.key]
        project_id = var.project_id
        secret     = secret_volumes.value

        versions {
          path    = "value"
          version = "latest"
        }
      }
    }
  }

  depends_on = [time_sleep.grants_settled]
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
