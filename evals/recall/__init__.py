"""Measures recall: whether a fact that was said long ago is among the first lines that a search of a group's memory returns."""
