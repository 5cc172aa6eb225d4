"""One publish, no more."""
