"""The measurements of `make bench`: ratios against a minimal implementation, all from one run."""
