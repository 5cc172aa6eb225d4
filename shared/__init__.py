"""The product's own code, shared by the functions."""
