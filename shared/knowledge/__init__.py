"""The entries of a chat: files, catalog, index, search, classification, digests, and how entries are written and withdrawn."""
