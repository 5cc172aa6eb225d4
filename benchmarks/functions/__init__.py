"""Functions for comparison, started like the real functions."""
