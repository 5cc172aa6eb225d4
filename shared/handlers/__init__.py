"""Handlers: one module for each kind of event, and the assembly of all handlers."""
