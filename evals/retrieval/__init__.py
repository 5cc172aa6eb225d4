"""Measures how well search finds entries: a set of entries and of queries in four languages."""
