# The package of each function: packages/ holds a folder for each, with links to its files, and to shared/ and schemas/ beside them. Tests and tools
# are left out. Read as a folder, because the state would keep the texts of every `source` block.
# requirements.txt holds everything that is installed, each with its hashes, so that a commit always builds the same image.
# Source: provider archive, data source `archive_file` (`excludes` are globs, since 2.5; links to folders are followed, since 2.4).

locals {
  function_dirs = toset(["agent_worker", "feeds", "unsend", "webhook"])
}

data "archive_file" "package" {
  for_each = local.function_dirs

  type             = "zip"
  source_dir       = "${path.module}/packages/${each.key}"
  excludes         = ["**/.?*", "**/*.pyc", "**/requirements.in"]         # hidden and compiled files, and what requirements.txt is made from
  output_path      = "${path.root}/.packages/${var.name}/${each.key}.zip" # by name: a configuration may hold several deployments
  output_file_mode = "0644"

  lifecycle {
    precondition {
      condition     = try(fileexists("${path.module}/packages/${each.key}/shared/VERSION"), false) # it fails behind a file that is no folder
      error_message = "This checkout has no symbolic links, so the packages would be without the code. Run `git config core.symlinks true` (on Windows first switch Developer Mode on), then `git checkout -- infra/terraform/packages`."
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
