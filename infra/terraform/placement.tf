# Where a deployment is. A different name, region, bucket or project would be a different deployment: Terraform would remove functions,
# subscriptions with the events that wait in them, and secrets, and would then fail at the history bucket, which holds objects.

locals {
  history_bucket = coalesce(var.history_bucket, "${var.project_id}-${var.name}-history")
}

# Holds the values of the first apply. A `terraform destroy` is not checked. Source: Terraform, "Custom conditions" and "terraform_data".
resource "terraform_data" "placement" {
  input = {
    history_bucket   = local.history_bucket
    history_location = coalesce(var.history_location, var.region)
    name             = var.name
    project_id       = var.project_id
    region           = var.region
  }

  lifecycle {
    ignore_changes = [input]

    postcondition {
      condition = (
        self.output.history_bucket == local.history_bucket
        && self.output.history_location == coalesce(var.history_location, var.region)
        && self.output.name == var.name
        && self.output.project_id == var.project_id
        && self.output.region == var.region
      )
      error_message = "This state belongs to the deployment ${jsonencode(self.output)}, which cannot be moved. Set project_id, name, region, history_bucket and history_location back to that. To move it, apply a second deployment with another name and a state of its own: docs/operations.md, \"Another region\"."
    }
  }
}
