output "dashboard_url" {
  description = "Address of the dashboard."
  value       = "https://console.cloud.google.com/monitoring/dashboards/builder/${basename(google_monitoring_dashboard.this.id)}?project=${var.project_id}"
}

output "environment" {
  description = "The environment that Terraform gives each function, without secrets."
  value       = local.environment
}

output "history_bucket" {
  description = "The bucket that holds what was said."
  value       = google_storage_bucket.history.name
}

output "load_balancer_address" {
  description = "Address for the A record of the load balancer's domain; null without one."
  value       = one(module.load_balancer[*].address)
}

output "next_steps" {
  description = "What is left to do, by hand: LINE's webhook and switches, and unless `access` is open, `make invite`, because no chat is let in yet."
  value       = <<-EOT
    ${var.webhook.public ? "0. Nothing is left to do on Google Cloud." : "0. gcloud run services update ${module.webhook.service} --region=${var.region} --no-invoker-iam-check"}
    1. eval "$(terraform output -raw operations_environment)"
       export LINE_CHANNEL_ACCESS_TOKEN=...   # the one that you put into the tfvars file
    2. make line-webhook                      # tells LINE the address, tests it, and looks at the switches that it can see
    3. In LINE's console: webhook redelivery ON (it is off by default, and without it an event can be lost),
       auto-reply and greeting messages OFF, chat ON, and "allow to join group chats" ON if it is to work in groups.
    4. make invite                            # unless access = "open": prints a line /start ..., which lets in the first chat that sends it
    5. Write to the bot.  docs/deploy.md has the rest.
  EOT
}

output "operations_environment" {
  description = "What the commands of docs/operations.md need, to be read by a shell."
  value = join("\n", [
    for name, value in {
      BOT_LOCALE                = var.bot.locale
      DEAD_LETTER_SUBSCRIPTIONS = join(",", [for one in google_pubsub_subscription.dead_letters : one.name])
      EVENTS_TOPIC              = google_pubsub_topic.events.name
      GOOGLE_CLOUD_PROJECT      = var.project_id
      HANDOVER_MINUTES          = tostring(var.bot.handover_minutes)
      HISTORY_BUCKET            = google_storage_bucket.history.name
      LEASE_S                   = tostring(var.bot.lease_s)
      WEBHOOK_URL               = local.webhook_url
    } : "export ${name}='${value}'"
  ])
}

output "webhook_url" {
  description = "Where LINE is to send its events."
  value       = local.webhook_url
}

output "worker_members" {
  description = "The accounts that use the history bucket, as IAM members."
  value       = [module.agent_worker.member, module.unsend.member]
}
