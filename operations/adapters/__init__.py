"""The only place in operations/ that imports an SDK, beside the product's own adapters."""
