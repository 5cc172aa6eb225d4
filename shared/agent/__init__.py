"""The agent: a loop in which a model calls tools until it decides, within limits."""
