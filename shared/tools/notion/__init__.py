"""The notion toolset: reads and writes pages of the configured databases, and nothing else in the workspace."""
