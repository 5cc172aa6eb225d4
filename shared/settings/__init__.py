"""The environment of each function, read once and checked whole.

The names are a contract: Terraform sets them, and so do the local stack and the tests.
"""
