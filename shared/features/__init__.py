"""Features: what each stores of a chat, and what each offers to a turn."""
