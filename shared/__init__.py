"""The product's own code: everything that the three functions have in common."""
