"""Evaluations: cases that say what a good answer is, and sets that measure how well things are found."""
