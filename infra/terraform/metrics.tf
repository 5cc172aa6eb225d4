# Metrics. They count log lines of the code; a test compares the two.

locals {
  services_of_ours = concat([module.agent_worker.service], module.feeds[*].service, [module.unsend.service, module.webhook.service])

  stays_s = 300 # from when a due marker that is left counts as one that stays

  # events: the `message` of the counted lines; where: a further condition; value: the field that is summed up; without it lines are counted.
  metrics = {
    answer_ms           = { events = ["reply_sent"], where = "jsonPayload.outcome=\"replied\" AND jsonPayload.since_received_ms>=0", value = "since_received_ms", unit = "ms", description = "Time from a message's receipt to its answer" }
    answers             = { events = ["reply_sent"], where = "jsonPayload.outcome=\"replied\"", description = "Answers that LINE accepted" }
    answers_in_time     = { events = ["reply_sent"], where = "jsonPayload.outcome=\"replied\" AND jsonPayload.since_received_ms<=${local.objectives.answers.within_ms}", description = "Answers that LINE accepted within ${local.objectives.answers.within_ms / 1000} seconds of the message's receipt" }
    answers_slow        = { events = ["reply_sent"], where = "jsonPayload.outcome=\"replied\" AND jsonPayload.since_received_ms>30000", description = "Answers that LINE accepted more than 30 seconds after the message's receipt" }
    answers_stored      = { events = ["answer_stored"], description = "Late answers that wait for their button to be pressed" }
    apologies           = { events = ["reply_sent"], where = "jsonPayload.outcome=\"apologised\" AND NOT jsonPayload.is_over_limit=true", description = "Apologies that LINE accepted, but for those that tell of a spent budget" }
    budgets_spent       = { events = ["budget_spent"], description = "Chats that were told that a budget is spent for today" }
    credentials_refused = { events = ["gemini_key_refused", "gemini_model_unknown", "line_token_refused"], label = "message", description = "Checks in which a key, a model's name or an access token was refused" }
    entries             = { events = ["entries_written"], description = "Turns that filed, changed or deleted an entry" }
    erasures            = { events = ["conversation_erased"], description = "Chats that were erased because they ended" }
    events_dropped      = { events = ["event_dropped"], description = "Events, or parts of deliveries, that could not be read and were dropped" }
    events_failed       = { events = ["event_handled"], where = "jsonPayload.is_first_attempt=true AND jsonPayload.outcome=(\"failed\" OR \"crashed\" OR \"given_up\")", description = "Events whose first delivery to a worker came to nothing" }
    events_handled      = { events = ["event_handled"], where = "jsonPayload.is_first_attempt=true AND NOT jsonPayload.outcome=(\"ticked\" OR \"tick_lost\")", description = "LINE's events, by their first delivery to a worker" }
    events_published    = { events = ["event_published"], description = "Events that the webhook published" }
    heartbeats          = { events = ["webhook_received"], description = "Deliveries without events, which LINE sends to test the webhook" }
    heartbeats_lost     = { events = ["heartbeat_lost", "heartbeat_not_sent", "webhook_switched_off"], label = "message", description = "Tests of the webhook that failed, and that LINE did not make" }
    kinds_unknown       = { events = ["due_kind_unknown"], description = "Ticks that met work of a newer release" }
    late_replies        = { events = ["reply_deferred"], description = "Answers that came too late for their reply token, so that a button was sent" }
    memory_failures     = { events = ["compaction_failed", "recap_failed", "record_unreadable"], where = "NOT jsonPayload.delivery_attempt>1", label = "message", description = "Records that cannot be read, and chats that cannot be folded or summed up" }
    model_ms            = { events = ["model_called"], value = "duration_ms", unit = "ms", description = "Time that the model took for a call" }
    outside_failures    = { events = ["call_effect_unknown", "notion_refused", "notion_unavailable"], label = "message", description = "Calls of Notion that were refused, not answered, or of which nobody knows" }
    output_tokens       = { events = ["model_called"], value = "output_tokens", unit = "1", description = "Tokens that the model wrote" }
    prompt_tokens       = { events = ["model_called"], value = "prompt_tokens", unit = "1", description = "Tokens that the model read" }
    push_quota_refusals = { events = ["push_quota_spent"], description = "Pushes that the month's quota did not carry" }
    pushes_unchecked    = { events = ["push_not_checked"], description = "Pushes whose token could not be checked" }
    refusals_signed     = { events = ["webhook_rejected"], where = "jsonPayload.is_signed=true AND jsonPayload.status=401", description = "Deliveries whose signature does not match the channel secret" }
    refusals_unread     = { events = ["webhook_rejected"], where = "jsonPayload.is_signed=true AND jsonPayload.status=(400 OR 413)", description = "Deliveries with a signature that were refused because of their form or size" }
    refusals_unsigned   = { events = ["webhook_rejected"], where = "jsonPayload.is_signed=false", description = "Requests without a signature, which are not LINE's" }
    secrets_unreadable  = { events = ["secret_unreadable"], description = "Reads of a mounted secret that failed" }
    reminders_kept      = { events = ["reminder_kept"], description = "Reminders that wait for the chat's next answer instead of being pushed" }
    skips               = { events = ["event_handled"], where = "jsonPayload.outcome=\"skipped\"", description = "Turns in which the bot chose to say nothing" }
    switched_off        = { events = ["webhook_switched_off"], description = "Checks that found LINE's switch \"Use webhook\" off" }
    thought_tokens      = { events = ["model_called"], value = "thought_tokens", unit = "1", description = "Tokens that the model thought" }
    ticks               = { events = ["tick_handled"], description = "Ticks that carried out what was due" }
    ticks_behind        = { events = ["tick_handled"], where = "jsonPayload.oldest_left_s>${local.stays_s}", description = "Ticks that left a marker of something that was due for minutes" }
    tool_errors         = { events = ["tool_failed", "tool_crashed", "tool_response_invalid"], label = "tool", description = "Tools that failed" }
    turns               = { events = ["turn_opened"], description = "Turns that were opened" }
    undelivered         = { events = ["reply_undelivered", "reply_fate_unknown"], description = "Answers that LINE refused, or of which nobody knows" }
    unsends             = { events = ["event_handled"], where = "jsonPayload.is_first_attempt=true AND resource.labels.service_name=\"${module.unsend.service}\"", description = "Unsends, by their first delivery" }
    unsends_in_time     = { events = ["event_handled"], where = "jsonPayload.status=204 AND jsonPayload.since_published_ms<=${local.objectives.unsends.within_ms} AND resource.labels.service_name=\"${module.unsend.service}\"", description = "Unsends whose words were gone within ${local.objectives.unsends.within_ms / 1000} seconds of their receipt" }
    usage_unshared      = { events = ["usage_not_exchanged"], description = "Instances that could not read or write what the deployment has spent" }
    withdrawals         = { events = ["message_withdrawn"], description = "Messages that people took back" }
    withdrawals_unknown = { events = ["withdrawn_message_unknown"], description = "Messages that people took back and that the bot had never seen, or not yet" }
  }

  # The metric's name in PromQL. A log-based metric may belong to several types of resources, so the type has to be named.
  # Source: Cloud Monitoring, "Mapping Cloud Monitoring metrics to PromQL".
  series = {
    for key, metric in local.metrics :
    key => "logging_googleapis_com:user_${replace(var.name, "-", "_")}_${key}${try(metric.value, null) == null ? "" : "_sum"}{monitored_resource=\"cloud_run_revision\"}"
  }
}

