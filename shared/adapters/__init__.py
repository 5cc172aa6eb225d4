"""The only package that imports SDKs; adapters translate SDK errors into the project's errors."""
