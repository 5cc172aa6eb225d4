# Terraform 1.11 brought write-only arguments, which keep secrets out of the state.

terraform {
  required_version = ">= 1.11"

  required_providers {
    archive = {
      source  = "hashicorp/archive"
      version = "~> 2.7"
    }
    google = {
      source  = "hashicorp/google"
      version = ">= 7.0, < 9.0"
    }
  }
}

provider "google" {
  project = var.project_id
  region  = var.region

  # The Budget API requires a quota project for calls with user credentials.
  billing_project       = var.budget == null ? null : var.project_id
  user_project_override = var.budget != null
}
