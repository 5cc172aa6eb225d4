"""Objects of the bucket: the port, object names, cached reads, compare-and-swap and the encoding of records."""
