# Optional: notifies when the month's costs pass 50, 90 and 100 % of the budget, and when the forecast passes it.

resource "google_billing_budget" "this" {
  count = var.budget == null ? 0 : 1

  billing_account = var.budget.billing_account
  display_name    = var.name

  budget_filter {
    projects = ["projects/${data.google_project.this.number}"]
  }

  amount {
    specified_amount {
      currency_code = var.budget.currency
      units         = tostring(floor(var.budget.amount))
    }
  }

  dynamic "threshold_rules" {
    for_each = [0.5, 0.9, 1.0]

    content {
      threshold_percent = threshold_rules.value
    }
  }

  threshold_rules {
    threshold_percent = 1.0
    spend_basis       = "FORECASTED_SPEND"
  }

  dynamic "all_updates_rule" {
    for_each = length(local.channels.ticket) > 0 ? [true] : []

    content {
      monitoring_notification_channels = local.channels.ticket
    }
  }
}
