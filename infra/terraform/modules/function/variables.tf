variable "build" {
  description = "What the function is built from, and by whom."
  type = object({
    docker_repository = string
    runtime           = string
    service_account   = string
    source_bucket     = string
    source_object     = string
  })
  nullable = false
}

variable "environment" {
  description = "Settings, by the names of the environment's contract. THREADS, and a NAME_FILE for each secret, are added."
  type        = map(string)
  nullable    = false
}

variable "function" {
  description = "The function's folder, which is also its entry point, for example \"agent_worker\"."
  type        = string
  nullable    = false
}

variable "grants_settle_s" {
  description = "Seconds that the account's grants are given before the function is deployed."
  type        = number
  nullable    = false
}

variable "ingress" {
  description = "From where requests get through: ALLOW_ALL, ALLOW_INTERNAL_AND_GCLB (a load balancer), or ALLOW_INTERNAL_ONLY (the project's own Pub/Sub and the like)."
  type        = string
  nullable    = false
}

variable "invokers" {
  description = "Who may call it, by a name of ours: members such as \"allUsers\" or \"serviceAccount:...\"."
  type        = map(string)
  nullable    = false
}

variable "labels" {
  description = "Labels of everything that can carry some."
  type        = map(string)
  nullable    = false
}

variable "name" {
  description = "Prefix of names; the function is called NAME-FUNCTION with hyphens."
  type        = string
  nullable    = false
}

variable "project_id" {
  description = "Project id."
  type        = string
  nullable    = false
}

variable "region" {
  description = "Region."
  type        = string
  nullable    = false
}

variable "scaling" {
  description = "What an instance has and how many there are; units are in the names. CPU in vCPU, memory such as \"512Mi\"."
  type = object({
    concurrency   = number
    cpu           = string
    max_instances = number
    memory        = string
    min_instances = number
    timeout_s     = number
  })
  nullable = false
}

variable "secrets" {
  description = "Ids of secrets, by the name of the setting that they hold; the function gets the path of a file as NAME_FILE."
  type        = map(string)
  nullable    = false
}

variable "vpc" {
  description = "Direct VPC egress; null: none."
  type        = object({ all_traffic = bool, network = string, subnetwork = string })
  default     = null
}
