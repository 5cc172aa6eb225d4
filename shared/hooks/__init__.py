"""Hooks: notices of other systems into a chat.  The webhook checks a token without storage; the worker knows what is revoked."""
