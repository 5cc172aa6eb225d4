"""The operator's commands: register the webhook, list and replay dead letters, erase a chat, export a chat."""
