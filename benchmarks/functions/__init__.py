"""Functions to compare with; they start as the real ones do."""
