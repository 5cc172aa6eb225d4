# The least that a deployment needs. Copy the folder, or take the module from the repository:
#   source = "git::https://YOUR-GIT-SERVER/aizuchi.git//infra/terraform?ref=v1.0.0"

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
    time = {
      source  = "hashicorp/time"
      version = "~> 0.12"
    }
  }
}

variable "project_id" {
  description = "Id of the project that everything is made in."
  type        = string
}

variable "secrets" {
  description = "line_channel_secret, line_channel_access_token and gemini_api_key."
  type        = map(string)
  ephemeral   = true
}

provider "google" {
  project = var.project_id
}

provider "time" {}

module "aizuchi" {
  source = "../.."

  project_id = var.project_id
  secrets    = var.secrets

  alerts = {
    page = { emails = ["oncall@example.com"] }
  }
}

output "next_steps" {
  description = "What is left to do, by hand."
  value       = module.aizuchi.next_steps
}

output "operations_environment" {
  description = "What the operators' commands need: eval \"$(terraform output -raw operations_environment)\"."
  value       = module.aizuchi.operations_environment
}
