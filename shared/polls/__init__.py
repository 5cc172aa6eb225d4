"""Polls and meetings of a chat: votes, standings and closings."""
