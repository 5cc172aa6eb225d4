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
  project_id = "aizuchi-test"
  secrets    = { gemini_api_key = "k", line_channel_access_token = "t", line_channel_secret = "s" }
}

run "planned" {
  command = plan

  assert {
    condition     = alltrue([for command in ["make line-webhook", "make invite"] : strcontains(output.next_steps, command)])
    error_message = "The caller is told what is left to do."
  }
}
