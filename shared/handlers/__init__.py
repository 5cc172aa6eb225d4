"""What is done about an event: one module a kind, and the assembly of them all."""
