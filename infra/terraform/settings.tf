# The environment of each function, by the names that shared/settings reads. A test compares the two in both directions.
# A null value is left out, so that the code's default holds; an empty text is set, because TOOLSETS="" means no toolset.

locals {
  heartbeat_minutes = var.heartbeat_minutes == null ? { full = 5, small = 10 }[var.profile] : var.heartbeat_minutes

  common_environment = { GOOGLE_CLOUD_PROJECT = var.project_id }

  # The account of the push tokens, as Google writes its e-mail; the resource's own `email` would hide every function's environment from a plan.
  push_account = "${google_service_account.push.account_id}@${join(".", reverse(split(":", var.project_id)))}.iam.gserviceaccount.com"

  # The audience of the push tokens: the service's URL as it is known before the service exists, because a service cannot be told its own `uri`.
  # Cloud Run takes either. Source: Cloud Run, "Custom audiences" and "Deterministic URLs".
  push_audience = {
    for worker in ["agent_worker", "unsend"] :
    worker => "https://${var.name}-${replace(worker, "_", "-")}-${data.google_project.this.number}.${var.region}.run.app"
  }

  environment = {
    for function, settings in {
      agent_worker = merge(local.common_environment, {
        ACCESS                    = var.access
        ARCHIVE_DAYS              = tostring(var.bot.archive_days)
        BOT_LOCALE                = var.bot.locale
        BOT_NAME                  = var.bot.name
        BOT_PERSONA               = var.bot.persona
        BOT_TIME_ZONE             = var.bot.time_zone
        CALENDAR                  = var.bot.calendar ? "on" : null
        CONFIDENCE_THRESHOLD      = tostring(var.bot.confidence_threshold)
        CURRENCY                  = var.bot.currency
        EMBEDDINGS                = var.bot.embeddings ? "on" : "off"
        FEEDS_URL                 = var.bot.calendar ? local.feeds_url : null
        FORWARD_OWNS              = try(length(var.forward.owns), 0) == 0 ? null : join(",", var.forward.owns)
        GEMINI_BASE_URL           = var.gemini.base_url
        GEMINI_FALLBACK_MODEL     = var.gemini.fallback_model
        GEMINI_MODEL              = var.gemini.model
        GEMINI_THINKING_LEVEL     = var.gemini.thinking_level
        GOOGLE_CLOUD_LOCATION     = var.gemini.on_vertex ? var.gemini.location : null
        GOOGLE_GENAI_USE_VERTEXAI = var.gemini.on_vertex ? "true" : null
        GROUP_POLICY              = var.bot.group_policy
        HANDOVER_MINUTES          = tostring(var.bot.handover_minutes)
        HEARTBEAT_MINUTES         = tostring(local.heartbeat_minutes)
        HISTORY_BUCKET            = google_storage_bucket.history.name
        HOOKS                     = var.bot.hooks ? "on" : null
        LATE_REPLY                = var.bot.late_reply
        LEASE_S                   = tostring(var.bot.lease_s)
        LIMIT_TOKENS_PER_CHAT_DAY = tostring(var.limits.tokens_per_chat_day)
        LIMIT_TOKENS_PER_DAY      = tostring(var.limits.tokens_per_day)
        LIMIT_TURNS_PER_CHAT_DAY  = tostring(var.limits.turns_per_chat_day)
        LINE_API_BASE_URL         = var.line_api_base_url
        MCP_SERVERS = length(var.tool_servers) == 0 ? null : jsonencode([
          for server in var.tool_servers : { chats = server.chats, name = server.name, tools = server.tools, url = server.url }
        ])
        NOTION_BASE_URL         = try(var.notion.base_url, null)
        NOTION_CONVERSATIONS    = try(join(",", var.notion.conversations), null)
        NOTION_DATABASES        = try(jsonencode(var.notion.databases), null)
        OPERATOR_USER_ID        = var.bot.operator_user_id
        PUSH_AUDIENCE           = local.push_audience["agent_worker"]
        PUSH_SERVICE_ACCOUNT    = local.push_account
        REMINDERS               = var.bot.reminders
        REMINDER_PUSHES_PER_DAY = tostring(var.bot.reminder_pushes_per_day)
        RICH                    = var.bot.rich ? "on" : "off"
        TOOLSETS                = join(",", var.bot.toolsets)
        TRACING                 = var.bot.tracing ? "on" : null
      })
      feeds = merge(local.common_environment, { HISTORY_BUCKET = google_storage_bucket.history.name })
      unsend = merge(local.common_environment, {
        ACCESS               = var.access
        HISTORY_BUCKET       = google_storage_bucket.history.name
        LEASE_S              = tostring(var.bot.lease_s)
        PUSH_AUDIENCE        = local.push_audience["unsend"]
        PUSH_SERVICE_ACCOUNT = local.push_account
      })
      webhook = merge(local.common_environment, {
        EVENTS_TOPIC  = google_pubsub_topic.events.name
        FORWARD_TOPIC = one(google_pubsub_topic.forward[*].name)
        HOOKS         = var.bot.hooks ? "on" : null
      })
    } : function => { for name, value in settings : name => value if value != null }
  }

  # The secrets of each function, by the name of the setting.
  secret_environment = {
    agent_worker = merge(
      { LINE_CHANNEL_ACCESS_TOKEN = local.secret_ids.line_channel_access_token },
      var.gemini.on_vertex ? {} : { GEMINI_API_KEY = local.secret_ids.gemini_api_key },
      var.notion == null ? {} : { NOTION_TOKEN = local.secret_ids.notion_token },
      anytrue(var.tool_servers[*].has_headers) ? { MCP_HEADERS = local.secret_ids.mcp_headers } : {},
      var.bot.hooks ? { HOOK_KEY = local.secret_ids.hook_key } : {},
    )
    feeds  = {}
    unsend = {}
    webhook = merge(
      { LINE_CHANNEL_SECRET = local.secret_ids.line_channel_secret },
      var.bot.hooks ? { HOOK_KEY = local.secret_ids.hook_key } : {},
    )
  }
}
