"""The environment of each function, read once and validated as a whole.

The variables' names are a contract: Terraform, the local stack and the tests set them.
"""
