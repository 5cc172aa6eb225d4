"""The bot's fixed texts: one TOML file a language."""
