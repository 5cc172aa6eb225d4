# Objectives, and alerts on how fast their error budgets burn: 14.4 times the sustainable rate over an hour (a page), six times over six hours
# (a ticket). A shorter window ends the alert when the burning ends; at least three failures keep one unlucky event from waking anybody.
# Source: Google, "The Site Reliability Workbook", chapter 5, "Multiwindow, multi-burn-rate alerts".

locals {
  objectives = {
    answers  = { share = 0.95, within_ms = 10000 }
    delivery = { share = 0.995, within_ms = null }
    unsends  = { share = 0.99, within_ms = 120000 }
  }

  # Of each objective: what is counted, and either what of it is well or what is not.
  indicators = {
    answers = {
      title = "Answers come within ten seconds"
      all   = [local.series.answers, local.series.apologies, local.series.late_replies, local.series.undelivered]
      well  = [local.series.answers_in_time]
      lost  = []
    }
    delivery = {
      title = "Events are handled at their first delivery"
      all   = [local.series.events_handled]
      well  = []
      lost  = [local.series.events_failed]
    }
    unsends = {
      title = "Withdrawn words are gone within two minutes"
      all   = [local.series.unsends]
      well  = [local.series.unsends_in_time]
      lost  = []
    }
  }

  burns = {
    fast = { adverb = "fast", rate = 14.4, long = "1h", short = "5m", severity = "CRITICAL" }
    slow = { adverb = "steadily", rate = 6, long = "6h", short = "30m", severity = "WARNING" }
  }

  # By objective and window: the sums of what is counted, of what is well, and of what is lost.
  sums = {
    for pair in setproduct(keys(local.indicators), ["5m", "30m", "1h", "6h", "1d"]) : join(" ", pair) => {
      for kind in ["all", "well", "lost"] :
      kind => join(" + ", [for one in local.indicators[pair[0]][kind] : "(sum(increase(${one}[${pair[1]}])) or vector(0))"])
    }
  }
  bad = { for key, sum in local.sums : key => sum.lost == "" ? "(${sum.all} - ${sum.well})" : "(${sum.lost})" }

  alerts_on_objectives = {
    for pair in setproduct(keys(local.objectives), keys(local.burns)) : join("_burn_", pair) => {
      title = "${local.indicators[pair[0]].title}: the error budget burns ${local.burns[pair[1]].adverb}"
      query = join(" and ", concat(
        [
          for window in [local.burns[pair[1]].long, local.burns[pair[1]].short] :
          "${local.bad["${pair[0]} ${window}"]} / (${local.sums["${pair[0]} ${window}"].all}) > ${format("%.4f", local.burns[pair[1]].rate * (1 - local.objectives[pair[0]].share))}"
        ],
        ["${local.bad["${pair[0]} ${local.burns[pair[1]].long}"]} > 2"],
      ))
      duration = "0s"
      section  = "slo_${pair[0]}"
      severity = local.burns[pair[1]].severity
    }
  }

  attained = [
    for key, objective in local.objectives : {
      title   = "${local.indicators[key].title}: ${objective.share * 100} %"
      queries = { "a day" = "100 * (1 - ${local.bad["${key} 1d"]} / (${local.sums["${key} 1d"].all}))" }
    }
  ]
}
