"""The adapters of the commands' own ports; no other package in operations/ imports SDKs."""
