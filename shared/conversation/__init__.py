"""What was said in a chat, and what became of it."""
