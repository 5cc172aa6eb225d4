"""The agent: a loop around a model that chooses tools, within limits."""
