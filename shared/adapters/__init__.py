"""The only package that imports SDKs; it translates their errors into the project's errors."""
