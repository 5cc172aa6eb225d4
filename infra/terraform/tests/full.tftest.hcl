# A plan with every setting; tests/infra keeps the plan as a fixture and compares it with the code.

mock_provider "google" {
  mock_data "google_project" {
    defaults = { number = "123456789012" }
  }
}

mock_provider "time" {}

variables {
  project_id      = "aizuchi-test"
  grants_settle_s = 0
  secrets = {
    line_channel_secret       = "hush-secret,hush-older-secret"
    line_channel_access_token = "hush-token"
    gemini_api_key            = "hush-key"
    hook_key                  = "hush-hook-key-of-thirty-two-letters"
    mcp_headers               = "{\"weather\": {\"Authorization\": \"hush-weather\"}}"
    notion_token              = "hush-notion"
  }
  alerts = {
    handbook_url = "https://git.example.com/aizuchi/docs/operations.md"
    page         = { channels = ["projects/aizuchi-test/notificationChannels/1"] }
    ticket       = { emails = ["team@example.com"], channels = ["projects/aizuchi-test/notificationChannels/2"] }
  }
  bot = {
    archive_days            = 200
    calendar                = true
    confidence_threshold    = 0.7
    embeddings              = true
    group_policy            = "model"
    handover_minutes        = 30
    hooks                   = true
    late_reply              = "push"
    lease_s                 = 20
    locale                  = "en"
    name                    = "Aizuchi"
    operator_user_id        = "U0123456789abcdef0123456789abcdef"
    persona                 = "You are a patient librarian."
    reminder_pushes_per_day = 5
    reminders               = "reply"
    time_zone               = "Europe/Berlin"
    toolsets                = ["knowledge", "notion", "web"]
    tracing                 = true
  }
  budget            = { amount = 100, billing_account = "012345-6789AB-CDEF01" }
  forward           = { owns = ["postback:shop=", "word:予約"], url = "https://shop.example.com/line" }
  line_api_base_url = "https://line.example.com"
  notion = {
    base_url      = "https://notion.example.com"
    conversations = ["U4af4980629b1e5a3b9d0f2c7a8e61d35"]
    databases     = { tasks = "0123456789abcdef0123456789abcdef" }
  }
  retention = { entries_days = 730 }
  tool_servers = [{
    chats       = ["U4af4980629b1e5a3b9d0f2c7a8e61d35"]
    has_headers = true
    name        = "weather"
    tools       = { get-forecast = "reads" }
    url         = "https://weather.example.com/mcp"
  }]
  webhook = { min_instances = 1 }
}

run "full" {
  command = plan

  variables {
    gemini = { base_url = "https://gemini.example.com", fallback_model = "gemini-3.5-flash" }
  }

  assert {
    condition     = length(google_billing_budget.this) == 1 && length(google_monitoring_notification_channel.email) == 1
    error_message = "Budget and e-mail are optional, and asked for here."
  }
  assert {
    condition     = google_project_iam_member.agent_worker_writes_traces[0].role == "roles/telemetry.tracesWriter" && contains(keys(google_project_service.this), "telemetry.googleapis.com")
    error_message = "With tracing the worker's account may write spans."
  }
  assert {
    condition     = local.environment["agent_worker"].NOTION_CONVERSATIONS == "U4af4980629b1e5a3b9d0f2c7a8e61d35"
    error_message = "Only the named chats may use Notion."
  }
}

run "on_vertex" {
  command = plan

  variables {
    gemini = { on_vertex = true, location = "global" }
  }

  assert {
    condition     = google_project_iam_custom_role.asks_models[0].permissions == toset(["aiplatform.endpoints.predict"]) && !contains(keys(google_secret_manager_secret.this), "gemini_api_key")
    error_message = "On Vertex AI the worker's account asks, and there is no key."
  }
  assert {
    condition     = contains(keys(google_project_service.this), "aiplatform.googleapis.com")
    error_message = "Vertex AI's API is enabled."
  }
}

run "essential" {
  command = plan

  variables {
    alerts = { level = "essential", ticket = { emails = ["team@example.com"] } }
    gemini = { base_url = "https://gemini.example.com", fallback_model = "gemini-3.5-flash" }
  }

  assert {
    condition     = length(google_monitoring_alert_policy.this) == 5
    error_message = "Each condition is charged; the essential ones are five."
  }
  assert {
    condition     = alltrue([for one in google_monitoring_alert_policy.this : length(one.conditions) == 1 && length(one.notification_channels) == 1])
    error_message = "A policy has one condition, and somebody is told."
  }
}

run "small" {
  command = plan

  variables {
    alerts  = {}
    profile = "small"
    webhook = {}
  }

  assert {
    condition     = length(google_monitoring_alert_policy.this) == 0 && length(google_logging_metric.this) > 0
    error_message = "The small profile has no alerts, but the dashboard still counts."
  }
  assert {
    condition     = local.environment["agent_worker"].HEARTBEAT_MINUTES == "10" && alltrue([for scaling in [var.agent_worker, var.unsend, var.webhook] : scaling.min_instances == 0])
    error_message = "The small profile reads secrets less often, and no instance waits."
  }
  assert {
    condition     = keys(google_cloud_scheduler_job.tick) == ["0"]
    error_message = "The small profile has one tick a minute."
  }
}

run "options" {
  command = plan

  variables {
    audit           = { history_access = true, exempted_members = ["serviceAccount:other@aizuchi-test.iam.gserviceaccount.com"] }
    forward         = null
    gemini          = { base_url = "https://gemini.example.com", fallback_model = "gemini-3.5-flash" }
    kms_key         = "projects/aizuchi-test/locations/asia-northeast1/keyRings/ring/cryptoKeys/words"
    load_balancer   = { domain = "bot.example.com" }
    secret_versions = { line_channel_secret = 7, notion_token = 0 }
    vpc             = { network = "inner", subnetwork = "inner-tokyo" }
    webhook         = { public = false }
  }

  assert {
    condition     = output.webhook_url == "https://bot.example.com/"
    error_message = "LINE calls the load balancer."
  }
}
