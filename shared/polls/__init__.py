"""Polls of a chat: who chose what, and what is told about it."""
