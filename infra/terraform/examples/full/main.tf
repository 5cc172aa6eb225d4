# Two deployments in one project, a bot and its rehearsal. The first uses every option.

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

variable "rehearsal_secrets" {
  description = "Secrets of the rehearsal's own channel."
  type        = map(string)
  ephemeral   = true
}

variable "secrets" {
  description = "Secrets of the bot's channel, with the integration token for Notion."
  type        = map(string)
  ephemeral   = true
}

# The Budget API asks for a quota project where a person's own credentials are used.
provider "google" {
  billing_project       = var.project_id
  project               = var.project_id
  user_project_override = true
}

provider "time" {}

module "bot" {
  source = "../.."

  name       = "aizuchi"
  project_id = var.project_id
  secrets    = var.secrets

  agent_worker = { min_instances = 1, max_instances = 40 }
  alerts = {
    handbook_url = "https://YOUR-GIT-SERVER/aizuchi/blob/main/docs/operations.md"
    page         = { channels = ["projects/YOUR-PROJECT/notificationChannels/1"] }
    ticket       = { emails = ["team@example.com"] }
  }
  audit         = { history_access = true, exempted_members = module.rehearsal.worker_members }
  bot           = { locale = "en", time_zone = "Europe/Berlin", toolsets = ["knowledge", "notion", "web"] }
  budget        = { amount = 200, billing_account = "012345-6789AB-CDEF01" }
  kms_key       = "projects/YOUR-PROJECT/locations/asia-northeast1/keyRings/aizuchi/cryptoKeys/words"
  load_balancer = { domain = "bot.example.com" }
  notion = {
    conversations = ["U4af4980629b1e5a3b9d0f2c7a8e61d35"]
    databases     = { tasks = "0123456789abcdef0123456789abcdef" }
  }
  vpc     = { network = "default", subnetwork = "default" }
  webhook = { min_instances = 1, public = false }
}

module "rehearsal" {
  source = "../.."

  name       = "rehearsal"
  project_id = var.project_id
  secrets    = var.rehearsal_secrets

  heartbeat_minutes = 0
  history_location  = "ASIA1" # a dual region
  labels            = { app = "aizuchi", stage = "rehearsal" }
}

output "load_balancer_address" {
  description = "Address for the domain's A record."
  value       = module.bot.load_balancer_address
}

output "next_steps" {
  description = "What is left to do, by hand, for each deployment."
  value       = { bot = module.bot.next_steps, rehearsal = module.rehearsal.next_steps }
}
