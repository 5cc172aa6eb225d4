# What is refused, with one clear error, before anything is made.

mock_provider "google" {
  mock_data "google_project" {
    defaults = { number = "123456789012" }
  }
}

variables {
  project_id      = "aizuchi-test"
  grants_settle_s = 0
  secrets = {
    line_channel_secret       = "s"
    line_channel_access_token = "t"
    gemini_api_key            = "k"
  }
}

run "a_secret_is_missing" {
  command         = plan
  expect_failures = [var.secrets]

  variables {
    secrets = { line_channel_secret = "s", line_channel_access_token = "t" }
  }
}

run "fewer_threads_than_requests_that_wait" {
  command         = plan
  expect_failures = [var.agent_worker]

  variables {
    agent_worker = { concurrency = 8 }
  }
}

run "a_request_that_outlives_its_deadline" {
  command         = plan
  expect_failures = [var.agent_worker]

  variables {
    agent_worker = { timeout_s = 120 }
  }
}

run "requests_at_once_on_a_part_of_a_cpu" {
  command         = plan
  expect_failures = [var.webhook]

  variables {
    webhook = { cpu = "0.5" }
  }
}

run "a_deadline_that_a_turn_outlives" {
  command         = plan
  expect_failures = [var.delivery]

  variables {
    delivery = { ack_deadline_s = 60 }
  }
}

run "too_few_attempts" {
  command         = plan
  expect_failures = [var.delivery]

  variables {
    delivery = { max_attempts = 5 }
  }
}

run "notion_without_its_settings" {
  command         = plan
  expect_failures = [var.bot]

  variables {
    bot = { toolsets = ["notion"] }
  }
}

run "notion_for_a_chat_that_is_none" {
  command         = plan
  expect_failures = [var.notion]

  variables {
    bot     = { toolsets = ["notion"] }
    notion  = { databases = { tasks = "x" }, conversations = ["everybody"] }
    secrets = { line_channel_secret = "s", line_channel_access_token = "t", gemini_api_key = "k", notion_token = "n" }
  }
}

run "an_unknown_policy" {
  command         = plan
  expect_failures = [var.bot]

  variables {
    bot = { group_policy = "loud" }
  }
}

run "idle_conversations_that_lose_their_edits" {
  command         = plan
  expect_failures = [var.retention]

  variables {
    retention = { idle_conversation_days = 20 }
  }
}
