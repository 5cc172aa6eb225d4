# The dashboard: the objectives are its first row, then comes everything that is counted.

locals {
  charts = merge(
    {
      for title, keys in {
        "Answers, skips, apologies"  = ["answers", "skips", "apologies"]
        "Late, lost, refused"        = ["late_replies", "answers_slow", "answers_stored", "undelivered", "push_quota_refusals", "budgets_spent", "reminders_kept"]
        "Turns, and what was filed"  = ["turns", "entries"]
        "Taken back and erased"      = ["withdrawals", "withdrawals_unknown", "erasures"]
        "Tools, memory, Notion"      = ["tool_errors", "memory_failures", "outside_failures"]
        "Ticks, and those behind"    = ["ticks", "ticks_behind", "kinds_unknown"]
        "Heartbeats, and those lost" = ["heartbeats", "heartbeats_lost", "switched_off", "credentials_refused"]
        "Published, refused"         = ["events_published", "refusals_signed", "refusals_unread", "refusals_unsigned", "secrets_unreadable"]
        "Unsends, and those in time" = ["unsends", "unsends_in_time"]
        "Answers in time"            = ["answers_in_time"]
        "Tokens"                     = ["prompt_tokens", "output_tokens", "thought_tokens", "usage_unshared"]
        "Deliveries, and those lost" = ["events_handled", "events_failed", "events_dropped", "pushes_unchecked"]
      } : title => { for key in keys : key => "sum(increase(${local.series[key]}[$${__interval}]))" }
    },
    {
      "Model, seconds"              = { for share in ["0.5", "0.95"] : "p${share * 100}" => "histogram_quantile(${share}, sum by (le) (rate(${replace(local.series.model_ms, "_sum{", "_bucket{")}[$${__interval}]))) / 1000" }
      "Answers after seconds"       = { for share in ["0.5", "0.95"] : "p${share * 100}" => "histogram_quantile(${share}, sum by (le) (rate(${replace(local.series.answer_ms, "_sum{", "_bucket{")}[$${__interval}]))) / 1000" }
      "Webhook, requests by class"  = { "" = "sum by (response_code_class) (increase(run_googleapis_com:request_count{${local.of_webhook}}[$${__interval}]))" }
      "Oldest event, seconds"       = { "" = "max by (subscription_id) (pubsub_googleapis_com:subscription_oldest_unacked_message_age{${local.of_workers}})" }
      "Dead letters"                = local.waiting_dead_letters
      "Instances"                   = { "" = "sum by (service_name) (run_googleapis_com:container_instance_count{monitored_resource=\"cloud_run_revision\",service_name=~\"${join("|", local.services_of_ours)}\"})" }
      "Tokens of a day, US dollars" = { "" = local.token_usd_a_day }
    },
  )
}

resource "google_monitoring_dashboard" "this" {
  project = var.project_id
  dashboard_json = jsonencode({
    displayName = var.name
    gridLayout = {
      columns = "3"
      widgets = [
        for widget in concat(local.attained, [for title, queries in local.charts : { title = title, queries = queries }]) : {
          title = widget.title
          xyChart = {
            dataSets = [
              for legend, query in widget.queries : {
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
