"""Measures recall: whether the first lines of a search of a group's memory contain a fact said long ago."""
