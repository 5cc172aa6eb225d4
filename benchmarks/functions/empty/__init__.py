"""The framework alone."""
