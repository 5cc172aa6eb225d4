"""Objects of the bucket: the port, their names, reads that are kept, compare-and-swap and the encoding of records."""
