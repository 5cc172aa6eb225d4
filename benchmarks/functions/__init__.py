"""Functions for comparison, which start as the real ones do."""
