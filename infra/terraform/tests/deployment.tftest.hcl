# The least settings. Applied, so that references between resources can be compared.

mock_provider "google" {
  mock_data "google_project" {
    defaults = { number = "123456789012" }
  }
  mock_resource "google_cloudfunctions2_function" {
    defaults = { id = "projects/aizuchi-test/locations/asia-northeast1/functions/one" }
  }
}

mock_provider "time" {}

variables {
  project_id      = "aizuchi-test"
  grants_settle_s = 0
  secrets = {
    line_channel_secret       = "hush-secret"
    line_channel_access_token = "hush-token"
    gemini_api_key            = "hush-key"
  }
}

run "applied" {
  command = apply

  # Invokers
  assert {
    condition     = keys(module.webhook.invokers) == ["anybody"] && module.webhook.invokers["anybody"] == "allUsers"
    error_message = "LINE must be able to call the webhook."
  }
  assert {
    condition = alltrue([
      for function in [module.agent_worker, module.unsend] :
      keys(function.invokers) == ["push"] && function.invokers["push"] == google_service_account.push.member
    ])
    error_message = "Only the push account may call a worker."
  }
  assert {
    condition     = module.webhook.ingress == "ALLOW_ALL" && module.agent_worker.ingress == "ALLOW_INTERNAL_ONLY" && module.unsend.ingress == "ALLOW_INTERNAL_ONLY"
    error_message = "Exactly one function is public."
  }
  assert {
    condition     = length(module.feeds) == 0 && length(google_logging_project_exclusion.feeds) == 0 && !contains(keys(local.environment["agent_worker"]), "FEEDS_URL")
    error_message = "Without bot.calendar nothing serves calendars."
  }

  # The bus
  assert {
    condition = (
      google_pubsub_subscription.worker["agent_worker"].push_config[0].push_endpoint == module.agent_worker.url
      && google_pubsub_subscription.worker["unsend"].push_config[0].push_endpoint == module.unsend.url
    )
    error_message = "Each subscription pushes to its own worker."
  }
  assert {
    condition = alltrue([
      for worker, one in google_pubsub_subscription.worker :
      one.push_config[0].oidc_token[0].service_account_email == "aizuchi-push@aizuchi-test.iam.gserviceaccount.com"
      && one.push_config[0].oidc_token[0].audience == "https://aizuchi-${replace(worker, "_", "-")}-123456789012.asia-northeast1.run.app"
    ])
    error_message = "Pushes carry a token of the push account, made out to their worker."
  }
  assert {
    condition = alltrue([
      for worker, one in google_pubsub_subscription.worker :
      local.environment[worker]["PUSH_SERVICE_ACCOUNT"] == one.push_config[0].oidc_token[0].service_account_email
      && local.environment[worker]["PUSH_AUDIENCE"] == one.push_config[0].oidc_token[0].audience
    ])
    error_message = "A worker must check the token that its subscription sends."
  }
  assert {
    condition     = google_pubsub_subscription.worker["agent_worker"].filter == "attributes.type != \"unsend\"" && google_pubsub_subscription.worker["unsend"].filter == "attributes.type = \"unsend\""
    error_message = "Together the filters let every event through, and none twice."
  }
  assert {
    condition     = alltrue([for one in concat(values(google_pubsub_subscription.worker), values(google_pubsub_subscription.dead_letters)) : one.expiration_policy[0].ttl == ""])
    error_message = "A subscription must not expire while nobody talks to the bot."
  }
  assert {
    condition     = alltrue([for one in google_pubsub_subscription.worker : one.retry_policy[0].minimum_backoff == "1s" && one.retry_policy[0].maximum_backoff == "10s"])
    error_message = "Retries back off from 1 to 10 seconds."
  }
  assert {
    condition     = alltrue([for one in google_pubsub_subscription.worker : one.topic == google_pubsub_topic.events.id && one.dead_letter_policy[0].dead_letter_topic == google_pubsub_topic.dead_letters.id && one.dead_letter_policy[0].max_delivery_attempts >= 10])
    error_message = "What cannot be delivered goes to the dead letters, after ten attempts at least."
  }
  assert {
    condition     = alltrue([for one in google_pubsub_subscription.dead_letters : one.topic == google_pubsub_topic.dead_letters.id && one.message_retention_duration == "604800s"])
    error_message = "Dead letters are kept, for seven days."
  }
  assert {
    condition = (
      google_pubsub_subscription.dead_letters["dead-letters-unsends"].filter == "attributes.type = \"unsend\""
      && google_pubsub_subscription.dead_letters["dead-letters"].filter == "attributes.type != \"unsend\""
      && strcontains(google_monitoring_alert_policy.this["dead_unsends"].conditions[0].condition_prometheus_query_language[0].query, "\"${google_pubsub_subscription.dead_letters["dead-letters-unsends"].name}\"")
      && strcontains(google_monitoring_alert_policy.this["dead_letters"].conditions[0].condition_prometheus_query_language[0].query, "\"${google_pubsub_subscription.dead_letters["dead-letters"].name}\"")
    )
    error_message = "Each alert on dead letters watches its own queue."
  }
  assert {
    condition = (
      google_pubsub_topic_iam_member.agent_publishes_dead_letters.topic == google_pubsub_topic.dead_letters.name
      && google_pubsub_topic_iam_member.agent_publishes_dead_letters.role == "roles/pubsub.publisher"
      && google_pubsub_topic_iam_member.agent_publishes_dead_letters.member == "serviceAccount:service-123456789012@gcp-sa-pubsub.iam.gserviceaccount.com"
    )
    error_message = "Pub/Sub's agent may publish dead letters."
  }
  assert {
    condition = alltrue([
      for key, one in google_pubsub_subscription_iam_member.agent_takes_dead_letters :
      one.subscription == google_pubsub_subscription.worker[key].name && one.role == "roles/pubsub.subscriber"
      && one.member == google_pubsub_topic_iam_member.agent_publishes_dead_letters.member
    ]) && length(google_pubsub_subscription_iam_member.agent_takes_dead_letters) == 2
    error_message = "Pub/Sub's agent may take messages out of both subscriptions."
  }

  # The ticks
  assert {
    condition = (
      length(google_cloud_scheduler_job.tick) == 4
      && alltrue([
        for shard, job in google_cloud_scheduler_job.tick :
        job.schedule == "* * * * *" && job.time_zone == "Etc/UTC"
        && job.pubsub_target[0].topic_name == google_pubsub_topic.events.id
        && job.pubsub_target[0].attributes == tomap({ type = "tick" })
        && base64decode(job.pubsub_target[0].data) == "{\"shard\":${shard},\"shards\":4,\"type\":\"tick\"}"
      ])
    )
    error_message = "Once a minute a tick of each shard is published to the events' topic."
  }
  assert {
    condition = (
      google_pubsub_topic_iam_member.scheduler_publishes_ticks.topic == google_pubsub_topic.events.name
      && google_pubsub_topic_iam_member.scheduler_publishes_ticks.role == "roles/pubsub.publisher"
      && google_pubsub_topic_iam_member.scheduler_publishes_ticks.member == "serviceAccount:service-123456789012@gcp-sa-cloudscheduler.iam.gserviceaccount.com"
      && contains(keys(google_project_service.this), "cloudscheduler.googleapis.com")
    )
    error_message = "Cloud Scheduler's agent may publish ticks."
  }

  # Accounts: without its line each of these would fall back to a default account or repository with far more rights
  assert {
    condition = alltrue([
      for function in [module.webhook, module.agent_worker, module.unsend] :
      function.accounts.runs == function.email
      && function.accounts.builds == google_service_account.build.id
      && function.accounts.images == google_artifact_registry_repository.images.id
    ])
    error_message = "Each function runs as its own account, and is built by the building account into the deployment's repository."
  }
  assert {
    condition = (
      module.webhook.readable_secrets == { LINE_CHANNEL_SECRET = google_secret_manager_secret.this["line_channel_secret"].secret_id }
      && module.unsend.readable_secrets == {}
      && module.agent_worker.readable_secrets == {
        GEMINI_API_KEY            = google_secret_manager_secret.this["gemini_api_key"].secret_id
        LINE_CHANNEL_ACCESS_TOKEN = google_secret_manager_secret.this["line_channel_access_token"].secret_id
      }
    )
    error_message = "Each function may read every secret that it needs, and no other."
  }

  # Least privilege
  assert {
    condition = (
      google_storage_bucket_iam_member.build_reads_sources.bucket == google_storage_bucket.sources.name
      && google_storage_bucket_iam_member.build_reads_sources.member == google_service_account.build.member
      && google_project_iam_member.build_logs.member == google_service_account.build.member
      && google_project_iam_member.build_reads_copies.member == google_service_account.build.member
      && google_artifact_registry_repository_iam_member.build_writes_images.member == google_service_account.build.member
      && google_artifact_registry_repository_iam_member.build_writes_images.repository == google_artifact_registry_repository.images.name
    )
    error_message = "The building account reads sources and writes images, and reaches no chat."
  }
  assert {
    condition = alltrue([
      for one in [google_storage_bucket_iam_member.agent_worker_uses_history, google_storage_bucket_iam_member.unsend_uses_history] :
      one.bucket == google_storage_bucket.history.name && one.role == "roles/storage.objectUser"
    ])
    error_message = "Both workers use the history bucket: the unsend function has to erase from it."
  }
  assert {
    condition = alltrue([
      for function, settings in local.environment : try(settings.HISTORY_BUCKET, google_storage_bucket.history.name) == google_storage_bucket.history.name
    ])
    error_message = "The workers are told the bucket that they may use."
  }
  assert {
    condition     = google_pubsub_topic_iam_member.webhook_publishes.topic == google_pubsub_topic.events.name && google_pubsub_topic_iam_member.webhook_publishes.member == module.webhook.member
    error_message = "The webhook publishes to the events' topic."
  }
  assert {
    condition = alltrue([
      for grant, function in { agent_worker = module.agent_worker.member, unsend = module.unsend.member } :
      { agent_worker = google_storage_bucket_iam_member.agent_worker_uses_history, unsend = google_storage_bucket_iam_member.unsend_uses_history }[grant].member == function
    ])
    error_message = "The workers use the history."
  }
  assert {
    condition     = length(toset([module.webhook.member, module.agent_worker.member, module.unsend.member, google_service_account.push.member, google_service_account.build.member])) == 5
    error_message = "Every function, the pushing and the building have an account of their own."
  }
  assert {
    condition     = length(google_project_iam_member.agent_worker_uses_vertex) == 0
    error_message = "Without Vertex AI the worker needs no role in the project."
  }

  # Buckets
  assert {
    condition = alltrue([
      for one in [google_storage_bucket.history, google_storage_bucket.sources] :
      one.public_access_prevention == "enforced" && one.uniform_bucket_level_access && one.soft_delete_policy[0].retention_duration_seconds == 0
    ])
    error_message = "No bucket is public, and nothing that is deleted stays."
  }
  assert {
    condition     = !google_storage_bucket.history.versioning[0].enabled && !google_storage_bucket.history.force_destroy
    error_message = "No versions of withdrawn texts; and people's words outlive a `terraform destroy`."
  }
  assert {
    condition = {
      for rule in google_storage_bucket.history.lifecycle_rule : one(one(rule.condition).matches_prefix) => one(rule.condition).age
    } == { "amended/" = 30, "archive/" = 365, "calls/" = 1, "edited/" = 35, "invitations/" = 366, "journal/" = 365, "media/" = 90, "snapshots/" = 365, "usage/" = 62 }
    error_message = "Each kind of object has its days; due/, erased/ and entries/ have none, nor have turns/, as long as there are entries, or may be reminders."
  }

  # Packages
  assert {
    condition = alltrue([
      for function, object in google_storage_bucket_object.package :
      object.name == "${function}/${data.archive_file.package[function].output_sha256}.zip" && length(data.archive_file.package[function].output_sha256) == 64
    ])
    error_message = "Other code is another object, so that it is deployed."
  }
  assert {
    condition     = alltrue([for function, build in local.build : build.source_object == google_storage_bucket_object.package[function].name && build.service_account == google_service_account.build.id])
    error_message = "Each function is built from its own package, by the account for building."
  }

  # Secrets
  assert {
    condition     = alltrue([for name, one in google_secret_manager_secret_version.this : one.secret_data == null || !strcontains(one.secret_data, "hush")])
    error_message = "No secret is in the state."
  }
  assert {
    condition     = !strcontains(jsonencode(local.environment), "hush")
    error_message = "No secret is in a plain variable."
  }
  assert {
    condition     = alltrue([for one in google_secret_manager_secret_version.this : one.deletion_policy == "ABANDON"])
    error_message = "No version is disabled because Terraform lets go of it."
  }

  # Alerts
  assert {
    condition     = alltrue([for one in google_monitoring_alert_policy.this : strcontains(one.documentation[0].content, "docs/operations.md")])
    error_message = "Each alert says where it is explained."
  }
  assert {
    condition     = output.webhook_url == module.webhook.url && alltrue([for line in ["HISTORY_BUCKET='aizuchi-test-aizuchi-history'", "LEASE_S='25'"] : strcontains(output.operations_environment, "export ${line}")])
    error_message = "The outputs tell what the operators' commands need."
  }
}