resource "google_logging_metric" "this" {
  for_each = local.metrics

  project     = var.project_id
  name        = "${var.name}_${each.key}"
  description = each.value.description
  filter = join(" AND ", compact([
    "resource.type=\"cloud_run_revision\"",
    "resource.labels.service_name=(${join(" OR ", [for one in local.services_of_ours : "\"${one}\""])})",
    "jsonPayload.message=(${join(" OR ", [for one in each.value.events : "\"${one}\""])})",
    try(each.value.where, ""),
  ]))
  label_extractors = try({ (each.value.label) = "EXTRACT(jsonPayload.${each.value.label})" }, null)
  value_extractor  = try("EXTRACT(jsonPayload.${each.value.value})", null)

  metric_descriptor {
    metric_kind = "DELTA"
    value_type  = try(each.value.value, null) == null ? "INT64" : "DISTRIBUTION"
    unit        = try(each.value.unit, "1")

    dynamic "labels" {
      for_each = try([each.value.label], [])

      content {
        key        = labels.value
        value_type = "STRING"
      }
    }
  }

  dynamic "bucket_options" {
    for_each = try([each.value.value], [])

    content {
      exponential_buckets {
        growth_factor      = 1.5
        num_finite_buckets = 40
        scale              = 1
      }
    }
  }

  depends_on = [time_sleep.apis_usable]
}
