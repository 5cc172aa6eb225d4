"""Deliveries, events, messages and texts of LINE, as plain values; no SDK."""
