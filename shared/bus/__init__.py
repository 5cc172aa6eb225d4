"""The bus between the functions: one Pub/Sub message for one LINE event.  Plain values; no SDK."""
