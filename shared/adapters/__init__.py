"""The only place that imports an SDK; errors of SDKs are translated here and go no further."""
