# Metrics, alerts and the dashboard. The metrics count log lines of the code; a test compares the two.

locals {
  services_of_ours = [module.agent_worker.service, module.unsend.service, module.webhook.service]

  stays_s = 300 # from when a due marker that is left counts as one that stays

  # events: the `message` of the counted lines; where: a further condition; value: the field that is summed up; without it lines are counted.
  metrics = {
    answers             = { events = ["reply_sent"], where = "jsonPayload.outcome=\"replied\"", description = "Answers that LINE accepted" }
    answers_stored      = { events = ["answer_stored"], description = "Late answers that wait for their button to be pressed" }
    apologies           = { events = ["reply_sent"], where = "jsonPayload.outcome=\"apologised\"", description = "Apologies that LINE accepted" }
    entries             = { events = ["entries_written"], description = "Turns that filed, changed or deleted an entry" }
    erasures            = { events = ["conversation_erased"], description = "Chats that were erased because they ended" }
    events_failed       = { events = ["event_handled"], where = "jsonPayload.outcome=(\"failed\" OR \"crashed\" OR \"given_up\")", description = "Deliveries to a worker that came to nothing" }
    events_handled      = { events = ["event_handled"], where = "NOT jsonPayload.outcome=(\"ticked\" OR \"tick_lost\")", description = "Deliveries of LINE's events to a worker" }
    late_replies        = { events = ["reply_deferred"], description = "Answers that came too late for their reply token, so that a button was sent" }
    memory_failures     = { events = ["compaction_failed", "recap_failed", "record_unreadable"], label = "message", description = "Records that cannot be read, and chats that cannot be folded or summed up" }
    model_ms            = { events = ["model_called"], value = "duration_ms", unit = "ms", description = "Time that the model took for a call" }
    outside_failures    = { events = ["call_effect_unknown", "notion_refused", "notion_unavailable"], label = "message", description = "Calls of Notion that were refused, not answered, or of which nobody knows" }
    output_tokens       = { events = ["model_called"], value = "output_tokens", unit = "1", description = "Tokens that the model wrote" }
    prompt_tokens       = { events = ["model_called"], value = "prompt_tokens", unit = "1", description = "Tokens that the model read" }
    push_quota_refusals = { events = ["push_quota_spent"], description = "Pushes that LINE refused because the month's quota is spent" }
    skips               = { events = ["event_handled"], where = "jsonPayload.outcome=\"skipped\"", description = "Turns in which the bot chose to say nothing" }
    thought_tokens      = { events = ["model_called"], value = "thought_tokens", unit = "1", description = "Tokens that the model thought" }
    ticks               = { events = ["tick_handled"], description = "Ticks that carried out what was due" }
    ticks_behind        = { events = ["tick_handled"], where = "jsonPayload.oldest_left_s>${local.stays_s}", description = "Ticks that left a marker of something that was due for minutes" }
    tool_errors         = { events = ["tool_failed", "tool_crashed", "tool_response_invalid"], label = "tool", description = "Tools that failed" }
    turns               = { events = ["turn_opened"], description = "Turns that were opened" }
    undelivered         = { events = ["reply_undelivered", "reply_fate_unknown"], description = "Answers that LINE refused, or of which nobody knows" }
    withdrawals         = { events = ["message_withdrawn"], description = "Messages that people took back" }
    withdrawals_unknown = { events = ["withdrawn_message_unknown"], description = "Messages that people took back and that the bot had never seen, or not yet" }
  }

  # The metric's name in PromQL. Source: Cloud Monitoring, "Mapping Cloud Monitoring metrics to PromQL".
  series = {
    for key, metric in local.metrics :
    key => "logging_googleapis_com:user_${replace(var.name, "-", "_")}_${key}${try(metric.value, null) == null ? "" : "_sum"}"
  }
  of_webhook           = "monitored_resource=\"cloud_run_revision\",service_name=\"${module.webhook.service}\""
  of_workers           = "monitored_resource=\"pubsub_subscription\",subscription_id=~\"${join("|", [for one in google_pubsub_subscription.worker : one.name])}\""
  half_hour_of         = { for key in ["answers", "apologies", "late_replies", "undelivered"] : key => "(sum(increase(${local.series[key]}[30m])) or vector(0))" }
  late_or_lost         = "(${local.half_hour_of.late_replies} + ${local.half_hour_of.undelivered})"
  waiting_dead_letters = { for key, one in google_pubsub_subscription.dead_letters : key => "max(pubsub_googleapis_com:subscription_num_undelivered_messages{monitored_resource=\"pubsub_subscription\",subscription_id=\"${one.name}\"})" }
  token_usd_a_day = join(" + ", [
    for key, usd_per_million in {
      output_tokens  = var.gemini.output_usd_per_million
      prompt_tokens  = var.gemini.input_usd_per_million
      thought_tokens = var.gemini.output_usd_per_million # thought tokens are billed as output
    } : "(sum(increase(${local.series[key]}[1d])) or vector(0)) * ${usd_per_million} / 1e6"
  ])

  # docs/operations.md explains each alert under the heading of the same name.
  alerts = {
    apology_rate = {
      title    = "The bot apologises too often"
      query    = "${local.half_hour_of.apologies} / (${local.half_hour_of.answers} + ${local.half_hour_of.apologies} > 2) > ${var.alerts.apology_share}"
      duration = "0s"
      severity = "ERROR"
    }
    dead_letters = {
      title    = "Events that no worker could deal with"
      query    = "${local.waiting_dead_letters["dead-letters"]} > 0"
      duration = "0s"
      severity = "ERROR"
    }
    dead_unsends = {
      title    = "Words that were taken back are still there"
      query    = "${local.waiting_dead_letters["dead-letters-unsends"]} > 0"
      duration = "0s"
      severity = "CRITICAL"
    }
    failure_rate = {
      title    = "Workers fail"
      query    = "(sum(increase(${local.series.events_failed}[10m])) or vector(0)) / (sum(increase(${local.series.events_handled}[10m])) > 4) > ${var.alerts.failure_share}"
      duration = "300s"
      severity = "ERROR"
    }
    late_answers = {
      title    = "Answers come too late, or not at all"
      query    = "${local.late_or_lost} / (${local.late_or_lost} + ${local.half_hour_of.answers} > 2) > ${var.alerts.late_share}"
      duration = "0s"
      severity = "WARNING"
    }
    markers_stay = {
      title    = "What is due is not carried out"
      query    = "sum(increase(${local.series.ticks_behind}[10m])) > 0"
      duration = "0s"
      severity = "CRITICAL" # the second pass of a withdrawal may be among it
    }
    memory_fails = {
      title    = "Chats cannot be read, folded or summed up"
      query    = "sum(increase(${local.series.memory_failures}[1h])) >= ${var.alerts.memory_failures}"
      duration = "0s"
      severity = "ERROR"
    }
    oldest_event = {
      title    = "Events wait for a worker"
      query    = "max(pubsub_googleapis_com:subscription_oldest_unacked_message_age{${local.of_workers}}) > ${var.alerts.oldest_event_s}"
      duration = "120s"
      severity = "CRITICAL"
    }
    push_quota = {
      title    = "LINE's push quota of the month is spent"
      query    = "sum(increase(${local.series.push_quota_refusals}[1h])) > 0"
      duration = "0s"
      severity = "WARNING"
    }
    ticks_stop = {
      title    = "No tick is handled"
      query    = "(sum(increase(${local.series.ticks}[5m])) or vector(0)) < 1" # also where there is no series
      duration = "60s"
      severity = "CRITICAL"
    }
    token_cost = {
      title    = "Tokens of a day cost more than planned"
      query    = "${local.token_usd_a_day} > ${var.alerts.token_usd_a_day}"
      duration = "0s"
      severity = "WARNING"
    }
    tools_fail = {
      title    = "Tools fail"
      query    = "(sum(increase(${local.series.tool_errors}[1h])) or vector(0)) + (sum(increase(${local.series.outside_failures}[1h])) or vector(0)) >= ${var.alerts.tool_failures}"
      duration = "0s"
      severity = "WARNING"
    }
    webhook_5xx = {
      title    = "The webhook does not take LINE's events"
      query    = "sum(increase(run_googleapis_com:request_count{${local.of_webhook},response_code_class=\"5xx\"}[10m])) >= ${var.alerts.webhook_5xx}"
      duration = "0s"
      severity = "CRITICAL"
    }
  }

  charts = merge(
    {
      for title, keys in {
        "Answers, skips, apologies"  = ["answers", "skips", "apologies"]
        "Late, lost, refused"        = ["late_replies", "answers_stored", "undelivered", "push_quota_refusals"]
        "Turns, and what was filed"  = ["turns", "entries"]
        "Taken back and erased"      = ["withdrawals", "withdrawals_unknown", "erasures"]
        "Tools, memory, Notion"      = ["tool_errors", "memory_failures", "outside_failures"]
        "Ticks, and those behind"    = ["ticks", "ticks_behind"]
        "Tokens"                     = ["prompt_tokens", "output_tokens", "thought_tokens"]
        "Deliveries, and those lost" = ["events_handled", "events_failed"]
      } : title => { for key in keys : key => "sum(increase(${local.series[key]}[$${__interval}]))" }
    },
    {
      "Model, seconds"              = { for share in ["0.5", "0.95"] : "p${share * 100}" => "histogram_quantile(${share}, sum by (le) (rate(${replace(local.series.model_ms, "/_sum$/", "_bucket")}[$${__interval}]))) / 1000" }
      "Webhook, requests by class"  = { "" = "sum by (response_code_class) (increase(run_googleapis_com:request_count{${local.of_webhook}}[$${__interval}]))" }
      "Oldest event, seconds"       = { "" = "max by (subscription_id) (pubsub_googleapis_com:subscription_oldest_unacked_message_age{${local.of_workers}})" }
      "Dead letters"                = local.waiting_dead_letters
      "Instances"                   = { "" = "sum by (service_name) (run_googleapis_com:container_instance_count{monitored_resource=\"cloud_run_revision\",service_name=~\"${join("|", local.services_of_ours)}\"})" }
      "Tokens of a day, US dollars" = { "" = local.token_usd_a_day }
    },
  )
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

resource "google_monitoring_notification_channel" "email" {
  for_each = var.alerts.emails

  project      = var.project_id
  display_name = each.key
  type         = "email"
  labels       = { email_address = each.key }

  depends_on = [time_sleep.apis_usable]
}

locals {
  notification_channels = concat([for one in google_monitoring_notification_channel.email : one.id], var.alerts.notification_channels)
}

resource "google_monitoring_alert_policy" "this" {
  for_each = local.alerts

  project               = var.project_id
  display_name          = "${var.name}: ${each.value.title}"
  combiner              = "OR"
  severity              = each.value.severity
  notification_channels = local.notification_channels
  user_labels           = var.labels

  conditions {
    display_name = each.value.title

    condition_prometheus_query_language {
      query                     = each.value.query
      duration                  = each.value.duration
      evaluation_interval       = "60s"
      disable_metric_validation = true # a log-based metric exists only from its first line on
    }
  }

  documentation {
    subject   = "${var.name}: ${each.value.title}"
    content   = "What it means and what to do: docs/operations.md, \"${each.key}\"."
    mime_type = "text/markdown"
  }

  depends_on = [google_logging_metric.this]
}

resource "google_monitoring_dashboard" "this" {
  project = var.project_id
  dashboard_json = jsonencode({
    displayName = var.name
    gridLayout = {
      columns = "3"
      widgets = [
        for title, queries in local.charts : {
          title = title
          xyChart = {
            dataSets = [
              for legend, query in queries : {
                legendTemplate  = legend
                plotType        = "LINE"
                timeSeriesQuery = { prometheusQuery = query }
              }
            ]
          }
        }
      ]
    }
  })

  depends_on = [time_sleep.apis_usable]
}
