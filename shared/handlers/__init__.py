"""Handlers: one module for each kind of event; `shared/composition` puts the handlers together."""
