# The package of each function: its folder at the root, shared/ and schemas/ beside it. Tests and tools are left out.
# requirements.txt holds everything that is installed, each with its hashes, so that a commit always builds the same image.

locals {
  root          = "${path.module}/../.."
  function_dirs = toset(["agent_worker", "unsend", "webhook"])
  left_out      = "(^|/)\\.|\\.pyc$|(^|/)requirements\\.in$" # hidden and compiled files, and what requirements.txt is made from
  common_files  = [for path in fileset(local.root, "{schemas,shared}/**") : path if !can(regex(local.left_out, path))]

  packages = {
    for function in local.function_dirs : function => merge(
      { for path in local.common_files : path => file("${local.root}/${path}") },
      {
        for path in fileset("${local.root}/functions/${function}", "**") :
        path => file("${local.root}/functions/${function}/${path}") if !can(regex(local.left_out, path))
      },
    )
  }
}

data "archive_file" "package" {
  for_each = local.packages

  type             = "zip"
  output_path      = "${path.root}/.packages/${var.name}/${each.key}.zip" # by name: a configuration may hold several deployments
  output_file_mode = "0644"

  dynamic "source" {
    for_each = each.value

    content {
      filename = source.key
      content  = source.value
    }
  }
}

resource "google_storage_bucket" "sources" {
  project  = var.project_id
  name     = "${var.project_id}-${var.name}-sources"
  location = var.region
  labels   = var.labels

  force_destroy               = true # Terraform can create every object of it again
  public_access_prevention    = "enforced"
  uniform_bucket_level_access = true

  soft_delete_policy {
    retention_duration_seconds = 0
  }

  depends_on = [time_sleep.apis_usable]
}

resource "google_storage_bucket_object" "package" {
  for_each = data.archive_file.package

  bucket = google_storage_bucket.sources.name
  name   = "${each.key}/${each.value.output_sha256}.zip" # changed code is a new object, which causes a deployment
  source = each.value.output_path

  lifecycle {
    create_before_destroy = true
  }
}
