"""What a chat filed: entries, their index and search, classification, digests, and how all of it is written and withdrawn."""
