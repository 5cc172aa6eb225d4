# An HTTPS load balancer in front of the webhook. Cloud Armor refuses what carries no signature before it reaches an instance; with hooks, a notice
# passes with a token or with GitHub's signature.
# Source: Cloud Armor, "Custom rules language attributes" (request.headers, request.method, request.path, startsWith); Cloud Load Balancing,
# "Serverless NEGs".

locals {
  # By the rule's priority: what passes to the function, which checks LINE's signature, and the tokens and signatures of hooks.
  passes = merge(
    {
      1000 = {
        what       = "A POST with LINE's signature"
        expression = "request.method == 'POST' && has(request.headers['x-line-signature'])"
      }
    },
    var.has_hooks ? {
      1100 = {
        what       = "A request to a hook with a token or a signature"
        expression = "request.path.startsWith('/hooks/') && (has(request.headers['authorization']) || has(request.headers['x-hub-signature-256']))"
      }
    } : {},
  )
}

resource "google_compute_global_address" "this" {
  project = var.project_id
  name    = "${var.name}-webhook"
}

resource "google_compute_region_network_endpoint_group" "webhook" {
  project               = var.project_id
  name                  = "${var.name}-webhook"
  region                = var.region
  network_endpoint_type = "SERVERLESS"

  cloud_run {
    service = var.service
  }
}

resource "google_compute_security_policy" "webhook" {
  project     = var.project_id
  name        = "${var.name}-webhook"
  description = "Lets signed deliveries through; the function checks the signature"

  # LINE redelivers what is refused. Source: Cloud Armor, "Rate limiting overview" (throttle; the key IP is the sender's address).
  dynamic "rule" {
    for_each = local.passes

    content {
      action      = "throttle"
      priority    = rule.key
      description = "${rule.value.what}, up to a rate for each address"

      rate_limit_options {
        conform_action = "allow"
        enforce_on_key = "IP"
        exceed_action  = "deny(429)"

        rate_limit_threshold {
          count        = var.requests_a_minute
          interval_sec = 60
        }
      }

      match {
        expr {
          expression = rule.value.expression
        }
      }
    }
  }

  rule {
    action      = "deny(403)"
    priority    = 2147483647
    description = "Everything else is for nobody here"

    match {
      versioned_expr = "SRC_IPS_V1"

      config {
        src_ip_ranges = ["*"] # LINE does not publish its addresses
      }
    }
  }
}

resource "google_compute_backend_service" "webhook" {
  project               = var.project_id
  name                  = "${var.name}-webhook"
  load_balancing_scheme = "EXTERNAL_MANAGED"
  protocol              = "HTTPS"
  security_policy       = google_compute_security_policy.webhook.id

  backend {
    group = google_compute_region_network_endpoint_group.webhook.id
  }
}

resource "google_compute_url_map" "webhook" {
  project         = var.project_id
  name            = "${var.name}-webhook"
  default_service = google_compute_backend_service.webhook.id
}

resource "google_compute_managed_ssl_certificate" "webhook" {
  project = var.project_id
  name    = "${var.name}-webhook-${substr(sha256(var.domain), 0, 8)}" # another domain is another certificate

  managed {
    domains = [var.domain]
  }

  lifecycle {
    create_before_destroy = true
  }
}

resource "google_compute_target_https_proxy" "webhook" {
  project          = var.project_id
  name             = "${var.name}-webhook"
  ssl_certificates = [google_compute_managed_ssl_certificate.webhook.id]
  url_map          = google_compute_url_map.webhook.id
}

resource "google_compute_global_forwarding_rule" "webhook" {
  project               = var.project_id
  name                  = "${var.name}-webhook"
  ip_address            = google_compute_global_address.this.id
  load_balancing_scheme = "EXTERNAL_MANAGED"
  port_range            = "443"
  target                = google_compute_target_https_proxy.webhook.id
}
