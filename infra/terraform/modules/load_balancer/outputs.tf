output "address" {
  description = "The load balancer's address, for the domain's A record."
  value       = google_compute_global_address.this.address
}
