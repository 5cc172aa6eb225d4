mock_provider "google" {
  mock_data "google_project" {
    defaults = { number = "123456789012" }
  }
  mock_data "google_storage_project_service_account" {
    defaults = { email_address = "service-123456789012@gs-project-accounts.iam.gserviceaccount.com" }
  }
}

mock_provider "time" {}

variables {
  project_id        = "aizuchi-test"
  rehearsal_secrets = { gemini_api_key = "k", line_channel_access_token = "t", line_channel_secret = "s" }
  secrets           = { gemini_api_key = "k", line_channel_access_token = "t", line_channel_secret = "s", notion_token = "n" }
}

run "planned" {
  command = plan

  assert {
    condition     = strcontains(output.next_steps.bot, "gcloud run services update aizuchi-webhook --region=asia-northeast1 --no-invoker-iam-check")
    error_message = "A webhook that allUsers may not call needs a step by hand."
  }
  assert {
    condition     = strcontains(output.next_steps.rehearsal, "Nothing is left to do on Google Cloud")
    error_message = "The rehearsal is public."
  }
}
