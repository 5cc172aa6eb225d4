"""What an operator does by hand: register the webhook, look through dead letters, forget a chat, hand one over."""
