"""What `make bench` measures: ratios against the least that could be done, from one run."""
