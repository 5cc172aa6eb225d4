"""Composition: from ports and features to the handlers of the agent worker."""
