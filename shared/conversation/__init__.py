"""A chat as stored: records, amendments, memory, turns."""
