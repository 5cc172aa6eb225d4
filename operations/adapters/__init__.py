"""The adapters of the commands' own ports; the only package in operations/ that imports SDKs."""
