output "ingress" {
  description = "From where requests get through."
  value       = google_cloudfunctions2_function.this.service_config[0].ingress_settings
}

output "invokers" {
  description = "Who may call it."
  value       = { for name, one in google_cloud_run_service_iam_member.invokes : name => one.member }
}

output "member" {
  description = "The function's service account, as an IAM member."
  value       = google_service_account.this.member
}

output "service" {
  description = "Name of the Cloud Run service under the function."
  value       = google_cloudfunctions2_function.this.name
}

output "url" {
  description = "Where the function answers, once its callers may call it."
  value       = google_cloudfunctions2_function.this.service_config[0].uri

  depends_on = [google_cloud_run_service_iam_member.invokes]
}
