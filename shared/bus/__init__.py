"""The bus between the functions: one Pub/Sub message for each LINE event, and for each tick.  Plain values; no SDK."""
