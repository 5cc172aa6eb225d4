"""The bus between the functions: one Pub/Sub message for one LINE event, and for each tick.  Plain values; no SDK."""
