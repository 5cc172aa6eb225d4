"""How well search finds entries: a set of entries and queries in four languages, and its measurement."""
