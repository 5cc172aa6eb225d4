# Alerts, and who is told. What wakes people (CRITICAL) goes to the page channels, everything else to the ticket channels.

locals {
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
  most_instances = { for service, most in {
    (module.agent_worker.service) = var.agent_worker.max_instances
    (module.unsend.service)       = var.unsend.max_instances
    (module.webhook.service)      = var.webhook.max_instances
  } : service => most if most > 1 } # a single one serves every request

  # The windows in which every answer failed: the shorter ones tell early of a busy bot, the longest also of one with a message every eight hours.
  failed_answers = { for window in ["1h", "3h", "12h", "1d"] : window => {
    all  = join(" + ", [for key in ["answers", "apologies", "late_replies", "undelivered"] : "(sum(increase(${local.series[key]}[${window}])) or vector(0))"])
    well = "(sum(increase(${local.series.answers}[${window}])) or vector(0)) - (sum(increase(${local.series.answers_slow}[${window}])) or vector(0))"
  } }

  # docs/operations.md explains each alert under the heading of the same name, those of an objective under `slo_...`.
  every_alert = merge({ for key, alert in merge(local.alerts_on_causes, local.alerts_on_capacity, local.alerts_on_absence) : key => merge(alert, { section = key }) }, local.alerts_on_objectives)

  # Each condition is charged, so the essential alerts are five conditions, each of which is raised by several causes.
  essential_causes = {
    answers_fail  = ["answers_all_fail", "apology_rate", "credentials_refused"]
    data_stays    = ["dead_unsends", "markers_stay"]
    events_lost   = ["dead_letters", "deliveries_refused", "events_dropped", "oldest_event", "ticks_stop"]
    money_spent   = ["budget_spent", "token_cost", "usage_unshared"]
    webhook_fails = ["signature_refusals", "webhook_5xx", "webhook_off", "webhook_silent"]
  }
  essential_titles = {
    answers_fail  = "Answers fail"
    data_stays    = "Words that were taken back may still be there"
    events_lost   = "Events wait or are lost"
    money_spent   = "More is spent than was planned"
    webhook_fails = "LINE's events do not arrive"
  }
  alerts_level = coalesce(var.alerts.level, { full = "full", small = "none" }[var.profile])
  alerts_of_level = {
    none = {}
    essential = {
      for key, causes in local.essential_causes : "essential_${key}" => {
        title    = local.essential_titles[key]
        query    = join(" or ", [for cause in causes : "(${local.every_alert[cause].query})" if contains(keys(local.every_alert), cause)])
        duration = "${max(0, [for cause in causes : tonumber(trimsuffix(local.every_alert[cause].duration, "s")) if contains(keys(local.every_alert), cause)]...)}s"
        section  = "essential-alerts"
        severity = contains([for cause in causes : local.every_alert[cause].severity if contains(keys(local.every_alert), cause)], "CRITICAL") ? "CRITICAL" : "ERROR"
      }
    }
    full = local.every_alert
  }

  alerts_on_causes = {
    answers_all_fail = {
      title    = "The last three answers all failed"
      query    = join(" or ", [for sums in values(local.failed_answers) : "(${sums.all} > 2 and ${sums.well} < 1)"])
      duration = "0s"
      severity = "CRITICAL"
    }
    apology_rate = {
      title    = "The bot apologises too often"
      query    = "${local.half_hour_of.apologies} / (${local.half_hour_of.answers} + ${local.half_hour_of.apologies} > 2) > ${var.alerts.apology_share}"
      duration = "0s"
      severity = "ERROR"
    }
    credentials_refused = {
      title    = "A key, a model's name or an access token is refused"
      query    = "sum(increase(${local.series.credentials_refused}[${max(10, 2 * local.heartbeat_minutes)}m])) > 0"
      duration = "0s"
      severity = "CRITICAL"
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
    deliveries_refused = {
      title    = "Signed deliveries are refused as malformed or too large"
      query    = "sum(increase(${local.series.refusals_unread}[10m])) >= ${var.alerts.signature_refusals}"
      duration = "0s"
      severity = "CRITICAL"
    }
    events_dropped = {
      title    = "Events are dropped because nobody can read them"
      query    = "sum(increase(${local.series.events_dropped}[1h])) > 2"
      duration = "0s"
      severity = "ERROR"
    }
    failure_rate = {
      title = "Workers fail"
      # Three events at least: one that fails time and again is a dead letter, and raises that alert alone.
      query    = "(sum(increase(${local.series.events_failed}[10m])) > 2) / (sum(increase(${local.series.events_handled}[10m])) > 4) > ${var.alerts.failure_share}"
      duration = "300s"
      severity = "ERROR"
    }
    kinds_unknown = {
      title    = "Work of a newer release waits"
      query    = "sum(increase(${local.series.kinds_unknown}[10m])) > 2"
      duration = "0s"
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
    budget_spent = {
      title    = "A budget of tokens or turns is spent for today"
      query    = "sum(increase(${local.series.budgets_spent}[1h])) > 0"
      duration = "0s"
      severity = "WARNING"
    }
    push_quota = {
      title    = "LINE's push quota of the month is spent"
      query    = "sum(increase(${local.series.push_quota_refusals}[1h])) > 0"
      duration = "0s"
      severity = "WARNING"
    }
    pushes_unchecked = {
      title    = "Tokens of pushes cannot be checked"
      query    = "sum(increase(${local.series.pushes_unchecked}[10m])) > 4"
      duration = "0s"
      severity = "ERROR"
    }
    reminders_kept = {
      title    = "Reminders wait for an answer instead of being pushed"
      query    = "sum(increase(${local.series.reminders_kept}[1h])) >= ${var.alerts.reminders_kept}"
      duration = "0s"
      severity = "WARNING"
    }
    secrets_unreadable = {
      title    = "A function cannot read a secret"
      query    = "sum(increase(${local.series.secrets_unreadable}[10m])) > 0"
      duration = "0s"
      severity = "ERROR" # the last value stays in use until the instance ends
    }
    signature_refusals = {
      title    = "Deliveries have a wrong signature"
      query    = "sum(increase(${local.series.refusals_signed}[10m])) >= ${var.alerts.signature_refusals}"
      duration = "0s"
      severity = "ERROR"
    }
    ticks_stop = {
      title    = "No tick is handled"
      query    = "(sum(increase(${local.series.ticks}[5m])) or vector(0)) < 1 and sum(increase(${local.series.ticks}[1d])) > 0" # not before the first
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
    usage_unshared = {
      title    = "Instances do not know what the others spend"
      query    = "sum(increase(${local.series.usage_unshared}[10m])) > 9"
      duration = "0s"
      severity = "ERROR"
    }
    webhook_5xx = {
      title    = "The webhook does not take LINE's events"
      query    = "sum(increase(run_googleapis_com:request_count{${local.of_webhook},response_code_class=\"5xx\"}[10m])) >= ${var.alerts.webhook_5xx}"
      duration = "0s"
      severity = "CRITICAL"
    }
  }

  alerts_on_capacity = length(local.most_instances) == 0 ? {} : {
    instances_at_maximum = {
      title = "A function runs as many instances as it may"
      # Those that serve requests: idle ones are there also in calm, as many as `min_instances` at least.
      query    = join(" or ", [for service, most in local.most_instances : "sum(run_googleapis_com:container_instance_count{monitored_resource=\"cloud_run_revision\",service_name=\"${service}\",state=\"active\"}) >= ${most}"])
      duration = "300s"
      severity = "ERROR"
    }
  }

  alerts_on_absence = merge(
    var.alerts.quiet_hours == 0 ? {} : {
      no_deliveries = {
        title    = "LINE delivers no events"
        query    = "(sum(increase(${local.series.events_published}[${var.alerts.quiet_hours}h])) or vector(0)) < 1 and sum(increase(${local.series.events_published}[1d])) > 0"
        duration = "0s"
        severity = "WARNING"
      }
    },
    local.heartbeat_minutes == 0 ? {} : {
      webhook_off = {
        title    = "LINE's switch \"Use webhook\" is off"
        query    = "sum(increase(${local.series.switched_off}[${max(10, 2 * local.heartbeat_minutes)}m])) > 0 and sum(increase(${local.series.events_published}[1d])) > 0" # not before the first event
        duration = "0s"
        severity = "CRITICAL"
      }
      webhook_silent = {
        title    = "The webhook does not answer LINE's tests"
        query    = "(sum(increase(${local.series.heartbeats}[${3 * local.heartbeat_minutes}m])) or vector(0)) < 1 and sum(increase(${local.series.heartbeats}[1d])) > 0" # not before the first
        duration = "60s"
        severity = "CRITICAL"
      }
    },
  )
}

resource "google_monitoring_notification_channel" "email" {
  for_each = setunion(var.alerts.page.emails, var.alerts.ticket.emails)

  project      = var.project_id
  display_name = each.key
  type         = "email"
  labels       = { email_address = each.key }

  depends_on = [time_sleep.apis_usable]
}

locals {
  named_channels = {
    for kind, told in { page = var.alerts.page, ticket = var.alerts.ticket } :
    kind => concat([for email in told.emails : google_monitoring_notification_channel.email[email].id], told.channels)
  }
  # Where only one of the two is named, it is told everything.
  channels = {
    page   = length(local.named_channels.page) > 0 ? local.named_channels.page : local.named_channels.ticket
    ticket = length(local.named_channels.ticket) > 0 ? local.named_channels.ticket : local.named_channels.page
  }
}

resource "google_monitoring_alert_policy" "this" {
  for_each = local.alerts_of_level[local.alerts_level]

  project               = var.project_id
  display_name          = "${var.name}: ${each.value.title}"
  combiner              = "OR"
  severity              = each.value.severity
  notification_channels = local.channels[each.value.severity == "CRITICAL" ? "page" : "ticket"]
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
    content   = "What it means and what to do: docs/operations.md, \"${each.value.section}\"."
    mime_type = "text/markdown"

    dynamic "links" {
      for_each = var.alerts.handbook_url == null ? [] : [var.alerts.handbook_url]

      content {
        display_name = "What to do"
        url          = "${links.value}#${each.value.section}"
      }
    }
  }

  depends_on = [google_logging_metric.this]
}