run "secrets_out_of_band" {
  command = plan

  variables {
    bot             = { reminders = "off" }
    retention       = { entries_days = 400 }
    secrets         = {}
    secret_versions = { gemini_api_key = 0, line_channel_access_token = 0, line_channel_secret = 0 }
  }

  assert {
    condition     = length(google_secret_manager_secret_version.this) == 0 && length(google_secret_manager_secret.this) == 3
    error_message = "The secrets are there, and nobody but you writes them."
  }
  assert {
    condition     = local.kept_days["entries/"] == 400 && local.kept_days["turns/"] == 401
    error_message = "A turn outlives the entries whose writes it numbers."
  }
}

run "one_instance_of_each_function" {
  command = plan

  variables {
    agent_worker = { max_instances = 1 }
    unsend       = { max_instances = 1 }
    webhook      = { max_instances = 1 }
  }

  assert {
    condition     = !contains(keys(google_monitoring_alert_policy.this), "instances_at_maximum")
    error_message = "A function that may run one instance runs as many as it may with each request."
  }
}

run "one_instance_of_a_worker" {
  command = plan

  variables {
    agent_worker = { max_instances = 1 }
  }

  assert {
    condition     = !strcontains(local.every_alert["instances_at_maximum"].query, module.agent_worker.service) && strcontains(local.every_alert["instances_at_maximum"].query, module.webhook.service)
    error_message = "The functions that may run several instances are watched."
  }
}
