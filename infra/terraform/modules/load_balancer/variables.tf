variable "domain" {
  description = "The domain that LINE calls; its A record has to hold the output `address` before the certificate is issued."
  type        = string
  nullable    = false
}

variable "has_hooks" {
  description = "Whether other systems send notices to the webhook's paths below /hooks/."
  type        = bool
  nullable    = false
}

variable "name" {
  description = "Prefix of names."
  type        = string
  nullable    = false
}

variable "project_id" {
  description = "Project id."
  type        = string
  nullable    = false
}

variable "region" {
  description = "Region of the service."
  type        = string
  nullable    = false
}

variable "requests_a_minute" {
  description = "Requests that one address may make in a minute."
  type        = number
  nullable    = false
}

variable "service" {
  description = "Name of the Cloud Run service behind it."
  type        = string
  nullable    = false
}
