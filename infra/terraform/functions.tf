# Settings that the functions share; webhook.tf, agent_worker.tf, unsend.tf and feeds.tf hold the others.

locals {
  build = {
    for function, object in google_storage_bucket_object.package : function => {
      docker_repository = google_artifact_registry_repository.images.id
      runtime           = var.runtime
      service_account   = google_service_account.build.id
      source_bucket     = google_storage_bucket.sources.name
      source_object     = object.name
    }
  }
}
