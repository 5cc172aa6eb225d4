output "accounts" {
  description = "As whom it runs and is built, and where its images go."
  value = {
    builds = google_cloudfunctions2_function.this.build_config[0].service_account
    images = google_cloudfunctions2_function.this.build_config[0].docker_repository
    runs   = google_cloudfunctions2_function.this.service_config[0].service_account_email
  }
}

output "email" {
  description = "The function's service account."
  value       = google_service_account.this.email
}

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

output "readable_secrets" {
  description = "The secrets that its account may read, by the name of the setting that they hold."
  value = {
    for name, one in google_secret_manager_secret_iam_member.reads :
    name => one.secret_id if one.member == google_service_account.this.member && one.role == "roles/secretmanager.secretAccessor"
  }
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
