"""Evaluations: cases of good answers, and data sets for the quality of search and recall."""
