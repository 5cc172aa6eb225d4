# The account that builds the images, and their repository. The default accounts have far more rights than a build needs.
# Source: Cloud Functions, "Custom service account for Cloud Build" (roles) and "Build process overview" (gcf-v2-sources-*).

resource "google_service_account" "build" {
  project      = var.project_id
  account_id   = "${var.name}-build"
  display_name = "Builds the functions of ${var.name}"

  depends_on = [time_sleep.apis_usable]
}

resource "google_project_iam_member" "build_logs" {
  project = var.project_id
  role    = "roles/logging.logWriter"
  member  = google_service_account.build.member
}

resource "google_storage_bucket_iam_member" "build_reads_sources" {
  bucket = google_storage_bucket.sources.name
  role   = "roles/storage.objectViewer"
  member = google_service_account.build.member
}

# Cloud Functions copies sources into a bucket that it creates at the first deployment, so the grant has to cover the project.
resource "google_project_iam_member" "build_reads_copies" {
  project = var.project_id
  role    = "roles/storage.objectViewer"
  member  = google_service_account.build.member

  condition {
    title      = "copies of the functions' sources"
    expression = "resource.name.startsWith(\"projects/_/buckets/gcf-v2-sources-${data.google_project.this.number}-${var.region}\")"
  }
}

resource "google_artifact_registry_repository" "images" {
  project       = var.project_id
  repository_id = var.name
  format        = "DOCKER"
  location      = var.region
  labels        = var.labels
  description   = "Images of the functions of ${var.name}"

  cleanup_policies {
    id     = "keep-recent"
    action = "KEEP"

    most_recent_versions {
      keep_count = 5
    }
  }

  cleanup_policies {
    id     = "drop-old"
    action = "DELETE"

    condition {
      older_than = "2592000s"
    }
  }

  depends_on = [time_sleep.apis_usable]
}

resource "google_artifact_registry_repository_iam_member" "build_writes_images" {
  project    = var.project_id
  location   = var.region
  repository = google_artifact_registry_repository.images.name
  role       = "roles/artifactregistry.writer"
  member     = google_service_account.build.member
}

# A grant takes effect after about a minute; without this wait the first build of an empty project fails.
# Source: IAM, "Access change propagation" (typically 2 minutes, potentially 7 minutes or more).
resource "time_sleep" "grants_settled" {
  create_duration = "${var.grants_settle_s}s"
  triggers = {
    copies  = google_project_iam_member.build_reads_copies.id
    images  = google_artifact_registry_repository_iam_member.build_writes_images.id
    logs    = google_project_iam_member.build_logs.id
    sources = google_storage_bucket_iam_member.build_reads_sources.id
  }
}
