"""Reminders: what a chat wants to be told at which time."""
