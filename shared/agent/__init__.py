"""The agent: a loop in which a model calls tools until a decision, within limits."""
