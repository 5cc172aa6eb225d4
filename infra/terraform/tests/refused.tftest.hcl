# Settings that are refused with one clear error each, before anything is created. A run checks several, because every run starts the providers
# again; a check that depends on another refused variable is in a run of its own.

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
    line_channel_secret       = "s"
    line_channel_access_token = "t"
    gemini_api_key            = "k"
  }
}

run "one" {
  command         = plan
  expect_failures = [var.agent_worker, var.retention, var.secrets, var.unsend, var.webhook]

  variables {
    agent_worker = { concurrency = 8 }                                            # fewer threads than waiting requests
    retention    = { idle_conversation_days = 20 }                                # idle conversations would lose their edits
    secrets      = { line_channel_secret = "s", line_channel_access_token = "t" } # no key for Gemini
    unsend       = { timeout_s = 50 }                                             # calls of Cloud Storage are repeated
    webhook      = { cpu = "0.5" }                                                # concurrent requests need a whole CPU
  }
}

run "two" {
  command         = plan
  expect_failures = [var.access, var.bot, var.delivery, var.limits]

  variables {
    access   = "everybody"
    limits   = { turns_per_chat_day = -1 }
    bot      = { group_policy = "loud" }
    delivery = { max_attempts = 5 }
  }
}

run "three" {
  command         = plan
  expect_failures = [var.agent_worker, var.bot]

  variables {
    agent_worker = { timeout_s = 120 }       # a request that outlives its deadline
    bot          = { toolsets = ["notion"] } # without `notion`
  }
}

run "four" {
  command         = plan
  expect_failures = [var.delivery, var.notion]

  variables {
    bot      = { toolsets = ["notion"] }
    delivery = { ack_deadline_s = 60 } # a turn takes longer
    notion   = { databases = { tasks = "x" }, conversations = ["everybody"] }
    secrets  = { line_channel_secret = "s", line_channel_access_token = "t", gemini_api_key = "k", notion_token = "n" }
  }
}

run "five" {
  command         = plan
  expect_failures = [var.notion, var.retention]

  variables {
    bot       = { toolsets = ["notion"] }
    notion    = { databases = { tasks = "0123456789abcdef0123456789abcdef" }, conversations = ["*", "U4af4980629b1e5a3b9d0f2c7a8e61d35"] }
    retention = { calls_days = 0 } # 0 means that they are never deleted
    secrets   = { line_channel_secret = "s", line_channel_access_token = "t", gemini_api_key = "k", notion_token = "n" }
  }
}

run "six" {
  command         = plan
  expect_failures = [var.bot, var.gemini, var.profile]

  variables {
    profile = "small"
    webhook = { min_instances = 1 }         # an instance that waits
    bot     = { confidence_threshold = 60 } # a share, not a percentage
    gemini  = { on_vertex = true, location = "" }
  }
}

run "seven" {
  command         = plan
  expect_failures = [var.secrets] # whose check depends on var.bot

  variables {
    secrets = { line_channel_secret = "s", line_channel_access_token = "a wrapped\ncopy", gemini_api_key = "k" }
  }
}

run "eight" {
  command         = plan
  expect_failures = [var.agent_worker, var.alerts, var.heartbeat_minutes, var.secret_versions]

  variables {
    agent_worker      = { concurrency = 81 }     # more turns than threads that renew leases
    alerts            = { oldest_event_s = 60 }  # one poison event would raise two alerts
    heartbeat_minutes = 1                        # LINE allows sixty tests an hour
    secret_versions   = { gemini_api_key = 1.5 } # a counter
  }
}

run "nine" {
  command         = plan
  expect_failures = [var.agent_worker, var.alerts, var.bot, var.gemini, var.history_bucket, var.line_api_base_url, var.region, var.tick_shards, var.unsend, var.webhook]

  variables {
    agent_worker      = { max_instances = 0 }
    alerts            = { token_usd_a_day = -1 } # raised for ever
    bot               = { name = "two\nlines" }
    gemini            = { input_usd_per_million = 0 } # an alert that is never raised
    history_bucket    = "gs://words"                  # an address, not a name
    line_api_base_url = "http://line.example.com"     # the access token would be sent in the clear
    region            = "asia-northeast1-a"
    tick_shards       = 0
    unsend            = { concurrency = 0 }
    webhook           = { max_instances = 0 }
  }
}

run "ten" {
  command         = plan
  expect_failures = [var.agent_worker, var.alerts, var.secrets, var.unsend, var.webhook]

  variables {
    agent_worker = { concurrency = 40.5 }
    alerts       = { page = { channels = ["oncall"] } }
    secrets      = { line_channel_secret = "old,new,newer", line_channel_access_token = "t", gemini_api_key = "k" }
    unsend       = { min_instances = 2, max_instances = 1 }
    webhook      = { concurrency = 1001 }
  }
}

run "eleven" {
  command         = plan
  expect_failures = [var.agent_worker, var.gemini, var.load_balancer, var.notion, var.unsend, var.webhook]

  variables {
    agent_worker  = { memory = "1024" } # no unit
    bot           = { toolsets = ["notion"] }
    gemini        = { base_url = "gemini" }
    load_balancer = { domain = "bot.example.com", requests_a_minute = 10 } # LINE delivers from few addresses
    notion        = { databases = { "\"tasks\"" = "0123456789abcdef0123456789abcdef" }, conversations = ["*"] }
    secrets       = { line_channel_secret = "s", line_channel_access_token = "t", gemini_api_key = "k", notion_token = "n" }
    unsend        = { max_instances = 1.5 }
    webhook       = { cpu = "1000m" }
  }
}

run "twelve" {
  command         = plan
  expect_failures = [var.bot]

  variables {
    bot = { lease_s = 19 } # a holder could not end a call to LINE in it
  }
}

run "thirteen" {
  command         = plan
  expect_failures = [var.bot]

  variables {
    bot = { time_zone = "Tokyo time" }
  }
}

run "fourteen" {
  command         = plan
  expect_failures = [var.bot]

  variables {
    bot = { toolsets = ["lists"] } # without `knowledge`, whose index shows them
  }
}
